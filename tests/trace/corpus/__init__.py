"""Short functions over all of Python, by topic: each is compiled whole and compared with Python."""
