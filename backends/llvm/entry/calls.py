"""Steps that call NumPy or the runtime, and what they give: arrays, sizes, positions."""
from __future__ import annotations

from typing import TYPE_CHECKING

from ....ir.sizes import Size, floordiv, product
from ....ir.types import ArrayType, Form
from ...loop_ir.loops import Buffer
from ...loop_ir.program import Bind, Count, Deposit, Extern, Extract, LogUndo, Ref
from ..builder.elements import I64
from ..builder.values import Value
from .draws import drawn, write_draw
from .externs import flat_callable, leaves

if TYPE_CHECKING:
    from .writer import EntryWriter

MASK_BLOCK = 1 << 14  # elements of a mask that are counted together, as the core has it


def extern(writer: EntryWriter, step: Extern) -> None:
    number = len(writer.program.constants) + len(writer.callables)
    if (found := drawn(step)) is not None:
        writer.callables.append(step.target)
        is_bound = hasattr(step.target, "__self__")
        owner = writer.frame.constant(number) if is_bound else argument(writer, step.args[0])
        return write_draw(writer, step, *found, owner)
    writer.begin_errstate(step.errstate)
    values = [argument(writer, leaf) for leaf in leaves((step.args, step.kwargs))]
    writer.callables.append(flat_callable(step))
    place = writer.builder.stack("ptr", max(1, len(values)))
    for position, value in enumerate(values):
        writer.builder.void(f"store ptr {value}, ptr {writer.builder.offset(place, 8 * position)}")
    first = writer.n_slots
    writer.n_slots += len(step.results)
    writer.frame.checked(
        "call_extern", "ptr %frame", f"i64 {number}", f"i64 {first}",
        f"i64 {len(step.results)}", f"i64 {len(values)}", f"ptr {place}",
    )
    for name, result, axis in step.binds:
        read_size(writer, name, step.types[result], first + result, axis)
    for position, (buffer, type_) in enumerate(zip(step.results, step.types)):
        bind_result(writer, buffer, type_, first + position)
        writer.slots.setdefault(buffer.name, first + position)


def read_size(writer: EntryWriter, name: str, type_: ArrayType, slot: int, axis: int) -> None:
    """Bind a symbol to one of the sizes of an array that NumPy has made."""
    place = writer.builder.stack("i64", type_.ndim)
    writer.frame.checked(
        "read_sizes", f"ptr {writer.frame.slot(slot)}", f"i32 {type_.ndim}", f"ptr {place}"
    )
    writer.symbols[name] = writer.builder.load(writer.builder.offset(place, 8 * axis), I64)


def bind(writer: EntryWriter, step: Bind) -> None:
    writer.symbols[step.symbol] = writer.builder.load(writer.pointer(step.buffer.name), I64)
    if step.is_large:
        writer.wide.add(step.symbol)


def count(writer: EntryWriter, step: Count) -> None:
    n = writer.size(step.n)
    room = writer.size((floordiv(step.n, MASK_BLOCK) + 2) * 8)
    starts = writer.frame.checked("scratch", "ptr %frame", f"i64 {room.ref}")
    mask = writer.pointer(step.mask.name)
    found = writer.frame.call(
        "count_true", "ptr %frame", f"ptr {mask}", f"i64 {n.ref}", f"ptr {starts}"
    )
    writer.pointers[step.starts.name] = starts
    if step.symbol is not None:
        writer.symbols[step.symbol] = Value(writer.builder, found, I64)


def deposit(writer: EntryWriter, step: Deposit) -> None:
    count, builder = step.count, writer.builder
    source = builder.offset(writer.pointer(step.source.name), writer.size(step.start))
    out = builder.offset(writer.pointer(step.out.name), writer.size(step.offset))
    writer.frame.checked(
        "deposit_true", "ptr %frame", f"ptr {writer.pointer(count.mask.name)}",
        f"i64 {writer.size(count.n).ref}", f"ptr {writer.pointer(count.starts.name)}",
        f"ptr {source}", f"i64 {writer.size(step.step).ref}", f"i64 {step.out.dtype.itemsize}",
        f"ptr {out}", f"i64 {writer.size(step.stride).ref}",
    )  # fmt: skip


def select(writer: EntryWriter, step: Extract) -> None:
    count = step.count
    common = (
        "ptr %frame", f"ptr {writer.pointer(count.mask.name)}", f"i64 {writer.size(count.n).ref}",
        f"ptr {writer.pointer(count.starts.name)}",
    )  # fmt: skip
    out = f"ptr {writer.pointer(step.out.name)}"
    if step.source is None:
        shape = writer.shape(step.shape)
        writer.frame.checked("positions_true", *common, f"i32 {len(step.shape)}", shape, out)
        return
    data = writer.builder.offset(writer.pointer(step.source.name), writer.size(step.offset))
    writer.frame.checked(
        "select_true", *common, f"ptr {data}", f"i64 {writer.size(step.stride).ref}",
        f"i64 {step.out.dtype.itemsize}", out,
    )


def log_undo(writer: EntryWriter, step: LogUndo) -> None:
    data = f"ptr {writer.start(step.buffer.name, step.offset)}"
    itemsize, type_ = f"i64 {step.buffer.dtype.itemsize}", step.type
    if step.positions is None:
        box = (f"i32 {type_.ndim}", writer.shape(type_.shape), writer.shape(type_.strides))
        writer.frame.checked("log_undo", "ptr %frame", data, *box, itemsize)
    else:
        places = f"ptr {writer.pointer(step.positions.name)}"
        count = f"i64 {writer.size(product(type_.shape)).ref}"
        writer.frame.checked("log_undo_at", "ptr %frame", data, places, count, itemsize)


def argument(writer: EntryWriter, leaf: Ref | Size) -> str:
    """The object for one leaf of an extern call."""
    if isinstance(leaf, Ref) and leaf.scalar is not None:
        return writer.objects[leaf.scalar.name]
    slot = writer.n_slots
    if isinstance(leaf, Ref):
        assert leaf.buffer is not None
        if leaf.type is None or leaf.type.form is Form.ARRAY:
            return writer.object(leaf.buffer.name)
        writer.new_slot()
        writer.box(slot, leaf.type, writer.pointer(leaf.buffer.name))
    else:
        writer.new_slot()
        place = writer.frame.integers([writer.size(leaf)])
        writer.frame.checked(
            "box_python", "ptr %frame", f"i64 {slot}", "i32 1", f"ptr {place}"
        )
    return writer.frame.slot(slot)


def bind_result(writer: EntryWriter, buffer: Buffer, type_: ArrayType, slot: int) -> None:
    """Bind one result of an extern call; bail out when it is not what the graph expects."""
    source = writer.frame.slot(slot)
    if type_.form is Form.OBJECT:
        writer.objects[buffer.name] = source
        return
    if type_.form is Form.ARRAY:
        writer.frame.checked(
            "match_array", f"ptr {source}", writer.descr(type_.dtype), f"i32 {type_.ndim}",
            writer.shape(type_.shape), writer.shape(type_.strides),
        )
        writer.array(buffer, source)
        return
    place = writer.builder.stack("i64", 2)
    writer.frame.checked(
        "unbox_number", f"ptr {source}", f"i32 {type_.dtype.num}", f"ptr {place}"
    )
    writer.pointers[buffer.name], writer.objects[buffer.name] = place, source
