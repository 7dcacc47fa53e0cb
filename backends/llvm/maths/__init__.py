"""Elementary functions as inline polynomials over vectors, for float32 and float64.

Rows name them as "@topic.name". They raise the floating-point flags that NumPy's functions raise,
by really computing what is flagged, and on other arguments (NaN and infinities included) neither
divide, overflow nor invalid.
"""
