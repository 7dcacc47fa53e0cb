"""What `super()` gives."""
from __future__ import annotations

import itertools
import types
from typing import TYPE_CHECKING

from ....base.classes import is_python_class
from ....errors import GraphBreak
from ....guards.kinds import CALL
from ...object_model import attributes as object_model
from ...object_model.attributes import KnownInstance
from ...object_model.class_attributes import class_attribute, class_source
from ...object_model.constants import NONE, observed
from ...rules.local_classes import LOCAL_CLASSES
from ...rules.mro import MISSING, Lacks, is_subtype, lookup, lookup_in
from ...state.tracker import VariableTracker

if TYPE_CHECKING:
    from ...state.tx import Tx


class SuperVariable(VariableTracker):
    """`super(kind, self)`: attributes from the MRO after `kind`."""

    def __init__(self, kind: type, owner: VariableTracker) -> None:
        self.kind = kind
        self.owner = owner

    def python_type(self) -> type:
        return super

    def getattr(self, tx: Tx, name: str) -> VariableTracker:
        start = self.owner.python_type()
        of_class = issubclass(start, type) and is_subtype(self.owner.as_constant(tx), self.kind)
        if of_class:
            start = self.owner.as_constant(tx)
        mro = start.__mro__
        if self.kind not in mro:
            raise GraphBreak(f"super() of {self.kind.__name__}, which {start.__name__} is not")
        following = mro[mro.index(self.kind) + 1 :]
        raw, base = lookup_in(following, name)
        for between in itertools.takewhile(lambda kind: kind is not base, following):
            if is_python_class(between) and between not in LOCAL_CLASSES:
                source = class_source(between)
                tx.guards.install(source, CALL, Lacks(name), tx.location())
        if raw is MISSING:
            text = f"'super' object has no attribute {name!r}"
            raise observed(AttributeError(text, name=name))
        instance = KnownInstance(start)
        if of_class and isinstance(lookup(type(raw), "__get__"), types.FunctionType):
            return object_model.ask_descriptor(tx, raw, base, name, NONE, self.owner)
        if of_class and not isinstance(raw, classmethod):
            return class_attribute(tx, base, name, getattr(base, name))
        return object_model.bind(tx, raw, base, self.owner, instance, name)
