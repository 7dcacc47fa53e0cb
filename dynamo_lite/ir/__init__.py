"""The graph level: sizes, types, graphs, the operation registry and passes."""
