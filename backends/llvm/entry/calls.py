"""Steps that call NumPy or the runtime, and what they give: arrays, sizes, positions."""
from __future__ import annotations

from ....ir.sizes import Size, floordiv, product
from ....ir.types import ArrayType, Form
from ...loop_ir.loops import Buffer
from ...loop_ir.program import Bind, Count, Deposit, Extern, Extract, LogCopy, LogUndo, Ref
from ..builder.elements import I64
from ..builder.values import Value
from .arrays import array_object, box
from .draws import drawn, find_source, source_of, source_of_constant, write_draw
from .externs import flat_callable, leaves
from .state import Entry, writes

MASK_BLOCK = 1 << 14  # elements of a mask that are counted together, as the core has it


@writes(Extern)
def extern(entry: Entry, step: Extern) -> None:
    number = len(entry.program.constants) + len(entry.callables)
    if (found := drawn(step)) is not None:
        entry.callables.append(step.target)
        return write_draw(entry, step, *found, random_source(entry, step, number))
    entry.begin_errstate(step.errstate)
    values = [argument(entry, leaf) for leaf in leaves((step.args, step.kwargs))]
    entry.callables.append(flat_callable(step))
    place = entry.builder.stack("ptr", max(1, len(values)))
    for position, value in enumerate(values):
        entry.builder.void(f"store ptr {value}, ptr {entry.builder.offset(place, 8 * position)}")
    first = entry.n_slots
    entry.n_slots += len(step.results)
    entry.frame.checked(
        "call_extern", "ptr %frame", f"i64 {number}", f"i64 {first}",
        f"i64 {len(step.results)}", f"i64 {len(values)}", f"ptr {place}",
    )
    for name, result, axis in step.binds:
        read_size(entry, name, step.types[result], first + result, axis)
    for position, (buffer, type_) in enumerate(zip(step.results, step.types)):
        bind_result(entry, buffer, type_, first + position)
        entry.slots.setdefault(buffer.name, first + position)


def random_source(entry: Entry, step: Extern, number: int) -> str:
    """Where what is known of the generator lies."""
    if hasattr(step.target, "__self__"):
        return source_of_constant(entry, number)
    owner = step.args[0]
    if isinstance(owner, Ref) and owner.buffer is not None and owner.buffer.name in entry.sources:
        return entry.sources[owner.buffer.name]
    return source_of(entry, argument(entry, owner))


def read_size(entry: Entry, name: str, type_: ArrayType, slot: int, axis: int) -> None:
    """Bind a symbol to one of the sizes of an array that NumPy has made."""
    place = entry.builder.stack("i64", type_.ndim)
    entry.frame.checked(
        "read_sizes", f"ptr {entry.frame.slot(slot)}", f"i32 {type_.ndim}", f"ptr {place}"
    )
    entry.symbols[name] = entry.builder.load(entry.builder.offset(place, 8 * axis), I64)


@writes(Bind)
def bind(entry: Entry, step: Bind) -> None:
    entry.symbols[step.symbol] = entry.builder.load(entry.pointer(step.buffer.name), I64)
    if step.is_large:
        entry.wide.add(step.symbol)


@writes(Count)
def count(entry: Entry, step: Count) -> None:
    n = entry.size(step.n)
    room = entry.size((floordiv(step.n, MASK_BLOCK) + 2) * 8)
    starts = entry.frame.checked("scratch", "ptr %frame", f"i64 {room.ref}")
    mask = entry.pointer(step.mask.name)
    found = entry.frame.call(
        "count_true", "ptr %frame", f"ptr {mask}", f"i64 {n.ref}", f"ptr {starts}"
    )
    entry.pointers[step.starts.name] = starts
    if step.symbol is not None:
        entry.symbols[step.symbol] = Value(entry.builder, found, I64)


@writes(Deposit)
def deposit(entry: Entry, step: Deposit) -> None:
    count, builder = step.count, entry.builder
    source = builder.offset(entry.pointer(step.source.name), entry.size(step.start))
    out = builder.offset(entry.pointer(step.out.name), entry.size(step.offset))
    entry.frame.checked(
        "deposit_true", "ptr %frame", f"ptr {entry.pointer(count.mask.name)}",
        f"i64 {entry.size(count.n).ref}", f"ptr {entry.pointer(count.starts.name)}",
        f"ptr {source}", f"i64 {entry.size(step.step).ref}", f"i64 {step.out.dtype.itemsize}",
        f"ptr {out}", f"i64 {entry.size(step.stride).ref}",
    )  # fmt: skip


@writes(Extract)
def select(entry: Entry, step: Extract) -> None:
    count = step.count
    common = (
        "ptr %frame", f"ptr {entry.pointer(count.mask.name)}", f"i64 {entry.size(count.n).ref}",
        f"ptr {entry.pointer(count.starts.name)}",
    )  # fmt: skip
    out = f"ptr {entry.pointer(step.out.name)}"
    if step.source is None:
        shape = entry.shape(step.shape)
        entry.frame.checked("positions_true", *common, f"i32 {len(step.shape)}", shape, out)
        return
    data = entry.builder.offset(entry.pointer(step.source.name), entry.size(step.offset))
    entry.frame.checked(
        "select_true", *common, f"ptr {data}", f"i64 {entry.size(step.stride).ref}",
        f"i64 {step.out.dtype.itemsize}", out,
    )


@writes(LogCopy)
def log_copy(entry: Entry, step: LogCopy) -> None:
    size = entry.size(product(step.type.shape) * step.type.dtype.itemsize)
    entry.frame.checked(
        "log_copy", "ptr %frame", f"ptr {entry.pointer(step.buffer.name)}", f"i64 {size.ref}")


@writes(LogUndo)
def log_undo(entry: Entry, step: LogUndo) -> None:
    start = entry.start(step.buffer.name, step.offset)
    if step.start is not None:
        further = entry.builder.load(entry.pointer(step.start.name), I64)
        start = entry.builder.offset(start, further)
    data = f"ptr {start}"
    itemsize, type_ = f"i64 {step.buffer.dtype.itemsize}", step.type
    if step.positions is None:
        box = (f"i32 {type_.ndim}", entry.shape(type_.shape), entry.shape(type_.strides))
        copied = f"i32 {int(step.is_copied)}"
        entry.frame.checked("log_undo", "ptr %frame", data, *box, itemsize, copied)
    else:
        places = f"ptr {entry.pointer(step.positions.name)}"
        count = f"i64 {entry.size(product(type_.shape)).ref}"
        entry.frame.checked("log_undo_at", "ptr %frame", data, places, count, itemsize)


def argument(entry: Entry, leaf: Ref | Size) -> str:
    """The object for one leaf of an extern call."""
    if isinstance(leaf, Ref) and leaf.scalar is not None:
        return entry.objects[leaf.scalar.name]
    slot = entry.n_slots
    if isinstance(leaf, Ref):
        assert leaf.buffer is not None
        if leaf.type is None or leaf.type.form is Form.ARRAY:
            return array_object(entry, leaf.buffer.name)
        entry.new_slot()
        box(entry, slot, leaf.type, entry.pointer(leaf.buffer.name))
    else:
        entry.new_slot()
        place = entry.frame.integers([entry.size(leaf)])
        entry.frame.checked(
            "box_python", "ptr %frame", f"i64 {slot}", "i32 1", f"ptr {place}"
        )
    return entry.frame.slot(slot)


def bind_result(entry: Entry, buffer: Buffer, type_: ArrayType, slot: int) -> None:
    """Bind one result of an extern call; bail out when it is not what the graph expects."""
    source = entry.frame.slot(slot)
    if type_.form is Form.OBJECT:
        entry.objects[buffer.name] = source
        find_source(entry, buffer.name, source)
        return
    if type_.form is Form.ARRAY:
        entry.frame.checked(
            "match_array", f"ptr {source}", entry.descr(type_.dtype), f"i32 {type_.ndim}",
            entry.shape(type_.shape), entry.shape(type_.strides),
        )
        entry.array(buffer, source)
        return
    place = entry.builder.stack("i64", 2)
    entry.frame.checked(
        "unbox_number", f"ptr {source}", f"i32 {type_.dtype.num}", f"ptr {place}"
    )
    entry.pointers[buffer.name], entry.objects[buffer.name] = place, source
