"""Python functions traced in place of what CPython and NumPy have in C."""
