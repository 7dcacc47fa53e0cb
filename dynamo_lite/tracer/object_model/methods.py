"""Methods bound to the value they were looked up on."""
from __future__ import annotations

from collections.abc import Hashable
from types import (
    BuiltinMethodType,
    MethodDescriptorType,
    MethodWrapperType,
    WrapperDescriptorType,
)
from typing import TYPE_CHECKING, Any

from ...errors import GraphBreak
from ...guards.sources import Source
from ..rules.mro import lookup
from ..rules.operator_rows import OPERATOR_METHODS
from ..state.tracker import Args, Kwargs, VariableTracker, call_own_method
from .constants import NOT_IMPLEMENTED
from .refusals import check_handed_over

if TYPE_CHECKING:
    from ..state.emitter import Emitter
    from ..state.tx import Tx


class MethodVariable(VariableTracker):
    """A Python function bound to `self`."""

    def __init__(
        self, function: VariableTracker, self_: VariableTracker, source: Source | None = None
    ) -> None:
        self.function = function
        self.self_ = self_
        self.source = source

    def python_type(self) -> type:
        return type(MethodVariable.describe.__get__(self))

    def truth(self, tx: Tx) -> bool:
        return True

    def call(self, tx: Tx, args: Args, kwargs: Kwargs) -> VariableTracker:
        return self.function.call(tx, (self.self_, *args), kwargs)

    def getattr(self, tx: Tx, name: str) -> VariableTracker:
        if name == "__self__":
            return self.self_
        return self.function if name == "__func__" else self.function.getattr(tx, name)

    def hash_key(self, tx: Tx) -> Hashable:
        return ("method", self.function.hash_key(tx), id(self.self_))

    def reconstruct(self, code: Emitter) -> None:
        code.load_const(self.python_type())
        code.build(self.function)
        code.build(self.self_)
        code.call(2)


class BoundDescriptorVariable(MethodVariable):
    """A method of C's, `raw`, bound to an object of a class that has it from its bases, or under
    a name of its own."""

    def __init__(
        self,
        raw: Any,
        function: VariableTracker,
        self_: VariableTracker,
        source: Source | None = None,
    ) -> None:
        super().__init__(function, self_, source)
        self.raw = raw

    def python_type(self) -> type:
        return BOUND_TYPES[type(self.raw)]

    def getattr(self, tx: Tx, name: str) -> VariableTracker:
        return self.self_ if name == "__self__" else self.function.getattr(tx, name)

    def reconstruct(self, code: Emitter) -> None:
        code.load_const(type(self.raw).__get__)
        code.load_const(self.raw)
        code.build(self.self_)
        code.call(2)


BOUND_TYPES = {MethodDescriptorType: BuiltinMethodType, WrapperDescriptorType: MethodWrapperType}


class BuiltinMethodVariable(VariableTracker):
    """A method of one of Python's own types, answered by its tracker's `method_<name>`."""

    def __init__(self, owner: VariableTracker, name: str) -> None:
        self.owner = owner
        self.name = name

    def python_type(self) -> type:
        return type([].append)

    def truth(self, tx: Tx) -> bool:
        return True

    def call(self, tx: Tx, args: Args, kwargs: Kwargs) -> VariableTracker:
        if (method := getattr(self.owner, f"method_{self.name}", None)) is None:
            raise GraphBreak(f"method {self.name!r} of {self.owner.describe()}")
        result = call_own_method(tx, self.owner, method, self.name, args, kwargs)
        if result is NOT_IMPLEMENTED and self.name in OPERATOR_METHODS:
            check_handed_over(lookup(self.owner.python_type(), self.name), args)
        return result

    def getattr(self, tx: Tx, name: str) -> VariableTracker:
        if name == "__self__":
            return self.owner
        raise GraphBreak(f"attribute {name!r} of a method of {self.owner.describe()}")

    def reconstruct(self, code: Emitter) -> None:
        code.build(self.owner)
        code.emit("LOAD_ATTR", self.name)
