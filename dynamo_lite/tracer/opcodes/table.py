"""The table of opcode handlers."""
from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

from ...base.records import dataclass


@dataclass(frozen=True, slots=True)
class OpcodeHandler:
    """`pops` values are taken from the stack, and `inst.arg` more when `variadic`."""

    function: Callable[..., Any]
    pops: int
    variadic: bool


HANDLERS: dict[str, OpcodeHandler] = {}


def handles(*opnames: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Register the handler of some canonical opcodes.

    Its signature is its stack effect: the parameters after `tx, inst` are popped (the last one is
    the topmost), `*values` takes `inst.arg` values above the named ones. A returned tracker is
    pushed; so are the members of a returned tuple, the last one topmost. None pushes nothing.
    """

    def register(function: Callable[..., Any]) -> Callable[..., Any]:
        parameters = list(inspect.signature(function).parameters.values())[2:]
        variadic = any(p.kind is p.VAR_POSITIONAL for p in parameters)
        handler = OpcodeHandler(function, len(parameters) - variadic, variadic)
        HANDLERS.update(dict.fromkeys(opnames, handler))
        return function

    return register
