"""Control flow that depends on data: branches and loops as nodes of the graph."""
