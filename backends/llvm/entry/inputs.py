"""What a program is given, and its symbols, as values of the entry's function."""
from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ....ir.sizes import symbols
from ....ir.types import ArrayType, Form
from ...loop_ir.program import Input
from ..builder.elements import F64, I64
from ..builder.frame import DATA, DIMENSIONS, STRIDES
from ..builder.values import Value

if TYPE_CHECKING:
    from .writer import EntryWriter


def bind(writer: EntryWriter) -> None:
    bind_ints(writer)
    for item in writer.program.inputs:
        bind_input(writer, item)
    bind_symbols(writer)


def bind_ints(writer: EntryWriter) -> None:
    """The values of Python ints that are symbols."""
    origins = writer.program.symbols.items()
    which = {o.placeholder: name for name, o in origins if o.fact == "value"}
    if not which:
        return
    place = writer.builder.stack("i64", len(which))
    numbers = writer.frame.integers([*map(writer.builder.integer, which)])
    writer.frame.checked(
        "unbox_ints", f"ptr {writer.frame.inputs}", f"ptr {numbers}", f"i64 {len(which)}",
        f"ptr {place}",
    )
    for position, (index, name) in enumerate(which.items()):
        value = writer.builder.load(writer.builder.offset(place, 8 * position), I64)
        writer.symbols[name] = writer.ints[index] = value
        writer.wide.add(name)


def bind_input(writer: EntryWriter, item: Input) -> None:
    if item.buffer is None and item.scalar is None:
        return
    source = writer.frame.input(item.index)
    if item.buffer is not None and item.type.form is Form.OBJECT:
        writer.objects[item.buffer.name] = source
    elif item.buffer is not None and item.type.form is not Form.ARRAY:
        writer.objects[item.buffer.name] = source
        writer.pointers[item.buffer.name] = writer.builder.offset(source, DATA)
    elif item.buffer is not None:
        writer.array(item.buffer, source)
    if item.scalar is not None:
        writer.objects[item.scalar.name] = source
        value = writer.ints.get(item.index)
        if value is None or item.scalar.dtype != I64:
            value = number(writer, source, item.type, item.scalar.dtype)
        writer.scalars[item.scalar.name] = value


def number(writer: EntryWriter, source: str, type_: ArrayType, dtype: np.dtype) -> Value:
    """The value of a NumPy scalar or Python number."""
    if type_.form is Form.PYTHON and dtype == F64 and type_.dtype == F64:
        return writer.builder.load(writer.builder.offset(source, DATA), F64)
    place = writer.builder.stack("i64", 4)
    writer.frame.checked("unbox_number", f"ptr {source}", f"i32 {dtype.num}", f"ptr {place}")
    return writer.builder.load(place, dtype)


def bind_symbols(writer: EntryWriter) -> None:
    offsets = {"size": DIMENSIONS, "stride": STRIDES}
    for name, origin in writer.program.symbols.items():
        if origin.fact == "total":
            writer.symbols[name] = writer.size(origin.sum)
            if not writer.wide.isdisjoint(symbols(origin.sum)):
                writer.wide.add(name)
            continue
        if name in writer.symbols:
            continue
        source = writer.frame.input(origin.placeholder)
        numbers = writer.frame.pointer_at(source, offsets[origin.fact])
        place = writer.builder.offset(numbers, 8 * origin.axis)
        writer.symbols[name] = writer.builder.load(place, I64)
