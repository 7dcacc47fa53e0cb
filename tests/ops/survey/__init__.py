"""Short realistic functions over NumPy's public functions, by the sections of its reference."""
