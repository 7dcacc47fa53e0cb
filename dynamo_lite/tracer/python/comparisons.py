"""Comparisons, identity and what containers take for equal, on trackers."""
from __future__ import annotations

import enum
import itertools
import operator
from collections.abc import Callable, Sequence
from types import BuiltinFunctionType
from typing import TYPE_CHECKING

import numpy as np

from ...base.classes import is_python_class
from ...errors import GraphBreak
from ...guards.kinds import NOT_ALIASED
from .. import numpy as numpy_calls
from ..object_model.callables import KnownVariable, is_typing
from ..object_model.class_attributes import overridden
from ..object_model.constants import ConstantVariable, DtypeVariable, constant, fold, observed
from ..object_model.lazy import realise
from ..object_model.methods import BuiltinMethodVariable, MethodVariable
from ..object_model.refusals import name_in_c
from ..rules.mro import is_subtype
from ..rules.operator_rows import BINARY, BinaryOperator
from ..state.tracker import ObservedException, VariableTracker
from ..trackers.array_backed.characters import CharacterVariable, compare_characters
from ..trackers.array_backed.layouts import KeptList
from ..trackers.array_backed.outside_rows import OutsideRow
from ..trackers.array_backed.rows import RowVariable
from ..trackers.arrays import words
from ..trackers.arrays.complex_numbers import is_arithmetic
from ..trackers.arrays.numbers import NumberVariable
from ..trackers.arrays.optional_numbers import not_none, read_all
from ..trackers.arrays.sizes import SizeVariable
from ..trackers.arrays.unions import UnionNumber, chosen
from ..trackers.containers.dicts import DictVariable
from ..trackers.containers.lists import ListByValue
from ..trackers.containers.mappings import unwrapped
from ..trackers.containers.sequences import SequenceVariable, TupleVariable
from ..trackers.containers.sets import SetVariable
from ..trackers.objects.functions import FunctionVariable
from ..trackers.objects.ids import IdVariable
from .dict_views import view_as_set
from .operators import (
    binary,
    has_buffer,
    is_not_implemented,
    is_plain,
    is_view,
    knows_only_itself,
)

if TYPE_CHECKING:
    from ..state.tx import Tx


def compare(
    tx: Tx, symbol: str, lhs: VariableTracker, rhs: VariableTracker
) -> VariableTracker:
    if isinstance(lhs, CharacterVariable) or isinstance(rhs, CharacterVariable):
        return compare_characters(tx, BINARY[symbol].function, lhs, rhs)
    if symbol in ("==", "!=") and (there := not_none(lhs, rhs)) is not None:
        return there if symbol == "!=" else tx.call_builtin(operator.not_, there)
    lhs, rhs = read_all(tx, (lhs, rhs))
    is_for_operator = lhs.in_graph or rhs.in_graph or (is_plain(lhs) and is_plain(rhs))
    if is_for_operator or is_arithmetic(lhs, rhs) or words.is_operator(symbol, lhs, rhs):
        return binary(tx, symbol, lhs, rhs)
    if all(kind is bytes or has_buffer(kind) for kind in (lhs.python_type(), rhs.python_type())):
        raise GraphBreak(f"{symbol} of {lhs.describe()} and {rhs.describe()}")
    lhs, rhs = unwrapped(lhs, rhs)
    if (is_alias(lhs) or is_plain(lhs)) and (is_alias(rhs) or is_plain(rhs)):
        return fold(tx, BINARY[symbol].function, (lhs, rhs))
    if all(is_view(side) or isinstance(side.contents or side, SetVariable) for side in (lhs, rhs)):
        lhs, rhs = view_as_set(tx, lhs), view_as_set(tx, rhs)
    if not _overrides_comparison(lhs, rhs, BINARY[symbol]):
        left, right = lhs.contents or lhs, rhs.contents or rhs
        if is_plain(left) and is_plain(right):
            try:
                return binary(tx, symbol, left, right)
            except ObservedException:  # its words are to be about the derived classes
                raise _unordered(symbol, lhs, rhs) from None
        if (rule := structural_rule(symbol, left, right)) is not None:
            return rule(tx, symbol, left, right)
    if symbol in ("==", "!="):
        return _equality(tx, symbol, lhs, rhs)
    return _ordered(tx, BINARY[symbol], lhs, rhs)


def is_alias(value: VariableTracker) -> bool:
    """Whether the value is one of typing's, such as `list[int]`."""
    return isinstance(value, KnownVariable) and is_typing(value.value)


def _overrides_comparison(
    lhs: VariableTracker, rhs: VariableTracker, row: BinaryOperator
) -> bool:
    return any(overridden(side.python_type(), method)
               for side, method in ((lhs, row.method), (rhs, row.method), (rhs, row.reflected)))


def structural_rule(
    symbol: str, lhs: VariableTracker, rhs: VariableTracker
) -> Callable[..., VariableTracker] | None:
    """How two containers of one kind are compared."""
    for kind, rule in STRUCTURAL:
        if isinstance(lhs, kind) and isinstance(rhs, kind):
            return None if kind is DictVariable and symbol not in ("==", "!=") else rule
    return None


def is_of_derived(value: VariableTracker, other: VariableTracker) -> bool:
    """Whether it is asked first: its class is derived from that of the other, whatever it has of
    its own."""
    kind, base = value.python_type(), other.python_type()
    return kind is not base and is_subtype(kind, base)


def _ordered(
    tx: Tx, row: BinaryOperator, lhs: VariableTracker, rhs: VariableTracker
) -> VariableTracker:
    attempts = [(lhs, row.method, rhs), (rhs, row.reflected, lhs)]
    if is_of_derived(rhs, lhs):
        attempts.reverse()
    for owner, method, other in attempts:
        if knows_only_itself(owner, method):
            continue
        if not _has_own(owner, method):
            continue
        if _knows_own_kind(owner, method):
            result = _answer_of_c(tx, owner, method, other.contents or other)
        else:
            result = owner.call_method(tx, method, (other,), {})
        if not is_not_implemented(result):
            return result
    raise _unordered(row.symbol, lhs, rhs)


def _knows_own_kind(owner: VariableTracker, method: str) -> bool:
    """Whether C compares the value, which is known, only with known ones."""
    return is_plain(owner) and not overridden(owner.python_type(), method)


def _answer_of_c(
    tx: Tx, owner: VariableTracker, method: str, other: VariableTracker
) -> VariableTracker:
    if not is_plain(other):
        return ConstantVariable(NotImplemented)
    return fold(tx, getattr(owner.python_type(), method), (owner, other))


def _has_own(value: VariableTracker, method: str) -> bool:
    """Whether the value's class says more than `object` does."""
    return getattr(value.python_type(), method, None) is not getattr(object, method, None)


def _equality(
    tx: Tx, symbol: str, lhs: VariableTracker, rhs: VariableTracker
) -> VariableTracker:
    """Methods of either side, `!=` from `==` as object does it, then identity."""
    row = BINARY[symbol]
    if _is_builtin_value(lhs) and lhs.python_type() is rhs.python_type():
        if lhs.is_constant() and rhs.is_constant():
            return fold(tx, row.function, (lhs, rhs))
        if isinstance(lhs, MethodVariable | BuiltinMethodVariable):
            return constant(_is_same_method(tx, lhs, rhs) == (symbol == "=="))
    attempts = [(lhs, rhs), (rhs, lhs)]
    if is_of_derived(rhs, lhs):
        attempts.reverse()
    for owner, other in attempts:
        if knows_only_itself(owner, "__ne__") and knows_only_itself(owner, "__eq__"):
            continue
        of_c = _is_builtin_value(other) or is_plain(owner)
        if _is_builtin_value(owner) and (of_c or owner.python_type() is BuiltinFunctionType):
            if not issubclass(other.python_type(), owner.python_type()):
                continue
        if _has_own(owner, "__ne__") and symbol == "!=":
            result = owner.call_method(tx, "__ne__", (other,), {})
        elif _has_own(owner, "__eq__"):
            result = owner.call_method(tx, "__eq__", (other,), {})
            if symbol == "!=" and not is_not_implemented(result):
                result = constant(not tx.truth(result))
        else:
            continue
        if not is_not_implemented(result):
            return result
    return constant(is_same(tx, lhs, rhs) != (symbol == "!="))


def _is_same_method(tx: Tx, lhs: VariableTracker, rhs: VariableTracker) -> bool:
    """Bound methods are equal when they are of one function and one object."""
    if isinstance(lhs, MethodVariable) and isinstance(rhs, MethodVariable):
        return is_same(tx, lhs.self_, rhs.self_) and is_same(tx, lhs.function, rhs.function)
    if isinstance(lhs, BuiltinMethodVariable) and isinstance(rhs, BuiltinMethodVariable):
        return lhs.name == rhs.name and is_same(tx, lhs.owner, rhs.owner)
    return False


def _is_builtin_value(value: VariableTracker) -> bool:
    """Kinds that are equal only to values of their own kind, which were compared before."""
    kind = value.python_type()
    return kind.__module__ == "builtins" and not is_python_class(kind)


def _compare_sequences(
    tx: Tx, symbol: str, lhs: SequenceVariable, rhs: SequenceVariable
) -> VariableTracker:
    """Item by item; the first difference decides, then the lengths."""
    if rhs.base is not lhs.base:
        if symbol in ("==", "!="):
            return constant(symbol == "!=")
        return _ordered(tx, BINARY[symbol], lhs, rhs)
    left, right = lhs.items(tx), rhs.items(tx)
    if symbol in ("==", "!=") and len(left) != len(right):
        return constant(symbol == "!=")
    if (found := _compare_numbers(tx, symbol, left, right)) is not None:
        return found
    for mine, theirs in zip(lhs.iterate(tx), rhs.iterate(tx)):
        if not is_equal(tx, mine, theirs):
            if symbol in ("==", "!="):
                return constant(symbol == "!=")
            return compare(tx, symbol, mine, theirs)
    return constant(BINARY[symbol].function(len(left), len(right)))


def _compare_numbers(
    tx: Tx, symbol: str, left: Sequence[VariableTracker], right: Sequence[VariableTracker]
) -> VariableTracker | None:
    """The same where data decides which numbers are equal; None where it does not, or they are no
    numbers. A number that is not one is equal to nothing but itself, and left to Python."""
    pairs = [(realise(tx, mine), realise(tx, theirs)) for mine, theirs in zip(left, right)]
    sides = [*itertools.chain(*pairs)]
    if not any(map(_is_data, sides)) or not all(map(_is_number, sides)):
        return None
    found: VariableTracker | None = constant(BINARY[symbol].function(len(left), len(right)))
    for mine, theirs in reversed(pairs):
        if mine is not theirs and found is not None:
            if mine.python_type() in (float, np.float64) and _is_data(mine):
                compare(tx, "==", mine, mine).expect(tx, True)
            is_order = symbol not in ("==", "!=")
            differing = compare(tx, symbol, mine, theirs) if is_order else constant(symbol == "!=")
            found = _either(tx, compare(tx, "==", mine, theirs), found, differing)
    return found


def _either(
    tx: Tx, test: VariableTracker, first: VariableTracker, second: VariableTracker
) -> VariableTracker | None:
    if test.is_constant():
        return first if test.truth(tx) else second
    return chosen(tx, test.as_argument(tx), first, second)


def _is_number(value: VariableTracker) -> bool:
    known = isinstance(value, ConstantVariable) and value.python_type() in (bool, int, float)
    return known or (
        isinstance(value, NumberVariable | SizeVariable) and not isinstance(value, UnionNumber)
    )


def _is_data(value: VariableTracker) -> bool:
    return isinstance(value, NumberVariable) and not value.is_constant()


def _compare_dicts(
    tx: Tx, symbol: str, lhs: DictVariable, rhs: DictVariable
) -> VariableTracker:
    same = len(lhs.entries(tx)) == len(rhs.entries(tx)) and all(
        (other := rhs.load_hashed(tx, hashed)) is not None
        and is_equal(tx, lhs.entry(tx, hashed)[1], other)
        for hashed in lhs.live_keys(tx)
    )
    return constant(same == (symbol == "=="))


def _compare_sets(
    tx: Tx, symbol: str, lhs: SetVariable, rhs: SetVariable
) -> VariableTracker:
    return lhs.call_method(tx, BINARY[symbol].method, (rhs,), {})


def _compare_ids(
    tx: Tx, symbol: str, lhs: IdVariable, rhs: IdVariable
) -> VariableTracker:
    if symbol not in ("==", "!="):
        raise GraphBreak(f"{symbol} of {lhs.describe()}")
    return constant(is_same(tx, lhs.value, rhs.value) == (symbol == "=="))


def _unordered(symbol: str, lhs: VariableTracker, rhs: VariableTracker) -> ObservedException:
    return observed(TypeError(
        f"{symbol!r} not supported between instances of "
        f"{name_in_c(lhs.python_type())!r} and {name_in_c(rhs.python_type())!r}"
    ))  # fmt: skip


STRUCTURAL: Sequence[tuple[type, Callable[..., VariableTracker]]] = (
    (SequenceVariable, _compare_sequences),
    (DictVariable, _compare_dicts),
    (SetVariable, _compare_sets),
    (IdVariable, _compare_ids),
)

UNIQUE = (type(None), bool, type(Ellipsis), type(NotImplemented), enum.Enum)
"""Types whose values are compared by identity as well as by equality."""


def is_same(tx: Tx, lhs: VariableTracker, rhs: VariableTracker) -> bool:
    """`lhs is rhs`: one tracker per object, except for constants."""
    if lhs is rhs:
        return True
    if lhs.python_type() is not rhs.python_type():
        return False
    if isinstance(lhs, KeptList) and isinstance(rhs, KeptList):
        raise GraphBreak(f"the identity of {lhs.describe()}")
    if isinstance(lhs, ListByValue | OutsideRow) or isinstance(rhs, ListByValue | OutsideRow):
        raise GraphBreak(f"the identity of {lhs.describe()}")
    if _may_be_one_tuple(lhs, rhs):
        raise GraphBreak(f"the identity of {lhs.describe()}")
    if isinstance(lhs, RowVariable) and isinstance(rhs, RowVariable) and lhs.rows is rhs.rows:
        raise GraphBreak(f"the identity of {lhs.describe()}")
    if lhs.in_graph or rhs.in_graph:
        return numpy_calls.is_same(tx, lhs, rhs)
    if lhs.is_constant() and rhs.is_constant():
        left, right = lhs.as_constant(tx), rhs.as_constant(tx)
        if left is right and not isinstance(lhs, ConstantVariable | DtypeVariable):
            return True
        if _is_unique(lhs):
            return left is right
        if type(left) is int and left == right and -5 <= left <= 256:
            return True  # CPython has one object for each
        if bool(left == right) or (_is_unequal_to_itself(left) and _is_unequal_to_itself(right)):
            raise GraphBreak(f"the identity of equal values {lhs.describe()}")
        return False
    if lhs.source is not None and rhs.source is not None:
        tx.guards.install(lhs.source, NOT_ALIASED, rhs.source, tx.location())
    return False


def _may_be_one_tuple(lhs: VariableTracker, rhs: VariableTracker) -> bool:
    """Whether two trackers may be of one tuple: that of an item whose place data tells is made anew
    whenever it is read."""
    if type(lhs) is not TupleVariable or type(rhs) is not TupleVariable:
        return False
    made = [one for one in (lhs, rhs) if one.source is None]
    return any(item.in_graph for one in made for item in one.built_items())


def _is_unique(value: VariableTracker) -> bool:
    """Whether values of the kind are told apart by identity."""
    if isinstance(value, KnownVariable | FunctionVariable):
        return True
    return issubclass(value.python_type(), UNIQUE)


def is_equal(tx: Tx, lhs: VariableTracker, rhs: VariableTracker) -> bool:
    """Whether containers take two values for equal: identical, or `==` is true."""
    lhs, rhs = realise(tx, lhs), realise(tx, rhs)
    if lhs is rhs or tx.truth(compare(tx, "==", lhs, rhs)):
        return True
    first, second = (rhs, lhs) if isinstance(rhs, ConstantVariable) else (lhs, rhs)
    return _is_nan(tx, first) and _is_nan(tx, second) and is_same(tx, lhs, rhs)


def _is_nan(tx: Tx, value: VariableTracker) -> bool:
    """Whether a number of Python's is not one, and found again in containers by identity alone."""
    is_new = value.in_graph and value.source is None  # another object than all others
    if is_new or value.python_type() not in (float, complex):
        return False
    return tx.truth(compare(tx, "!=", value, value))


def _is_unequal_to_itself(value: object) -> bool:
    return isinstance(value, float | complex) and value != value
