"""Builtins about numbers."""
from __future__ import annotations

import operator
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from ...errors import GraphBreak
from .. import numpy as numpy_calls
from ..control_flow.branches import is_data
from ..object_model.class_attributes import overridden
from ..object_model.constants import FALSE, ConstantVariable, constant, fold, observe
from ..object_model.refusals import derived, name_in_c, refuse, returned_exactly
from ..python import operators
from ..rules.mro import answers
from ..state.tracker import VariableTracker
from ..trackers.arrays.sizes import is_size
from ..trackers.objects.objects import ObjectVariable
from .table import HANDLERS, handles

if TYPE_CHECKING:
    from ..state.tx import Tx


@handles(abs)
def builtin_abs(tx: Tx, value: VariableTracker) -> VariableTracker:
    return _by_method(tx, abs, "__abs__", value)


@handles(round)
def builtin_round(
    tx: Tx, value: VariableTracker, *digits: VariableTracker
) -> VariableTracker:
    return _by_method(tx, round, "__round__", value, *digits)


@handles(divmod)
def builtin_divmod(
    tx: Tx, left: VariableTracker, right: VariableTracker
) -> VariableTracker:
    if left.in_graph or right.in_graph:
        return numpy_calls.call(tx, divmod, (left, right), {})
    return operators.binary(tx, "divmod", left, right)


@handles(pow)
def builtin_pow(tx: Tx, *args: VariableTracker) -> VariableTracker:
    if len(args) == 3 and isinstance(args[0], ObjectVariable):
        if not answers(kind := args[0].python_type(), "__pow__"):
            if answers(kind, "__rpow__"):
                raise GraphBreak(f"pow() of {args[0].describe()}")
            raise refuse(pow, kind, *[arg.as_constant(tx) for arg in args[1:]])
        return args[0].call_method(tx, "__pow__", args[1:], {})
    return operators.binary(tx, "**", *args) if len(args) == 2 else fold(tx, pow, args)


def _by_method(
    tx: Tx, function: Any, method: str, value: VariableTracker, *args: VariableTracker
) -> VariableTracker:
    if value.in_graph:
        return numpy_calls.call(tx, function, (value, *args), {})
    if operators.is_plain(value):
        return fold(tx, function, (value, *args))
    if not answers(kind := value.python_type(), method):
        raise refuse(function, kind, *[arg.as_constant(tx) for arg in args])
    return value.call_method(tx, method, args, {})


@handles(operator.index)
def operator_index(tx: Tx, value: VariableTracker) -> VariableTracker:
    kind = value.python_type()
    if (is_size(value) or value.in_graph) and kind is int:
        return value
    if issubclass(kind, int) and not value.in_graph:  # whatever its class says
        return constant(int.__index__((value.contents or value).as_constant(tx)))
    text = "__index__ returned non-int (type {kind})"
    return returned_exactly(_by_method(tx, operator.index, "__index__", value), int, text)


@handles(bool)
def builtin_bool(tx: Tx, value: VariableTracker = FALSE) -> VariableTracker:
    if is_data(value):
        return numpy_calls.call(tx, bool, (value,), {})
    return constant(tx.truth(value))


def _number(kind: type) -> Callable[..., VariableTracker]:
    def convert(tx: Tx, *args: VariableTracker) -> VariableTracker:
        if any(arg.in_graph for arg in (args if kind is complex else args[:1])):
            return numpy_calls.call(tx, kind, args, {})
        if args and isinstance(args[0], ObjectVariable):
            return _of_object(tx, kind, *args)
        return fold(tx, kind, args)

    return convert


def _of_object(
    tx: Tx, kind: type, value: VariableTracker, *base: VariableTracker
) -> VariableTracker:
    """The number that one of the object's special methods gives."""
    owner = value.python_type()
    method = next((m for m in CONVERSIONS[kind] if answers(owner, m)), None)
    if isinstance(value.contents, ConstantVariable) and (method is None or base):
        if overridden(owner, "__repr__"):  # with which Python refuses texts
            raise GraphBreak(f"{kind.__name__} of {value.describe()}")
        known = derived(owner, value.contents.as_constant(tx))
        return tx.known(observe(kind, known, *[each.as_constant(tx) for each in base]))
    if base and kind is complex:
        raise GraphBreak(f"complex() of {value.describe()} and an imaginary part")
    if issubclass(owner, bytes | bytearray):
        raise GraphBreak(f"{kind.__name__} of {value.describe()}")
    if method is None or base:
        raise refuse(kind, owner, *[each.as_constant(tx) for each in base])
    result = value.call_method(tx, method, (), {})
    if method == "__index__":
        result = returned_exactly(result, int, "__index__ returned non-int (type {kind})")
    if method == "__float__":
        result = returned_exactly(
            result, float, f"{name_in_c(owner)}.__float__ returned non-float (type {{kind}})"
        )
    if method != f"__{kind.__name__}__":
        return tx.call_builtin(kind, result)
    name = f"{name_in_c(owner)}." if kind is float else ""
    text = f"{name}{method} returned non-{kind.__name__} (type {{kind}})"
    return returned_exactly(result, kind, text)


CONVERSIONS = {
    int: ("__int__", "__index__", "__trunc__"), float: ("__float__", "__index__"),
    complex: ("__complex__", "__float__", "__index__"),
}  # fmt: skip


HANDLERS.update({kind: _number(kind) for kind in (int, float, complex)})
