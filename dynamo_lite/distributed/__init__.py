"""Compiled functions over arrays in blocks: Dask's arrays, its cluster, and files beyond memory."""
