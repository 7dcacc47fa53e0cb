"""Callables and modules that are known by identity: builtins, NumPy's functions, C functions."""
from __future__ import annotations

import operator
from abc import ABCMeta
from collections.abc import Callable, Hashable
from importlib.util import find_spec
from types import BuiltinFunctionType, FunctionType, GenericAlias, ModuleType, UnionType
from typing import TYPE_CHECKING, Any

import numpy as np

from ...base.origins import STDLIB_FOLDER
from ...errors import GraphBreak
from ...guards.kinds import NO_ATTR, NO_KEY, UNCHANGED, ModuleItem
from ...guards.sources import AttrSource, ConstSource, Pinned, Source
from ..rules.local_classes import is_local
from ..state.tracker import Args, Kwargs, ObservedException, VariableTracker
from .constants import FixedVariable, builds, observe, observed

if TYPE_CHECKING:
    from ..state.emitter import Emitter
    from ..state.tx import Tx


class KnownVariable(FixedVariable):
    """An object that a guard of identity has fixed, so that Python may run on it."""

    def truth(self, tx: Tx) -> bool:
        return True

    def hash_key(self, tx: Tx) -> Hashable:
        """The value itself where hashing it runs no code of the user's."""
        return self.value if is_identity_hashed(self.value) else Pinned(self.value)

    def attribute_source(self, name: str) -> Source:
        return AttrSource(self.source or ConstSource(Pinned(self.value), self.name), name)

    @property
    def name(self) -> str:
        name = getattr(self.value, "__qualname__", None) or getattr(self.value, "__name__", None)
        return str(name or type(self.value).__name__)

    def getattr(self, tx: Tx, name: str) -> VariableTracker:
        try:
            value = getattr(self.value, name)
        except AttributeError as error:
            if not is_local(self.value):
                source = ConstSource(Pinned(self.value), self.describe())
                tx.guards.install(source, NO_ATTR, name, tx.location())
            raise observed(error) from None
        if is_local(self.value):
            return tx.known(value)
        if getattr(value, "__self__", None) is self.value:  # a new object at every access
            return tx.wrap(value, ConstSource(Pinned(value), f"{self.describe()}.{name}"))
        return tx.wrap(value, self.attribute_source(name))

    def method___getitem__(self, tx: Tx, key: VariableTracker) -> VariableTracker:
        """`Optional[int]`, `list[int][str]`: aliases of types, which are values of their own."""
        if not is_typing(self.value):
            raise GraphBreak(f"an item of {self.describe()}")
        return tx.known(observe(operator.getitem, self.value, key.as_constant(tx)))

    def call(self, tx: Tx, args: Args, kwargs: Kwargs) -> VariableTracker:
        """An alias such as `Box[int]` makes what its class makes, and says so on it."""
        origin = getattr(self.value, "__origin__", None)
        if not is_typing(self.value) or not isinstance(origin, type):
            return super().call(tx, args, kwargs)
        made = tx.known(origin).call(tx, args, kwargs)
        if has_dict(made.python_type()):
            made.setattr(tx, "__orig_class__", self)
        return made

    def reconstruct(self, code: Emitter) -> None:
        code.load_const(self.value)

    def describe(self) -> str:
        return str(self.source) if self.source is not None else self.name


def has_dict(kind: type) -> bool:
    return kind.__dictoffset__ != 0


def is_identity_hashed(value: Any) -> bool:
    return type(value) in HASHED_BY_IDENTITY


HASHED_BY_IDENTITY = (type, ABCMeta, FunctionType, BuiltinFunctionType, ModuleType)


def is_typing(value: Any) -> bool:
    kind = type(value)
    return kind.__module__ == "typing" or issubclass(kind, GenericAlias | UnionType)


class CallableVariable(KnownVariable):
    """A builtin, a NumPy callable, a method of a C type."""

    value: Callable[..., Any]

    def call(self, tx: Tx, args: Args, kwargs: Kwargs) -> VariableTracker:
        return tx.dispatch(self, self.value, args, kwargs)


@builds(BuiltinFunctionType)
def _method_of_constant(value: Callable[..., Any]) -> VariableTracker:
    return CallableVariable(value, ConstSource(Pinned(value), value.__qualname__))


FIXED_PACKAGES = frozenset({
    "numpy", "math", "cmath", "operator", "builtins", "itertools", "functools", "collections",
    "typing", "dataclasses", "enum", "abc", "copy", "string", "re", "types", "contextlib", "sys",
    "inspect", "random", "time", "warnings", "dynamo_lite", "numbers", "os", "logging", "cupy",
})  # fmt: skip
"""Packages whose functions and classes seldom change: a flag tells when one does."""


class ModuleVariable(KnownVariable):
    """A module; its attributes are the globals of its functions."""

    value: ModuleType

    @property
    def is_fixed(self) -> bool:
        """A user's own module may have the name of one of the library's."""
        package = self.value.__name__.partition(".")[0]
        if package in ("numpy", "dynamo_lite"):
            return True
        file = self.value.__dict__.get("__file__") or STDLIB_FOLDER
        return package in FIXED_PACKAGES and file.startswith(STDLIB_FOLDER)

    def asks(self, name: str) -> bool:
        """Whether the module's own `__getattr__` runs, which may warn; NumPy's loads modules."""
        if name in self.value.__dict__ or "__getattr__" not in self.value.__dict__:
            return False
        if self.value is np:
            return find_spec(f"numpy.{name}") is None
        return not self.is_fixed or self.value.__name__.startswith("numpy.")

    def stays(self, value: Any) -> bool:
        """Whether an attribute will seldom be another object."""
        if isinstance(value, ModuleType):
            return True
        is_number = type(value) is float and self.value.__name__ in ("numpy", "math", "cmath")
        return self.is_fixed and (callable(value) or is_number)

    def getattr(self, tx: Tx, name: str) -> VariableTracker:
        if (stored := tx.stored_global(self.value.__dict__, name)) is not None:
            return stored
        if self.asks(name):
            asked = f"{name} of the module {self.value.__name__}"
            raise GraphBreak(f"{asked}, which is found by its __getattr__")
        try:
            value = getattr(self.value, name)
        except AttributeError as error:
            if self.source is not None:
                namespace = AttrSource(self.source, "__dict__")
                tx.guards.install(namespace, NO_KEY, name, tx.location())
            raise observed(error) from None
        if self.stays(value):
            self.watch(tx, name, value)
            return tx.wrap(value, ConstSource(Pinned(value), f"{self.describe()}.{name}"))
        return tx.wrap(value, self.attribute_source(name))

    def watch(self, tx: Tx, name: str, value: Any) -> None:
        """Rely on the module holding the object; what it makes anew when asked it does not hold."""
        if self.value.__dict__.get(name) is value:
            source = ConstSource(Pinned(self.value), self.describe())
            kept = (self.value, ModuleItem(name, value))
            tx.guards.install(source, UNCHANGED, kept, tx.location())

    def setattr(self, tx: Tx, name: str, value: VariableTracker) -> None:
        tx.side_effects.store_global(Pinned(self.value.__dict__), name, value)

    def delattr(self, tx: Tx, name: str) -> None:
        try:
            self.getattr(tx, name)
        except ObservedException:
            observe(delattr, ModuleType(self.value.__name__), name)
        tx.side_effects.delete_global(Pinned(self.value.__dict__), name)
