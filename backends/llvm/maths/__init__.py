"""Elementary functions as inline polynomials over vectors: the table is `functions.FUNCTIONS`."""
