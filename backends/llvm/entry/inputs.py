"""What a program is given, and its symbols, as values of the entry's function."""
from __future__ import annotations

import numpy as np

from ....ir.sizes import symbols
from ....ir.types import ArrayType, Form
from ...loop_ir.program import Input
from ..builder.elements import F64, I64
from ..builder.frame import DATA, DIMENSIONS, STRIDES
from ..builder.values import Value
from .draws import find_source
from .state import Entry


def bind(entry: Entry) -> None:
    bind_ints(entry)
    for item in entry.program.inputs:
        bind_input(entry, item)
    bind_symbols(entry)


def bind_ints(entry: Entry) -> None:
    """The values of Python ints that are symbols."""
    origins = entry.program.symbols.items()
    which = {o.placeholder: name for name, o in origins if o.fact == "value"}
    if not which:
        return
    place = entry.builder.stack("i64", len(which))
    numbers = entry.frame.integers([*map(entry.builder.integer, which)])
    entry.frame.checked(
        "unbox_ints", f"ptr {entry.frame.inputs}", f"ptr {numbers}", f"i64 {len(which)}",
        f"ptr {place}",
    )
    for position, (index, name) in enumerate(which.items()):
        value = entry.builder.load(entry.builder.offset(place, 8 * position), I64)
        entry.symbols[name] = entry.ints[index] = value
        entry.wide.add(name)


def bind_input(entry: Entry, item: Input) -> None:
    if item.buffer is None and item.scalar is None:
        return
    source = entry.frame.input(item.index)
    if item.buffer is not None and item.type.form is Form.OBJECT:
        entry.objects[item.buffer.name] = source
        find_source(entry, item.buffer.name, source)
    elif item.buffer is not None and item.type.form is not Form.ARRAY:
        entry.objects[item.buffer.name] = source
        entry.pointers[item.buffer.name] = entry.builder.offset(source, DATA)
    elif item.buffer is not None:
        entry.array(item.buffer, source)
    if item.scalar is not None:
        entry.objects[item.scalar.name] = source
        value = entry.ints.get(item.index)
        if value is None or item.scalar.dtype != I64:
            value = number(entry, source, item.type, item.scalar.dtype)
        entry.scalars[item.scalar.name] = value


def number(entry: Entry, source: str, type_: ArrayType, dtype: np.dtype) -> Value:
    """The value of a NumPy scalar or Python number."""
    if type_.form is Form.PYTHON and dtype == F64 and type_.dtype == F64:
        return entry.builder.load(entry.builder.offset(source, DATA), F64)
    place = entry.builder.stack("i64", 4)
    entry.frame.checked("unbox_number", f"ptr {source}", f"i32 {dtype.num}", f"ptr {place}")
    return entry.builder.load(place, dtype)


def bind_symbols(entry: Entry) -> None:
    offsets = {"size": DIMENSIONS, "stride": STRIDES}
    for name, origin in entry.program.symbols.items():
        if origin.fact == "total":
            entry.symbols[name] = entry.size(origin.sum)
            if not entry.wide.isdisjoint(symbols(origin.sum)):
                entry.wide.add(name)
            continue
        if name in entry.symbols:
            continue
        source = entry.frame.input(origin.placeholder)
        numbers = entry.frame.pointer_at(source, offsets[origin.fact])
        place = entry.builder.offset(numbers, 8 * origin.axis)
        entry.symbols[name] = entry.builder.load(place, I64)
