"""What NumPy's own Python code does, said once: types and decompositions both come from it.

A definition is `definition(emit, *arguments, **keywords)`, called as the NumPy function is. It
makes exactly the calls that NumPy's implementation makes, so rounding, dtypes and layout agree. It
raises `Unsupported` for arguments it does not cover; NumPy then runs as an extern step.
"""
