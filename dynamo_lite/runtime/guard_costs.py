"""Whether checking the guards of an entry takes longer than Python takes for the call."""
from __future__ import annotations

from typing import Any

from ..backends.hints import hints_of
from ..base.config import config
from ..guards.programs.flatten import FlatGuards
from ..guards.sources import DependentSource, Source
from ..ir.savings import saved_by
from ..tracer.state.trace import Returned, Trace
from ..tracer.trackers.arrays.long_lists import array_of

INPUT, INSTRUCTION = 30.0, 5.0
"""Nanoseconds that reading an input of the graph takes, and an instruction of Python's."""
LONG = 2000.0
"""Nanoseconds that guards may take in front of any code."""
TIMINGS = 3
"""How often they are timed: the shortest time counts."""


def why_in_python(
    trace: Trace, flat: FlatGuards, flat_args: tuple[Any, ...], *, is_compiled: bool
) -> str:
    """Why Python is to run such calls, whatever the values are that the guards are about; empty
    where compiled code is not known to be slower. In an entry that is not compiled all of the
    guards are in vain."""
    is_whole = isinstance(trace.end, Returned)
    if config.compile_unprofitable or not is_whole or any(map(is_converted, trace.inputs)):
        return ""
    if any(node.type.library != "numpy" for node in trace.graph.placeholders):
        return ""  # what a call takes on a GPU is not known here
    spent = min(flat.program.time(flat_args, 1, trace.function) for _ in range(TIMINGS))
    if spent < LONG:
        return ""
    spent += INPUT * len(trace.inputs) if is_compiled else 0.0
    saved = saved_by(trace.graph.calls, hints_of(trace.graph.symbols))
    if spent < INSTRUCTION * trace.steps + saved:
        return ""
    return f"its guards take longer than Python does, such as {flat.owners[-1]}"


def is_converted(source: Source) -> bool:
    """Whether it is an array of a list that NumPy makes one of as well, and takes longer for it."""
    return isinstance(source, DependentSource) and source.function.value is array_of
