"""What `--explain` and `--stats` tell when a program has ended."""
from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from ..base.counting import counted
from ..base.disabled import Place, place_of
from ..base.origins import is_library_file
from ..base.tables import show
from ..runtime.stats import FrameRecord, frames, registry, stats
from .in_python import of_libraries, table
from .regions import SILENT

NAMED = 6
"""How many functions that Python runs for the same reason are told by their names."""


def report(looking: Any, reasons: Mapping[Place, str]) -> None:
    """What was compiled, and what not, on the standard error. `looking`: what saw it run."""
    if looking is not None:
        explain(looking, reasons)
    print(stats(), file=sys.stderr)


def explain(looking: Any, reasons: Mapping[Place, str]) -> None:
    looking.end()
    users, libraries = parted(registry.records)
    if users:
        plain = "\n".join(map(line_of, users))
        show(frames(users, "what was compiled", plain), stream=sys.stderr)
    for cost in of_libraries(libraries):
        show(str(cost), stream=sys.stderr)
    if long := looking.long():
        show(table(long, registry.records, reasons), stream=sys.stderr)
    seen = {place_of(ran.code) for ran in long}
    together: dict[str, list[Place]] = {}
    for place, reason in reasons.items():
        if place not in seen and reason not in SILENT and not is_library_file(place[0]):
            together.setdefault(reason, []).append(place)
    for reason, places in together.items():
        show(f"{listed(places)}: Python runs {'it' if len(places) == 1 else 'them'}: {reason}",
             stream=sys.stderr)


def listed(places: Sequence[Place]) -> str:
    """Functions of one reason, the first few by their names."""
    names = [f"{name} ({filename}:{line})" for filename, line, name in places[:NAMED]]
    more = len(places) - len(names)
    return ", ".join(names) + (f" and {more} more" if more else "")


def parted(records: Iterable[FrameRecord]) -> tuple[list[FrameRecord], list[FrameRecord]]:
    """The records of the program's own functions, and those of libraries, which are told by the
    program's lines that called them."""
    users: list[FrameRecord] = []
    libraries: list[FrameRecord] = []
    for record in records:
        (libraries if is_library_file(record.location.filename) else users).append(record)
    return users, libraries


def line_of(record: FrameRecord) -> str:
    place = record.location.place
    line = f"[{record.mark}] {record.name} ({place}): {counted(record.operations, 'operation')}"
    ends = (("broke", record.broke), ("bailed out", record.bailout))
    told = [f"{verb} at {end}\n        remedy: {end.remedy}" for verb, end in ends if end]
    left = [f"runs in Python, where a call comes to {arm}" for arm in record.cold_arms]
    return "\n      ".join((line, *told, *left))
