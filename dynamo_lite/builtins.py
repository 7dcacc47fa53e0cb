"""Python's builtins on trackers: callable → handler."""
from __future__ import annotations

import builtins
import types
from abc import ABCMeta
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

from . import numpy_calls, operators
from .errors import GraphBreak
from .variables.base import ObservedException, VariableTracker
from .variables.constants import (
    FALSE,
    NONE,
    TRUE,
    ConstantVariable,
    constant,
    fold,
    observe,
    observed,
)
from .variables.dicts import DictVariable
from .variables.iterators import (
    CallableIterator,
    EnumerateVariable,
    FilterVariable,
    MapVariable,
    ReversedVariable,
    ZipVariable,
)
from .variables.objects import ObjectVariable, SuperVariable
from .variables.sequences import ListVariable, SequenceVariable, TupleVariable, sorted_items
from .variables.sets import SetVariable
from .variables.slices import RangeVariable, SliceVariable, make_range

if TYPE_CHECKING:
    from .translator import Translator

HANDLERS: dict[Any, Callable[..., VariableTracker]] = {}


def handles(*functions: Any) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Register how calls of some callables are answered; called as `handler(tx, *args, **kwargs)`."""

    def register(handler: Callable[..., Any]) -> Callable[..., Any]:
        HANDLERS.update(dict.fromkeys(functions, handler))
        return handler

    return register


# -- types and attributes


@handles(isinstance)
def builtin_isinstance(
    tx: Translator, value: VariableTracker, classes: VariableTracker
) -> VariableTracker:
    return constant(any(_is_subclass(value.python_type(), k) for k in class_list(tx, classes)))


@handles(issubclass)
def builtin_issubclass(
    tx: Translator, kind: VariableTracker, classes: VariableTracker
) -> VariableTracker:
    known = kind.as_constant(tx)
    if not isinstance(known, type):
        raise observed(TypeError("issubclass() arg 1 must be a class"))
    return constant(any(_is_subclass(known, k) for k in class_list(tx, classes)))


def class_list(tx: Translator, classes: VariableTracker) -> list[Any]:
    """The classes of a class, a union or a nested tuple of those."""
    if isinstance(classes, TupleVariable):
        return [k for item in classes.iterate(tx) for k in class_list(tx, item)]
    known = classes.as_constant(tx)
    return list(known.__args__) if isinstance(known, types.UnionType) else [known]


def _is_subclass(kind: type, base: Any) -> bool:
    if not isinstance(base, type):
        raise GraphBreak(f"an instance check against {base!r}")
    if type(base).__instancecheck__ not in PLAIN_CHECKS:
        raise GraphBreak(f"the metaclass of {base.__name__} has its own instance check")
    return bool(observe(issubclass, kind, base))


PLAIN_CHECKS = (type.__instancecheck__, ABCMeta.__instancecheck__)


@handles(type)
def builtin_type(tx: Translator, *args: VariableTracker) -> VariableTracker:
    if len(args) != 1:
        raise GraphBreak("making a class")
    return tx.known(args[0].python_type())


@handles(getattr)
def builtin_getattr(
    tx: Translator, owner: VariableTracker, name: VariableTracker, *default: VariableTracker
) -> VariableTracker:
    try:
        return tx.getattr(owner, name.as_constant(tx))
    except ObservedException as raised:
        if default and issubclass(raised.value.python_type(), AttributeError):
            return default[0]
        raise


@handles(hasattr)
def builtin_hasattr(
    tx: Translator, owner: VariableTracker, name: VariableTracker
) -> VariableTracker:
    try:
        tx.getattr(owner, name.as_constant(tx))
    except ObservedException as raised:
        if issubclass(raised.value.python_type(), AttributeError):
            return FALSE
        raise
    return TRUE


@handles(setattr)
def builtin_setattr(
    tx: Translator, owner: VariableTracker, name: VariableTracker, value: VariableTracker
) -> VariableTracker:
    owner.setattr(tx, name.as_constant(tx), value)
    return NONE


@handles(delattr)
def builtin_delattr(
    tx: Translator, owner: VariableTracker, name: VariableTracker
) -> VariableTracker:
    owner.delattr(tx, name.as_constant(tx))
    return NONE


@handles(super)
def builtin_super(tx: Translator, *args: VariableTracker) -> VariableTracker:
    if not args:
        cell = tx.locals["__class__"]
        args = cell.load(tx, "__class__", True), tx.first_argument()  # type: ignore[attr-defined]
    if len(args) != 2:
        raise GraphBreak("an unbound super object")
    return SuperVariable(args[0].as_constant(tx), args[1])


@handles(object.__init__)
def object_init(tx: Translator, owner: VariableTracker) -> VariableTracker:
    return NONE


@handles(object.__new__)
def object_new(tx: Translator, kind: VariableTracker, *args: VariableTracker) -> VariableTracker:
    return kind.new_object(tx, (), {})  # type: ignore[attr-defined, no-any-return]


@handles(object.__setattr__)
def object_setattr(
    tx: Translator, owner: VariableTracker, name: VariableTracker, value: VariableTracker
) -> VariableTracker:
    if not isinstance(owner, ObjectVariable):
        raise GraphBreak(f"object.__setattr__ of {owner.describe()}")
    tx.store_attribute(owner, name.as_constant(tx), value)
    return NONE


@handles(object)
def make_object(tx: Translator) -> VariableTracker:
    return ObjectVariable(object)


@handles(callable)
def builtin_callable(tx: Translator, value: VariableTracker) -> VariableTracker:
    return constant(hasattr(value.python_type(), "__call__"))


@handles(id)
def builtin_id(tx: Translator, value: VariableTracker) -> VariableTracker:
    raise GraphBreak(f"the id of {value.describe()}")


@handles(hash)
def builtin_hash(tx: Translator, value: VariableTracker) -> VariableTracker:
    if isinstance(value, ObjectVariable):
        return value.call_method(tx, "__hash__", (), {})
    return fold(tx, hash, (value,))


# -- iteration


@handles(len)
def builtin_len(tx: Translator, value: VariableTracker) -> VariableTracker:
    if operators.is_plain(value):
        return fold(tx, len, (value,))
    kind = value.python_type()
    if not hasattr(kind, "__len__"):
        raise observed(TypeError(f"object of type {kind.__name__!r} has no len()"))
    return value.call_method(tx, "__len__", (), {})


@handles(iter)
def builtin_iter(
    tx: Translator, value: VariableTracker, *sentinel: VariableTracker
) -> VariableTracker:
    return CallableIterator(value, sentinel[0]) if sentinel else tx.iterator(value)


@handles(next)
def builtin_next(
    tx: Translator, iterator: VariableTracker, *default: VariableTracker
) -> VariableTracker:
    try:
        return iterator.call_method(tx, "__next__", (), {})
    except ObservedException as raised:
        if default and issubclass(raised.value.python_type(), StopIteration):
            return default[0]
        raise


@handles(range)
def builtin_range(tx: Translator, *ends: VariableTracker) -> VariableTracker:
    return make_range(tx, *ends)


@handles(slice)
def builtin_slice(tx: Translator, *parts: VariableTracker) -> VariableTracker:
    return SliceVariable(*parts) if len(parts) > 1 else SliceVariable(NONE, *parts)


@handles(enumerate)
def builtin_enumerate(
    tx: Translator, iterable: VariableTracker, start: VariableTracker = ConstantVariable(0)
) -> VariableTracker:
    return EnumerateVariable(tx.iterator(iterable), start.as_constant(tx))


@handles(zip)
def builtin_zip(
    tx: Translator, *iterables: VariableTracker, strict: VariableTracker = FALSE
) -> VariableTracker:
    return ZipVariable([tx.iterator(each) for each in iterables], strict.truth(tx))


@handles(map)
def builtin_map(
    tx: Translator, function: VariableTracker, *iterables: VariableTracker
) -> VariableTracker:
    return MapVariable(function, [tx.iterator(each) for each in iterables])


@handles(filter)
def builtin_filter(
    tx: Translator, function: VariableTracker, iterable: VariableTracker
) -> VariableTracker:
    return FilterVariable(function, tx.iterator(iterable))


@handles(reversed)
def builtin_reversed(tx: Translator, value: VariableTracker) -> VariableTracker:
    if isinstance(value, ObjectVariable):
        return value.call_method(tx, "__reversed__", (), {})
    if not isinstance(value, SequenceVariable | RangeVariable | ConstantVariable | DictVariable):
        raise GraphBreak(f"reversed() of {value.describe()}")
    return ReversedVariable(tx, value)


@handles(sorted)
def builtin_sorted(
    tx: Translator,
    iterable: VariableTracker,
    key: VariableTracker = NONE,
    reverse: VariableTracker = FALSE,
) -> VariableTracker:
    items = list(unordered(tx, iterable) if key is NONE else tx.iterate(iterable))
    return ListVariable(sorted_items(tx, items, key, reverse))


def unordered(tx: Translator, iterable: VariableTracker) -> Iterable[VariableTracker]:
    """The items where their order does not matter: members of a set too."""
    if isinstance(iterable, SetVariable):
        return iterable.members.values()
    return tx.iterate(iterable)


# -- folds over iterables


@handles(sum)
def builtin_sum(
    tx: Translator, iterable: VariableTracker, start: VariableTracker = ConstantVariable(0)
) -> VariableTracker:
    """Known numbers are summed by Python itself, whose float sums are compensated from 3.12."""
    items = list(tx.iterate(iterable))
    if all(operators.is_plain(item) for item in (start, *items)):
        known = [item.as_constant(tx) for item in items]
        return constant(observe(sum, known, start.as_constant(tx)))
    total = start
    for item in items:
        total = operators.binary(tx, "+", total, item)
    return total


@handles(all)
def builtin_all(tx: Translator, iterable: VariableTracker) -> VariableTracker:
    return constant(all(tx.truth(item) for item in tx.iterate(iterable)))


@handles(any)
def builtin_any(tx: Translator, iterable: VariableTracker) -> VariableTracker:
    return constant(any(tx.truth(item) for item in tx.iterate(iterable)))


@handles(min)
def builtin_min(
    tx: Translator,
    *values: VariableTracker,
    key: VariableTracker = NONE,
    default: VariableTracker | None = None,
) -> VariableTracker:
    return _extreme(tx, min, "<", values, key, default)


@handles(max)
def builtin_max(
    tx: Translator,
    *values: VariableTracker,
    key: VariableTracker = NONE,
    default: VariableTracker | None = None,
) -> VariableTracker:
    return _extreme(tx, max, ">", values, key, default)


def _extreme(
    tx: Translator,
    function: Callable[..., Any],
    symbol: str,
    values: tuple[VariableTracker, ...],
    key: VariableTracker,
    default: VariableTracker | None,
) -> VariableTracker:
    items = list(tx.iterate(values[0]) if len(values) == 1 else values)
    if not items:
        if default is not None:
            return default
        raise observed(ValueError(f"{function.__name__}() iterable argument is empty"))
    best = items[0]
    best_key = best if key is NONE else tx.call(key, best)
    for item in items[1:]:
        item_key = item if key is NONE else tx.call(key, item)
        if tx.truth(operators.compare(tx, symbol, item_key, best_key)):
            best, best_key = item, item_key
    return best


# -- numbers and text


@handles(abs)
def builtin_abs(tx: Translator, value: VariableTracker) -> VariableTracker:
    return _by_method(tx, abs, "__abs__", value)


@handles(round)
def builtin_round(tx: Translator, value: VariableTracker, *digits: VariableTracker) -> VariableTracker:
    return _by_method(tx, round, "__round__", value, *digits)


@handles(divmod)
def builtin_divmod(
    tx: Translator, left: VariableTracker, right: VariableTracker
) -> VariableTracker:
    if left.in_graph or right.in_graph:
        return numpy_calls.call(tx, divmod, (left, right), {})
    return fold(tx, divmod, (left, right))


@handles(pow)
def builtin_pow(tx: Translator, *args: VariableTracker) -> VariableTracker:
    return operators.binary(tx, "**", *args) if len(args) == 2 else fold(tx, pow, args)


def _by_method(
    tx: Translator, function: Any, method: str, value: VariableTracker, *args: VariableTracker
) -> VariableTracker:
    if value.in_graph:
        return numpy_calls.call(tx, function, (value, *args), {})
    if operators.is_plain(value):
        return fold(tx, function, (value, *args))
    return value.call_method(tx, method, args, {})


@handles(bool)
def builtin_bool(tx: Translator, value: VariableTracker = FALSE) -> VariableTracker:
    return constant(tx.truth(value))


def _number(kind: type) -> Callable[..., VariableTracker]:
    def convert(tx: Translator, *args: VariableTracker) -> VariableTracker:
        if args and args[0].in_graph:
            return numpy_calls.call(tx, kind, args, {})
        if args and isinstance(args[0], ObjectVariable):
            return args[0].call_method(tx, f"__{kind.__name__}__", (), {})
        return fold(tx, kind, args)

    return convert


HANDLERS.update({kind: _number(kind) for kind in (int, float, complex)})


def _text(function: Callable[[Any], str], method: str) -> Callable[..., VariableTracker]:
    def convert(tx: Translator, *args: VariableTracker) -> VariableTracker:
        if len(args) == 1 and not args[0].is_constant():
            return text_of(tx, function, method, args[0])
        return fold(tx, function, args)

    return convert


def text_of(
    tx: Translator, function: Any, method: str, value: VariableTracker
) -> VariableTracker:
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
    tx: Translator, value: VariableTracker, spec: VariableTracker = ConstantVariable("")
) -> VariableTracker:
    if _defines(value, "__format__"):
        return value.call_method(tx, "__format__", (spec,), {})
    if not value.is_constant() and spec.as_constant(tx) == "":
        return tx.call_builtin(str, value)
    return fold(tx, format, (value, spec))


for _function in (chr, ord, bin, oct, hex, bytes):
    HANDLERS[_function] = (
        lambda tx, *args, _function=_function: fold(tx, _function, args)
    )


# -- containers


@handles(list)
def make_list(tx: Translator, *iterable: VariableTracker) -> VariableTracker:
    return ListVariable([item for each in iterable for item in tx.iterate(each)])


@handles(tuple)
def make_tuple(tx: Translator, *iterable: VariableTracker) -> VariableTracker:
    if iterable and iterable[0].python_type() is tuple:
        return iterable[0]
    return TupleVariable([item for each in iterable for item in tx.iterate(each)])


@handles(tuple.__new__)
def tuple_new(
    tx: Translator, kind: VariableTracker, *iterable: VariableTracker
) -> VariableTracker:
    """How named tuples are made."""
    known = kind.as_constant(tx)
    items = [item for each in iterable for item in tx.iterate(each)]
    if known is not tuple and not hasattr(known, "_fields"):
        raise GraphBreak(f"making a {known.__name__}")
    return TupleVariable(items, kind=known)


@handles(set)
def make_set(tx: Translator, *iterable: VariableTracker) -> VariableTracker:
    return SetVariable.of(tx, (item for each in iterable for item in unordered(tx, each)))


@handles(frozenset)
def make_frozenset(tx: Translator, *iterable: VariableTracker) -> VariableTracker:
    items = [item for each in iterable for item in unordered(tx, each)]
    return SetVariable.of(tx, items, frozenset)


@handles(dict)
def make_dict(
    tx: Translator, *source: VariableTracker, **named: VariableTracker
) -> VariableTracker:
    made = DictVariable()
    made.method_update(tx, *source, **named)
    return made


@handles(dict.fromkeys)
def dict_fromkeys(
    tx: Translator, keys: VariableTracker, value: VariableTracker = NONE
) -> VariableTracker:
    return DictVariable.of(tx, ((key, value) for key in tx.iterate(keys)))


@handles(globals)
def builtin_globals(tx: Translator) -> VariableTracker:
    raise GraphBreak("globals()")


@handles(builtins.vars, builtins.locals, builtins.dir)
def namespace(tx: Translator, *args: VariableTracker) -> VariableTracker:
    raise GraphBreak("looking at a namespace as a dict")
