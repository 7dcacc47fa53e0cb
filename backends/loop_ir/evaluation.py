"""What a kernel means, in NumPy: every load and store is checked to be inside its buffer."""
from __future__ import annotations

import ctypes
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from ...base.records import dataclass, field
from ...ir.ops.c_functions import UFUNCS
from ...ir.ops.columns import target_named
from ...ir.sizes import Size, evaluate
from . import loops
from .in_turn import axes_in_turn


class BailOut(Exception):
    """The call must be run by Python instead."""


@dataclass
class Memory:
    """The bytes that a buffer may touch; `origin` is the position of its data pointer in them."""

    data: np.ndarray
    origin: int
    owner: Any

    @staticmethod
    def of(array: np.ndarray) -> Memory:
        low, high = np.lib.array_utils.byte_bounds(array)
        data = np.ctypeslib.as_array((ctypes.c_uint8 * (high - low)).from_address(low))
        return Memory(data, array.ctypes.data - low, array)

    def bytes_at(self, offsets: np.ndarray, itemsize: int) -> np.ndarray:
        places = offsets[..., None] + self.origin + np.arange(itemsize)
        if places.size and (places.min() < 0 or places.max() >= self.data.size):
            raise IndexError("access outside of the buffer")
        return places

    def read(self, offsets: np.ndarray, dtype: np.dtype) -> np.ndarray:
        taken = np.ascontiguousarray(self.data[self.bytes_at(offsets, dtype.itemsize)])
        return taken.view(dtype)[..., 0]

    def write(self, offsets: np.ndarray, values: np.ndarray) -> None:
        places = self.bytes_at(offsets, values.dtype.itemsize)
        self.data[places] = np.ascontiguousarray(values)[..., None].view(np.uint8)


@dataclass
class State:
    """What a running program knows: arrays and memory of buffers, numbers, sizes, raised flags."""

    symbols: dict[str, int]
    arrays: dict[loops.Buffer, np.ndarray] = field(default_factory=dict)
    memory: dict[loops.Buffer, Memory] = field(default_factory=dict)
    scalars: dict[loops.Scalar, Any] = field(default_factory=dict)
    flags: set[str] = field(default_factory=set)
    committed: bool = False
    saved: list[tuple[loops.Buffer, np.ndarray, np.ndarray]] = field(default_factory=list)

    def bind(self, buffer: loops.Buffer, array: np.ndarray) -> None:
        self.arrays[buffer] = array
        self.memory[buffer] = Memory.of(array)

    def size(self, size: Size) -> int:
        return evaluate(size, self.symbols)

    def shape(self, shape: tuple[Size, ...]) -> tuple[int, ...]:
        return tuple(self.size(size) for size in shape)


def run_kernel(state: State, kernel: loops.Kernel) -> None:
    """All statements over the whole box, one statement after the other; where points take turns,
    at one point after the other."""
    boxes: Iterable[Box] = (Box(state, kernel.axes, {}),)
    if axes_in_turn(kernel):
        places = np.ndindex(*state.shape(tuple(axis.extent for axis in kernel.axes)))
        boxes = (Point(state, kernel.axes, {}, place) for place in places)
    for box in boxes:
        for statement in kernel.statements:
            _statement(state, kernel, statement, box)


def _statement(
    state: State, kernel: loops.Kernel, statement: loops.Statement, box: Box
) -> None:
    shape = box.shape
    if 0 in shape:
        return
    if isinstance(statement, loops.Check):
        if not np.all(np.broadcast_to(box.value(statement.condition), shape)):
            raise BailOut("a check failed")
        return
    values = np.broadcast_to(box.value(statement.value), shape)
    if isinstance(statement, loops.Scan):
        along = kernel.axes.index(statement.axis)
        values = scalar_operation(statement.op).accumulate(values, axis=along, dtype=values.dtype)
    if values.dtype != statement.buffer.dtype:
        raise TypeError(f"{values.dtype} stored into {statement.buffer}")
    offsets = box.offsets(statement.offset)
    for index, stride in statement.indices if isinstance(statement, loops.Store) else ():
        offsets = offsets + box.value(index) * state.size(stride)
    offsets = np.broadcast_to(offsets, shape)
    state.memory[statement.buffer].write(offsets, values)


def scalar_operation(name: str) -> Any:
    """The NumPy callable that a scalar operation's name stands for."""
    if name == "complex":
        return np.vectorize(complex, otypes=[complex])
    target = target_named(name)
    return UFUNCS.get(target, target)  # of whole arrays, within docs/ulp.md of C's function


@dataclass
class Box:
    """Evaluates expressions over all points of a list of axes at once; one dimension per axis."""

    state: State
    axes: tuple[loops.Axis, ...]
    memo: dict[loops.Expr, np.ndarray]

    @property
    def shape(self) -> tuple[int, ...]:
        return tuple(self.state.size(axis.extent) for axis in self.axes)

    def index(self, axis: loops.Axis) -> np.ndarray:
        dims = [1] * len(self.axes)
        dims[self.axes.index(axis)] = -1
        return np.arange(self.state.size(axis.extent), dtype=np.int64).reshape(dims)

    def offsets(self, offset: loops.Offset) -> np.ndarray:
        total = np.full((1,) * len(self.axes), self.state.size(offset.constant), np.int64)
        for axis, stride in offset.strides:
            total = total + self.index(axis) * self.state.size(stride)
        return total

    def value(self, expr: loops.Expr) -> np.ndarray:
        """An array that broadcasts to the shape of the box."""
        if expr not in self.memo:
            result = EVALUATE[type(expr)](self, expr)
            if result.dtype != expr.dtype:
                raise TypeError(f"{expr} evaluated to {result.dtype}")
            self.memo[expr] = result
        return self.memo[expr]

    def full(self, value: Any, dtype: np.dtype) -> np.ndarray:
        return np.full((1,) * len(self.axes), value, dtype)


@dataclass
class Point(Box):
    """One point of the axes."""

    place: tuple[int, ...] = ()

    @property
    def shape(self) -> tuple[int, ...]:
        return (1,) * len(self.axes)

    def index(self, axis: loops.Axis) -> np.ndarray:
        return np.full(self.shape, self.place[self.axes.index(axis)], np.int64)


def _gather(box: Box, expr: loops.Gather) -> np.ndarray:
    offsets = box.offsets(expr.offset)
    for index, stride in expr.indices:
        offsets = offsets + box.value(index) * box.state.size(stride)
    return box.state.memory[expr.buffer].read(offsets, expr.dtype)


def _apply(box: Box, expr: loops.Apply) -> np.ndarray:
    operands = [box.value(arg) for arg in expr.args]
    result: np.ndarray = scalar_operation(expr.op)(*operands)
    return result


def _reduce(box: Box, expr: loops.Reduce) -> np.ndarray:
    inner = Box(box.state, (*box.axes, *expr.axes), {})
    count = len(expr.axes)
    folded = inner.shape[len(box.axes) :]
    body = np.empty(inner.shape, expr.dtype) if 0 in folded else inner.value(expr.body)
    body = np.broadcast_to(body, (*body.shape[: len(box.axes)], *folded))
    body = body.reshape(*body.shape[: len(box.axes)], int(np.prod(folded, dtype=np.int64)))
    assert count == 1 or not expr.op.startswith("arg")
    if expr.op in ("argmin", "argmax"):
        position = np.argmin if expr.op == "argmin" else np.argmax
        return np.asarray(position(body, axis=-1)).astype(np.int64)
    if body.shape[-1] == 0 and expr.op in ("minimum", "maximum"):
        raise BailOut("a minimum of nothing")
    return np.asarray(scalar_operation(expr.op).reduce(body, axis=-1, dtype=expr.dtype))


def _gathered_load(box: Box, expr: loops.Load) -> np.ndarray:
    return box.state.memory[expr.buffer].read(box.offsets(expr.offset), expr.dtype)


EVALUATE: dict[type, Callable[[Box, Any], np.ndarray]] = {
    loops.Load: _gathered_load,
    loops.Gather: _gather,
    loops.Const: lambda box, e: box.full(np.frombuffer(e.bits, e.dtype)[0], e.dtype),
    loops.Scalar: lambda box, e: box.full(box.state.scalars[e], e.dtype),
    loops.SizeValue: lambda box, e: box.full(box.state.size(e.size), e.dtype),
    loops.Index: lambda box, e: box.index(e.axis),
    loops.Apply: _apply,
    loops.Convert: lambda box, e: box.value(e.arg).astype(e.dtype),
    loops.Select: lambda box, e: np.where(*map(box.value, (e.condition, e.true, e.false))),
    loops.Reduce: _reduce,
}
