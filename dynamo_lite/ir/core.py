"""Operations that exist only inside the compiler: what NumPy writes in place, said as a value.

Every function here runs with NumPy, so a graph that uses them still prints, runs and can be compared
with the graph it came from.
"""
from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np


def update(base: np.ndarray, view: tuple[tuple[Any, ...], ...], value: Any) -> np.ndarray:
    """A copy of `base` in which the elements that `view` selects are replaced by `value`.

    `view` is a chain of view operations, each `(callable, *arguments)` applied to the result of the
    one before; the empty chain selects everything. `value` is broadcast to the selected shape and
    cast to the dtype of `base` as assignment does (casting="unsafe"). All of `value` is read before
    anything is replaced. The result has the shape, dtype and strides of `base`.
    """
    result = copy_layout(base)
    target = result
    for function, *arguments in view[:-1]:
        target = function(target, *arguments)
    store(target, view[-1] if view else None, value)
    return result


def store(target: np.ndarray, last: tuple[Any, ...] | None, value: Any) -> None:
    """Assign to the selection that the last step of a view chain makes of `target`."""
    if last is None:
        target[...] = value
        return
    function, *arguments = last
    selected: Callable[..., Any] = function
    selection = selected(target, *arguments)
    if isinstance(selection, np.ndarray):
        selection[...] = value
    else:
        target[arguments[0]] = value


def copy_layout(array: np.ndarray) -> np.ndarray:
    """A copy with the same strides when they describe a packed array."""
    return np.copy(array, order="K")
