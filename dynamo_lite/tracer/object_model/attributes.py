"""Attribute access as CPython defines it (`object.__getattribute__`, `type.__getattribute__`).

Everything about data descriptors, instance dicts, slots and the MRO is decided here.
"""
from __future__ import annotations

import builtins
import functools
import sys
import types
from collections import OrderedDict, defaultdict, deque, namedtuple
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Protocol

from ...base.classes import a_kind, is_python_class
from ...errors import GraphBreak
from ...guards.sources import AttrSource, ConstSource, ItemSource, Pinned, Source
from ...native import CompiledFunction, own_value
from ..rules.mro import MISSING, answers, is_data_descriptor, lookup, lookup_in
from ..state.tracker import VariableTracker
from .class_attributes import (
    ASKED,
    WRITTEN_IN_C,
    WRITTEN_IN_PYTHON,
    class_attribute,
    class_source,
    keep_attribute,
    missing,
    overridden,
    place_in_class,
)
from .constants import ConstantVariable, observe, observed
from .lazy import LazyVariable
from .methods import BoundDescriptorVariable, BuiltinMethodVariable, MethodVariable
from .refusals import name_in_c, refuse_change, sample

if TYPE_CHECKING:
    from ..state.tx import Tx

class Instance(Protocol):
    """What an object with attributes offers."""

    kind: type

    def own(self, tx: Tx, name: str) -> VariableTracker | None: ...
    def store(self, tx: Tx, name: str, value: VariableTracker) -> None: ...
    def remove(self, tx: Tx, name: str) -> None: ...


class KnownInstance:
    """Stands for an instance where only its class matters."""

    def __init__(self, kind: type) -> None:
        self.kind = kind

    def own(self, tx: Tx, name: str) -> VariableTracker | None:
        raise GraphBreak(f"the attribute {name!r} that a {self.kind.__name__} itself holds")

    def store(self, tx: Tx, name: str, value: VariableTracker) -> None:
        raise GraphBreak(f"setting {name!r} of a {self.kind.__name__}")

    def remove(self, tx: Tx, name: str) -> None:
        raise GraphBreak(f"deleting {name!r} of a {self.kind.__name__}")


def load(tx: Tx, owner: VariableTracker, instance: Instance, name: str) -> VariableTracker:
    """`object.__getattribute__(owner, name)`."""
    kind = instance.kind
    raw = lookup(kind, name)
    comes_first = raw is not MISSING and is_data_descriptor(raw)
    if comes_first and answers(type(raw), "__get__"):
        return bind(tx, raw, kind, owner, instance, name)
    if (value := instance.own(tx, name)) is not None:
        if comes_first:  # as long as it only sees assignments
            keep_attribute(tx, kind, name, raw)
        return value
    if raw is not MISSING:
        return bind(tx, raw, kind, owner, instance, name)
    raise missing(tx, kind, name)


def has_generic_access(kind: type) -> bool:
    """Whether attribute access is `PyObject_GenericGetAttr`, as object's and containers' is."""
    _, base = lookup_in(kind.__mro__, "__getattribute__")
    return base is object or base in GENERIC


def has_hidden_hooks(kind: type) -> bool:
    """Whether the class may take attributes by C's oldest slots, which Python shows nowhere."""
    return any(not is_python_class(each) and each not in GENERIC
               and getattr(builtins, each.__name__, None) is not each for each in kind.__mro__)


GENERIC = (
    dict, list, set, frozenset, tuple, str, int, float, complex, bytes, BaseException, deque,
    OrderedDict, defaultdict, types.SimpleNamespace,
)  # fmt: skip


def python_method(tx: Tx, owner: VariableTracker, name: str) -> VariableTracker:
    """`owner.name` for a value whose tracker knows the methods of one of Python's own types."""
    kind = owner.python_type()
    raw, base = lookup_in(kind.__mro__, name)
    if asked := next((hook for hook in ASKED if overridden(kind, hook)), None):
        raise GraphBreak(f"attribute {name!r} of {owner.describe()}: its class has its own {asked}")
    if type(raw) in WRITTEN_IN_C and is_python_class(base):
        raise GraphBreak(f"attribute {name!r} of {owner.describe()}, a method of C's")
    if raw is MISSING:
        error = AttributeError(f"{name_in_c(kind)!r} object has no attribute {name!r}", name=name)
        raise observed(error)
    if type(raw) in WRITTEN_IN_PYTHON:
        return bind(tx, raw, kind, owner, KnownInstance(kind), name)
    if not callable(raw) and not isinstance(raw, classmethod | staticmethod):
        raise GraphBreak(f"attribute {name!r} of {owner.describe()}")
    return BuiltinMethodVariable(owner, name)


# -- descriptors, by exact type

Bind = Callable[["Tx", Any, type, VariableTracker, Any, str], VariableTracker]


def bind(
    tx: Tx, raw: Any, base: type, owner: VariableTracker, instance: Any, name: str
) -> VariableTracker:
    """`raw.__get__(owner, kind)`, or `raw` itself where it is no descriptor."""
    if (rule := BINDERS.get(type(raw))) is not None:
        return rule(tx, raw, base, owner, instance, name)
    getter = lookup(type(raw), "__get__")
    if getter is MISSING:
        return class_attribute(tx, base, name, raw)
    if is_cython_function(raw):
        return _function(tx, raw, base, owner, instance, name)
    if not isinstance(getter, types.FunctionType):
        raise GraphBreak(f"the attribute {name!r} of {base.__name__} is {a_kind(type(raw))}")
    kind = tx.wrap(instance.kind, class_source(instance.kind))
    return ask_descriptor(tx, raw, base, name, owner, kind)


def ask_descriptor(
    tx: Tx, raw: Any, base: type, name: str, owner: VariableTracker, kind: VariableTracker
) -> VariableTracker:
    """`raw.__get__(owner, kind)`, which is written in Python."""
    keep_attribute(tx, base, name, raw)
    descriptor = tx.wrap(raw, ConstSource(Pinned(raw), f"{base.__name__}.{name}"))
    method = class_attribute(tx, type(raw), "__get__", lookup(type(raw), "__get__"))
    return tx.call(method, descriptor, owner, kind)


def is_cython_function(value: Any) -> bool:
    """Each release of Cython has its own type of functions; they bind as Python's do."""
    return type(value).__name__ == "cython_function_or_method"


def _function(
    tx: Tx, raw: Any, base: type, owner: VariableTracker, instance: Any, name: str
) -> VariableTracker:
    return MethodVariable(class_attribute(tx, base, name, raw), owner)


def _property(
    tx: Tx, raw: Any, base: type, owner: VariableTracker, instance: Any, name: str
) -> VariableTracker:
    if raw.fget is None:
        observe(raw.__get__, sample(instance.kind))
    return tx.call(_part(tx, raw.fget, base, name, "fget"), owner)


def _part(tx: Tx, value: Any, base: type, name: str, part: str) -> VariableTracker:
    return tx.wrap(value, AttrSource(place_in_class(base, name), part))


def _static(
    tx: Tx, raw: Any, base: type, owner: VariableTracker, instance: Any, name: str
) -> VariableTracker:
    return tx.wrap(raw.__func__, place_in_class(base, name))


def _class_method(
    tx: Tx, raw: Any, base: type, owner: VariableTracker, instance: Any, name: str
) -> VariableTracker:
    function = _part(tx, raw.__func__, base, name, "__func__")
    return MethodVariable(function, tx.wrap(instance.kind, class_source(instance.kind)))


def _slot(
    tx: Tx, raw: Any, base: type, owner: VariableTracker, instance: Any, name: str
) -> VariableTracker:
    if (value := instance.own(tx, name)) is None:
        owner_name = name_in_slot_errors(instance.kind)
        text = f"{owner_name!r} object has no attribute {name!r}"
        raise observed(AttributeError(text, name=name))
    return value


def name_in_slot_errors(kind: type) -> str:
    """Since 3.13 an empty slot says where its class is from."""
    if sys.version_info < (3, 13):
        return kind.__name__
    is_short = kind.__module__ in ("builtins", "__main__")
    return kind.__qualname__ if is_short else f"{kind.__module__}.{kind.__qualname__}"


def _cached(
    tx: Tx, raw: Any, base: type, owner: VariableTracker, instance: Any, name: str
) -> VariableTracker:
    """`functools.cached_property` keeps the value in the instance's dict."""
    if not has_dict(instance.kind):
        raise GraphBreak(f"a cached property of {owner.describe()}, which has no __dict__")
    value = tx.call(_part(tx, raw.func, base, name, "func"), owner)
    instance.store(tx, raw.attrname, value)
    return value


def _c_method(
    tx: Tx, raw: Any, base: type, owner: VariableTracker, instance: Any, name: str
) -> VariableTracker:
    if not issubclass(instance.kind, raw.__objclass__):
        observe(raw.__get__, sample(instance.kind))
    function = tx.wrap(raw, ConstSource(Pinned(raw), raw.__qualname__))
    return BoundDescriptorVariable(raw, function, owner)


def _getset(
    tx: Tx, raw: Any, base: type, owner: VariableTracker, instance: Any, name: str
) -> VariableTracker:
    if name == "__class__":
        return tx.wrap(instance.kind, class_source(instance.kind))
    raise GraphBreak(f"the attribute {name!r} of {owner.describe()}")


def _field(
    tx: Tx, raw: Any, base: type, owner: VariableTracker, instance: Any, name: str
) -> VariableTracker:
    """A field of a named tuple."""
    index = ConstantVariable(raw.__reduce__()[1][0])
    return (owner.contents or owner).call_method(tx, "__getitem__", (index,), {})


BINDERS: dict[type, Bind] = {
    types.FunctionType: _function,
    CompiledFunction: _function,
    functools._lru_cache_wrapper: _function,
    property: _property,
    staticmethod: _static,
    classmethod: _class_method,
    types.MemberDescriptorType: _slot,
    types.GetSetDescriptorType: _getset,
    types.MethodDescriptorType: _c_method,
    types.WrapperDescriptorType: _c_method,
    functools.cached_property: _cached,
    type(namedtuple("_Pair", "first").first): _field,  # type: ignore[attr-defined]
}

PLAIN_SETTERS = (types.MemberDescriptorType,)
PLAIN_KINDS = (object, BaseException, types.SimpleNamespace)
PLAIN_STORES = tuple(kind.__setattr__ for kind in PLAIN_KINDS)
PLAIN_DELETES = tuple(kind.__delattr__ for kind in PLAIN_KINDS)


def store(
    tx: Tx,
    owner: VariableTracker,
    instance: Instance,
    name: str,
    value: VariableTracker,
    plain: bool = False,
) -> None:
    """`owner.name = value`; `plain` is `object.__setattr__`, past the class's own hook."""
    kind = instance.kind
    hook, raw, base = lookup(kind, "__setattr__"), lookup(kind, name), kind
    if hook not in PLAIN_STORES and not plain:
        method = class_attribute(tx, kind, "__setattr__", hook)
        tx.call(method, owner, ConstantVariable(name), value)
        return
    if raw is MISSING or not is_data_descriptor(raw) or type(raw) in PLAIN_SETTERS:
        if type(raw) not in PLAIN_SETTERS and not has_dict(kind):
            if has_hidden_hooks(kind) and not plain:
                raise GraphBreak(f"setting attribute {name!r} of {owner.describe()}")
            raise refuse_change(object.__setattr__, owner, name, None)
        instance.store(tx, name, value)
    elif type(raw) is property:
        if raw.fset is None:
            observe(raw.__set__, sample(kind), None)
        tx.call(_part(tx, raw.fset, base, name, "fset"), owner, value)
    else:
        _set_by_descriptor(tx, raw, base, owner, name, value)


def is_shadowed(kind: type, name: str) -> bool:
    """Whether a descriptor stands before what an object's dict holds under the name."""
    raw = lookup(kind, name)
    return raw is not MISSING and is_data_descriptor(raw) and type(raw) not in OF_STRUCTS


OF_STRUCTS = (types.MemberDescriptorType, types.GetSetDescriptorType)


def _set_by_descriptor(
    tx: Tx, raw: Any, base: type, owner: VariableTracker, name: str, value: VariableTracker
) -> None:
    setter, where = lookup(type(raw), "__set__"), type(raw)
    if not isinstance(setter, types.FunctionType):
        raise GraphBreak(f"setting {name!r}, a {type(raw).__name__} of {base.__name__}")
    keep_attribute(tx, base, name, raw)
    descriptor = tx.wrap(raw, ConstSource(Pinned(raw), f"{base.__name__}.{name}"))
    tx.call(class_attribute(tx, where, "__set__", setter), descriptor, owner, value)


def delete(
    tx: Tx, owner: VariableTracker, instance: Instance, name: str, plain: bool = False
) -> None:
    """`del owner.name`; `plain` is `object.__delattr__`, past the class's own hook."""
    kind = instance.kind
    hook, raw = lookup(kind, "__delattr__"), lookup(kind, name)
    if isinstance(hook, types.FunctionType) and not plain:
        tx.call(class_attribute(tx, kind, "__delattr__", hook), owner, ConstantVariable(name))
        return
    if hook not in PLAIN_DELETES and not plain:
        raise GraphBreak(f"deleting attribute {name!r} of {owner.describe()}")
    if raw is not MISSING and is_data_descriptor(raw) and type(raw) not in PLAIN_SETTERS:
        _delete_by_descriptor(tx, raw, kind, owner, name)
        return
    if type(raw) not in PLAIN_SETTERS and not has_dict(kind):
        if has_hidden_hooks(kind) and not plain:
            raise GraphBreak(f"deleting attribute {name!r} of {owner.describe()}")
        raise refuse_change(object.__delattr__, owner, name)
    if instance.own(tx, name) is None:
        text = f"{name_in_c(kind)!r} object has no attribute {name!r}"
        if type(raw) in PLAIN_SETTERS:
            text = name
        raise observed(AttributeError(text))
    instance.remove(tx, name)


def _delete_by_descriptor(
    tx: Tx, raw: Any, base: type, owner: VariableTracker, name: str
) -> None:
    if type(raw) is property:
        if raw.fdel is None:
            observe(raw.__delete__, sample(base))
        tx.call(_part(tx, raw.fdel, base, name, "fdel"), owner)
        return
    deleter, where = lookup(type(raw), "__delete__"), type(raw)
    if not isinstance(deleter, types.FunctionType):
        raise GraphBreak(f"deleting {name!r}, a {type(raw).__name__} of {base.__name__}")
    keep_attribute(tx, base, name, raw)
    descriptor = tx.wrap(raw, ConstSource(Pinned(raw), f"{base.__name__}.{name}"))
    tx.call(class_attribute(tx, where, "__delete__", deleter), descriptor, owner)


def has_dict(kind: type) -> bool:
    return kind.__dictoffset__ != 0


def outside_attribute(value: Any, source: Source, name: str) -> VariableTracker | None:
    """What an existing object itself (its dict or a slot) holds; None where it holds nothing."""
    kind = type(value)
    if type(lookup(kind, name)) is types.MemberDescriptorType:  # a slot
        held = held_as(value, name)
    elif has_dict(kind) and not issubclass(kind, type):
        held = own_value(value, name, MISSING)
    else:
        held = (own_dict_of(value) or {}).get(name, MISSING)
    return None if held is MISSING else LazyVariable(held, own_source(kind, source, name))


def held_as(value: Any, name: str) -> Any:
    """What a slot or `__dict__` holds, or MISSING; methods in Python are not asked."""
    kind = type(value)
    is_asked = answers(kind, "__getattr__") or overridden(kind, "__getattribute__")
    try:
        return object.__getattribute__(value, name) if is_asked else getattr(value, name)
    except AttributeError:
        return MISSING


def own_dict_of(value: Any) -> dict[str, Any] | None:
    return None if (own := held_as(value, "__dict__")) is MISSING else own


def own_source(kind: type, source: Source, name: str) -> Source:
    """Where an object itself holds a value, past any descriptor that hides it, and past what is
    asked where it no longer does."""
    raw = lookup(kind, name)
    is_asked = answers(type(raw), "__get__") or answers(kind, "__getattr__")
    if is_asked and type(raw) not in OF_STRUCTS:
        return ItemSource(AttrSource(source, "__dict__"), name, dict)
    return AttrSource(source, name)
