"""The names of kernels for Linux's `perf`: `/tmp/perf-PID.map`, a line for each function.

With `config.perf_map`; `perf record -g python program.py`, then `perf report`. A line is the
address, the size and the name.
"""
from __future__ import annotations

import os
from collections.abc import Iterable

from ....base.logs import logger
from .loaded_functions import LoadedFunction

FOLDER = "/tmp"
"""Where perf looks."""

LOG = logger("perf")


def note(functions: Iterable[LoadedFunction]) -> None:
    lines = [f"{one.address:x} {one.size:x} {one.name}\n" for one in functions]
    try:
        with open(f"{FOLDER}/perf-{os.getpid()}.map", "a", encoding="utf-8") as file:
            file.writelines(lines)
    except OSError as error:
        LOG.error("the names of kernels are not written for perf: %s", error)
