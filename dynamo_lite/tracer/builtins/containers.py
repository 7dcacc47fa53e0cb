"""Builtins and library types that make containers and callables."""
from __future__ import annotations

import builtins
import functools
import types
from collections import OrderedDict, defaultdict, deque
from typing import TYPE_CHECKING, Any

from ...errors import GraphBreak
from ..object_model.constants import NONE, ConstantVariable, observe, observed
from ..object_model.lazy import realise
from ..object_model.methods import MethodVariable
from ..polyfills.registry import own_attributes
from ..rules.mro import answers, is_subtype
from ..state.tracker import ObservedException, VariableTracker
from ..trackers.containers.deques import make_deque
from ..trackers.containers.dicts import DictVariable
from ..trackers.containers.lists import ListVariable
from ..trackers.containers.partials import make_partial
from ..trackers.containers.sequences import TupleVariable, is_named_tuple
from ..trackers.containers.sets import SetVariable
from ..trackers.objects.derived import (
    EXTRACT,
    FILL,
    DerivedVariable,
    base_of,
    is_derived,
    new_contents,
)
from ..trackers.objects.functions import FunctionVariable
from .listed import listed
from .table import HANDLERS, handles

if TYPE_CHECKING:
    from ..state.tx import Tx


@handles(list)
def make_list(tx: Tx, *iterable: VariableTracker) -> VariableTracker:
    if len(iterable) > 1:
        observe(list, *map(id, iterable))  # CPython says that these are too many
    if iterable and (found := listed(tx, realise(tx, iterable[0]))) is not None:
        return found
    made = ListVariable([item for each in iterable for item in tx.collect(each)])
    made.copied = next(iter(iterable), None)
    return made


@handles(tuple)
def make_tuple(tx: Tx, *iterable: VariableTracker) -> VariableTracker:
    if len(iterable) > 1:
        observe(tuple, *map(id, iterable))
    if iterable and iterable[0].python_type() is tuple:
        return iterable[0]
    return TupleVariable([item for each in iterable for item in tx.collect(each)])


@handles(tuple.__new__)
def tuple_new(
    tx: Tx, kind: VariableTracker, *iterable: VariableTracker
) -> VariableTracker:
    """How named tuples are made."""
    if len(iterable) > 1:
        observe(tuple, *map(id, iterable))
    known = kind.as_constant(tx)
    check_made(tuple, known)
    items = [item for each in iterable for item in tx.collect(each)]
    if known is not tuple and not is_named_tuple(known):
        return DerivedVariable(known, TupleVariable(items))
    return TupleVariable(items, kind=known)


def _new_container(base: type) -> Any:
    def new(
        tx: Tx, kind: VariableTracker, *args: VariableTracker, **kwargs: VariableTracker
    ) -> VariableTracker:
        """The arguments are for `__init__`."""
        check_made(base, known := kind.as_constant(tx))
        if not is_derived(known):
            raise GraphBreak(f"making a {known.__name__} by its __new__")
        return DerivedVariable(known, new_contents(base_of(known)))

    return new


def check_made(base: Any, kind: Any) -> None:
    """Raise what `base.__new__` says of a class that is not derived from it."""
    if not isinstance(kind, type) or not is_subtype(kind, base):
        observe(base.__new__, kind)


def _new_value(base: type) -> Any:
    def new(tx: Tx, kind: VariableTracker, *args: VariableTracker) -> VariableTracker:
        check_made(base, kind.as_constant(tx))
        value = tx.call_builtin(base, *args)
        if not isinstance(value, ConstantVariable):
            raise GraphBreak(f"making a {kind.as_constant(tx).__name__} of {value.describe()}")
        return DerivedVariable(kind.as_constant(tx), ConstantVariable(value.as_constant(tx)))

    return new


HANDLERS.update({base.__new__: _new_container(base) for base in FILL})
HANDLERS.update({base.__new__: _new_value(base) for base in EXTRACT})


@handles(set)
def make_set(tx: Tx, *iterable: VariableTracker) -> VariableTracker:
    if len(iterable) > 1:
        observe(set, *map(id, iterable))
    made = SetVariable(set())
    made.call_method(tx, "update", iterable, {})
    return made


@handles(frozenset)
def make_frozenset(tx: Tx, *iterable: VariableTracker) -> VariableTracker:
    if len(iterable) > 1:
        observe(frozenset, *map(id, iterable))
    if iterable and iterable[0].python_type() is frozenset:
        return iterable[0]
    made = make_set(tx, *iterable)
    return SetVariable(frozenset(made.real), made.pool)


@handles(dict)
def make_dict(
    tx: Tx, *source: VariableTracker, **named: VariableTracker
) -> VariableTracker:
    if len(source) > 1:
        raise observed(TypeError(f"dict expected at most 1 argument, got {len(source)}"))
    made = DictVariable()
    made.method_update(tx, *source, **named)
    return made


@handles(dict.fromkeys)
def dict_fromkeys(
    tx: Tx, keys: VariableTracker, value: VariableTracker = NONE
) -> VariableTracker:
    return DictVariable.of(tx, ((key, value) for key in tx.iterate(keys)))


@handles(globals)
def builtin_globals(tx: Tx) -> VariableTracker:
    raise GraphBreak("globals()")


@handles(vars)
def builtin_vars(tx: Tx, owner: VariableTracker | None = None, /) -> VariableTracker:
    if owner is None:
        raise GraphBreak("looking at the frame's variables as a dict")
    try:
        return tx.getattr(owner, "__dict__")
    except ObservedException:
        raise observed(TypeError("vars() argument must have __dict__ attribute")) from None


@handles(builtins.locals, builtins.dir)
def namespace(tx: Tx, *args: VariableTracker) -> VariableTracker:
    raise GraphBreak("looking at a namespace as a dict")


@handles(defaultdict)
def make_defaultdict(
    tx: Tx,
    factory: VariableTracker = NONE,
    *source: VariableTracker,
    **named: VariableTracker,
) -> VariableTracker:
    if factory is not NONE and not answers(factory.python_type(), "__call__"):
        raise observed(TypeError("first argument must be callable or None"))
    made = DictVariable(kind=defaultdict, factory=factory)
    made.method_update(tx, *source, **named)
    return made


@handles(OrderedDict)
def make_ordered_dict(
    tx: Tx, *source: VariableTracker, **named: VariableTracker
) -> VariableTracker:
    made = DictVariable(kind=OrderedDict)
    made.method_update(tx, *source, **named)
    return made


@handles(types.MethodType)
def make_method(
    tx: Tx, function: VariableTracker, owner: VariableTracker
) -> VariableTracker:
    if not answers(function.python_type(), "__call__"):
        raise observed(TypeError("first argument must be callable"))
    if owner is NONE:
        raise observed(TypeError("instance must not be None"))
    return MethodVariable(function, owner)


HANDLERS[deque] = make_deque
HANDLERS[functools.partial] = make_partial


@handles(own_attributes)
def function_attributes(tx: Tx, function: VariableTracker) -> VariableTracker:
    if not isinstance(function, FunctionVariable):
        raise GraphBreak(f"the attributes of {function.describe()}")
    return ListVariable([
        TupleVariable([ConstantVariable(name), value])
        for name, value in function.own_attributes(tx).items()
    ])
