"""What `python -m dynamo_lite` does: it runs a program with its functions as candidates."""
from __future__ import annotations

import atexit
import gc
import importlib
import math
import os
import sys
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from ..base.config import config
from ..base.counting import counted
from ..base.disabled import Place, place_of
from ..base.origins import is_library_file
from ..base.tables import show
from ..native import enter_region, leave_region, sample_with
from ..runtime.decisions import Decisions
from ..runtime.stats import FrameRecord, frames, registry, stats
from ..runtime.tiering import pace_of
from .options import read
from .regions import SAMPLED, SILENT, Candidates
from .running import run_command, run_module, run_script

DISK_CACHE, PROFILING = "dynamo_lite.runtime.disk_cache", "dynamo_lite.reports.profiling"
IN_PYTHON = "dynamo_lite.script.in_python"
NAMED = 6
"""How many functions that Python runs for the same reason are told by their names."""
PROGRAMS: dict[str, Callable[[str, Sequence[str]], None]] = {"-m": run_module, "-c": run_command}
"""How programs are run that are no files."""


def main(argv: Sequence[str]) -> None:
    if argv[:1] == ["cache"]:
        return importlib.import_module(DISK_CACHE).main(argv[1:])
    options, kind, program = read(argv)
    config.disable = config.disable or options.disable
    if "DYNAMO_MATH" not in os.environ:
        config.math = "numpy"  # what a program prints must not depend on when it is compiled
    looking: Any = None
    reasons: dict[Place, str] = {}
    if options.explain:
        looking = importlib.import_module(IN_PYTHON).Looking()
        looking.begin()
    if options.explain or options.stats:
        atexit.register(report, looking, reasons)
    if options.profile is not None:
        importlib.import_module(PROFILING).measure(options.profile)
    run = PROGRAMS.get(kind, run_script)
    if config.disable:
        return run(program[0], program[1:])
    if options.at_once or options.all_frames:
        config.warm_seconds = 0.0
    if options.all_frames:
        config.compile_share = math.inf
    is_warmed = config.warm_seconds > 0
    decisions = Decisions(repr((kind, os.path.abspath(program[0])))) if is_warmed else None
    candidates = Candidates(options.backend, options.all_frames, decisions)
    candidates.program.lender.pace = pace_of(time.process_time())
    if not options.all_frames:
        sample_with(candidates.sample, SAMPLED)
    enter_region(candidates)
    if options.all_frames or candidates.program.expects_hot():
        np.empty(1)  # where functions are candidates from the first array on
    gc.freeze()  # the program's collections need not go through what is loaded before it
    try:
        run(program[0], program[1:])
    finally:
        if options.explain:
            reasons.update([*candidates.left.items(), *candidates.cold()])
        candidates.conclude()
        leave_region()
        candidates.program.histories.clear()  # the program's objects end when the interpreter does


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
    for cost in importlib.import_module(IN_PYTHON).of_libraries(libraries):
        show(str(cost), stream=sys.stderr)
    if long := looking.long():
        show(importlib.import_module(IN_PYTHON).table(long, registry.records, reasons),
             stream=sys.stderr)
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
