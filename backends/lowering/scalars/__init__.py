"""Numbers and sizes: Python's operators on them, and between what integers lie."""
