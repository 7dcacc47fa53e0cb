"""What Python itself answers about long lists of numbers from outside: their sum, the largest of
them, where one is.

Python asks C for it, which is faster than any guards about the items one by one. So the answer is a
value from outside again.
"""
from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ....guards.kinds import EQUALS, TYPE
from ....guards.sources import DependentSource, Pinned, Source
from ....native import number_kinds
from ...object_model.dependent import FINDERS, MAKERS, Found
from ...state.tracker import VariableTracker
from ..arrays.long_lists import SHORTEST
from ..arrays.sizes import SizeVariable, wrap_int
from .elements import outside_of

if TYPE_CHECKING:
    from ...state.tx import Tx

LENGTHS = 128
"""Ints up to which a list may be one of lengths, which are known one by one."""

SCALARS = (np.float64, np.int64, np.bool_)
PYTHONS = frozenset("fib")
"""The letters of Python's own numbers: NumPy's may warn when they are added."""

Question = Callable[..., Any]
"""Of a list and other operands. None where there is no answer."""


def index_in(values: Any, value: Any) -> Any:
    """None of what is not there, for which Python raises."""
    try:
        return values.index(value)
    except ValueError:
        return None


QUESTIONS: dict[str, Question] = {
    "__contains__": operator.contains, "index": index_in, "count": operator.countOf,
}
"""By the names of methods."""


def answer(
    tx: Tx, question: Question, values: VariableTracker, *operands: VariableTracker
) -> VariableTracker | None:
    """That of Python; None of short lists, of other items, and of operands that the graph makes."""
    outside = long_list(tx, values)
    found = [found_outside(tx, operand) for operand in operands]
    known = [each for each in found if each is not None]
    if outside is None or values.source is None or len(known) < len(found):
        return None
    kinds = DependentSource(Pinned(number_kinds), (values.source,))
    letters = number_kinds(outside)
    if letters is None or (question is sum and not PYTHONS.issuperset(letters)):
        return None
    tx.guards.install(kinds, EQUALS, letters, tx.location())
    value, sources = question(outside, *(number for _, number in known)), [s for s, _ in known]
    is_of_a_type = len(letters) == 1 and question is not index_in
    return made_outside(tx, value, question, values.source, *sources, is_of_a_type=is_of_a_type)


def length_of(tx: Tx, values: VariableTracker) -> VariableTracker | None:
    """The length of a long list of numbers, which may be another one in each call."""
    outside = long_list(tx, values)
    if outside is None or values.source is None or number_kinds(outside) is None:
        return None
    return wrap_int(tx, len(outside), DependentSource(Pinned(len), (values.source,)))


def long_list(tx: Tx, values: VariableTracker) -> Sequence[Any] | None:
    """A list or tuple whose items nothing else needs to know one by one, as it may lengths."""
    outside = outside_of(tx, values)
    if type(outside) not in (list, tuple) or len(outside) < SHORTEST:
        return None
    is_of_ints = len(outside) < LENGTHS and all(type(item) is int for item in outside)
    return None if is_of_ints else outside


def found_outside(tx: Tx, value: VariableTracker) -> Found | None:
    """Where a number is found. Sizes are computed with as such: what is known of them says more of
    a slice than the sum of some does."""
    if isinstance(value, SizeVariable):
        return None
    finder = FINDERS.get(type(value))
    return None if finder is None else finder(tx, value)


def made_outside(
    tx: Tx, value: Any, function: Any, *operands: Source, is_of_a_type: bool = False
) -> VariableTracker | None:
    """A number that a pure function finds, where there is a tracker of such; a guard says of which
    type it is, where that is not known."""
    source = DependentSource(Pinned(function), operands)
    if type(value) in SCALARS:
        return tx.wrap(value, source)
    if (make := MAKERS.get(type(value))) is None:
        return None
    if not is_of_a_type:
        tx.guards.install(source, TYPE, value, tx.location())
    return make(tx, value, source)


__all__ = [
    "PYTHONS", "QUESTIONS", "answer", "found_outside", "length_of", "long_list", "made_outside",
]
