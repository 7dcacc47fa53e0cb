"""Indices of sequences, known while tracing, and what Python says of others."""
from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from ..rules.mro import answers
from ..state.tracker import VariableTracker
from .class_attributes import overridden
from .constants import observed
from .refusals import name_in_c, returned_exactly

if TYPE_CHECKING:
    from ..state.tx import Tx

NO_INTEGER = "{!r} object cannot be interpreted as an integer"
NO_TIMES = "can't multiply sequence by non-int of type {!r}"


def index_constant(tx: Tx, key: VariableTracker, refusal: str = NO_INTEGER) -> int:
    """`operator.index` of a known value; `refusal` is what Python says of others."""
    kind = key.python_type()
    if not answers(kind, "__index__"):
        raise observed(TypeError(refusal.format(name_in_c(kind))))
    is_its_own = key.is_constant() or issubclass(kind, int)  # whatever the class says
    if not is_its_own and overridden(kind, "__index__"):
        text = "__index__ returned non-int (type {kind})"
        key = returned_exactly(key.call_method(tx, "__index__", (), {}), int, text)
    value = (key.contents or key).as_constant(tx)
    return int(value.__index__())


def count_constant(tx: Tx, key: VariableTracker) -> int:
    """A known index that C's methods take as an argument."""
    return fitting(index_constant(tx, key), OverflowError, NO_SIZE)


NO_SIZE = "Python int too large to convert to C ssize_t"


NOT_FITTING = "cannot fit {!r} into an index-sized integer"


def fitting(
    index: int, error: type[Exception], text: str = NOT_FITTING.format("int")
) -> int:
    """An index that C can hold; `error` is what Python raises for others."""
    if not -sys.maxsize - 1 <= index <= sys.maxsize:
        raise observed(error(text))
    return index
