"""Operators, comparisons, subscripts and strings."""
from __future__ import annotations

import operator
from typing import TYPE_CHECKING

from ..control_flow.branches import is_data, predicate, truth_of
from ..object_model.constants import ConstantVariable, constant
from ..python import comparisons, operators, subscripts
from ..recording.nodes import record
from ..state.tracker import VariableTracker
from ..trackers.array_backed.characters import CharacterVariable, is_among
from ..trackers.array_backed.members import is_in_ints
from ..trackers.arrays.arrays import ArrayVariable
from ..trackers.arrays.optional_numbers import OptionalNumber, not_none
from ..trackers.containers.slices import SliceVariable
from .table import handles

if TYPE_CHECKING:
    from ...bytecode.reading import Instruction
    from ..state.tx import Tx


@handles("BINARY_OP", pushes=1, on_arrays=True)
def binary_op(
    tx: Tx, inst: Instruction, lhs: VariableTracker, rhs: VariableTracker
) -> VariableTracker:
    """Apply a binary operator, in place or not, to the two topmost values."""
    return operators.binary(tx, inst.argrepr, lhs, rhs)


@handles("UNARY_NEGATIVE", pushes=1, on_arrays=True)
def unary_negative(tx: Tx, inst: Instruction, value: VariableTracker) -> VariableTracker:
    return operators.unary(tx, "-", value)


@handles("UNARY_POSITIVE", pushes=1, on_arrays=True)
def unary_positive(tx: Tx, inst: Instruction, value: VariableTracker) -> VariableTracker:
    return operators.unary(tx, "+", value)


@handles("UNARY_INVERT", pushes=1, on_arrays=True)
def unary_invert(tx: Tx, inst: Instruction, value: VariableTracker) -> VariableTracker:
    return operators.unary(tx, "~", value)


@handles("UNARY_NOT", pushes=1)
def unary_not(tx: Tx, inst: Instruction, value: VariableTracker) -> VariableTracker:
    if isinstance(value, OptionalNumber):
        value = truth_of(tx, value)
    if is_data(value):
        return record(tx, operator.not_, (predicate(tx, value),))
    return constant(not tx.truth(value))


@handles("TO_BOOL")
def to_bool(tx: Tx, inst: Instruction, value: VariableTracker) -> VariableTracker:
    if isinstance(value, OptionalNumber):
        value = truth_of(tx, value)
    if is_data(value):
        return value
    return constant(tx.truth(value))


@handles("COMPARE_OP", pushes=1, on_arrays=True, takes_none=True)
def compare_op(
    tx: Tx, inst: Instruction, lhs: VariableTracker, rhs: VariableTracker
) -> VariableTracker:
    return comparisons.compare(tx, inst.argrepr, lhs, rhs)


@handles("IS_OP", pushes=1)
def is_op(
    tx: Tx, inst: Instruction, lhs: VariableTracker, rhs: VariableTracker
) -> VariableTracker:
    if (there := not_none(lhs, rhs)) is not None:
        return there if inst.arg else tx.call_builtin(operator.not_, there)
    return constant(comparisons.is_same(tx, lhs, rhs) != bool(inst.arg))


@handles("CONTAINS_OP", pushes=1, on_arrays=True)
def contains_op(
    tx: Tx, inst: Instruction, item: VariableTracker, container: VariableTracker
) -> VariableTracker:
    if isinstance(container, ArrayVariable):
        return container.has(tx, item, bool(inst.arg))
    if isinstance(item, CharacterVariable) and container.python_type() in (str, tuple, list):
        found = is_among(tx, item, tx.iterate(container))
        return tx.call_builtin(operator.not_, found) if inst.arg else found
    if (is_in := is_in_ints(tx, container, item)) is not None:
        return tx.call_builtin(operator.not_, is_in) if inst.arg else is_in
    if (computed := tx.look_up(container, item)) is not None:
        return tx.call_builtin(operator.not_, computed.found) if inst.arg else computed.found
    return constant(subscripts.contains(tx, container, item) != bool(inst.arg))


@handles("BINARY_SUBSCR", pushes=1, on_arrays=True)
def binary_subscr(
    tx: Tx, inst: Instruction, container: VariableTracker, key: VariableTracker
) -> VariableTracker:
    return subscripts.getitem(tx, container, key)


@handles("STORE_SUBSCR", pushes=0, on_arrays=True)
def store_subscr(
    tx: Tx,
    inst: Instruction,
    value: VariableTracker,
    container: VariableTracker,
    key: VariableTracker,
) -> None:
    subscripts.setitem(tx, container, key, value)


@handles("DELETE_SUBSCR", pushes=0)
def delete_subscr(
    tx: Tx, inst: Instruction, container: VariableTracker, key: VariableTracker
) -> None:
    subscripts.delitem(tx, container, key)


@handles("BINARY_SLICE", pushes=1, on_arrays=True)
def binary_slice(
    tx: Tx,
    inst: Instruction,
    container: VariableTracker,
    start: VariableTracker,
    stop: VariableTracker,
) -> VariableTracker:
    return subscripts.getitem(tx, container, SliceVariable(start, stop))


@handles("STORE_SLICE", pushes=0, on_arrays=True)
def store_slice(
    tx: Tx,
    inst: Instruction,
    value: VariableTracker,
    container: VariableTracker,
    start: VariableTracker,
    stop: VariableTracker,
) -> None:
    subscripts.setitem(tx, container, SliceVariable(start, stop), value)


@handles("BUILD_SLICE", pushes=1)
def build_slice(tx: Tx, inst: Instruction, *parts: VariableTracker) -> VariableTracker:
    return SliceVariable(*parts)


CONVERSIONS = {1: str, 2: repr, 3: ascii}


@handles("FORMAT_VALUE")
def format_value(tx: Tx, inst: Instruction) -> VariableTracker:
    """A part of an f-string: bits 0-1 choose a conversion, bit 2 says that a format is on top."""
    spec = tx.pop() if inst.arg & 4 else ConstantVariable("")
    value = tx.pop()
    if inst.arg & 3:
        value = tx.call_builtin(CONVERSIONS[inst.arg & 3], value)
    return tx.call_builtin(format, value, spec)


@handles("CONVERT_VALUE", pushes=1)
def convert_value(tx: Tx, inst: Instruction, value: VariableTracker) -> VariableTracker:
    return tx.call_builtin(CONVERSIONS[inst.arg], value)


@handles("BUILD_STRING", pushes=1)
def build_string(tx: Tx, inst: Instruction, *parts: VariableTracker) -> VariableTracker:
    return ConstantVariable("".join([part.as_constant(tx) for part in parts]))


@handles("GET_LEN", pushes=2)
def get_len(
    tx: Tx, inst: Instruction, value: VariableTracker
) -> tuple[VariableTracker, ...]:
    return value, tx.call_builtin(len, value)
