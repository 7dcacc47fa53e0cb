"""Calls, attributes and the making of functions."""
from __future__ import annotations

import builtins
from typing import TYPE_CHECKING

from ...bytecode.reading import CALLABLE_FIRST
from ...errors import GraphBreak
from ..object_model.callables import KnownVariable
from ..object_model.cells import CellVariable
from ..object_model.constants import NO_SELF, NULL, NullVariable, observed
from ..object_model.methods import MethodVariable
from ..object_model.refusals import name_in_c
from ..rules.mro import is_iterable
from ..rules.trace_rules import is_polyfill
from ..state.tracker import VariableTracker
from ..trackers.containers.dicts import DictVariable
from ..trackers.containers.sequences import TupleVariable
from ..trackers.objects.functions import NestedFunctionVariable, UserFunctionVariable
from .table import handles

if TYPE_CHECKING:
    from ...bytecode.reading import Instruction
    from ..state.tx import Tx


@handles("CALL")
def call(tx: Tx, inst: Instruction) -> VariableTracker:
    """Under the arguments lie a callable and a NULL in either order, or a function and its self."""
    values = tx.popn(inst.arg)
    second, first = tx.pop(), tx.pop()
    if isinstance(first, NullVariable) or isinstance(second, NullVariable):
        function = second if isinstance(first, NullVariable) else first
    else:
        function, values = first, [second, *values]
    split = len(values) - len(inst.kwnames)
    return tx.apply(function, values[:split], dict(zip(inst.kwnames, values[split:])))


@handles("CALL_FUNCTION_EX")
def call_function_ex(tx: Tx, inst: Instruction) -> VariableTracker:
    """`function(*args, **kwargs)`; bit 0 says that keyword arguments are on top."""
    kwargs, starred = tx.pop() if inst.arg & 1 else None, tx.pop()
    second, first = tx.pop(), tx.pop()
    function = second if first is NULL else first
    if not is_iterable(starred.python_type()):
        kind = name_in_c(starred.python_type())
        text = f"{shown(function)} argument after * must be an iterable, not {kind}"
        raise observed(TypeError(text))
    args, named = list(tx.collect(starred)), {}
    for key, value in tx.pairs(kwargs) if kwargs is not None else ():
        if not isinstance(name := key.as_constant(tx), str):
            raise observed(TypeError("keywords must be strings"))
        named[name] = value
    return tx.apply(function, args, named)


def shown(function: VariableTracker) -> str:
    """How messages about starred arguments name what is called: with its module."""
    if isinstance(function, MethodVariable):
        return shown(function.function)
    if isinstance(function, NestedFunctionVariable):
        if not is_polyfill(module := function.globals.get("__name__")):
            return f"{module}.{function.qualname}()"
    known = function.value if isinstance(function, KnownVariable | UserFunctionVariable) else None
    if not isinstance(name := getattr(known, "__qualname__", None), str):
        raise GraphBreak(f"a wrong call of {function.describe()}")
    module = getattr(known, "__module__", None)
    return f"{name}()" if module in (None, "builtins") else f"{module}.{name}()"


@handles("LOAD_ATTR", pushes=1)
def load_attr(tx: Tx, inst: Instruction, value: VariableTracker) -> VariableTracker:
    return tx.getattr(value, inst.argval)


@handles("LOAD_METHOD")
def load_method(
    tx: Tx, inst: Instruction, value: VariableTracker
) -> tuple[VariableTracker, ...]:
    """What CALL takes: a function and its self, as CPython has it, or an attribute and a NULL."""
    method = tx.getattr(value, inst.argval)
    return as_pushed(method, value)


def as_pushed(
    method: VariableTracker, owner: VariableTracker
) -> tuple[VariableTracker, ...]:
    if isinstance(method, MethodVariable) and method.self_ is owner:
        return method.function, owner
    null = NO_SELF if getattr(method, "owner", None) is owner else NULL
    return (method, null) if CALLABLE_FIRST else (null, method)


@handles("LOAD_SUPER_ATTR")
def load_super_attr(
    tx: Tx,
    inst: Instruction,
    super_: VariableTracker,
    cls: VariableTracker,
    self_: VariableTracker,
) -> VariableTracker | tuple[VariableTracker, ...]:
    """`super().name`; `arg` 1 asks for the two values of LOAD_METHOD."""
    proxy = super_.call(tx, (cls, self_), {})
    attribute = tx.getattr(proxy, inst.argval)
    return as_pushed(attribute, self_) if inst.arg else attribute


@handles("STORE_ATTR", pushes=0)
def store_attr(
    tx: Tx, inst: Instruction, value: VariableTracker, owner: VariableTracker
) -> None:
    owner.setattr(tx, inst.argval, value)


@handles("DELETE_ATTR", pushes=0)
def delete_attr(tx: Tx, inst: Instruction, owner: VariableTracker) -> None:
    owner.delattr(tx, inst.argval)


DEFAULTS, KEYWORD_DEFAULTS, ANNOTATIONS, CLOSURE = 1, 2, 4, 8


@handles("MAKE_FUNCTION")
def make_function(tx: Tx, inst: Instruction) -> VariableTracker:
    """A function of the code on top; up to 3.12 `arg` says which of its parts lie below."""
    code = tx.pop().as_constant(tx)
    function = NestedFunctionVariable(code, tx.globals)
    for part in (CLOSURE, ANNOTATIONS, KEYWORD_DEFAULTS, DEFAULTS):
        if inst.arg & part and not CALLABLE_FIRST:
            attach(tx, function, part, tx.pop())
    return function


@handles("SET_FUNCTION_ATTRIBUTE")
def set_function_attribute(
    tx: Tx, inst: Instruction, value: VariableTracker, function: VariableTracker
) -> VariableTracker:
    assert isinstance(function, NestedFunctionVariable)
    attach(tx, function, inst.arg, value)
    return function


def attach(
    tx: Tx, function: NestedFunctionVariable, part: int, value: VariableTracker
) -> None:
    """Give a new function its defaults, keyword defaults, annotations or closure."""
    if part == DEFAULTS:
        assert isinstance(value, TupleVariable)
        function.positional = value
    elif part == KEYWORD_DEFAULTS:
        assert isinstance(value, DictVariable)
        function.keyword = value
    elif part == CLOSURE:
        function.cells = [cell for cell in value.iterate(tx) if isinstance(cell, CellVariable)]
    else:
        function.annotations = value
        function.attributes["__annotations__"] = function.made_annotations(tx)


@handles("RETURN_VALUE")
def return_value(tx: Tx, inst: Instruction, value: VariableTracker) -> None:
    tx.returned = value


@handles("LOAD_BUILD_CLASS", pushes=1)
def load_build_class(tx: Tx, inst: Instruction) -> VariableTracker:
    return tx.known(builtins.__build_class__)


@handles("IMPORT_NAME", pushes=1)
def import_name(
    tx: Tx, inst: Instruction, level: VariableTracker, names: VariableTracker
) -> VariableTracker:
    return tx.import_module(inst.argval, level.as_constant(tx), names.as_constant(tx))


@handles("IMPORT_FROM", pushes=2)
def import_from(
    tx: Tx, inst: Instruction, module: VariableTracker
) -> tuple[VariableTracker, ...]:
    return module, tx.getattr(module, inst.argval)
