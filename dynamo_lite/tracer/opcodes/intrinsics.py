"""What the interpreter has as functions of its own: CALL_INTRINSIC_1 and CALL_INTRINSIC_2."""
from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from ...errors import GraphBreak
from ..object_model.type_parameters import TypeParameterVariable
from ..polyfills.language import to_reraise
from ..state.tracker import VariableTracker
from ..trackers.containers.exceptions import no_stop
from ..trackers.objects.functions import NestedFunctionVariable
from .table import handles

if TYPE_CHECKING:
    from ...bytecode.reading import Instruction
    from ..state.tx import Tx


@handles("CALL_INTRINSIC_1")
def call_intrinsic_1(tx: Tx, inst: Instruction, value: VariableTracker) -> VariableTracker:
    if (intrinsic := UNARY.get(inst.arg)) is None:
        raise GraphBreak(f"the interpreter's intrinsic function {inst.arg}")
    return intrinsic(tx, value)


@handles("CALL_INTRINSIC_2")
def call_intrinsic_2(
    tx: Tx, inst: Instruction, left: VariableTracker, right: VariableTracker
) -> VariableTracker:
    if (intrinsic := BINARY.get(inst.arg)) is None:
        raise GraphBreak(f"the interpreter's intrinsic function 2:{inst.arg}")
    return intrinsic(tx, left, right)


def _parameter(kind: str) -> Callable[[Tx, VariableTracker], VariableTracker]:
    return lambda tx, name: TypeParameterVariable(kind, name)


def _alias(tx: Tx, parts: VariableTracker) -> VariableTracker:
    """`type Name[parameters] = value`, whose value nobody has asked for."""
    name, _, _ = parts.iterate(tx)
    return TypeParameterVariable("TypeAliasType", name)


def _subscript_generic(tx: Tx, parameters: VariableTracker) -> VariableTracker:
    raise GraphBreak("a class with type parameters inside a function")


def _limited_parameter(
    tx: Tx, name: VariableTracker, limit: VariableTracker
) -> VariableTracker:
    """`T: bound`; the bound is evaluated when somebody asks for it."""
    return TypeParameterVariable("TypeVar", name)


def _with_parameters(
    tx: Tx, function: VariableTracker, parameters: VariableTracker
) -> VariableTracker:
    assert isinstance(function, NestedFunctionVariable)
    function.attributes["__type_params__"] = parameters
    return function


UNARY: Mapping[int, Callable[[Tx, VariableTracker], VariableTracker]] = {
    3: no_stop, 7: _parameter("TypeVar"), 8: _parameter("ParamSpec"),
    9: _parameter("TypeVarTuple"), 10: _subscript_generic, 11: _alias,
}  # fmt: skip

BINARY: Mapping[
    int, Callable[[Tx, VariableTracker, VariableTracker], VariableTracker]
] = {
    1: lambda tx, error, results: tx.call(tx.known(to_reraise), error, results),
    2: _limited_parameter,
    3: _limited_parameter,
    4: _with_parameters,
    5: lambda tx, parameter, default: parameter,
}
"""Number of the intrinsic function → what it does."""
