"""Which classes a program can change: those of class statements, and hardly any of C's."""

IMMUTABLE_TYPE = 1 << 8
"""Py_TPFLAGS_IMMUTABLETYPE: neither the attributes nor the bases of the class can be set."""


def is_python_class(kind: type) -> bool:
    """Whether the class came from a class statement.

    Where C allocates a type says nothing of it: `collections.deque` is on the heap since
    Python 3.12. The few types of C's that can be changed count as Python's.
    """
    return not kind.__flags__ & IMMUTABLE_TYPE
