"""Memory and the objects of NumPy and Python on it: arrays, views, boxed numbers."""
from __future__ import annotations

import numpy as np

from ....ir.sizes import Size, product
from ....ir.types import ArrayType, Form
from ...loop_ir.program import Allocate, Rotate, View
from ..builder.elements import scalar_type
from ..kernels.memory import BYTE
from .state import Entry, writes

ON_STACK = 4096  # bytes of scratch that live in the function's frame
IN_REGISTERS = "biuf"
PYTHON_KINDS = {"b": 0, "i": 1, "f": 2, "c": 3}


@writes(Allocate)
def allocate(entry: Entry, step: Allocate) -> None:
    if step.kind == "scratch":
        made_at(entry, step, scratch(entry, step.type, step.room))
        return
    slot = entry.new_slot(step.buffer.name)
    type_ = step.type
    strides = "ptr null" if type_.is_c_contiguous else entry.shape(type_.strides)
    made_at(entry, step, entry.frame.checked(
        "new_array", "ptr %frame", f"i64 {slot}", entry.descr(type_.dtype),
        f"i32 {type_.ndim}", entry.shape(type_.shape), strides,
    ))  # fmt: skip
    entry.objects[step.buffer.name] = entry.frame.slot(slot)


def made_at(entry: Entry, step: Allocate, pointer: str) -> None:
    name = step.buffer.name
    entry.pointers[name], entry.types[name] = pointer, step.type
    if (cell := entry.cells.get(name)) is not None:
        entry.builder.void(f"store ptr {pointer}, ptr {cell}")


def scratch(entry: Entry, type_: ArrayType, room: Size | None) -> str:
    nbytes = (product(type_.shape) if room is None else room) * type_.dtype.itemsize
    if not type_.shape and is_in_a_register(type_.dtype):
        return entry.builder.stack(scalar_type(BYTE if type_.dtype.kind == "b" else type_.dtype))
    if isinstance(nbytes, int) and nbytes <= ON_STACK:
        return entry.builder.stack("i8", max(nbytes, 8))
    return entry.frame.checked("scratch", "ptr %frame", f"i64 {entry.size(nbytes).ref}")


def is_in_a_register(dtype: np.dtype) -> bool:
    return dtype.kind in IN_REGISTERS and dtype.itemsize <= 8


@writes(Rotate)
def rotate(entry: Entry, step: Rotate) -> None:
    taken = [entry.pointer(buffer.name) for buffer in step.taken]
    for buffer, pointer in zip(step.into, taken):
        entry.builder.void(f"store ptr {pointer}, ptr {entry.cells[buffer.name]}")


@writes(View)
def view(entry: Entry, step: View) -> None:
    slot = entry.new_slot(step.buffer.name)
    data = entry.start(step.base.name, step.offset)
    new_view(entry, slot, step.base.name, data, step.type)
    entry.pointers[step.buffer.name] = data
    entry.objects[step.buffer.name] = entry.frame.slot(slot)


def new_view(entry: Entry, slot: int, base: str, data: str, type_: ArrayType) -> None:
    entry.frame.checked(
        "new_view", "ptr %frame", f"i64 {slot}", f"ptr {entry.objects[base]}",
        f"ptr {data}", entry.descr(type_.dtype), f"i32 {type_.ndim}", entry.shape(type_.shape),
        entry.shape(type_.strides), f"i32 {int(type_.writeable)}",
    )


def array_object(entry: Entry, name: str) -> str:
    """The array of a buffer; of one that changes its memory, a view of what it has now."""
    if name not in entry.cells:
        return entry.objects[name]
    slot = entry.new_slot()
    new_view(entry, slot, name, entry.pointer(name), entry.types[name])
    return entry.frame.slot(slot)


def box(entry: Entry, slot: int, type_: ArrayType, pointer: str) -> None:
    """A NumPy scalar or Python number from memory, into a slot."""
    where, pointer = ("ptr %frame", f"i64 {slot}"), lent(entry, type_.dtype, pointer)
    if type_.form is Form.SCALAR:
        entry.frame.checked("box_scalar", *where, entry.descr(type_.dtype), f"ptr {pointer}")
    else:
        kind = PYTHON_KINDS[type_.dtype.kind]
        entry.frame.checked("box_python", *where, f"i32 {kind}", f"ptr {pointer}")


def lent(entry: Entry, dtype: np.dtype, pointer: str) -> str:
    """A copy of a number: what lies where a function is shown it is not in a register."""
    if not is_in_a_register(dtype):
        return pointer
    copy = entry.builder.stack("i64")
    entry.builder.store(entry.builder.load(pointer, dtype), copy)
    return copy
