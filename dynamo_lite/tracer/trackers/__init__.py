"""Trackers of Python's values, by topic: containers, objects, arrays."""
