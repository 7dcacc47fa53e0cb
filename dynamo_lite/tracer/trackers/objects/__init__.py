"""Trackers of functions, classes and their objects."""
