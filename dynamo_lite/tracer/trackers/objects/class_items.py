"""What the dict of a class that the frame defines holds for trackers."""
from __future__ import annotations

from types import CellType, FunctionType
from typing import TYPE_CHECKING, Any

from ....base.classes import is_python_class
from ....errors import GraphBreak
from ...object_model.descriptors import DescriptorVariable
from ...rules.local_classes import PLACEHOLDERS, Placeholder
from ...rules.mro import MISSING, lookup
from ...state.tracker import VariableTracker
from ..containers.known import known_value
from .functions import NestedFunctionVariable
from .objects import ObjectVariable

if TYPE_CHECKING:
    from ...state.tx import Tx


def class_item(tx: Tx, name: str, value: VariableTracker) -> Any:
    """What the class's dict holds for a name of its body."""
    if isinstance(value, NestedFunctionVariable):
        return placeholder(tx, value)
    if isinstance(value, DescriptorVariable):
        parts = [class_item(tx, name, part) for part in value.parts]
        return value.kind(*parts)
    if name == "__annotations__":
        return {key.as_constant(tx): item.as_constant(tx) for key, item in tx.pairs(value)}
    if name.startswith("_") and name.endswith("_"):
        return known_value(tx, value, f"the class attribute {name!r}:")
    if value.is_constant() and not isinstance(value, ObjectVariable):
        return value.as_constant(tx)
    return object_placeholder(tx, value)


def is_late(value: VariableTracker, item: Any) -> bool:
    """Whether a class is to be made without the item, whose code would be run."""
    return isinstance(item, Placeholder) or isinstance(value, ObjectVariable)


def object_placeholder(tx: Tx, value: VariableTracker) -> Any:
    """An object of the same class, for the sake of what classes say about descriptors."""
    kind = value.python_type()
    if isinstance(value, ObjectVariable) and is_plainly_made(kind):
        made: Any = _made_plainly(kind)
    elif lookup(kind, "__get__") is MISSING and lookup(kind, "__set_name__") is MISSING:
        made = Placeholder()
    else:
        raise GraphBreak(f"a class attribute, {value.describe()}")
    tx.state.placeholder_for(made, value)
    return made


def _made_plainly(kind: type) -> Any:
    try:
        return object.__new__(kind)
    except TypeError:  # C makes them
        raise GraphBreak(f"an object of {kind.__name__} as a class attribute") from None


def is_plainly_made(kind: type) -> bool:
    base = next(base for base in kind.__mro__ if not is_python_class(base))
    return base is object and lookup(kind, "__del__") is MISSING and not getattr(
        kind, "__abstractmethods__", None
    )


def placeholder(tx: Tx, function: NestedFunctionVariable) -> FunctionType:
    """A function that `tx.wrap` turns into the tracker again; it is never called."""
    code = function.code
    cells = tuple(CellType() for _ in code.co_freevars)
    made = FunctionType(code, function.globals, code.co_name, None, cells)
    abstract = function.attributes.get("__isabstractmethod__")
    if abstract is not None and abstract.is_constant():
        made.__isabstractmethod__ = abstract.as_constant(tx)  # type: ignore[attr-defined]
    PLACEHOLDERS.add(made)
    tx.state.placeholder_for(made, function)
    return made


def set_in_local_class(tx: Tx, kind: type, name: str, value: VariableTracker) -> None:
    """`cls.name = value`: the class is real, and known to this analysis alone."""
    hook = lookup(type(kind), "__setattr__")
    if hook is not type.__setattr__ or name.startswith("__"):
        raise GraphBreak(f"setting {name!r} of the class {kind.__name__}")
    tx.side_effects.touches(f"the class {kind.__name__}")
    type.__setattr__(kind, name, class_item(tx, name, value))
