"""The functions of machine code that was loaded, by name, for profilers."""
from __future__ import annotations

import struct
from collections.abc import Iterator, Mapping, Sequence

from ....base.records import dataclass
from ....ir.node import Location

SECTION, SYMBOL = struct.Struct("<IIQQQQIIQQ"), struct.Struct("<IBBHQQ")
SYMBOL_TABLE, FUNCTION = 2, 2
"""Of the type of a section, and of a symbol."""


@dataclass(frozen=True, slots=True)
class Function:
    """A function of a relocatable object: bytes from the beginning of a section."""

    name: str
    section: int
    start: int
    size: int


@dataclass(frozen=True, slots=True)
class LoadedFunction:
    """A function at its address, named after the user's function; `place` is where that begins."""

    name: str
    address: int
    size: int
    place: Location | None


def functions(code: bytes) -> Iterator[Function]:
    """Those of an object in the ELF format with 64 bits."""
    (table,) = struct.unpack_from("<Q", code, 0x28)
    _, count = struct.unpack_from("<HH", code, 0x3A)
    sections = [SECTION.unpack_from(code, table + number * SECTION.size) for number in range(count)]
    for _, kind, _, _, offset, size, link, *_ in sections:
        if kind != SYMBOL_TABLE:
            continue
        names = sections[link][4]
        for place in range(offset, offset + size, SYMBOL.size):
            name, info, _, section, start, length = SYMBOL.unpack_from(code, place)
            if info & 15 == FUNCTION:
                end = code.index(b"\0", names + name)
                yield Function(code[names + name : end].decode(), section, start, length)


def loaded_functions(
    objects: Sequence[bytes], loaded: Sequence[Mapping[str, int]],
    places: Sequence[Location | None],
) -> Iterator[LoadedFunction]:
    """Those of a graph's code; addresses are those where exported symbols were found."""
    place = next((place for place in places if place is not None), None)
    user = "graph" if place is None else f"{place.function} ({place.place})"
    for code, known in zip(objects, loaded):
        found = [*functions(code)]
        starts = {one.section: known[one.name] - one.start for one in found if one.name in known}
        for one in found:
            if one.section in starts:
                yield LoadedFunction(f"{one.name} of {user}", starts[one.section] + one.start,
                                     one.size, place)
