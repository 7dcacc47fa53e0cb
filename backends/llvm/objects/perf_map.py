"""The names of kernels for Linux's `perf`: `/tmp/perf-PID.map`, a line for each function.

With `config.perf_map`; `perf record -g python program.py`, then `perf report`. A line is the
address, the size and the name. Addresses are those where an object's exported symbols were found.
"""
from __future__ import annotations

import os
import struct
from collections.abc import Iterator, Mapping, Sequence

from ....base.logs import logger
from ....base.records import dataclass
from ....ir.node import Location

FOLDER = "/tmp"
"""Where perf looks."""
SECTION, SYMBOL = struct.Struct("<IIQQQQIIQQ"), struct.Struct("<IBBHQQ")
SYMBOL_TABLE, FUNCTION = 2, 2
"""Of the type of a section, and of a symbol."""

LOG = logger("perf")


@dataclass(frozen=True, slots=True)
class Function:
    """A function of a relocatable object: bytes from the beginning of a section."""

    name: str
    section: int
    start: int
    size: int


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


def note(
    objects: Sequence[bytes], loaded: Sequence[Mapping[str, int]],
    places: Sequence[Location | None],
) -> None:
    """Add the functions of a graph's code, which are named after the user's function."""
    place = next((place for place in places if place is not None), None)
    user = "graph" if place is None else f"{place.function} ({place.place})"
    lines = []
    for code, known in zip(objects, loaded):
        found = [*functions(code)]
        starts = {one.section: known[one.name] - one.start for one in found if one.name in known}
        lines += [f"{starts[one.section] + one.start:x} {one.size:x} {one.name} of {user}\n"
                  for one in found if one.section in starts]
    try:
        with open(f"{FOLDER}/perf-{os.getpid()}.map", "a", encoding="utf-8") as file:
            file.writelines(lines)
    except OSError as error:
        LOG.error("the names of kernels are not written for perf: %s", error)
