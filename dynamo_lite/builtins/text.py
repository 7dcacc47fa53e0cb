"""Builtins about text."""
from __future__ import annotations

import operator
import types
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from ..errors import GraphBreak
from ..variables.base import VariableTracker
from ..variables.constants import EMPTY_TEXT, constant, fold, observe, observed, run
from ..variables.dicts import DictVariable
from ..variables.known import known_value, presented
from ..variables.objects import ObjectVariable
from ..variables.sequences import ListVariable, TupleVariable, is_iterable
from ..variables.sets import SetVariable
from .table import HANDLERS, handles

if TYPE_CHECKING:
    from ..translator import Translator


def _text(function: Callable[[Any], str], method: str) -> Callable[..., VariableTracker]:
    def convert(tx: Translator, *args: VariableTracker) -> VariableTracker:
        if len(args) == 1 and not args[0].is_constant():
            return text_of(tx, function, method, args[0])
        return fold(tx, function, args)

    return convert


def display_of(tx: Translator, value: VariableTracker) -> str | None:
    """`repr` of a container, item by item; None where the value is no plain container."""
    kind = value.python_type()
    if isinstance(value, SetVariable) and kind is set:
        shown = [repr_of(tx, item) for item in value.iterate(tx)]
        return "{" + ", ".join(shown) + "}" if shown else "set()"
    if isinstance(value, ListVariable | TupleVariable) and kind in (list, tuple):
        shown = [repr_of(tx, item) for item in value.iterate(tx)]
        if kind is list:
            return f"[{', '.join(shown)}]"
        return f"({shown[0]},)" if len(shown) == 1 else f"({', '.join(shown)})"
    if isinstance(value, DictVariable) and kind is dict:
        pairs = [f"{repr_of(tx, key)}: {repr_of(tx, item)}" for key, item in value.pairs(tx)]
        return "{" + ", ".join(pairs) + "}"
    return None


def repr_of(tx: Translator, value: VariableTracker) -> str:
    text: str = tx.call_builtin(repr, value).as_constant(tx)
    return text


def text_of(
    tx: Translator, function: Any, method: str, value: VariableTracker
) -> VariableTracker:
    if (display := display_of(tx, value)) is not None:
        return constant(display)
    if hasattr(value, f"method_{method}") or _defines(value, method):
        return value.call_method(tx, method, (), {})
    if method == "__str__" and _defines(value, "__repr__"):
        return value.call_method(tx, "__repr__", (), {})
    raise GraphBreak(f"{function.__name__}() of {value.describe()}")


def _defines(value: VariableTracker, method: str) -> bool:
    if not isinstance(value, ObjectVariable):
        return False
    return isinstance(getattr(value.kind, method, None), types.FunctionType)


HANDLERS.update({str: _text(str, "__str__"), repr: _text(repr, "__repr__")})
HANDLERS[ascii] = _text(ascii, "__ascii__")


@handles(format)
def builtin_format(
    tx: Translator, value: VariableTracker, spec: VariableTracker = EMPTY_TEXT
) -> VariableTracker:
    if _defines(value, "__format__"):
        return value.call_method(tx, "__format__", (spec,), {})
    if not value.is_constant():
        if spec.as_constant(tx) == "":
            return tx.call_builtin(str, value)
        kind = value.python_type()
        if kind.__format__ is object.__format__:
            text = f"unsupported format string passed to {kind.__name__}.__format__"
            raise observed(TypeError(text))
    return fold(tx, format, (value, spec))


@handles(str.format)
def str_format(
    tx: Translator, template: VariableTracker, *args: VariableTracker, **named: VariableTracker
) -> VariableTracker:
    known = {name: presented(tx, value) for name, value in named.items()}
    shown = [presented(tx, arg) for arg in args]
    return constant(observe(template.as_constant(tx).format, *shown, **known))


@handles(str.format_map)
def str_format_map(
    tx: Translator, template: VariableTracker, mapping: VariableTracker
) -> VariableTracker:
    return constant(observe(template.as_constant(tx).format_map, presented(tx, mapping)))


@handles(str.__mod__)
def str_percent(
    tx: Translator, template: VariableTracker, args: VariableTracker
) -> VariableTracker:
    return constant(observe(operator.mod, template.as_constant(tx), presented(tx, args)))


@handles(str.join)
def str_join(
    tx: Translator, separator: VariableTracker, parts: VariableTracker
) -> VariableTracker:
    if not is_iterable(parts):
        raise observed(TypeError("can only join an iterable"))
    known = [part.as_constant(tx) for part in tx.iterate(parts)]
    return constant(observe(separator.as_constant(tx).join, known))


@handles(bytes)
def make_bytes(tx: Translator, *args: VariableTracker) -> VariableTracker:
    return run(bytes, [known_value(tx, arg, "bytes") for arg in args])


for _function in (chr, ord, bin, oct, hex):
    HANDLERS[_function] = (
        lambda tx, *args, _function=_function: fold(tx, _function, args)
    )
