"""Loads, stores and gathers of a nest, for scalars and for vectors of the lane axis.

The inactive lanes of a partial step repeat an active one, so that no operation on them can raise a
floating-point flag that the active lanes do not raise.
"""
from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from ....ir.sizes import Size
from ...loop_ir import affine
from ...loop_ir.loops import Buffer, Gather, Index, Load, Offset, Store
from ..builder.elements import BOOL, I64, PARTS
from ..builder.emit import Builder
from ..builder.nest import Lane, Nest, scaled
from ..builder.pairs import Element, Pair, doubled, separated
from ..builder.terms import Term
from ..builder.values import Value
from .transposed import column, is_kept_for_row

BYTE = np.dtype(np.uint8)


def address(nest: Nest, buffer: Buffer, offset: Offset) -> str:
    """Where an access lies; lane 0 for a vector."""
    return nest.builder.offset(nest.prefix(buffer, offset), nest.size(offset.constant))


def emit_load(nest: Nest, term: Term) -> Element:
    expr = term.expr
    assert isinstance(expr, Load)
    pointer = address(nest, expr.buffer, expr.offset)
    if not nest.varies(term):
        return load(nest, expr.buffer, pointer)
    assert nest.lane is not None
    stride = affine.stride_of(expr.offset, nest.lane.axis)
    if stride == 0:
        return load(nest, expr.buffer, pointer).splat(nest.lane.width)
    if (part := PARTS.get(expr.dtype)) is not None:
        return _load_pairs(nest, nest.lane, pointer, part, stride)
    if not is_near(stride, expr.dtype) and (found := column(nest, nest.lane, expr)) is not None:
        return found
    return load_lanes(nest, nest.lane, pointer, expr.dtype, stride)


def is_near(stride: Size, dtype: np.dtype) -> bool:
    """Whether vectors are loads of what lies next to each other, or of every other element."""
    return stride in (dtype.itemsize, -dtype.itemsize, 2 * dtype.itemsize)


def load(nest: Nest, buffer: Buffer, pointer: str) -> Element:
    """One element."""
    builder, mark = nest.builder, nest.marks.get(buffer.name, "")
    if (part := PARTS.get(buffer.dtype)) is None:
        return builder.load(pointer, buffer.dtype, mark=mark)
    places = places_of_parts(builder, pointer, part)
    return Pair(*(builder.load(at, part, mark=mark) for at in places))


def places_of_parts(builder: Builder, pointer: str, part: np.dtype) -> tuple[str, str]:
    return pointer, builder.offset(pointer, part.itemsize)


def _load_pairs(nest: Nest, lane: Lane, pointer: str, part: np.dtype, stride: Size) -> Element:
    """A vector of complex numbers. Packed ones are loaded with their parts side by side."""
    if stride != 2 * part.itemsize:
        places = places_of_parts(nest.builder, pointer, part)
        return Pair(*(load_lanes(nest, lane, place, part, stride) for place in places))
    both = replace(lane, width=2 * lane.width, mask=lane.mask and doubled(lane.mask))
    pair = separated(_loaded(nest, both, pointer, part))
    if lane.mask is None:
        return pair
    mask = lane.mask
    return pair.map(lambda value: mask.select(value, value.shuffle([0] * lane.width)))


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
    if lane.mask is None:
        return nest.builder.load(pointer, dtype, lane.width)
    loaded = _loaded(nest, lane, pointer, BYTE if dtype.kind == "b" else dtype)
    value = lane.mask.select(loaded, loaded.shuffle([0] * lane.width))
    return value.ne(0) if dtype.kind == "b" else value


def _loaded(nest: Nest, lane: Lane, pointer: str, dtype: np.dtype) -> Value:
    """Neighbours in memory; inactive ones are zero."""
    builder, shape = nest.builder, Value(nest.builder, "", dtype, lane.width)
    if lane.mask is None:
        return builder.load(pointer, dtype, lane.width)
    return shape.like(builder.emit(
        f"call {shape.type} @llvm.masked.load.{shape.suffix}.p0(ptr {pointer}, "
        f"i32 {dtype.alignment}, {lane.mask}, {shape.type} zeroinitializer)"
    ))


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


def emit_gather(nest: Nest, term: Term) -> Element:
    """Load at computed positions; the positions have been checked."""
    expr = term.expr
    assert isinstance(expr, Gather)
    pointer = address(nest, expr.buffer, expr.offset)
    varies = any(nest.varies(index) for index in term.args)
    total: Value | None = None
    for index, (_, stride) in zip(term.args, expr.indices):
        moved = scaled(nest.operand(index, varies), nest.size(stride))
        total = moved if total is None else total + moved
    assert total is not None
    if not nest.varies(term):
        return load(nest, expr.buffer, nest.builder.offset(pointer, total))
    assert nest.lane is not None
    stride, part = affine.stride_of(expr.offset, nest.lane.axis), PARTS.get(expr.dtype)
    if not varies:  # a row that is looked up
        row = nest.builder.offset(pointer, total)
        if part is not None:
            return _load_pairs(nest, nest.lane, row, part, stride)
        return load_lanes(nest, nest.lane, row, expr.dtype, stride)
    if stride != 0:
        total = total + scaled(lane_numbers(nest, nest.lane), nest.size(stride))
    if part is None:
        return gather(nest, pointer, total, expr.dtype)
    places = places_of_parts(nest.builder, pointer, part)
    return Pair(*(gather(nest, place, total, part) for place in places))


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
    nest: Nest, buffer: Buffer, offset: Offset, value: Element, moved: Value | None = None
) -> None:
    """Write a value at the nest's position, or a vector along the lane axis; `moved` bytes on."""
    pointer = address(nest, buffer, offset)
    if moved is not None:
        pointer = nest.builder.offset(pointer, moved)
    if nest.lane is None:
        store(nest, buffer, value, pointer)
        return
    stride = affine.stride_of(offset, nest.lane.axis)
    if isinstance(value, Pair):
        _store_pairs(nest, nest.lane, pointer, value.splat(nest.lane.width), stride)
        return
    value = nest.builder.stored(value.splat(nest.lane.width))
    if stride == value.dtype.itemsize:
        _store_packed(nest, nest.lane, pointer, value)
    elif not is_kept_for_row(nest, nest.lane, buffer, offset, value):
        _store_strided(nest, nest.lane, pointer, value, stride)


def store(nest: Nest, buffer: Buffer, value: Element, pointer: str) -> None:
    """Write one element."""
    builder, mark = nest.builder, nest.marks.get(buffer.name, "")
    if isinstance(value, Value):
        builder.store(value, pointer, mark=mark)
        return
    places = places_of_parts(builder, pointer, value.real.dtype)
    for place, part in zip(places, (value.real, value.imag)):
        builder.store(part, place, mark=mark)


def _store_pairs(nest: Nest, lane: Lane, pointer: str, value: Pair, stride: Size) -> None:
    if stride == value.dtype.itemsize:
        both = replace(lane, width=2 * lane.width, mask=lane.mask and doubled(lane.mask))
        _store_packed(nest, both, pointer, value.interleaved())
        return
    places = places_of_parts(nest.builder, pointer, value.real.dtype)
    for place, part in zip(places, (value.real, value.imag)):
        _store_strided(nest, lane, place, part, stride)


def store_element(
    nest: Nest, statement: Store, places: Sequence[Value], value: Element
) -> None:
    """Write one value at a computed place."""
    pointer = address(nest, statement.buffer, statement.offset)
    for place, (_, stride) in zip(places, statement.indices):
        pointer = nest.builder.offset(pointer, scaled(place, nest.size(stride)))
    store(nest, statement.buffer, value, pointer)


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
