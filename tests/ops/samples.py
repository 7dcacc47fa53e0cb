"""Arrays of every dtype and memory order, and the comparison of a type with what NumPy returns."""
from __future__ import annotations

import random
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

from dynamo_lite.errors import Unsupported
from dynamo_lite.ir.ops.inference import infer
from dynamo_lite.ir.rules.values import type_of_array
from dynamo_lite.ir.tree import map_leaves
from dynamo_lite.ir.types import ArrayType

DTYPES = (
    "?", "i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8", "f2", "f4", "f8", "c8", "c16",
)
LAYOUTS = ("C", "F", "permuted", "gaps", "reversed", "broadcast")


def array(rnd: random.Random, shape: tuple[int, ...], dtype: str, layout: str) -> np.ndarray:
    """An array of ones with the shape, in the given kind of memory order."""
    ndim = len(shape)
    axes = list(range(ndim))
    if layout == "F":
        axes.reverse()
    elif layout != "C":
        rnd.shuffle(axes)
    gaps = [2 if layout in ("gaps", "reversed") and rnd.random() < 0.4 else 1 for _ in axes]
    memory = np.ones([shape[axis] * gap for axis, gap in zip(axes, gaps)], dtype)
    memory = memory[tuple(slice(None, None, gap) for gap in gaps)]
    found = memory.transpose([axes.index(axis) for axis in range(ndim)])
    if layout == "reversed":
        found = found[tuple(slice(None, None, rnd.choice((1, -1))) for _ in shape)]
    if layout == "broadcast" and ndim:
        place = rnd.randrange(ndim)
        part = tuple(slice(0, 1) if axis == place else slice(None) for axis in range(ndim))
        found = np.broadcast_to(found[part], shape)
    return found


class Sampler:
    """Random operands for one call; everything follows from the seed."""

    def __init__(self, seed: int) -> None:
        self.rnd = random.Random(seed)
        sizes = (0, 1, 2, 3, 4) if self.rnd.random() < 0.2 else (1, 2, 3, 4)
        self.shape = tuple(self.rnd.choice(sizes) for _ in range(self.rnd.randrange(5)))

    def array(self, shape: tuple[int, ...] | None = None, dtypes: Any = DTYPES) -> np.ndarray:
        shape = self.shape if shape is None else shape
        return array(self.rnd, shape, self.rnd.choice(dtypes), self.rnd.choice(LAYOUTS))

    def operand(self) -> Any:
        """An array that mostly broadcasts with the shape, a NumPy scalar or a Python number."""
        kind = self.rnd.randrange(10)
        if kind == 0:
            return self.number()
        if kind == 1:
            return np.dtype(self.rnd.choice(DTYPES)).type(1)
        shape = list(self.shape)
        if kind < 6:
            shape = [1 if self.rnd.random() < 0.3 else size for size in shape]
        if kind in (2, 6):
            shape = shape[self.rnd.randrange(len(shape) + 1):]
        if kind == 7 and shape and self.rnd.random() < 0.3:
            shape[0] += 1
        return self.array(tuple(shape))

    def number(self) -> Any:
        return self.rnd.choice((1, 2, -1, 300, 70000, 2**40, 0.5, 2.5, 1j, True))

    def axis(self) -> int:
        """Mostly a valid axis."""
        ndim = len(self.shape)
        slack = self.rnd.random() < 0.1
        return self.rnd.randrange(-ndim - slack, ndim + slack) if ndim + slack else 0

    def axes(self) -> Any:
        return self.rnd.choice((None, self.axis(), (self.axis(),), (self.axis(), self.axis())))

    def choice(self, *items: Any) -> Any:
        return self.rnd.choice(items)


def typed(leaf: Any) -> Any:
    return type_of_array(leaf) if type(leaf) is np.ndarray else leaf


def facts_of_value(value: Any) -> Any:
    """What a type says, of an actual value."""
    if isinstance(value, (tuple, list)):
        return [facts_of_value(item) for item in value]
    if isinstance(value, np.ndarray):
        return value.dtype, value.shape, value.strides, "array", value.flags.writeable
    form = "scalar" if isinstance(value, np.generic) else "python"
    return np.asarray(value).dtype, (), (), form, True


def facts_of_type(kind: Any) -> Any:
    if isinstance(kind, (tuple, list)):
        return [facts_of_type(item) for item in kind]
    assert isinstance(kind, ArrayType)
    return kind.dtype, kind.shape, kind.strides, kind.form.value, kind.writeable


def call(function: Callable[..., Any], args: Any, kwargs: Any) -> Any:
    """NumPy's own result; methods of ndarray are called on scalars as their own."""
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        is_method = type(function) is type(np.ndarray.copy)
        if is_method and isinstance(args[0], np.generic):
            return getattr(args[0], function.__name__)(*args[1:], **kwargs)
        return function(*args, **kwargs)


def agrees(
    function: Callable[..., Any], *args: Any, _ignore: tuple[type, ...] = (), **kwargs: Any
) -> bool:
    """Assert that the type rule says what NumPy does; False where the rule declines."""
    types = map_leaves(typed, (args, kwargs))
    error: Exception | None = None
    try:
        found = infer(function, *types)
    except Unsupported:
        return False
    except Exception as raised:
        error = raised
    try:
        expected = call(function, args, kwargs)
    except Exception as raised:
        if error is None and isinstance(raised, _ignore):
            return True
        assert error is not None, f"NumPy raises {raised!r}, the rule says {found}: {types}"
        assert (type(error), str(error)) == (type(raised), str(raised)), types
        return True
    assert error is None, f"the rule raises {error!r}: {types}"
    assert facts_of_type(found) == facts_of_value(expected), types
    return True
