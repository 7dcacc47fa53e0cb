"""What `python -m dynamo_lite` does: it runs a program with its functions as candidates."""
from __future__ import annotations

import atexit
import gc
import importlib
import math
import os
import time
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ..base.config import config
from ..base.disabled import Place
from ..native import enter_region, leave_region, sample_with
from ..tiering.costs import pace_of
from ..tiering.decisions import Decisions
from .options import read
from .regions import SAMPLED, Candidates
from .running import run_command, run_module, run_script

DISK_CACHE, PROFILING = "dynamo_lite.runtime.disk_cache", "dynamo_lite.reports.profiling"
IN_PYTHON, REPORTING = "dynamo_lite.script.in_python", "dynamo_lite.script.reporting"
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
        atexit.register(importlib.import_module(REPORTING).report, looking, reasons)
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
    candidates.program.lender.costs.pace = pace_of(time.process_time())
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
