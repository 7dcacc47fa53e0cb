"""Type rules: what NumPy returns for arguments of given types, without running it.

A rule is called like the NumPy function, with `ArrayType`s in place of arrays and numbers, and the
keyword `facts`. It raises `Wrong` where NumPy raises, and `Unsupported` where it cannot tell.
"""
