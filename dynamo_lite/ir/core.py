"""Operations that exist only inside the compiler: what NumPy writes in place, said as a value.

Every function here runs with NumPy, so a graph that uses them still prints, runs and can be
compared with the graph it came from, and a backend may always call them as extern steps.

A *view chain* is a tuple of view operations, each `(callable, arguments, keywords)`, applied one
after the other: `((np.transpose, (), {}), (operator.getitem, (slice(1, None),), {}))` is `x.T[1:]`.
The empty chain is the array itself.
"""
from __future__ import annotations

import operator
import sys
from collections.abc import Callable
from typing import Any, Union

import numpy as np

from ..errors import DataDiffers

UNMET = "what this line requires of its values does not hold"
Chain = tuple[tuple[Callable[..., Any], tuple[Any, ...], dict[str, Any]], ...]


def only(function: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
    """The one item of the tuple that a function returns."""
    (result,) = function(*args, **kwargs)
    return result


def expect(condition: Any, reason: str = UNMET) -> bool:
    """True; raises where the condition is false, so that the call is left to Python."""
    if not condition:
        raise DataDiffers(reason)
    return True


def plain(value: Any) -> Any:
    """A NumPy scalar as the Python number of the same value."""
    return np.asarray(value).item()


def fitting(number: int, dtype: np.dtype) -> np.generic:
    """A Python int as an integer of NumPy's; raises where it does not fit."""
    found: Any = np.array(number, dtype)[()]
    return found


def length(array: np.ndarray, axis: int) -> int:
    """One of an array's sizes."""
    return int(array.shape[axis])


def within(bound: int, size: int) -> int:
    """Where a bound of a slice falls in an axis of so many elements: 0 to `size`."""
    return slice(bound).indices(size)[1]


def position(index: int, size: int) -> int:
    """Which element of an axis an index names, counted from 0."""
    if not -size <= index < size:
        raise DataDiffers(UNMET)
    return range(size)[index]


def between(number: int, least: int, most: int) -> int:
    """An int of which the program knows what it is at least and at most."""
    return number


def signed(number: int) -> int:
    """The int of 64 bits, one of them its sign, that has the lowest bits of another int."""
    return (number + 2**63) % 2**64 - 2**63


def wrapped_sum(left: int, right: int) -> int:
    """The lowest 64 bits of a sum; of a number itself where 0 is added."""
    return signed(left + right)


def wrapped_difference(left: int, right: int) -> int:
    return signed(left - right)


def wrapped_product(left: int, right: int) -> int:
    return signed(left * right)


def sliding_windows(array: np.ndarray, size: int, axis: int) -> np.ndarray:
    """All parts of a size along an axis; their places come where the axis was, the places inside of
    them last. Only one of them is written at a time."""
    return np.lib.stride_tricks.sliding_window_view(array, size, axis, writeable=True)


def diagonals(array: np.ndarray, axis1: int, axis2: int) -> np.ndarray:
    """`np.diagonal`, but as writeable as the array, as `np.einsum` gives them."""
    found = np.diagonal(array, 0, axis1, axis2)
    found.flags.writeable = array.flags.writeable
    return found


def update(base: np.ndarray, view: Chain, value: Any) -> np.ndarray:
    """A copy of `base` in which the elements that `view` selects are replaced by `value`.

    The last step of the chain may index with integer arrays; where those name an element twice, the
    later value wins. `value` is broadcast to the selected shape and cast to the dtype of `base` as
    assignment does (casting="unsafe"). All of `value` is read before anything is replaced. The
    result has the shape, dtype and strides of `base`.
    """
    result = copied(base)
    store(result, view, value)
    return result


def store(base: np.ndarray, view: Chain, value: Any) -> None:
    """What `update` does, in the memory of `base`."""
    if view and view[-1][0] is operator.getitem:
        selected(base, view[:-1])[view[-1][1][0]] = value
    else:
        part = selected(base, view)
        part.flags.writeable = True  # that of np.diagonal is not
        part[...] = value


def perform(
    function: Callable[..., Any], base: np.ndarray, view: Chain, place: Union[int, str],
    args: tuple[Any, ...], kwargs: dict[str, Any],
) -> np.ndarray:
    """A copy of `base` after `function` has written into the part that `view` selects.

    The part is handed over as positional argument number `place`, or as keyword `place`; `args` and
    `kwargs` are the others.
    """
    result = copied(base)
    target = selected(result, view)
    function = own_function(function, base)
    if isinstance(place, str):
        function(*args, **{place: target}, **kwargs)
    else:
        function(*args[:place], target, *args[place:], **kwargs)
    return result


def own_function(function: Callable[..., Any], base: Any) -> Callable[..., Any]:
    """A ufunc's method as the library of an array has it: NumPy hands calls of ufuncs over to
    other libraries, but not all those of their methods."""
    ufunc = getattr(function, "__self__", None)
    if isinstance(base, np.ndarray) or not isinstance(ufunc, np.ufunc):
        return function
    library = sys.modules[type(base).__module__.partition(".")[0]]
    found: Callable[..., Any] = getattr(getattr(library, ufunc.__name__), function.__name__)
    return found


def selected(base: Any, view: Chain) -> Any:
    """The view itself."""
    for function, args, kwargs in view:
        base = function(base, *args, **kwargs)
    return base


def copied(base: np.ndarray) -> np.ndarray:
    """A copy with the same memory order."""
    return np.copy(base, order="K")
