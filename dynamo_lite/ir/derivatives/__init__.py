"""Derivatives of operations, as NumPy code over the nodes of a graph; the rows name them."""
