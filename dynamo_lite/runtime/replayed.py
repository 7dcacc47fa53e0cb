"""What compiled code changes outside after its graph has run, in words, for the logs."""
from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from ..tracer.state import side_effects as effects

SAID: Mapping[type, Callable[[Any], str]] = {
    effects.Contents: lambda row: f"{row.tracker.describe()} gets its final contents",
    effects.Extend: lambda row: f"{row.tracker.describe()} is appended to",
    effects.StoreAttr: lambda row: f"the attribute {row.name!r} of {row.tracker.describe()} is set",
    effects.DeleteAttr: lambda row: f"the attribute {row.name!r} of {row.tracker.describe()} goes",
    effects.StoreGlobal: lambda row: f"the global {row.name!r} is set",
    effects.DeleteGlobal: lambda row: f"the global {row.name!r} goes",
    effects.StoreCell: lambda row: "a variable of an enclosing function is set",
    effects.DeleteCell: lambda row: "a variable of an enclosing function goes",
    effects.Advance: lambda row: f"{row.tracker.describe()} advances by {row.count}",
    effects.Move: lambda row: f"{row.tracker.describe()} goes on behind a loop",
    effects.CallForRecords: lambda row: "a function written in C is called again for what it keeps",
    effects.Enter: lambda row: "an error state of NumPy is entered",
}


def told(records: Iterable[effects.Record]) -> list[str]:
    """A line for each, in the order in which they happen."""
    return [SAID[type(record)](record) for record in records]
