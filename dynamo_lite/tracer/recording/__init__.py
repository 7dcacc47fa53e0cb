"""How a call becomes a node of the graph: where its outputs are given, which sizes it makes."""
