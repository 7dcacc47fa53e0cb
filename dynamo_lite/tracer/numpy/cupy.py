"""CuPy's functions and NumPy's on CuPy arrays: the graph knows both by NumPy's.

CuPy is recognised by names and never imported here: an array of it has been seen, or its function.
"""
from __future__ import annotations

import sys
from typing import Any

import numpy as np

from ...errors import GraphBreak
from ...ir.ops.libraries import take_creation
from ...ir.pullback import EXPANDED
from ...ir.tree import leaves
from ..state.tracker import Args, Kwargs
from ..trackers.arrays.arrays import ArrayVariable
from ..trackers.containers.sequences import SequenceVariable

PACKAGES = ("", "linalg", "fft")
"""Where CuPy has functions with the names of NumPy's."""


def is_cupy_ufunc(value: Any) -> bool:
    kind = type(value)
    return kind.__name__ == "ufunc" and kind.__module__.partition(".")[0] == "cupy"


def numpy_counterpart(function: Any, args: Args, kwargs: Kwargs) -> Any:
    """The NumPy function that stands for a call in the graph; GraphBreak when none does."""
    takes_cupy = any(map(_is_cupy, leaves((list(args), dict(kwargs)))))
    if not _is_of_cupy(function):
        if takes_cupy and function not in EXPANDED and not _dispatches(function):
            raise GraphBreak(f"{function.__name__} of NumPy does not take arrays of CuPy")
        return function
    if (found := _same_name(function)) is None:
        if function.__module__.startswith("cupy.random"):
            raise GraphBreak(f"{function.__name__} draws random numbers, which is left to CuPy")
        raise GraphBreak(f"{function.__name__} of CuPy has no counterpart in a graph")
    if not takes_cupy:
        if take_creation("cupy", function, found):
            return function
        raise GraphBreak(f"{function.__name__} of CuPy without an array of CuPy")
    return found


def _is_cupy(value: Any) -> bool:
    if isinstance(value, SequenceVariable) and value.unread is None:
        return any(map(_is_cupy, value.built_items()))
    return isinstance(value, ArrayVariable) and value.array_type.library == "cupy"


def _is_of_cupy(function: Any) -> bool:
    if is_cupy_ufunc(getattr(function, "__self__", None)):
        return True
    module = getattr(function, "__module__", None) or type(function).__module__
    return isinstance(module, str) and module.partition(".")[0] == "cupy"


def _same_name(function: Any) -> Any:
    """NumPy's function at the place where CuPy has this one, or the method of its ufunc."""
    if is_cupy_ufunc(owner := getattr(function, "__self__", None)):
        return getattr(_same_name(owner), function.__name__, None)
    name = function.__name__.removeprefix("cupy_")
    for package in PACKAGES:
        theirs, ours = sys.modules.get(f"cupy.{package}".strip(".")), np
        if package:
            ours = getattr(np, package)
        if theirs is not None and getattr(theirs, name, None) is function:
            return getattr(ours, name, None)
    return None


def _dispatches(function: Any) -> bool:
    """Whether NumPy hands a call with CuPy arrays over to CuPy, which must have the function."""
    cupy: Any = sys.modules["cupy"]
    if isinstance(function, np.ufunc):
        return hasattr(cupy, function.__name__)
    if not hasattr(function, "_implementation"):
        return False
    path = function.__module__.split(".")[1:]
    for part in (*path, function.__name__):
        cupy = getattr(cupy, part, None)
    return cupy is not None
