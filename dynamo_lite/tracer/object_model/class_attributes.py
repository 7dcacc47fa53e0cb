"""What classes hold under a name, and how the trace relies on it."""
from __future__ import annotations

import types
from typing import TYPE_CHECKING, Any

from ...base.classes import is_python_class
from ...errors import GraphBreak
from ...guards.kinds import CALL, NO_ATTR, SPECIALS
from ...guards.sources import AttrSource, ConstSource, Pinned, Source
from ..rules.local_classes import LOCAL_CLASSES
from ..rules.mro import MISSING, ClassHolds, is_data_descriptor, lookup, lookup_in
from ..state.tracker import ObservedException, VariableTracker
from .constants import observed
from .refusals import name_in_c

if TYPE_CHECKING:
    from ..state.tx import Tx


def overridden(kind: type, name: str) -> bool:
    """Whether a subclass of one of Python's own types defines the method in Python, or says that
    there is none."""
    raw, base = lookup_in(kind.__mro__, name)
    return is_python_class(base) and type(raw) not in WRITTEN_IN_C


ASKED = ("__getattr__", "__getattribute__")
WRITTEN_IN_PYTHON = (types.FunctionType, property, classmethod, staticmethod)
WRITTEN_IN_C = (
    types.WrapperDescriptorType, types.MethodDescriptorType, types.ClassMethodDescriptorType,
    types.BuiltinFunctionType, types.GetSetDescriptorType, types.MemberDescriptorType,
)  # fmt: skip


def missing(tx: Tx, kind: type, name: str) -> ObservedException:
    """The AttributeError; the trace relies on the class not getting the attribute."""
    if lookup(type(kind), name) is not MISSING or asks_metaclass(kind):
        keep_attribute(tx, kind, name, MISSING)
    else:
        tx.guards.install(class_source(kind), NO_ATTR, name, tx.location())
    message = f"{name_in_c(kind)!r} object has no attribute {name!r}"
    return observed(AttributeError(message, name=name))


def asks_metaclass(kind: type) -> bool:
    """Whether looking for an attribute of the class itself runs code of its metaclass."""
    meta = type(kind)
    return lookup(meta, "__getattr__") is not MISSING or overridden(meta, "__getattribute__")


def has_own_class(kind: type) -> bool:
    """Whether `__class__` of an object may be another one than its type."""
    return overridden(kind, "__class__") or overridden(kind, "__getattribute__")


def store_class_attribute(
    tx: Tx, owner: VariableTracker, name: str, value: VariableTracker
) -> None:
    """`cls.name = value` where both the old and the new value are data and nothing else."""
    kind = owner.as_constant(tx)
    held, hook = vars(kind).get(name, MISSING), lookup(type(kind), "__setattr__")
    plain = not hasattr(type(held), "__get__") and not hasattr(value.python_type(), "__get__")
    if held is MISSING or not plain or hook is not type.__setattr__ or name.startswith("__"):
        raise GraphBreak(f"setting {name!r} of the class {kind.__name__}")
    if not is_python_class(kind) or is_data_descriptor(lookup(type(kind), name)):
        raise GraphBreak(f"setting {name!r} of the class {kind.__name__}")
    tx.side_effects.store_attr(owner, name, value)
    tx.state.class_attributes[kind, name] = value


def class_attribute(tx: Tx, base: type, name: str, raw: Any) -> VariableTracker:
    """What a class's own dict holds under a name; the trace relies on it staying there."""
    if tx.state.class_attributes:
        stored = tx.state.class_attributes.get((lookup_in(base.__mro__, name)[1], name))
        if stored is not None:
            return stored
    source = place_in_class(base, name)
    if base not in LOCAL_CLASSES:
        return tx.wrap(raw, source)
    return inherited_attribute(tx, base, name, raw)


def place_in_class(base: type, name: str) -> Source:
    """Where a class has an attribute, unless its metaclass answers for it."""
    own: type = type(base)
    from_meta, meta = lookup_in(own.__mro__, name)
    if is_data_descriptor(from_meta) and (meta is not type or name not in vars(base)):
        raise GraphBreak(f"the attribute {name!r} of {base.__name__}, which its metaclass has too")
    return AttrSource(class_source(base), name)


def inherited_attribute(tx: Tx, base: type, name: str, raw: Any) -> VariableTracker:
    """The same for a class that the frame has made: what comes before the class that has it, in
    the order of the bases, must go on not having it."""
    straight = True
    for kind in base.__mro__:
        if kind in LOCAL_CLASSES:
            if name in vars(kind):
                return tx.known(raw)
            straight = straight and len(kind.__bases__) == 1
        elif name in vars(kind) or straight:
            return tx.wrap(raw, AttrSource(class_source(kind), name))
        elif hasattr(kind, name):
            break
        else:
            tx.guards.install(class_source(kind), NO_ATTR, name, tx.location())
    raise GraphBreak(f"the attribute {name!r} of {base.__name__}, which has several bases")


def class_source(kind: type) -> Source:
    return ConstSource(Pinned(kind), kind.__qualname__)


def keep_attribute(tx: Tx, kind: type, name: str, raw: Any) -> None:
    """Rely on the class holding `raw`, or nothing (MISSING), under the name."""
    if kind not in LOCAL_CLASSES:
        tx.guards.install(class_source(kind), CALL, ClassHolds(name, Pinned(raw)), tx.location())


def meet_class(tx: Tx, kind: type) -> None:
    """What follows looks for special methods in the class: it is to get no others."""
    if is_python_class(kind) and id(kind) not in tx.state.placeholders:
        source = class_source(kind)
        if not tx.guards.has(source, SPECIALS):
            tx.guards.install(source, SPECIALS, kind, tx.location())
