"""Builtins about text."""
from __future__ import annotations

import sys
import types
from collections import defaultdict, deque
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from ...errors import GraphBreak
from ..object_model.class_attributes import class_attribute, overridden
from ..object_model.constants import (
    EMPTY_TEXT,
    ConstantVariable,
    constant,
    fold,
    observe,
    observed,
    run,
)
from ..object_model.refusals import derived, name_in_c, returned
from ..polyfills.library import POLYFILLS
from ..rules.mro import lookup
from ..state.tracker import ObservedException, VariableTracker
from ..trackers.array_backed.characters import CharacterVariable
from ..trackers.containers.deques import DequeVariable
from ..trackers.containers.dicts import DictVariable
from ..trackers.containers.iterators import IteratorVariable
from ..trackers.containers.known import known_value
from ..trackers.containers.lists import ListVariable
from ..trackers.containers.sequences import SequenceVariable, TupleVariable
from ..trackers.containers.sets import SetVariable
from ..trackers.objects.objects import ObjectVariable
from .presented import presented
from .table import HANDLERS, handles

if TYPE_CHECKING:
    from ..state.tx import Tx


def _text(function: Callable[[Any], str], method: str) -> Callable[..., VariableTracker]:
    def convert(tx: Tx, *args: VariableTracker) -> VariableTracker:
        if len(args) == 1 and not args[0].is_constant():
            return text_of(tx, function, method, args[0])
        return fold(tx, function, args)

    return convert


def display_of(tx: Tx, value: VariableTracker) -> str | None:
    """`repr` of a container, item by item; None where the value is no container."""
    value = value.contents or value
    row = next((row for kind, row in DISPLAYS if isinstance(value, kind)), None)
    return None if row is None else row(tx, value)


def _of_sequence(tx: Tx, value: Any) -> str:
    shown = [repr_of(tx, item) for item in value.iterate(tx)]
    if value.base is tuple and len(shown) == 1:
        return f"({shown[0]},)"
    text = ", ".join(shown)
    return f"({text})" if value.base is tuple else f"[{text}]"


def _of_deque(tx: Tx, value: Any) -> str:
    limit = "" if value.maxlen is None else f", maxlen={value.maxlen}"
    return f"deque({_of_list(tx, value)}{limit})"


def _of_list(tx: Tx, value: Any) -> str:
    return f"[{', '.join(repr_of(tx, item) for item in value.iterate(tx))}]"


def _of_dict(tx: Tx, value: DictVariable) -> str:
    pairs = [f"{repr_of(tx, key)}: {repr_of(tx, item)}" for key, item in value.pairs(tx)]
    text = "{" + ", ".join(pairs) + "}"
    if value.kind is dict:
        return text
    name = value.python_type().__name__
    if value.whole is not None:
        name = value.whole.python_type().__name__
    if value.kind is defaultdict:
        return f"{name}({repr_of(tx, value.factory)}, {text})"
    if not pairs:
        return f"{name}()"
    if sys.version_info >= (3, 12):
        return f"{name}({text})"
    items = [repr_of(tx, TupleVariable(pair)) for pair in value.pairs(tx)]
    return f"{name}([{', '.join(items)}])"


def _of_set(tx: Tx, value: SetVariable) -> str:
    kind = value.python_type() if value.whole is None else value.whole.python_type()
    shown = ", ".join(repr_of(tx, item) for item in value.iterate(tx))
    if not shown:
        return f"{kind.__name__}()"
    return "{" + shown + "}" if kind is set else f"{kind.__name__}({{{shown}}})"


DISPLAYS: tuple[tuple[Any, Callable[..., str]], ...] = (
    (DequeVariable, _of_deque), (ListVariable | TupleVariable, _of_sequence),
    (DictVariable, _of_dict), (SetVariable, _of_set),
)  # fmt: skip


def repr_of(tx: Tx, value: VariableTracker) -> str:
    text: str = tx.call_builtin(repr, value).as_constant(tx)
    return text


def text_of(
    tx: Tx, function: Any, method: str, value: VariableTracker
) -> VariableTracker:
    """What the class's own method says; `str` falls back on `repr`, as `object.__str__` does."""
    kind = value.python_type()
    if hasattr(value, f"method_{method}"):
        return value.call_method(tx, method, (), {})
    falls_back = lookup(kind, method) is object.__str__
    for name in (method, "__repr__") if falls_back else (method,):
        written = lookup(kind, name)
        if isinstance(written, types.FunctionType) or has_polyfill(written):
            return _is_text(class_attribute(tx, kind, name, written).call(tx, (value,), {}), name)
    if value.contents is not None and value.contents.is_constant():
        return fold(tx, function, (value.contents,))
    if (display := display_of(tx, value)) is not None:
        return constant(display)
    raise GraphBreak(f"{function.__name__}() of {value.describe()}")


def has_polyfill(raw: Any) -> bool:
    return isinstance(raw, types.WrapperDescriptorType) and raw in POLYFILLS


def _is_text(value: VariableTracker, method: str) -> VariableTracker:
    if not issubclass(kind := value.python_type(), str):
        raise observed(TypeError(f"{method} returned non-string (type {name_in_c(kind)})"))
    return value


def _defines(value: VariableTracker, method: str) -> bool:
    if not isinstance(value, ObjectVariable):
        return False
    return isinstance(getattr(value.kind, method, None), types.FunctionType)


HANDLERS.update({str: _text(str, "__str__"), repr: _text(repr, "__repr__")})


@handles(ascii)
def builtin_ascii(tx: Tx, *args: VariableTracker) -> VariableTracker:
    """`repr` with everything but ASCII escaped."""
    if len(args) != 1 or args[0].is_constant():
        return fold(tx, ascii, args)
    return constant(repr_of(tx, args[0]).encode("ascii", "backslashreplace").decode("ascii"))


@handles(format)
def builtin_format(
    tx: Tx, value: VariableTracker, spec: VariableTracker = EMPTY_TEXT
) -> VariableTracker:
    if _defines(value, "__format__"):
        text = "__format__ must return a str, not {kind}"
        return returned(value.call_method(tx, "__format__", (spec,), {}), str, text)
    if overridden(value.python_type(), "__format__") and not value.is_constant():
        raise GraphBreak(f"the text of {value.describe()}, whose class has its own __format__")
    if isinstance(value.contents, ConstantVariable):
        if not spec.as_constant(tx):
            return tx.call_builtin(str, value)
        held = derived(value.python_type(), value.contents.as_constant(tx))
        return constant(observe(format, held, spec.as_constant(tx)))
    if not value.is_constant():
        if spec.as_constant(tx) == "":
            return tx.call_builtin(str, value)
        kind = value.python_type()
        if kind.__format__ is object.__format__:
            text = f"unsupported format string passed to {name_in_c(kind)}.__format__"
            raise observed(TypeError(text))
    return fold(tx, format, (value, spec))


@handles(str.format)
def str_format(
    tx: Tx, template: VariableTracker, *args: VariableTracker, **named: VariableTracker
) -> VariableTracker:
    known = {name: presented(tx, value) for name, value in named.items()}
    shown = [presented(tx, arg) for arg in args]
    return run(str.format, [template.as_constant(tx), *shown], known)


@handles(str.format_map)
def str_format_map(
    tx: Tx, template: VariableTracker, mapping: VariableTracker
) -> VariableTracker:
    return run(str.format_map, [template.as_constant(tx), presented(tx, mapping)])


@handles(str.__mod__)
def str_percent(
    tx: Tx, template: VariableTracker, args: VariableTracker
) -> VariableTracker:
    if isinstance(args.contents, TupleVariable):
        args = args.contents
    if isinstance(args, TupleVariable):
        shown: Any = tuple([_written(tx, item) for item in args.iterate(tx)])
    else:
        shown = _written(tx, args)
    return run(str.__mod__, [template.as_constant(tx), shown])


def _written(tx: Tx, value: VariableTracker) -> Any:
    """What stands for a value in `%`: one of Python's own types keeps the name of its class."""
    held, kind = value.contents, value.python_type()
    if isinstance(held, ConstantVariable) and not any(overridden(kind, m) for m in SHOWN_BY):
        return derived(kind, held.as_constant(tx))
    return presented(tx, value, NO_MAPPINGS)


SHOWN_BY = ("__str__", "__repr__", "__index__", "__int__", "__float__")
"""What `%` asks of an object that is a value of Python's own type."""
NO_MAPPINGS = deque.__getitem__, str.__getitem__
"""The items of which `%` takes for no mapping."""


@handles(str.join)
def str_join(
    tx: Tx, separator: VariableTracker, parts: VariableTracker
) -> VariableTracker:
    if not isinstance(text := separator.as_constant(tx), str):
        observe(str.join, text, ())
    if overridden(parts.python_type(), "__len__"):
        raise GraphBreak(f"the hint of its length that {parts.describe()} gives")
    if not isinstance(parts, SequenceVariable):
        parts = joined_parts(tx, text, parts)
    return run(str.join, [text, [part.as_constant(tx) for part in parts.iterate(tx)]])


def joined_parts(tx: Tx, text: Any, parts: VariableTracker) -> VariableTracker:
    """A list of the parts, as C makes one; whatever `iter` has against them, they are refused."""
    try:
        items = tx.call_builtin(iter, parts)
    except ObservedException as raised:
        if issubclass(raised.value.python_type(), TypeError):
            observe(str.join, text, None)
        raise
    return ListVariable(list(tx.collect(items)))


@handles(bytes)
def make_bytes(tx: Tx, *args: VariableTracker) -> VariableTracker:
    known = [known_value(tx, arg, "bytes", exhausts=True) for arg in args]
    try:
        return run(bytes, known)
    except ObservedException:
        if any(isinstance(arg, IteratorVariable) for arg in args):
            raise GraphBreak("bytes of some items of an iterator") from None
        raise


@handles(ord)
def builtin_ord(tx: Tx, *args: VariableTracker) -> VariableTracker:
    if len(args) == 1 and isinstance(args[0], CharacterVariable):
        return args[0].code
    return fold(tx, ord, args)


for _function in (chr, bin, oct, hex):
    HANDLERS[_function] = (
        lambda tx, *args, _function=_function: fold(tx, _function, args)
    )
