"""Trackers of values that the graph computes: arrays, numbers, sizes."""
