"""Steps that are calls: of NumPy, and of BLAS."""
