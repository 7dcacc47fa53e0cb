"""Polyfills of functions that CPython has in C, to be traced in their place.

Each gives what the C function gives, item by item. The results are generators and closures, which
must not leave the trace: rebuilding one breaks the graph instead.
"""
from __future__ import annotations

import collections
import functools
import itertools
import math
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

POLYFILLS: dict[Any, Any] = {}


def polyfill_of(function: Any) -> Callable[[Any], Any]:
    def register(polyfill: Any) -> Any:
        POLYFILLS[function] = polyfill
        return polyfill

    return register


@polyfill_of(np.ndenumerate)
def ndenumerate(arr: Any) -> Iterator[Any]:
    return _elements(np.asarray(arr))


def _elements(arr: Any) -> Iterator[Any]:
    for index in itertools.product(*[range(n) for n in arr.shape]):
        yield index, arr[index]


@polyfill_of(np.ndindex)
def ndindex(*shape: Any) -> Iterator[Any]:
    if len(shape) == 1 and isinstance(shape[0], tuple):
        shape = shape[0]
    if min(shape, default=0) < 0:
        raise ValueError("negative dimensions are not allowed")
    return iter(itertools.product(*[range(n) for n in shape]))


@polyfill_of(math.prod)
def prod(iterable: Any, /, *, start: Any = 1) -> Any:
    for factor in iter(iterable):
        start = start * factor
    return start


@polyfill_of(collections._count_elements)  # type: ignore[attr-defined]
def count_elements(mapping: Any, iterable: Any) -> None:
    for item in iterable:
        mapping[item] = mapping.get(item, 0) + 1


@polyfill_of(functools.update_wrapper)
def update_wrapper(
    wrapper: Any,
    wrapped: Any,
    assigned: Any = functools.WRAPPER_ASSIGNMENTS,
    updated: Any = functools.WRAPPER_UPDATES,
) -> Any:
    for name in assigned:
        if hasattr(wrapped, name):
            setattr(wrapper, name, getattr(wrapped, name))
    for attribute in updated:
        if attribute == "__dict__":
            for name, value in own_attributes(wrapped):
                setattr(wrapper, name, value)
        else:
            getattr(wrapper, attribute).update(getattr(wrapped, attribute, {}))
    wrapper.__wrapped__ = wrapped
    return wrapper


def own_attributes(function: Any) -> Any:
    """Pairs of what a function's own dict holds; answered by the tracer."""
    return list(vars(function).items())


@polyfill_of(functools.cmp_to_key)
def cmp_to_key(mycmp: Any) -> Any:
    return lambda value: Compared(mycmp, value)


class Compared:
    """A sort key that compares by a function of two values."""

    def __init__(self, mycmp: Any, obj: Any) -> None:
        self.mycmp = mycmp
        self.obj = obj

    def __lt__(self, other: Any) -> Any:
        return self.mycmp(self.obj, other.obj) < 0


@polyfill_of(functools.reduce)
def reduce(function: Any, iterable: Any, *initial: Any) -> Any:
    if len(initial) > 1:
        raise TypeError(f"reduce expected at most 3 arguments, got {len(initial) + 2}")
    try:
        iterator = iter(iterable)
    except TypeError:
        iterator = None
    if iterator is None:
        raise TypeError("reduce() arg 2 must support iteration")
    if initial:
        total = initial[0]
    else:
        for total in iterator:  # noqa: B007
            break
        else:
            raise TypeError("reduce() of empty iterable with no initial value")
    for item in iterator:
        total = function(total, item)
    return total
