"""Classes: which of them a program can change, and how sentences name their objects."""

import numpy as np

IMMUTABLE_TYPE = 1 << 8
"""Py_TPFLAGS_IMMUTABLETYPE: neither the attributes nor the bases of the class can be set."""


def is_python_class(kind: type) -> bool:
    """Whether the class came from a class statement.

    Where C allocates a type says nothing of it: `collections.deque` is on the heap since
    Python 3.12. The few types of C's that can be changed count as Python's.
    """
    return not kind.__flags__ & IMMUTABLE_TYPE


def a_kind(kind: type) -> str:
    """`a list`, `an int`, `an ndarray`; `None` for its class."""
    name = kind.__qualname__
    if kind is type(None):
        return "None"
    return f"{'an' if name[0] in 'aeioAEIO' or name.startswith('nd') else 'a'} {name}"


def what_it_is(kind: type) -> str:
    """The same, which says of arrays of other classes that they are."""
    is_other_array = kind is not np.ndarray and issubclass(kind, np.ndarray)
    return f"{a_kind(kind)}, a subclass of ndarray" if is_other_array else a_kind(kind)
