"""Generators and their delegation; coroutines are left to Python."""
from __future__ import annotations

from typing import TYPE_CHECKING

from ...errors import GraphBreak
from ..object_model.constants import NONE
from ..state.tracker import ObservedException, VariableTracker
from ..trackers.containers.generators import SEND_POPS, GeneratorVariable
from ..trackers.containers.iterators import IteratorVariable
from .table import handles

if TYPE_CHECKING:
    from ...bytecode.reading import Instruction
    from ..state.tx import Tx


@handles("RETURN_GENERATOR")
def return_generator(tx: Tx, inst: Instruction) -> VariableTracker:
    """The frame of a generator starts here; the value it would return is dropped by POP_TOP."""
    if tx.parent is None:
        raise GraphBreak("the function is a generator")
    return NONE


@handles("YIELD_VALUE")
def yield_value(tx: Tx, inst: Instruction, value: VariableTracker) -> None:
    """Suspend; what is sent back is pushed when the frame goes on. Or all items are asked for at
    once, by the list at the bottom of the stack."""
    if tx.suspends:
        tx.yielded = value
        return
    tx.stack[0].call_method(tx, "append", (value,), {})
    tx.stack.append(NONE)


@handles("GET_YIELD_FROM_ITER")
def get_yield_from_iter(
    tx: Tx, inst: Instruction, value: VariableTracker
) -> VariableTracker:
    return tx.iterator(value)


@handles("SEND")
def send(tx: Tx, inst: Instruction, value: VariableTracker) -> VariableTracker:
    """`yield from`: pass a value to the inner iterator; at its end push its result and go on."""
    inner = tx.stack[-1]
    if not isinstance(inner, IteratorVariable):
        raise GraphBreak(f"taking the next item of {inner.describe()}")
    if isinstance(inner, GeneratorVariable):
        item = inner.resume(tx, value)
        result = inner.result
    else:
        item = inner.next(tx) if value is NONE else inner.call_method(tx, "send", (value,), {})
        result = NONE
    if item is not None:
        return item
    if SEND_POPS:
        tx.pop()
    tx.jump(inst.target)
    return result


@handles("END_SEND")
def end_send(
    tx: Tx, inst: Instruction, inner: VariableTracker, result: VariableTracker
) -> VariableTracker:
    return result


@handles("CLEANUP_THROW")
def cleanup_throw(
    tx: Tx,
    inst: Instruction,
    inner: VariableTracker,
    sent: VariableTracker,
    error: VariableTracker,
) -> tuple[VariableTracker, ...]:
    """An exception came out of the delegated-to iterator: StopIteration carries its result."""
    if issubclass(error.python_type(), StopIteration):
        return NONE, error.getattr(tx, "value")
    raise ObservedException(error, again=True)
