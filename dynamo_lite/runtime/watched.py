"""Debuggers, coverage tools and line profilers: while one is active, Python runs all code."""
from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from types import CodeType, FunctionType
from typing import Any

from ..base.config import config, follow
from ..bytecode.binding import bind, parameters_of
from ..errors import DynamoWarning
from ..native import compile_watched, lines_are_watched

WATCHED = (
    "a debugger, coverage tool or line profiler is active: compiled functions run in Python "
    "while it is, unless dl.config.compile_watched is set (DYNAMO_COMPILE_WATCHED=1)"
)
_warned: set[str] = set()

follow("compile_watched", compile_watched)


def why_watched() -> str:
    """Why Python runs all functions now, where it does."""
    return WATCHED if lines_are_watched() and not config.compile_watched else ""


def warn_once(code: CodeType) -> None:
    """Say so, in the first call of the process that runs in Python therefore."""
    if WATCHED not in _warned:
        _warned.add(WATCHED)
        warnings.warn_explicit(WATCHED, DynamoWarning, code.co_filename, code.co_firstlineno)


def flat_arguments(
    function: FunctionType, args: Sequence[Any], kwargs: Mapping[str, Any]
) -> tuple[Any, ...] | None:
    """The values of the parameters, in their order; None where the call does not fit."""
    code, known = function.__code__, parameters_of(function.__code__)
    by_position = function.__defaults__ or ()

    def defaults() -> Mapping[str, Any]:
        names = known.positional[len(known.positional) - len(by_position) :]
        return {**dict(zip(names, by_position)), **(function.__kwdefaults__ or {})}

    values = bind(code, args, kwargs, defaults, tuple, dict)
    names = (*known.named, *filter(None, (known.rest, known.table)))
    return None if values is None else tuple(values[name] for name in names)
