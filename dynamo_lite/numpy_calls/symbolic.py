"""Numbers and sizes that could be constants: symbolic first, fixed where an operation needs it."""
from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING

from ..errors import GraphBreak
from ..variables.base import VariableTracker
from ..variables.constants import constant
from ..variables.indices import as_size
from ..variables.numbers import ComputedNumber, InputNumber
from ..variables.sequences import ListVariable, TupleVariable
from ..variables.sizes import SizeVariable

if TYPE_CHECKING:
    from ..translator import Translator

Attempt = Callable[
    [Sequence[VariableTracker], Mapping[str, VariableTracker]], VariableTracker
]


def symbolic_first(
    tx: Translator,
    attempt: Attempt,
    args: Sequence[VariableTracker],
    kwargs: Mapping[str, VariableTracker],
) -> VariableTracker:
    """Try with symbols; if that breaks the graph, again with their values, guarded."""
    try:
        return attempt(args, kwargs)
    except GraphBreak:
        if any(map(is_counted, (*args, *kwargs.values()))):
            args = [with_sizes(tx, value) for value in args]
            kwargs = {name: with_sizes(tx, value) for name, value in kwargs.items()}
            return attempt(args, kwargs)
        if not any(map(is_symbolic, (*args, *kwargs.values()))):
            raise
    fixed = [specialised(tx, value) for value in args]
    return attempt(fixed, {name: specialised(tx, value) for name, value in kwargs.items()})


def is_symbolic(value: VariableTracker) -> bool:
    """Whether the value is known but held as a symbol or an input number (or contains such)."""
    if isinstance(value, (TupleVariable, ListVariable)):
        return value.unread is None and any(map(is_symbolic, value.built_items()))
    return isinstance(value, SizeVariable) or (isinstance(value, InputNumber) and value.is_python)


def is_counted(value: VariableTracker) -> bool:
    """Whether the value is, or contains, an integer scalar that the graph computes."""
    if isinstance(value, (TupleVariable, ListVariable)):
        return value.unread is None and any(map(is_counted, value.built_items()))
    return isinstance(value, ComputedNumber) and value.array_type.dtype.kind in "iu"


def with_sizes(tx: Translator, value: VariableTracker) -> VariableTracker:
    """The same value with such integers as sizes."""
    if not is_counted(value):
        return value
    if isinstance(value, (TupleVariable, ListVariable)):
        return type(value)([with_sizes(tx, item) for item in value.built_items()])
    return as_size(tx, value)


def specialised(tx: Translator, value: VariableTracker) -> VariableTracker:
    """The same value as a constant."""
    if not is_symbolic(value):
        return value
    if isinstance(value, (TupleVariable, ListVariable)):
        return type(value)([specialised(tx, item) for item in value.built_items()])
    return constant(value.as_constant(tx))
