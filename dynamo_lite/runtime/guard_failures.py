"""Why no entry of a compiled function accepted a call, in words for logs, errors and warnings."""
from __future__ import annotations

from types import FunctionType
from typing import Any

from ..base.config import config
from ..guards.programs.reasons import ANOTHER_REMEDY, Values, remedy, why_failed
from ..native import CompiledFunction


def why_guards_failed(compiled: CompiledFunction, flat_args: tuple[Any, ...]) -> list[str]:
    """The guard that failed in each entry, the entry used last first."""
    values = _values(compiled, flat_args)
    return [
        why_failed(entry.info.flat, op, entry.info.shapes, values)
        for entry, op in zip(compiled.entries(), compiled.why_miss(flat_args))
        if op >= 0
    ]


def _values(compiled: CompiledFunction, flat_args: tuple[Any, ...]) -> Values:
    function = compiled.__wrapped__
    assert isinstance(function, FunctionType)
    return Values(flat_args, function)


def limit_reached(compiled: CompiledFunction, flat_args: tuple[Any, ...]) -> str:
    """Which argument keeps changing, what happens now, and what helps."""
    info, op = compiled.entries()[0].info, compiled.why_miss(flat_args)[0]
    why, advice = "", ANOTHER_REMEDY
    if op >= 0:
        values = _values(compiled, flat_args)
        why = f": {why_failed(info.flat, op, info.shapes, values)}"
        advice = remedy(info.flat, op, info.shapes)
    return (
        f"{compiled.__qualname__} has been compiled {config.recompile_limit} times "
        f"(config.recompile_limit){why}. Most calls with other arguments now run in Python; "
        f"{advice}"
    )
