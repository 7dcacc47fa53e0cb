"""Timelines in the Trace Event Format, which chrome://tracing and ui.perfetto.dev show.

Times are in microseconds since the first event; an event with "ph": "X" is a stretch of time, "M"
names a process or thread.
"""
from __future__ import annotations

import json
import os
from collections.abc import Iterator, Sequence
from typing import Any

from ..native import CompiledFunction
from .rows import GROUPS, SELECTING
from .spent import KINDS, Slice, located, steps_of

GRAPH = "graph"
"""A whole call of an entry."""


def trace(slices: Sequence[Slice], is_full: bool) -> dict[str, Any]:
    first = min((one.begin for one in slices), default=0)
    events = [*names(slices), *(event(one, first) for one in slices)]
    return {"traceEvents": events, "displayTimeUnit": "ms",
            "otherData": {"program": "dynamo_lite", "is_cut": is_full}}


def text(slices: Sequence[Slice], is_full: bool) -> str:
    return json.dumps(trace(slices, is_full))


def names(slices: Sequence[Slice]) -> Iterator[dict[str, Any]]:
    pid = os.getpid()
    yield {"name": "process_name", "ph": "M", "pid": pid, "tid": 0,
           "args": {"name": "compiled by dynamo_lite"}}
    for number, thread in enumerate(dict.fromkeys(one.thread for one in slices)):
        yield {"name": "thread_name", "ph": "M", "pid": pid, "tid": thread,
               "args": {"name": f"thread {number}"}}


def event(one: Slice, first: int) -> dict[str, Any]:
    category, name, details = described(one)
    return {"name": name, "cat": category, "ph": "X", "ts": (one.begin - first) / 1e3,
            "dur": one.spent / 1e3, "pid": os.getpid(), "tid": one.thread, "args": details}


def described(one: Slice) -> tuple[str, str, dict[str, Any]]:
    """Category, name, and details."""
    if one.step >= 0:
        kind, name, _ = steps_of(one.owner)[one.step]
        parts = [*located(one.owner, one.step)]
        group = GROUPS.get(kind, SELECTING)
        return group, name or group, {
            "operations": [name for name, *_ in parts],
            "lines": sorted({location.place for _, location, _ in parts if location is not None}),
        }
    if isinstance(one.owner, CompiledFunction):
        is_call = one.kind == 0
        return ("call" if is_call else KINDS[one.kind],
                one.owner.__qualname__ if is_call else KINDS[one.kind], {})
    return GRAPH, GRAPH if KINDS[one.kind] == "launching" else KINDS[one.kind], {}
