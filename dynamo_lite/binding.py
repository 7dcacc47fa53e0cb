"""Binding arguments to parameters, by the rules of a Python call."""
from __future__ import annotations

import inspect
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from .errors import GraphBreak
from .variables.base import VariableTracker
from .variables.constants import ConstantVariable
from .variables.dicts import DictVariable
from .variables.functions import FunctionVariable
from .variables.sequences import TupleVariable

if TYPE_CHECKING:
    from .translator import Translator


def bind(
    tx: Translator,
    function: FunctionVariable,
    args: Sequence[VariableTracker],
    kwargs: Mapping[str, VariableTracker],
) -> dict[str, VariableTracker]:
    """Parameter name → value. A call that does not fit is left to Python, which says why."""
    code = function.code
    names = code.co_varnames
    count, only = code.co_argcount, code.co_kwonlyargcount
    positional, keyword = names[:count], names[count : count + only]
    values = dict(zip(positional, args))
    extra_names = iter(names[count + only :])
    if code.co_flags & inspect.CO_VARARGS:
        values[next(extra_names)] = TupleVariable(args[count:])
    elif len(args) > count:
        raise GraphBreak(f"{function.describe()} takes {count} arguments, not {len(args)}")
    left = dict(kwargs)
    for name in (*positional[code.co_posonlyargcount :], *keyword):
        if name in left:
            if name in values:
                raise GraphBreak(f"{function.describe()} got several values for {name!r}")
            values[name] = left.pop(name)
    _fill_defaults(tx, function, values, positional, keyword)
    if code.co_flags & inspect.CO_VARKEYWORDS:
        pairs = [(ConstantVariable(name), value) for name, value in left.items()]
        values[next(extra_names)] = DictVariable.of(tx, pairs)
    elif left:
        raise GraphBreak(f"{function.describe()} got an unexpected argument {next(iter(left))!r}")
    return values


def _fill_defaults(
    tx: Translator,
    function: FunctionVariable,
    values: dict[str, VariableTracker],
    positional: Sequence[str],
    keyword: Sequence[str],
) -> None:
    missing = [name for name in positional if name not in values]
    if missing:
        defaults = function.defaults(tx)
        with_default = dict(zip(positional[len(positional) - len(defaults) :], defaults))
        for name in missing:
            if name not in with_default:
                raise GraphBreak(f"{function.describe()} misses the argument {name!r}")
            values[name] = with_default[name]
    if missing := [name for name in keyword if name not in values]:
        named = function.kwdefaults(tx)
        for name in missing:
            if name not in named:
                raise GraphBreak(f"{function.describe()} misses the argument {name!r}")
            values[name] = named[name]
