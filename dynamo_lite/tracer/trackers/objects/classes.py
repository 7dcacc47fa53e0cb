"""Classes: their attributes, and making objects of them."""
from __future__ import annotations

import enum
import functools
import operator
import types
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

from ....base.classes import is_python_class
from ....base.suppressed import warnings_as
from ....errors import GraphBreak, Unsupported
from ....guards.sources import AttrSource, ConstSource, Pinned, Source
from ....native import CompiledFunction
from ...object_model.attributes import ask_descriptor
from ...object_model.callables import KnownVariable
from ...object_model.class_attributes import (
    class_attribute,
    class_source,
    keep_attribute,
    meet_class,
    overridden,
    store_class_attribute,
)
from ...object_model.constants import NONE, ConstantVariable, builds, observe, observed
from ...object_model.methods import MethodVariable
from ...object_model.refusals import name_in_c
from ...rules.local_classes import LOCAL_CLASSES
from ...rules.mro import MISSING, is_data_descriptor, is_subtype, lookup, lookup_in
from ...state.tracker import Args, Kwargs, VariableTracker
from ..containers.dicts import DictVariable
from ..containers.exceptions import make_exception
from ..containers.iterators import IteratorVariable, StepVariable
from ..containers.mappings import MappingProxyVariable
from .class_items import set_in_local_class
from .objects import new_object

if TYPE_CHECKING:
    from ...state.tx import Tx


class ClassVariable(KnownVariable):
    """A class that existed before the frame, known by identity."""

    value: type

    def attribute_source(self, name: str) -> Source:
        return AttrSource(class_source(self.value), name)

    def getattr(self, tx: Tx, name: str) -> VariableTracker:
        """`type.__getattribute__`: metaclass data descriptors, the MRO, then the metaclass."""
        meta, kind = type(self.value), self.value
        if name in CLASS_FACTS:
            value = getattr(kind, name)
            if is_python_class(kind) and kind not in LOCAL_CLASSES:
                return tx.wrap(value, self.attribute_source(name))
            return tx.wrap(value, ConstSource(Pinned(value), f"{kind.__name__}.{name}"))
        if isinstance(kind, enum.EnumMeta) and name in kind.__members__:
            return tx.known(kind.__members__[name])
        if isinstance(kind, enum.EnumMeta) and name == "__members__":
            members: dict[str, Any] = dict(kind.__members__)
            pairs = [(ConstantVariable(n), tx.known(m)) for n, m in members.items()]
            return MappingProxyVariable(DictVariable.of(tx, pairs))
        from_meta = lookup(meta, name)
        if type(from_meta) is property and is_function(from_meta.fget):
            source = AttrSource(AttrSource(class_source(meta), name), "fget")
            return tx.call(tx.wrap(from_meta.fget, source), self)
        if from_meta is not MISSING and is_data_descriptor(from_meta):
            raise GraphBreak(f"attribute {name!r} of the class {kind.__name__}")
        raw = lookup(kind, name)
        if raw is not MISSING:
            return self.bound(tx, raw, kind, name)
        if isinstance(from_meta, types.FunctionType) and not isinstance(kind, enum.EnumMeta):
            keep_attribute(tx, kind, name, MISSING)
            return MethodVariable(class_attribute(tx, meta, name, from_meta), self)
        if lookup(meta, "__getattr__") is not MISSING and not isinstance(kind, enum.EnumMeta):
            raise GraphBreak(f"the metaclass of {kind.__name__} has a __getattr__")
        if isinstance(lookup(type(from_meta), "__get__"), types.FunctionType):
            raise GraphBreak(f"the attribute {name!r} of the class {kind.__name__}")
        return super().getattr(tx, name)

    def truth(self, tx: Tx) -> bool:
        if overridden(type(self.value), "__bool__") or overridden(type(self.value), "__len__"):
            raise GraphBreak(f"the truth of the class {self.value.__name__}")
        return True

    def bound(self, tx: Tx, raw: Any, base: type, name: str) -> VariableTracker:
        """`raw.__get__(None, cls)`."""
        if isinstance(raw, classmethod):
            source = AttrSource(AttrSource(class_source(base), name), "__func__")
            return MethodVariable(tx.wrap(raw.__func__, source), self)
        if isinstance(raw, staticmethod):
            raw = raw.__func__
        elif isinstance(raw, types.ClassMethodDescriptorType | types.BuiltinFunctionType):
            raw = getattr(self.value, name)
            return tx.wrap(raw, ConstSource(Pinned(raw), f"{self.value.__name__}.{name}"))
        elif is_function(lookup(type(raw), "__get__")):
            return ask_descriptor(tx, raw, base, name, NONE, self)
        elif not isinstance(raw, PLAIN_IN_CLASS) and hasattr(type(raw), "__get__"):
            raise GraphBreak(f"the attribute {name!r} of the class {base.__name__}")
        return class_attribute(tx, base, name, raw)

    def call_method(self, tx: Tx, name: str, args: Args, kwargs: Kwargs) -> VariableTracker:
        """Operators of classes: `int | str`, `list[int]`, `Color["R"]` give values Python knows."""
        own = lookup(type(self.value), name)
        if is_function(own) and not isinstance(self.value, enum.EnumMeta):
            return class_attribute(tx, type(self.value), name, own).call(tx, (self, *args), kwargs)
        if name in CLASS_OPERATORS:
            known = [arg.as_constant(tx) for arg in args]
            return tx.known(self.asked(CLASS_OPERATORS[name], *known))
        return super().call_method(tx, name, args, kwargs)

    def asked(self, operation: Callable[..., Any], *args: Any) -> Any:
        """What Python says, where it warns of nothing."""
        with warnings_as("always") as caught:
            try:
                return observe(operation, self.value, *args)
            finally:
                if caught:
                    raise GraphBreak(f"Python warns: {caught[0].message}")

    def subscripted(self, tx: Tx, key: VariableTracker) -> VariableTracker:
        """`cls[key]`: `__class_getitem__`, the library's own or the user's."""
        raw, base = lookup_in(self.value.__mro__, "__class_getitem__")
        if raw is MISSING:
            kind = f"type {self.value.__name__!r}"
            raise observed(TypeError(f"{kind} is not subscriptable"))
        if isinstance(raw, classmethod) and base.__module__ != "typing":
            return self.getattr(tx, "__class_getitem__").call(tx, (key,), {})
        return tx.known(observe(operator.getitem, self.value, key.as_constant(tx)))

    def iterator(self, tx: Tx) -> IteratorVariable:
        """Over the members of an enumeration, or what the metaclass says."""
        own = lookup(type(self.value), "__iter__")
        if own is enum.EnumMeta.__iter__:
            return StepVariable(tx, self, types.GeneratorType)
        if not is_function(own):
            raise GraphBreak(f"iterating over the class {self.value.__name__}")
        method = class_attribute(tx, type(self.value), "__iter__", own)
        return tx.iterator(method.call(tx, (self,), {}))

    def iterate(self, tx: Tx) -> Iterator[VariableTracker]:
        """The members of an enumeration."""
        members: Any = self.value
        return iter([tx.known(member) for member in members])

    def setattr(self, tx: Tx, name: str, value: VariableTracker) -> None:
        if self.value in LOCAL_CLASSES:
            set_in_local_class(tx, self.value, name, value)
        else:
            store_class_attribute(tx, self, name, value)

    def call(self, tx: Tx, args: Args, kwargs: Kwargs) -> VariableTracker:
        return tx.dispatch(self, self.value, args, kwargs)

    def make(self, tx: Tx, args: Args, kwargs: Kwargs) -> VariableTracker:
        """`type.__call__`: `__new__`, then `__init__` if that gave an instance."""
        kind = self.value
        if isinstance(kind, enum.EnumMeta):
            return self.member(tx, kind, args, kwargs)
        own, meta = lookup(type(kind), "__call__"), type(kind)
        if is_function(own):
            return class_attribute(tx, meta, "__call__", own).call(tx, (self, *args), kwargs)
        if isinstance(own, type):  # a typed dict is made by `dict` itself
            return tx.known(own).call(tx, args, kwargs)
        if own is not type.__call__:
            raise GraphBreak(f"the metaclass of {kind.__name__} has its own __call__")
        return self.make_plainly(tx, args, kwargs)

    def member(self, tx: Tx, kind: Any, args: Args, kwargs: Kwargs) -> VariableTracker:
        """The member of an enumeration that has a value."""
        if len(args) != 1 or kwargs or not kind.__members__:
            raise GraphBreak(f"{kind.__name__} makes a new enumeration")
        value = args[0].as_constant(tx)
        missing = getattr(getattr(kind, "_missing_", None), "__func__", None)
        if is_function(missing) and missing.__module__ != "enum":
            raise GraphBreak(f"{kind.__name__} has a _missing_ of its own")
        return tx.known(observe(kind, value))

    def make_plainly(self, tx: Tx, args: Args, kwargs: Kwargs) -> VariableTracker:
        """`type.__call__` itself."""
        kind = self.value
        if issubclass(kind, BaseException):
            return self.make_exception(tx, args, kwargs)
        instance = self.new(tx, args, kwargs)
        if is_subtype(instance.python_type(), kind):
            self.initialise(tx, instance, args, kwargs)
        return instance

    def make_exception(self, tx: Tx, args: Args, kwargs: Kwargs) -> VariableTracker:
        """`BaseException.__new__` keeps the arguments; an `__init__` of the user's is followed."""
        made = make_exception(tx, self.value, args, kwargs)
        if is_function(own := lookup(self.value, "__init__")):
            made.is_initialised = True
            class_attribute(tx, self.value, "__init__", own).call(tx, (made, *args), kwargs)
        return made

    def new(self, tx: Tx, args: Args, kwargs: Kwargs) -> VariableTracker:
        raw, base = lookup_in(self.value.__mro__, "__new__")
        if raw is object.__new__ or base is object:
            return self.new_object(tx, args, kwargs)
        function = raw.__func__ if isinstance(raw, staticmethod) else raw
        if not isinstance(function, types.FunctionType):
            return tx.known(function).call(tx, (self, *args), kwargs)
        if base in LOCAL_CLASSES:
            return tx.known(function).call(tx, (self, *args), kwargs)
        method = tx.wrap(function, AttrSource(class_source(self.value), "__new__"))
        return method.call(tx, (self, *args), kwargs)

    def new_object(self, tx: Tx, args: Args, kwargs: Kwargs) -> VariableTracker:
        kind = self.value
        if kind.__flags__ & NOT_MADE:
            raise observed(TypeError(f"cannot create {name_in_c(kind)!r} instances"))
        if args or kwargs:
            _check_arguments(kind)
        if vars(kind).get("__abstractmethods__"):
            observe(object.__new__, kind)
        if lookup(kind, "__del__") is not MISSING:
            raise Unsupported(f"objects of {kind.__name__} have a __del__")
        if not is_python_class(kind):
            raise GraphBreak(f"making a {kind.__name__}")
        meet_class(tx, kind)
        return new_object(tx, kind)

    def initialise(self, tx: Tx, instance: VariableTracker, args: Args, kwargs: Kwargs) -> None:
        kind = instance.python_type()
        raw, base = lookup_in(kind.__mro__, "__init__")
        if base is object:
            return
        if not isinstance(raw, types.FunctionType):
            tx.known(raw).call(tx, (instance, *args), kwargs)
            return
        result = class_attribute(tx, kind, "__init__", raw).call(tx, (instance, *args), kwargs)
        if (made := result.python_type()) is not type(None):
            raise observed(TypeError(f"__init__() should return None, not {name_in_c(made)!r}"))


def _check_arguments(kind: type) -> None:
    """Raise what `object.__new__` says of arguments that no method of the class takes."""
    if lookup_in(kind.__mro__, "__new__")[1] is not object:
        text = "object.__new__() takes exactly one argument (the type to instantiate)"
        raise observed(TypeError(text))
    if lookup(kind, "__init__") is object.__init__:
        raise observed(TypeError(f"{kind.__name__}() takes no arguments"))


def is_function(raw: Any) -> bool:
    return isinstance(raw, types.FunctionType)


CLASS_OPERATORS: dict[str, Callable[..., Any]] = {
    "__or__": operator.or_, "__ror__": lambda kind, other: other | kind,
    "__getitem__": operator.getitem, "__class_getitem__": operator.getitem, "__len__": len,
    "__contains__": operator.contains,
}  # fmt: skip
NOT_MADE = 1 << 7
CLASS_FACTS = ("__name__", "__qualname__", "__module__", "__mro__", "__bases__", "__doc__")
PLAIN_IN_CLASS = (
    types.FunctionType, property, types.MemberDescriptorType, types.GetSetDescriptorType,
    types.MethodDescriptorType, types.WrapperDescriptorType, type, CompiledFunction,
    functools._lru_cache_wrapper,
)  # fmt: skip
"""Descriptors that a class gives as they are."""


@builds(type)
def _class(value: type) -> VariableTracker:
    return ClassVariable(value, ConstSource(Pinned(value), value.__qualname__))
