"""Python functions, those from outside and those the frame defines."""
from __future__ import annotations

import functools
from collections.abc import Hashable
from types import CodeType, FunctionType
from typing import TYPE_CHECKING, Any

from ....errors import GraphBreak
from ....guards.kinds import IS, KEYS, NO_ATTR
from ....guards.sources import AttrSource, ConstSource, ItemSource, Pinned, Source
from ...object_model.cells import CellVariable, outside_cell
from ...object_model.constants import NONE, constant, observed
from ...object_model.lazy import LazyVariable, realise
from ...object_model.methods import BuiltinMethodVariable, MethodVariable
from ...rules.trace_rules import is_polyfill, rule_for
from ...state.tracker import Args, Kwargs, VariableTracker
from ..containers.dicts import DictVariable
from ..containers.instance_dicts import InstanceDictVariable, outside_dict
from ..containers.sequences import TupleVariable
from .opaque import OpaqueVariable

if TYPE_CHECKING:
    from ...state.emitter import Emitter
    from ...state.tx import Tx


class FunctionVariable(VariableTracker):
    """What inlining needs to know of a function: code, globals, defaults and closure."""

    code: CodeType
    globals: dict[str, Any]
    qualname: str

    def python_type(self) -> type:
        return FunctionType

    def truth(self, tx: Tx) -> bool:
        return True

    def defaults(self, tx: Tx) -> list[VariableTracker]:
        raise NotImplementedError

    def kwdefaults(self, tx: Tx) -> dict[str, VariableTracker]:
        raise NotImplementedError

    def closure(self, tx: Tx) -> list[CellVariable]:
        raise NotImplementedError

    def own_attributes(self, tx: Tx) -> dict[str, VariableTracker]:
        """What the function's own dict holds."""
        raise NotImplementedError

    def guard_code(self, tx: Tx) -> None:
        """Rely on the code that is about to be followed."""

    def method___get__(
        self, tx: Tx, owner: VariableTracker, kind: VariableTracker = NONE
    ) -> VariableTracker:
        return self if owner is NONE and kind is not NONE else MethodVariable(self, owner)

    def call(self, tx: Tx, args: Args, kwargs: Kwargs) -> VariableTracker:
        return tx.inline(self, args, kwargs)

    def describe(self) -> str:
        return f"the function {self.qualname}"


class UserFunctionVariable(FunctionVariable):
    """A function that existed before the frame.

    `shares_defaults`: the dict of its defaults is also reached in another way.
    """

    def __init__(self, value: FunctionType, source: Source | None = None) -> None:
        self.value = value
        self.source: Source = source or ConstSource(Pinned(value), value.__qualname__)
        self.code = value.__code__
        self.globals = value.__globals__
        self.qualname = value.__qualname__
        self.namespace: InstanceDictVariable | None = None
        self.shares_defaults = False

    def is_constant(self) -> bool:
        return True

    def as_constant(self, tx: Tx) -> FunctionType:
        return self.value

    def defaults(self, tx: Tx) -> list[VariableTracker]:
        base = AttrSource(self.source, "__defaults__")
        return [
            LazyVariable(value, ItemSource(base, index, tuple))
            for index, value in enumerate(self.value.__defaults__ or ())
        ]

    def kwdefaults(self, tx: Tx) -> dict[str, VariableTracker]:
        """From a dict that the frame may also reach, and change, in another way."""
        held = self.value.__kwdefaults__
        if not held:
            return {}
        base = AttrSource(self.source, "__kwdefaults__")
        found = tx.outside(held, base, lambda value, source: OpaqueVariable(
            value, source, "has the defaults of a function"))
        if isinstance(found, DictVariable):
            self.shares_defaults = True
            return {str(name): entry[1] for name, entry in found.entries(tx).items()}
        return {
            name: LazyVariable(value, ItemSource(base, name, dict)) for name, value in held.items()
        }

    def closure(self, tx: Tx) -> list[CellVariable]:
        base = AttrSource(self.source, "__closure__")
        cells = zip(self.value.__code__.co_freevars, self.value.__closure__ or ())
        return [
            tx.outside(cell, ItemSource(base, index, tuple),
                       functools.partial(outside_cell, tx, name=name))
            for index, (name, cell) in enumerate(cells)
        ]

    def call(self, tx: Tx, args: Args, kwargs: Kwargs) -> VariableTracker:
        return tx.dispatch(self, self.value, args, kwargs)

    def getattr(self, tx: Tx, name: str) -> VariableTracker:
        if name == "__get__":
            return BuiltinMethodVariable(self, name)
        stored = self.stored(tx)
        if name in stored:
            return stored[name]
        if not hasattr(FunctionType, name):
            self.known_dict(tx)
        if name == "__dict__":
            return self.known_dict(tx)
        if not hasattr(self.value, name):
            tx.guards.install(self.source, NO_ATTR, name, tx.location())
        return tx.wrap(_attribute(self.value, name), AttrSource(self.source, name))

    def stored(self, tx: Tx) -> dict[str, VariableTracker]:
        """The attributes that the frame has set, whichever way it reached the function."""
        return tx.state.functions.setdefault(self.value, (self, {}))[1]

    def setattr(self, tx: Tx, name: str, value: VariableTracker) -> None:
        """An attribute of the function's own dict."""
        if hasattr(FunctionType, name):
            raise GraphBreak(f"setting attribute {name!r} of {self.describe()}")
        self.known_dict(tx)
        owner, stored = tx.state.functions[self.value]
        tx.side_effects.store_attr(owner, name, value)
        stored[name] = value

    store = setattr

    def remove(self, tx: Tx, name: str) -> None:
        raise GraphBreak(f"deleting attribute {name!r} of {self.describe()}")

    def known_dict(self, tx: Tx) -> InstanceDictVariable:
        """The function's dict, also where it is reached in another way."""
        self.stored(tx)
        owner = tx.state.functions[self.value][0]
        if owner.namespace is None:
            owner.namespace = outside_dict(tx, owner, self.value)
        return owner.namespace

    def guard_code(self, tx: Tx) -> None:
        """The user's functions may get other code, as when a module is loaded again."""
        if not isinstance(self.source, ConstSource) or rule_for(self.value).id == "user-inline":
            code = AttrSource(self.source, "__code__")
            tx.guards.install(code, IS, self.code, tx.location())

    def own_attributes(self, tx: Tx) -> dict[str, VariableTracker]:
        """What the function's dict holds; the names are guarded."""
        attributes = AttrSource(self.source, "__dict__")
        tx.guards.install(attributes, KEYS, self.value.__dict__, tx.location())
        names = {**self.value.__dict__, **self.stored(tx)}
        return {name: self.getattr(tx, name) for name in names}

    all_attributes = own_attributes

    def reconstruct(self, code: Emitter) -> None:
        code.load_const(self.value)


def _attribute(value: Any, name: str) -> Any:
    try:
        return getattr(value, name)
    except AttributeError as error:
        raise observed(error) from None


class NestedFunctionVariable(FunctionVariable):
    """A function that the frame made; its defaults, closure and attributes are trackers."""

    def __init__(self, code: CodeType, globals_: dict[str, Any]) -> None:
        self.code = code
        self.globals = globals_
        self.qualname = code.co_qualname
        self.positional: TupleVariable | None = None
        self.keyword: DictVariable | None = None
        self.cells: list[CellVariable] = []
        self.annotations: VariableTracker | None = None
        self.attributes: dict[str, VariableTracker] = {}
        self.namespace: InstanceDictVariable | None = None

    def defaults(self, tx: Tx) -> list[VariableTracker]:
        return self.positional.items(tx) if self.positional is not None else []

    def kwdefaults(self, tx: Tx) -> dict[str, VariableTracker]:
        if self.keyword is None:
            return {}
        return {key.as_constant(tx): value for key, value in self.keyword.pairs(tx)}

    def closure(self, tx: Tx) -> list[CellVariable]:
        return self.cells

    def getattr(self, tx: Tx, name: str) -> VariableTracker:
        if name == "__get__":
            return BuiltinMethodVariable(self, name)
        if name in self.attributes:
            return realise(tx, self.attributes[name])
        if name == "__defaults__":
            return self.positional if self.positional is not None else NONE
        if name == "__kwdefaults__":
            return self.keyword if self.keyword is not None else NONE
        if name == "__dict__":
            self.namespace = self.namespace or InstanceDictVariable(self)
            return self.namespace
        facts = {
            "__name__": self.code.co_name, "__qualname__": self.qualname, "__code__": self.code,
            "__module__": self.globals.get("__name__"), "__doc__": _doc(self.code),
            "__type_params__": (),
        }  # fmt: skip
        if name == "__annotations__":
            self.attributes[name] = self.made_annotations(tx)
            return self.attributes[name]
        if name in facts and hasattr(FunctionType, name):
            return constant(facts[name])
        if not hasattr(FunctionType, name):
            message = f"'function' object has no attribute {name!r}"
            raise observed(AttributeError(message, name=name))
        raise GraphBreak(f"attribute {name!r} of {self.describe()}")

    def made_annotations(self, tx: Tx) -> VariableTracker:
        """From a tuple of names and values, one after the other."""
        parts = list(self.annotations.iterate(tx)) if self.annotations is not None else []
        return DictVariable.of(tx, zip(parts[::2], parts[1::2]))

    def own_attributes(self, tx: Tx) -> dict[str, VariableTracker]:
        facts = functools.WRAPPER_ASSIGNMENTS
        return {name: value for name, value in self.attributes.items() if name not in facts}

    all_attributes = own_attributes

    def store(self, tx: Tx, name: str, value: VariableTracker) -> None:
        self.setattr(tx, name, value)

    def remove(self, tx: Tx, name: str) -> None:
        self.delattr(tx, name)

    def setattr(self, tx: Tx, name: str, value: VariableTracker) -> None:
        if name in ("__code__", "__defaults__", "__kwdefaults__", "__globals__", "__closure__"):
            raise GraphBreak(f"setting attribute {name!r} of {self.describe()}")
        self.attributes[name] = value

    def hash_key(self, tx: Tx) -> Hashable:
        return self

    def reconstruct(self, code: Emitter) -> None:
        """`FunctionType(code, globals, name, defaults, closure)`, then what it does not take."""
        if is_polyfill(self.globals.get("__name__")):
            raise GraphBreak(f"{self.code.co_qualname} outlives the compiled part")
        code.load_const(FunctionType)
        code.load_const(self.code)
        code.load_const(self.globals)
        code.load_const(self.code.co_name)
        code.build(self.positional or NONE)
        code.build(TupleVariable(self.cells) if self.cells else NONE)
        code.call(5)
        if self.keyword is not None:
            code.set_attribute("__kwdefaults__", self.keyword)
        for name, value in self.attributes.items():
            code.set_attribute(name, value)


def is_known_by_code(function: FunctionType) -> bool:
    """Inner functions are made at every call of the one around them: any of the same code will
    do."""
    return "<locals>" in function.__qualname__


def _doc(code: CodeType) -> str | None:
    """CPython keeps a docstring as the first constant."""
    first = code.co_consts[0] if code.co_consts else None
    return first if isinstance(first, str) else None


