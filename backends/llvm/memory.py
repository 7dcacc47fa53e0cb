"""Loads, stores and gathers of a nest, for scalars and for vectors of the lane axis.

The inactive lanes of a partial step repeat an active one, so that no operation on them can raise a
floating-point flag that the active lanes do not raise.
"""
from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ...ir.sizes import Size
from ..loops import Axis, Buffer, Gather, Index, Load, Offset, Store
from .elements import BOOL, I64
from .emit import Value
from .nest import Lane, Nest, scaled
from .terms import Term

BYTE = np.dtype(np.uint8)


def lane_stride(offset: Offset, axis: Axis) -> Size:
    """Bytes between neighbours along `axis`."""
    return next((stride for a, stride in offset.strides if a == axis), 0)


def address(nest: Nest, buffer: Buffer, offset: Offset) -> str:
    """Where an access lies; lane 0 for a vector."""
    return nest.builder.offset(nest.prefix(buffer, offset), nest.size(offset.constant))


def emit_load(nest: Nest, term: Term) -> Value:
    expr = term.expr
    assert isinstance(expr, Load)
    pointer = address(nest, expr.buffer, expr.offset)
    if not nest.varies(term):
        return nest.builder.load(pointer, expr.dtype)
    assert nest.lane is not None
    stride = lane_stride(expr.offset, nest.lane.axis)
    if stride == 0:
        return nest.builder.load(pointer, expr.dtype).splat(nest.lane.width)
    return load_lanes(nest, nest.lane, pointer, expr.dtype, stride)


def load_lanes(nest: Nest, lane: Lane, pointer: str, dtype: np.dtype, stride: Size) -> Value:
    """A vector of elements `stride` bytes apart, in whichever way is cheapest."""
    if stride == dtype.itemsize:
        return _load_packed(nest, lane, pointer, dtype)
    if stride == -dtype.itemsize and lane.mask is None:
        back = nest.builder.offset(pointer, (1 - lane.width) * dtype.itemsize)
        whole = nest.builder.load(back, dtype, lane.width)
        return whole.shuffle(range(lane.width - 1, -1, -1))
    if stride == 2 * dtype.itemsize and lane.mask is None and lane.width > 1:
        return _load_every_other(nest, lane, pointer, dtype)
    return _load_strided(nest, lane, pointer, dtype, stride)


def _load_packed(nest: Nest, lane: Lane, pointer: str, dtype: np.dtype) -> Value:
    builder = nest.builder
    if lane.mask is None:
        return builder.load(pointer, dtype, lane.width)
    stored = BYTE if dtype.kind == "b" else dtype
    shape = Value(builder, "", stored, lane.width)
    text = (
        f"call {shape.type} @llvm.masked.load.{shape.suffix}.p0(ptr {pointer}, "
        f"i32 {stored.alignment}, {lane.mask}, {shape.type} zeroinitializer)"
    )
    loaded = shape.like(builder.emit(text))
    value = lane.mask.select(loaded, loaded.shuffle([0] * lane.width))
    return value.ne(0) if dtype.kind == "b" else value


def _load_every_other(nest: Nest, lane: Lane, pointer: str, dtype: np.dtype) -> Value:
    """Two vectors that share an element, so that nothing is read behind the last one."""
    builder, width = nest.builder, lane.width
    second = builder.offset(pointer, (width - 1) * dtype.itemsize)
    parts = [builder.load(at, dtype, width) for at in (pointer, second)]
    return parts[0].shuffle([*range(0, width, 2), *range(width + 1, 2 * width, 2)], parts[1])


def _load_strided(nest: Nest, lane: Lane, pointer: str, dtype: np.dtype, stride: Size) -> Value:
    """One load per lane; an inactive lane reads the last active element again."""
    builder = nest.builder
    stored = BYTE if dtype.kind == "b" else dtype
    step = nest.size(stride)
    shape = Value(builder, "poison", stored, lane.width)
    ref = shape.ref
    for number in range(lane.width):
        at = builder.integer(number)
        if lane.last is not None and number:
            at = lane.last.call("umin", at)
        element = builder.load(builder.offset(pointer, scaled(at, step)), stored)
        ref = builder.emit(f"insertelement {shape.type} {ref}, {element}, i64 {number}")
    value = shape.like(ref)
    return value.ne(0) if dtype.kind == "b" else value


def emit_gather(nest: Nest, term: Term) -> Value:
    """Load at computed positions; the positions have been checked."""
    expr = term.expr
    assert isinstance(expr, Gather)
    pointer = address(nest, expr.buffer, expr.offset)
    varies = any(nest.varies(index) for index in term.args)
    total: Value | None = None
    for index, (_, stride) in zip(term.args, expr.indices):
        part = scaled(nest.operand(index, varies), nest.size(stride))
        total = part if total is None else total + part
    assert total is not None
    if not nest.varies(term):
        return nest.builder.load(nest.builder.offset(pointer, total), expr.dtype)
    assert nest.lane is not None
    stride = lane_stride(expr.offset, nest.lane.axis)
    if not varies:  # a row that is looked up
        row = nest.builder.offset(pointer, total)
        return load_lanes(nest, nest.lane, row, expr.dtype, stride)
    if stride != 0:
        total = total + scaled(lane_numbers(nest, nest.lane), nest.size(stride))
    return gather(nest, pointer, total, expr.dtype)


def gather(nest: Nest, pointer: str, offsets: Value, dtype: np.dtype) -> Value:
    """The elements at `pointer` + each of `offsets` bytes."""
    builder = nest.builder
    stored = BYTE if dtype.kind == "b" else dtype
    lanes = offsets.lanes
    shape = Value(builder, "", stored, lanes)
    pointers = builder.emit(f"getelementptr i8, ptr {pointer}, {offsets}")
    active = builder.constant(BOOL, True).splat(lanes)
    text = (
        f"call {shape.type} @llvm.masked.gather.{shape.suffix}.v{lanes}p0(<{lanes} x ptr> "
        f"{pointers}, i32 {stored.alignment}, {active}, {shape.type} poison)"
    )
    value = shape.like(builder.emit(text))
    return value.ne(0) if dtype.kind == "b" else value


def lane_numbers(nest: Nest, lane: Lane) -> Value:
    """0, 1, 2 … as i64; inactive lanes repeat the last active one."""
    numbers = nest.builder.vector(I64, range(lane.width))
    return numbers.call("umin", lane.last) if lane.last is not None else numbers


def emit_index(nest: Nest, term: Term) -> Value:
    expr = term.expr
    assert isinstance(expr, Index)
    if not nest.varies(term):
        return nest.bound[expr.axis]
    assert nest.lane is not None
    return lane_numbers(nest, nest.lane) + nest.lane.base


def emit_store(
    nest: Nest, buffer: Buffer, offset: Offset, value: Value, moved: Value | None = None
) -> None:
    """Write a value at the nest's position, or a vector along the lane axis; `moved` bytes on."""
    pointer = address(nest, buffer, offset)
    if moved is not None:
        pointer = nest.builder.offset(pointer, moved)
    if nest.lane is None:
        nest.builder.store(value, pointer)
        return
    value = nest.builder.stored(value.splat(nest.lane.width))
    stride = lane_stride(offset, nest.lane.axis)
    if stride == value.dtype.itemsize:
        _store_packed(nest, nest.lane, pointer, value)
    else:
        _store_strided(nest, nest.lane, pointer, value, stride)


def store_element(
    nest: Nest, statement: Store, places: Sequence[Value], value: Value
) -> None:
    """Write one value at a computed place."""
    pointer = address(nest, statement.buffer, statement.offset)
    for place, (_, stride) in zip(places, statement.indices):
        pointer = nest.builder.offset(pointer, scaled(place, nest.size(stride)))
    nest.builder.store(value, pointer)


def _store_packed(nest: Nest, lane: Lane, pointer: str, value: Value) -> None:
    if lane.mask is None:
        nest.builder.store(value, pointer)
        return
    nest.builder.void(
        f"call void @llvm.masked.store.{value.suffix}.p0({value}, "
        f"ptr {pointer}, i32 {value.dtype.alignment}, {lane.mask})"
    )


def _store_strided(nest: Nest, lane: Lane, pointer: str, value: Value, stride: Size) -> None:
    """Element by element; an inactive lane repeats the last active one's value and place."""
    builder, step = nest.builder, nest.size(stride)
    if lane.mask is None:
        for number in range(lane.width):
            at = builder.offset(pointer, scaled(builder.integer(number), step))
            builder.store(value.lane(number), at)
        return
    offsets = lane_numbers(nest, lane) * step
    pointers = builder.emit(f"getelementptr i8, ptr {pointer}, {offsets}")
    mask = lane.mask or builder.constant(BOOL, True).splat(lane.width)
    builder.void(
        f"call void @llvm.masked.scatter.{value.suffix}.v{lane.width}p0({value}, "
        f"<{lane.width} x ptr> {pointers}, i32 {value.dtype.alignment}, {mask})"
    )
