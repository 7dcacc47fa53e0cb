"""Fake arrays: NumPy values of given types that cost no memory, to let NumPy itself speak.

They serve to raise NumPy's own error for a wrong call, and to find the type of what an extern
function returns. A fake array has the right dtype, shape and flags over a single element.
"""
from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.lib.stride_tricks import as_strided

from ..base.suppressed import warnings_as
from ..errors import Unsupported
from .facts import Facts
from .sizes import SizeExpr
from .tree import leaves, map_leaves
from .types import ArrayType, Form

ARRAY_METHODS = frozenset(
    method for method in vars(np.ndarray).values() if callable(method) and method.__hash__
)
LIMIT = 1 << 20
"""The most elements that a fake array may have when a function is run on it."""
SMALL = 16
"""The largest size of one that is not made smaller, to try what a function does with large ones."""


def fake_array(kind: ArrayType, facts: Facts) -> Any:
    """A value of this type whose sizes are the hints; not to be written to.

    Integers are 0, which is a valid index, everything else is 1.
    """
    if kind.form is Form.OBJECT:  # Cython's methods believe that it is one of theirs
        raise Unsupported("a call that a random generator may refuse")
    one = kind.dtype.type(kind.dtype.kind not in "iu")
    if kind.form is Form.PYTHON:
        return one.item()
    if kind.form is Form.SCALAR:
        return one
    shape = tuple(facts.hint(size) for size in kind.shape)
    cell = np.full(1, one)
    return as_strided(cell, shape, (0,) * len(shape), writeable=kind.writeable)


def copied_fake_array(kind: ArrayType, facts: Facts) -> Any:
    """A value of this type with its own memory and its own strides."""
    if kind.form is not Form.ARRAY:
        return fake_array(kind, facts)
    shape = tuple(facts.hint(size) for size in kind.shape)
    strides = tuple(facts.hint(stride) for stride in kind.strides)
    low = sum(min(0, (n - 1) * step) for n, step in zip(shape, strides) if n)
    high = sum(max(0, (n - 1) * step) for n, step in zip(shape, strides) if n)
    if high - low > LIMIT * 8:
        raise Unsupported("its arrays are too large to try it out")
    memory = np.ones(high - low + kind.dtype.itemsize, np.int8)
    memory[:] = 0
    array: np.ndarray = np.ndarray(shape, kind.dtype, memory, -low, strides)
    array.flags.writeable = kind.writeable
    return array


def provoke(
    target: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any], facts: Facts
) -> None:
    """Make NumPy raise its error for this call; Unsupported when it does not raise, or might work
    on large arrays first: it is tried on small ones then, whether it does."""
    kinds = [leaf for leaf in leaves((args, kwargs)) if isinstance(leaf, ArrayType)]
    if any(facts.hint(kind.size) > LIMIT for kind in kinds) and not _raises(
        target, *map_leaves(_Smaller(kinds, facts), (args, kwargs))
    ):
        raise Unsupported("a call that NumPy may refuse, on large arrays")
    args, kwargs = map_leaves(lambda leaf: _concrete(leaf, fake_array, facts), (args, kwargs))
    run_silently(target, args, kwargs)
    raise Unsupported("a call whose type is not known before it runs")


def _raises(target: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> bool:
    try:
        run_silently(target, args, kwargs)
    except (TypeError, ValueError, IndexError):
        return True
    return False


class _Smaller:
    """Called with types, gives fake arrays that are smaller: their large sizes are numbers above
    `SMALL` in the same order, and equal where they are."""

    def __init__(self, kinds: Iterable[ArrayType], facts: Facts) -> None:
        self.facts = facts
        sizes = {facts.hint(size) for kind in kinds for size in kind.shape}
        large = sorted(size for size in sizes if size > SMALL)
        self.sizes = {size: SMALL + 2 * rank + 1 for rank, size in enumerate(large)}

    def __call__(self, leaf: Any) -> Any:
        if not isinstance(leaf, ArrayType):
            return _concrete(leaf, fake_array, self.facts)
        sizes = map(self.facts.hint, leaf.shape)
        shape = tuple(self.sizes.get(size, size) for size in sizes)
        return fake_array(replace(leaf, shape=shape), self.facts)


def run_silently(target: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Call with floating-point conditions and warnings silenced. Unsupported where NumPy's own
    code finds out from a missing attribute that an argument is no array."""
    with np.errstate(all="ignore"), warnings_as("ignore"):
        if args and isinstance(args[0], np.generic) and target in ARRAY_METHODS:
            return getattr(args[0], target.__name__)(*args[1:], **kwargs)
        try:
            return target(*args, **kwargs)
        except AttributeError as error:
            raise Unsupported(f"NumPy raises AttributeError: {error}") from None


def _concrete(leaf: Any, make: Callable[[ArrayType, Facts], Any], facts: Facts) -> Any:
    if isinstance(leaf, ArrayType):
        return make(leaf, facts)
    return facts.hint(leaf) if isinstance(leaf, SizeExpr) else leaf


def concrete(tree: Any, facts: Facts) -> Any:
    """A pytree of types and sizes as actual values with memory of their own."""
    return map_leaves(lambda leaf: _concrete(leaf, copied_fake_array, facts), tree)
