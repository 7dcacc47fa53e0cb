"""The frontend: CPython bytecode is followed over trackers, and array operations become a graph."""
