"""Partitions as tasks of Dask: what they are given, how they travel, what they run."""
