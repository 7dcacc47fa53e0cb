"""Rows of callables that are not NumPy's: ufuncs of other libraries, functions that users allow in
graphs. They run as steps of the compiled graph, which bails out where they raise."""
from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..row import FOREIGN_ROWS, OWN_ROW, Kind, Op
from ..rules.externs import tried
from ..rules.pointwise import ufunc_rule
from ..tree import map_leaves


def is_numbers_ufunc(ufunc: Any) -> bool:
    """A ufunc of numbers, element by element; those of Python objects may do anything."""
    return type(ufunc) is np.ufunc and ufunc.signature is None and bool(ufunc.types) and (
        not any("O" in loop for loop in ufunc.types))


def take_ufunc(ufunc: Any) -> bool:
    """Make a row for a ufunc of another library; False where it cannot have one."""
    if not is_numbers_ufunc(ufunc):
        return False
    if ufunc not in FOREIGN_ROWS:
        FOREIGN_ROWS[ufunc] = Op(ufunc, ufunc.__name__, Kind.EXTERN, ufunc_rule(ufunc),
                                 flags=True, checks=("any",))
    return True


def fresh_results(type_of: Callable[..., Any]) -> Callable[..., Any]:
    """The same with arrays that are nobody else's, as the results of the function are."""
    def call(*args: Any, **kwargs: Any) -> Any:
        return map_leaves(own, type_of(*args, **kwargs))

    return call


def own(leaf: Any) -> Any:
    return leaf.copy() if isinstance(leaf, np.ndarray) else leaf


def allow(function: Callable[..., Any], type_of: Callable[..., Any] | None) -> None:
    """Give a user's function a row of its own: one node, with the type that `type_of` tells of
    sample arguments, or else calling it with them does."""
    rule = tried(function if type_of is None else fresh_results(type_of))
    name = getattr(function, "__name__", "call")
    setattr(function, OWN_ROW, Op(function, name, Kind.EXTERN, rule, flags=True, checks=("any",)))


def is_users_own(function: Any) -> bool:
    """Whether a function was allowed in graphs, which may do anything at each call."""
    return hasattr(function, OWN_ROW)
