"""Facts about Python's real objects that need no tracker: classes, signatures, rules."""
