"""Trackers of lists, tuples, dicts, sets, iterators and the like."""
