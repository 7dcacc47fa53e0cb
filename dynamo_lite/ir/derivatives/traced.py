"""Values of a graph that NumPy code can be run on: each of its calls becomes a node."""
from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from ...base.records import NamedTuple
from ...errors import Unsupported
from ..core import Chain
from ..node import Node
from ..rules.composite import Emit
from ..rules.values import normal_axes
from ..sizes import Size, SizeExpr, product
from ..tree import leaves, map_leaves
from ..types import ArrayType


class Part(NamedTuple):
    """A cotangent of the elements that a view chain selects: the others get nothing. Where it
    `repeats` elements, they get the sum."""

    view: Chain
    value: Any
    repeats: bool = False


def step(function: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
    """One operation of a view chain."""
    return function, args, kwargs


class Traced(np.lib.mixins.NDArrayOperatorsMixin):
    """A node, or a constant in the place of one, as NumPy's functions and Python's operators take
    arrays."""

    __slots__ = ("emit", "value")

    def __init__(self, emit: Emit, value: Any) -> None:
        self.emit = emit
        self.value = value

    def __array_ufunc__(self, ufunc: np.ufunc, method: str, *args: Any, **kwargs: Any) -> Any:
        return call(ufunc if method == "__call__" else getattr(ufunc, method), *args, **kwargs)

    def __array_function__(self, function: Any, types: Any, args: Any, kwargs: Any) -> Any:
        return call(function, *args, **kwargs)

    def __getitem__(self, key: Any) -> Any:
        return call(operator.getitem, self, key)

    @property
    def type(self) -> ArrayType:
        return self.emit.type(self.value)

    @property
    def shape(self) -> tuple[Size, ...]:
        return self.type.shape

    @property
    def ndim(self) -> int:
        return self.type.ndim

    @property
    def dtype(self) -> np.dtype:
        return self.type.dtype

    def astype(self, dtype: np.dtype) -> Any:
        return self if dtype == self.dtype else call(np.ndarray.astype, self, dtype)


def call(function: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
    """`function(*args, **kwargs)`, recorded in the graph whose values are among the arguments; of
    constants alone it is a constant."""
    known = leaves((args, kwargs), Traced)
    if not known:
        return function(*args, **kwargs)
    emit = known[0].emit
    args, kwargs = map_leaves(bare, (args, kwargs))
    return map_leaves(lambda leaf: traced(emit, leaf), emit(function, *args, **kwargs))


def selected(x: Any, view: Chain) -> Any:
    """The elements that a view chain selects."""
    for function, args, kwargs in view:
        x = call(function, x, *args, **kwargs)
    return x


def ndim(x: Any) -> int:
    """Of a value, or of a constant of any kind."""
    return x.ndim if isinstance(x, Traced) else np.ndim(x)


def shape(x: Any) -> tuple[Any, ...]:
    return x.shape if isinstance(x, Traced) else np.shape(x)


def unlisted(x: Any) -> Any:
    """A list of constants as the array that NumPy makes of it."""
    return np.asarray(x) if isinstance(x, (list, tuple)) else x


def bare(leaf: Any) -> Any:
    return leaf.value if isinstance(leaf, Traced) else leaf


def traced(emit: Emit, leaf: Any) -> Any:
    """A leaf of a node's arguments as rules see it: nodes as arrays, a node of several results as
    a tuple of them, all else as it is."""
    if not isinstance(leaf, Node):
        return leaf
    if isinstance(leaf.type, ArrayType) or leaf.type is None:
        return Traced(emit, leaf)
    return tuple(Traced(emit, emit(operator.getitem, leaf, place))
                 for place in range(len(leaf.type)))


def counted(emit: Emit, leaf: Any) -> Any:
    """The same where sizes are operands like other numbers."""
    return Traced(emit, leaf) if isinstance(leaf, SizeExpr) else traced(emit, leaf)


def made(like: Traced, function: Callable[..., Any], *args: Any, **kwargs: Any) -> Traced:
    """A new array, of no other one."""
    return Traced(like.emit, like.emit(function, *args, **kwargs))


def zeros(like: Traced, shape: tuple[Size, ...]) -> Traced:
    return made(like, np.zeros, shape, like.dtype)


def count(like: Traced, size: Size) -> Any:
    """0, 1, 2 …: as many integers."""
    return made(like, np.arange, size)


def known(like: Any, size: Size) -> int:
    """A size as a number: from here on the graph is for this one alone."""
    if isinstance(size, int):
        return size
    number: int = like.emit.facts.hint(size)
    if not like.emit.facts.equal(size, number):
        raise Unsupported("a size that is not known")
    return number


def conjugate(x: Any) -> Any:
    """Of real numbers, the same."""
    is_complex = x.dtype.kind == "c" if isinstance(x, Traced) else np.iscomplexobj(x)
    return np.conjugate(x) if is_complex else x


def identity(like: Any) -> Traced:
    """As large as the last two axes."""
    return made(like, np.eye, like.shape[-2], like.shape[-1], dtype=like.dtype)


def real_positions(like: Traced, axis: int) -> Any:
    """0, 1, 2 … along an axis."""
    sides: list[Size] = [1] * like.ndim
    sides[axis] = like.shape[axis]
    return call(np.reshape, made(like, np.arange, like.shape[axis]), tuple(sides))


def together(x: Any, axis: Any) -> Any:
    """The elements along some axes as the last one, after the other axes."""
    axes = normal_axes(axis, x.ndim)
    rest = tuple(each for each in range(x.ndim) if each not in axes)
    moved: Any = np.transpose(x, (*rest, *axes))
    sides = moved.shape[: len(rest)]
    return np.reshape(moved, (*sides, product(moved.shape[len(rest) :])))


def apart(x: Any, axis: Any, like: Traced) -> Any:
    """The elements of `together` in their places."""
    axes = normal_axes(axis, like.ndim)
    order = (*(each for each in range(like.ndim) if each not in axes), *axes)
    moved: Any = np.reshape(x, tuple(like.shape[each] for each in order))
    return np.transpose(moved, tuple(sorted(range(like.ndim), key=order.__getitem__)))
