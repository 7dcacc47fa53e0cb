"""Characters of texts, where data decides which."""
from __future__ import annotations

import operator
from collections.abc import Callable, Hashable, Iterable
from typing import TYPE_CHECKING

from ....errors import GraphBreak
from ...object_model.attributes import python_method
from ...object_model.constants import FALSE, TRUE, ConstantVariable, constant
from ...recording.nodes import record
from ...state.tracker import VariableTracker
from ..arrays.numbers import ComputedNumber, python_number_of
from ..arrays.unions import any_of

if TYPE_CHECKING:
    from ...state.emitter import Emitter
    from ...state.tx import Tx


class CharacterVariable(VariableTracker):
    """A text of one character, whose code point is a number of the graph."""

    def __init__(self, code: VariableTracker) -> None:
        self.code = code

    def python_type(self) -> type:
        return str

    def truth(self, tx: Tx) -> bool:
        return True

    def describe(self) -> str:
        return "a character of a text"

    def getattr(self, tx: Tx, name: str) -> VariableTracker:
        return python_method(tx, self, name)

    def method___len__(self, tx: Tx) -> VariableTracker:
        return constant(1)

    def hash_key(self, tx: Tx) -> Hashable:
        raise GraphBreak(f"the hash of {self.describe()}, which data decides")

    def reconstruct(self, code: Emitter) -> None:
        code.load_const(chr)
        code.build(self.code)
        code.call(1)


def character(tx: Tx, code: VariableTracker) -> CharacterVariable:
    """The character with a code point, an element of an array."""
    return CharacterVariable(python_number_of(tx, code))


def code_of(value: VariableTracker) -> VariableTracker | None:
    """The code point of a text that is known to be one character."""
    if isinstance(value, CharacterVariable):
        return value.code
    if not isinstance(value, ConstantVariable) or value.python_type() is not str:
        return None
    return constant(ord(value.value)) if len(value.value) == 1 else None


def compare_characters(
    tx: Tx, test: Callable[[object, object], object], lhs: VariableTracker, rhs: VariableTracker
) -> VariableTracker:
    """A comparison of a character with another value."""
    for side in (lhs, rhs):
        if isinstance(side, ConstantVariable):
            side.as_constant(tx)
    codes = [code_of(side) for side in (lhs, rhs)]
    known = [code.as_argument(tx) for code in codes if code is not None]
    if len(known) == 2:
        return record(tx, test, tuple(known))
    other = rhs if isinstance(lhs, CharacterVariable) else lhs
    if test not in (operator.eq, operator.ne) or not isinstance(other, ConstantVariable):
        raise GraphBreak(f"comparing {lhs.describe()} and {rhs.describe()}")
    return constant(test is operator.ne)


def is_among(
    tx: Tx, value: CharacterVariable, members: Iterable[VariableTracker]
) -> VariableTracker:
    """Whether it is one of several values."""
    tests = [compare_characters(tx, operator.eq, value, member) for member in members]
    if any(test is TRUE for test in tests):
        return TRUE
    found = [test.as_argument(tx) for test in tests if not isinstance(test, ConstantVariable)]
    if not found:
        return FALSE
    return ComputedNumber(any_of(tx, found))
