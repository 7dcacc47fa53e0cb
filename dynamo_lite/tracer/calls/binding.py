"""Binding arguments to parameters, by the rules of a Python call."""
from __future__ import annotations

import inspect
from functools import partial
from types import CodeType, FunctionType
from typing import TYPE_CHECKING

from ...bytecode.binding import bind
from ...errors import GraphBreak
from ..object_model.constants import ConstantVariable, observed
from ..state.tracker import Args, Kwargs, ObservedException, VariableTracker
from ..trackers.containers.dicts import DictVariable
from ..trackers.containers.sequences import TupleVariable
from ..trackers.objects.functions import FunctionVariable

if TYPE_CHECKING:
    from ..state.tx import Tx


def arguments_of(
    tx: Tx, function: FunctionVariable, args: Args, kwargs: Kwargs
) -> dict[str, VariableTracker]:
    """Parameter name → value. A call that does not fit raises the TypeError that Python gives."""
    found = bind(
        function.code, args, kwargs, partial(default_values, tx, function), TupleVariable,
        lambda left: DictVariable.of(
            tx, [(ConstantVariable(name), value) for name, value in left.items()]
        ),
    )
    if found is None:
        raise refused(tx, function, args, kwargs)
    return found


def default_values(tx: Tx, function: FunctionVariable) -> dict[str, VariableTracker]:
    """Parameter name → default, of those that have one."""
    code = function.code
    defaults = function.defaults(tx)
    positional = code.co_varnames[: code.co_argcount]
    named = dict(zip(positional[len(positional) - len(defaults) :], defaults))
    return {**named, **function.kwdefaults(tx)}


def refused(tx: Tx, function: FunctionVariable, args: Args, kwargs: Kwargs) -> ObservedException:
    """What CPython says of a call that does not fit: asked of a function with like parameters."""
    sample = FunctionType(without_body(function.code), {}, function.code.co_name)
    sample.__qualname__ = function.qualname
    sample.__defaults__ = tuple(function.defaults(tx))
    sample.__kwdefaults__ = function.kwdefaults(tx)
    try:
        sample(*args, **kwargs)
    except TypeError as error:
        return observed(error)
    raise GraphBreak(f"a wrong call of {function.describe()}")


def without_body(code: CodeType) -> CodeType:
    """A code object with the same parameters that does nothing."""
    made = _nothing.__code__
    kinds = code.co_flags & (inspect.CO_VARARGS | inspect.CO_VARKEYWORDS)
    count = code.co_argcount + code.co_kwonlyargcount + bool(kinds & 4) + bool(kinds & 8)
    return made.replace(
        co_argcount=code.co_argcount,
        co_posonlyargcount=code.co_posonlyargcount,
        co_kwonlyargcount=code.co_kwonlyargcount,
        co_varnames=code.co_varnames[:count],
        co_nlocals=count,
        co_flags=made.co_flags | kinds,
        co_name=code.co_name,
        co_qualname=code.co_qualname,
    )


def _nothing() -> None: ...
