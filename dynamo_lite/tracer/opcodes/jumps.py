"""Jumps and loops."""
from __future__ import annotations

from typing import TYPE_CHECKING

from ...errors import GraphBreak, UntouchedBreak
from ..control_flow.branches import branch, is_data, is_peeled, truth_of
from ..control_flow.iterations import check_nameless
from ..object_model.constants import NONE, constant
from ..state.tracker import VariableTracker
from ..trackers.array_backed.growing import GrowingVariable
from ..trackers.array_backed.tables import TableVariable
from ..trackers.arrays.optional_numbers import OptionalNumber
from ..trackers.containers.iterators import IteratorVariable, StepVariable
from ..trackers.containers.outside_iterators import OutsideIterator
from .table import handles

if TYPE_CHECKING:
    from ...bytecode.reading import Instruction
    from ..state.tx import Tx


@handles("JUMP")
def jump(tx: Tx, inst: Instruction) -> None:
    tx.jump(inst.target)


def _tested(tx: Tx, value: VariableTracker) -> VariableTracker:
    """What decides about the truth of a value that is not needed itself."""
    if isinstance(value, OptionalNumber):
        return truth_of(tx, value)
    return value.length(tx) if isinstance(value, GrowingVariable | TableVariable) else value


@handles("POP_JUMP_IF_TRUE")
def pop_jump_if_true(tx: Tx, inst: Instruction, value: VariableTracker) -> None:
    value = _tested(tx, value)
    if is_data(value):
        branch(tx, inst, value, jumps_if=True)
    elif tx.truth(value):
        tx.jump(inst.target)


@handles("POP_JUMP_IF_FALSE")
def pop_jump_if_false(tx: Tx, inst: Instruction, value: VariableTracker) -> None:
    value = _tested(tx, value)
    if is_data(value):
        branch(tx, inst, value, jumps_if=False)
    elif not tx.truth(value):
        tx.jump(inst.target)


@handles("JUMP_IF_TRUE_OR_POP")
def jump_if_true_or_pop(tx: Tx, inst: Instruction) -> None:
    if is_data(tx.stack[-1]):
        branch(tx, inst, tx.stack[-1], jumps_if=True, keeps=True)
    elif tx.truth(tx.stack[-1]):
        tx.jump(inst.target)
    else:
        tx.pop()


@handles("JUMP_IF_FALSE_OR_POP")
def jump_if_false_or_pop(tx: Tx, inst: Instruction) -> None:
    if is_data(tx.stack[-1]):
        branch(tx, inst, tx.stack[-1], jumps_if=False, keeps=True)
    elif tx.truth(tx.stack[-1]):
        tx.pop()
    else:
        tx.jump(inst.target)


def _is_there(value: VariableTracker) -> VariableTracker:
    """Whether a value is not None."""
    if isinstance(value, OptionalNumber):
        return value.is_there
    return constant(value is not NONE and value.python_type() is not type(None))


@handles("POP_JUMP_IF_NONE")
def pop_jump_if_none(tx: Tx, inst: Instruction, value: VariableTracker) -> None:
    pop_jump_if_false(tx, inst, _is_there(value))


@handles("POP_JUMP_IF_NOT_NONE")
def pop_jump_if_not_none(tx: Tx, inst: Instruction, value: VariableTracker) -> None:
    pop_jump_if_true(tx, inst, _is_there(value))


@handles("GET_ITER", pushes=1)
def get_iter(tx: Tx, inst: Instruction, value: VariableTracker) -> VariableTracker:
    return tx.iterator(value)


@handles("FOR_ITER")
def for_iter(tx: Tx, inst: Instruction) -> VariableTracker | None:
    """Push the next item, or drop the iterator and leave the loop."""
    iterator = tx.stack[-1]
    loop = tx.loops.get(inst.index)  # None where it never comes back, as of `for x in y: return x`
    if not isinstance(iterator, IteratorVariable) or (
        isinstance(iterator, OutsideIterator) and (loop is None or not is_peeled(tx, loop))
    ):  # iterations that another call may have more of are not unrolled
        is_untouched = tx.parent is None and tx.graph is tx.state.root_graph
        kind = UntouchedBreak if is_untouched else GraphBreak
        raise kind(f"taking the next item of {iterator.describe()}")
    item = of_this_arm(tx, iterator).next(tx)
    if item is None:
        tx.pop()
        tx.jump(inst.target)
    return item


def of_this_arm(tx: Tx, iterator: IteratorVariable) -> IteratorVariable:
    """The iterator of a loop that began before a branch on data: each arm steps one of its own."""
    effects = tx.side_effects
    if type(iterator) is StepVariable and effects.sealed and iterator.born < effects.since:
        check_nameless(tx, iterator)
        iterator = tx.stack[-1] = iterator.fork()
    iterator.touch(tx)
    return iterator
