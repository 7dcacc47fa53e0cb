"""One row per operation: everything that is known about it."""
