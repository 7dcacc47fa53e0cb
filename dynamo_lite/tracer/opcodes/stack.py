"""Constants and moves on the stack."""
from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ...native import TAKE_OVER
from ..object_model.constants import NULL, constant
from ..state.tracker import VariableTracker
from ..trackers.containers.sequences import TupleVariable
from .table import handles

if TYPE_CHECKING:
    from ...bytecode.reading import Instruction
    from ..state.tx import Tx


@handles("NOP", "RESUME", "RETURN_GENERATOR_START")
def no_operation(tx: Tx, inst: Instruction) -> None:
    """Nothing that a trace can see."""


@handles("POP_TOP", pushes=0)
def pop_top(tx: Tx, inst: Instruction, value: VariableTracker) -> None:
    pass


@handles("PUSH_NULL")
def push_null(tx: Tx, inst: Instruction) -> VariableTracker:
    return NULL


@handles("LOAD_CONST")
def load_const(tx: Tx, inst: Instruction) -> VariableTracker:
    if inst.argval is TAKE_OVER:  # in the prefix of a continuation
        return constant(0)
    return literal(inst.argval)


def literal(value: Any) -> VariableTracker:
    """A constant of the code; a tuple is the same object in every call."""
    if type(value) is not tuple:
        return constant(value)
    return TupleVariable([literal(item) for item in value], literal=value)


@handles("COPY")
def copy(tx: Tx, inst: Instruction) -> VariableTracker:
    return tx.stack[-inst.arg]


@handles("SWAP")
def swap(tx: Tx, inst: Instruction) -> None:
    tx.stack[-1], tx.stack[-inst.arg] = tx.stack[-inst.arg], tx.stack[-1]
