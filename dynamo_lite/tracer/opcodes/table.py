"""The table of opcode handlers."""
from __future__ import annotations

import inspect
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any

from ...base.records import dataclass
from ...bytecode.splitting import STACK_EFFECTS

if TYPE_CHECKING:
    from ...bytecode.reading import Instruction


@dataclass(frozen=True, slots=True)
class OpcodeHandler:
    """`pops` values are taken from the stack, and `inst.arg` more when `variadic`. `on_arrays`: of
    arrays it may be an operation; operands that may be None are read as numbers, unless it
    `takes_none`."""

    function: Callable[..., Any]
    pops: int
    variadic: bool
    on_arrays: bool = False
    takes_none: bool = False

    def taken(self, inst: Instruction) -> int:
        return self.pops + (inst.arg if self.variadic else 0)


HANDLERS: dict[str, OpcodeHandler] = {}


def handles(
    *opnames: str, pushes: int | None = None, on_arrays: bool = False, takes_none: bool = False
) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Register the handler of some canonical opcodes.

    Its signature is its stack effect: the parameters after `tx, inst` are popped (the last one is
    the topmost), `*values` takes `inst.arg` values above the named ones. A returned tracker is
    pushed; so are the members of a returned tuple, the last one topmost. None pushes nothing.
    With `pushes`, how many those are, a frame can be split behind the instruction.
    """

    def register(function: Callable[..., Any]) -> Callable[..., Any]:
        parameters = list(inspect.signature(function).parameters.values())[2:]
        variadic = any(p.kind is p.VAR_POSITIONAL for p in parameters)
        pops = len(parameters) - variadic
        handler = OpcodeHandler(function, pops, variadic, on_arrays, takes_none)
        HANDLERS.update(dict.fromkeys(opnames, handler))
        if pushes is not None:
            STACK_EFFECTS.update(dict.fromkeys(opnames, partial(_stack_effect, handler, pushes)))
        return function

    return register


def _stack_effect(handler: OpcodeHandler, pushes: int, inst: Instruction) -> tuple[int, int]:
    return handler.taken(inst), pushes
