"""How a graph of arrays in blocks is cut into partitions, each of them one task a block."""
