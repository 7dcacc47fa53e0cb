"""What CPython says of objects whose class lacks a special method, or whose method gives the
wrong thing.

The words are CPython's own: its function is called on a *fake array*, an object of a class that has
the same name and no special methods.
"""
from __future__ import annotations

import operator
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from ...errors import GraphBreak
from ..rules.mro import MISSING, lookup
from ..state.tracker import Args, ObservedException, VariableTracker
from .constants import NOT_IMPLEMENTED, ZERO, ConstantVariable, observe, observed

if TYPE_CHECKING:
    from ..state.tx import Tx

START, END = "bool.__new__(", "): "


def name_in_c(kind: type) -> str:
    """The type's name in CPython's messages (`tp_name`): `list`, `numpy.ndarray`."""
    try:
        bool.__new__(kind)  # the only type of which there are no others
    except TypeError as error:
        return str(error).removeprefix(START).partition(END)[0]
    return kind.__name__


def sample(kind: type, *held: str) -> Any:
    """An object of a class of that name, which answers nothing and holds nothing itself; its class
    has the attributes `held`."""
    names = {**dict.fromkeys(held), "__slots__": (), "__qualname__": kind.__qualname__}
    return object.__new__(type(name_in_c(kind), (), names))


def derived(kind: type, value: Any) -> Any:
    """A value of Python's own type as an object of a class of that name."""
    return type(name_in_c(kind), (type(value),), {})(value)


def refuse(function: Callable[..., Any], kind: type, *args: Any) -> GraphBreak:
    """Raise what `function` says of an object of the type, which lacks the methods it needs."""
    observe(function, sample(kind), *args)
    return GraphBreak(f"{function.__name__} of a {kind.__name__}")


def refuse_change(
    function: Callable[..., Any], owner: VariableTracker, name: str, *value: None
) -> GraphBreak:
    """Raise what `object.__setattr__` or `object.__delattr__` says of an object without a dict;
    its class may have such an attribute that is no data descriptor, and hooks of its own."""
    kind = owner.python_type()
    try:
        held = [each for each in (name, "__setattr__", "__delattr__") if in_class(kind, each)]
        observe(function, sample(kind, *held), name, *value)
    except ObservedException as raised:
        error: Any = raised.value
        if error.value.obj is not None:  # since 3.13
            error.attributes |= {"name": ConstantVariable(name), "obj": owner}
        raise
    return GraphBreak(f"{function.__name__} of {owner.describe()}")


def in_class(kind: type, name: str) -> bool:
    """Whether a class has the attribute from any but object."""
    raw = lookup(kind, name)
    return raw is not MISSING and raw is not lookup(object, name)


def check_handed_over(method: Any, args: Args) -> None:
    """Raise what a method of C's containers says of arguments of which the operator says
    NotImplemented: sequences refuse them where it is called by name.
    """
    observe(method, method.__objclass__(), *(sample(arg.python_type()) for arg in args))


def handed_over(base: type | tuple[type, ...], other: VariableTracker) -> VariableTracker:
    """NotImplemented: C's operator of a `base` knows values of that type alone."""
    if issubclass(other.python_type(), base):
        raise other.refusal(f"an operator on {other.describe()}")
    return NOT_IMPLEMENTED


def returned(
    value: VariableTracker, expected: type | tuple[type, ...], text: str
) -> VariableTracker:
    """The result of a special method; `text` is what CPython says of any other `{kind}`."""
    kind = value.python_type()
    if not issubclass(kind, expected):
        raise observed(TypeError(text.format(kind=name_in_c(kind))))
    return value


def returned_exactly(value: VariableTracker, expected: type, text: str) -> VariableTracker:
    """The same where a value of a derived class would be converted, with a warning."""
    value = returned(value, expected, text)
    if value.python_type() is not expected:
        raise GraphBreak(f"{value.describe()} in place of a {expected.__name__}")
    return value


def length(tx: Tx, value: VariableTracker) -> VariableTracker:
    """What `__len__` gave, where it is a length."""
    value = tx.call_builtin(operator.index, value)
    negative = tx.call_builtin(operator.lt, value, ZERO)
    if not isinstance(negative, ConstantVariable):
        negative.expect(tx, False)
    elif negative.as_constant(tx):
        raise observed(ValueError("__len__() should return >= 0"))
    if isinstance(value, ConstantVariable):
        known = value.as_constant(tx)
        observe(len, type("Sized", (), {"__len__": lambda self: known})())
    return value
