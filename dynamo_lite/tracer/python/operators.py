"""Python's operators on trackers: computed on constants, recorded on graph values, or dispatched.

The rules are those of the language reference ("Emulating numeric types"): the reflected method of a
right operand whose class is a proper subclass comes first; NotImplemented hands over.
"""
from __future__ import annotations

import array
import operator
from collections import deque
from types import FunctionType
from typing import TYPE_CHECKING

import numpy as np

from ...errors import GraphBreak
from .. import numpy as numpy_calls
from ..object_model.callables import KnownVariable
from ..object_model.class_attributes import overridden
from ..object_model.constants import (
    NOT_IMPLEMENTED,
    ConstantVariable,
    TypedConstant,
    constant,
    fold,
    observed,
)
from ..object_model.known_indices import NO_TIMES
from ..object_model.refusals import name_in_c, refuse
from ..rules.mro import answers, is_subtype, lookup
from ..rules.operator_rows import BINARY, COMPARISONS, UNARY, BinaryOperator
from ..state.tracker import ObservedException, VariableTracker
from ..trackers.arrays import complex_numbers, words
from ..trackers.arrays.complex_numbers import ComplexVariable
from ..trackers.arrays.unions import UnionNumber
from ..trackers.containers.dict_views import DictViewVariable
from ..trackers.containers.mappings import MappingProxyVariable, unwrapped
from ..trackers.containers.sequences import SequenceVariable
from ..trackers.containers.sets import SetVariable
from .dict_views import view_operation

if TYPE_CHECKING:
    from ..state.tx import Tx


LARGEST_SHIFT = 10_000
"""Powers, shifts and repetitions past this are left to Python."""


def binary(
    tx: Tx, symbol: str, lhs: VariableTracker, rhs: VariableTracker
) -> VariableTracker:
    """`lhs symbol rhs`; the symbol `+=` asks for the in-place method first."""
    inplace = symbol.endswith("=") and symbol not in ("==", "!=", "<=", ">=")
    row = BINARY[symbol[:-1] if inplace else symbol]
    if complex_numbers.is_arithmetic(lhs, rhs):
        return complex_numbers.binary(tx, row.symbol, lhs, rhs)
    if words.is_operator(row.symbol, lhs, rhs):
        return words.binary(tx, row.symbol, lhs, rhs)
    if isinstance(lhs, ComplexVariable) or isinstance(rhs, ComplexVariable):
        if not (lhs.in_graph or rhs.in_graph):
            return complex_numbers.binary(tx, row.symbol, lhs, rhs)
        lhs, rhs = complex_numbers.joined(tx, lhs), complex_numbers.joined(tx, rhs)
    if lhs.in_graph or rhs.in_graph:
        if not _answers(lhs, row.method) and not _answers(rhs, row.reflected):
            left, right = lhs.python_type(), rhs.python_type()
            raise observed(TypeError(_refusal(row, left, right, inplace)))
        if row.symbol == "%" and _is_text(lhs):
            raise GraphBreak(f"formatting with % of {rhs.describe()}")
        if _is_for_numpy(lhs, row.method) and _is_for_numpy(rhs, row.reflected):
            try:
                return numpy_calls.binary(tx, row.symbol, lhs, rhs, inplace)
            except ObservedException as raised:
                left, right = lhs.python_type(), rhs.python_type()
                if not inplace or not _is_of_python(left, right, raised):
                    raise
                raise observed(TypeError(_refusal(row, left, right, inplace))) from None
    if is_plain(lhs) and is_plain(rhs):
        _check_growth(row, lhs, rhs)
        function = getattr(operator, row.inplace) if inplace and row.inplace else row.function
        return fold(tx, function, (lhs, rhs))
    if is_view(lhs) or (is_view(rhs) and isinstance(lhs, SetVariable)):
        if row.symbol in ("&", "|", "-", "^"):
            return view_operation(tx, row.method, lhs, rhs)
    if row.symbol == "|" and not (inplace and isinstance(lhs, MappingProxyVariable)):
        lhs, rhs = unwrapped(lhs, rhs)
    return _dispatch(tx, row, lhs, rhs, inplace)


def _answers(value: VariableTracker, method: str) -> bool:
    kinds = value.kinds if isinstance(value, UnionNumber) else (value.python_type(),)
    return all(answers(kind, method) for kind in kinds)


def is_view(value: VariableTracker) -> bool:
    """A view of the keys or items of a dict, which is like a set."""
    return isinstance(value, DictViewVariable) and value.which != "values"


def is_plain(value: VariableTracker) -> bool:
    """Whether operators on the value are pure Python on a known constant."""
    return isinstance(value, ConstantVariable | TypedConstant)


def _is_for_numpy(value: VariableTracker, method: str) -> bool:
    """A graph value, or what NumPy converts; other objects may have a method of their own."""
    is_converted = isinstance(value, ConstantVariable | TypedConstant | SequenceVariable)
    return value.in_graph or (is_converted and not overridden(value.python_type(), method))


def _is_of_python(left: type, right: type, raised: ObservedException) -> bool:
    """Whether it is Python's own refusal of two types, none of which is NumPy's."""
    return not _has_numpys(left, right) and issubclass(raised.value.python_type(), TypeError)


def _has_numpys(*kinds: type) -> bool:
    return any(issubclass(kind, np.ndarray | np.generic) for kind in kinds)


def _check_growth(row: BinaryOperator, lhs: VariableTracker, rhs: VariableTracker) -> None:
    """Keep a compilation from computing what only an unlucky program would."""
    if row.symbol in ("**", "<<", "*"):
        values = [v.value for v in (lhs, rhs) if isinstance(v, ConstantVariable)]
        for value, other in zip(values, reversed(values)):
            sequence = isinstance(other, str | bytes) or row.symbol != "*"
            if isinstance(value, int) and value > LARGEST_SHIFT and sequence:
                raise GraphBreak(f"{other!r:.20} {row.symbol} {value}")


def _dispatch(
    tx: Tx, row: BinaryOperator, lhs: VariableTracker, rhs: VariableTracker, inplace: bool
) -> VariableTracker:
    left_type, right_type, is_last = lhs.python_type(), rhs.python_type(), False
    attempts: list[tuple[VariableTracker, str, VariableTracker]] = [(lhs, row.method, rhs)]
    if left_type is not right_type or row in COMPARISONS:
        attempts.append((rhs, row.reflected, lhs))
        is_last = _comes_last(row, lhs, right_type)
        if is_last or overrides(right_type, left_type, row.reflected):
            attempts.reverse()
    if inplace and row.inplace is not None:
        is_last = is_last and lhs.contents is None
        attempts.insert(len(attempts) - 1 if is_last else 0, (lhs, row.inplace, rhs))
    for owner, method, other in attempts:
        is_pythons = overridden(owner.python_type(), method)
        if row.symbol != "%" and not is_pythons:  # formatting asks the classes of its arguments
            other = as_seen_by_c(owner, other)
        is_numpys = owner.in_graph and _has_numpys(owner.python_type())
        is_alien = is_numpys and getattr(other.python_type(), "__array_ufunc__", row) is None
        if is_alien and owner is lhs and method != row.inplace:
            continue  # NumPy leaves the operation to the other operand
        if is_alien and owner is rhs and row not in COMPARISONS:
            name = name_in_c(left_type)
            text = f"operand '{name}' does not support ufuncs (__array_ufunc__=None)"
            raise observed(TypeError(text))
        if not answers(owner.python_type(), method):
            continue
        if not is_pythons and _cannot_answer(row, owner, other):
            continue
        if row in COMPARISONS and knows_only_itself(owner, method):
            continue
        if is_numpys and not is_pythons and not hasattr(owner, f"method_{method}"):
            raise GraphBreak(f"{row.symbol!r} of {other.describe()} beside an array")
        try:
            result = _asked(tx, owner, method, other)
        except ObservedException as raised:
            if not _refuses(row, owner, method, raised):
                raise
            break  # in words about the types that the program sees
        if result is not NOT_IMPLEMENTED and not is_not_implemented(result):
            return result
    if row.symbol == "*" and (made := _repeated(tx, lhs, rhs)) is not None:
        return made
    if row.symbol in ("==", "!=") and not _has_numpys(left_type, right_type):
        return constant(row.symbol == "!=")  # a number of the graph is no other object
    raise observed(TypeError(_refusal(row, left_type, right_type, inplace)))


def _comes_last(row: BinaryOperator, lhs: VariableTracker, right: type) -> bool:
    """Whether C's sequences are joined and repeated where no method of the other side answers."""
    held = lhs.contents or lhs
    if row.symbol not in ("+", "*") or not (_is_text(held) or isinstance(held, SequenceVariable)):
        return False
    is_of_c = not overridden(lhs.python_type(), row.method)
    return is_of_c and isinstance(lookup(right, row.reflected), FunctionType)


def _asked(
    tx: Tx, owner: VariableTracker, method: str, other: VariableTracker
) -> VariableTracker:
    """What the owner's method says as an operator: C's sequences may hand over."""
    held = owner.contents
    if not isinstance(held, SequenceVariable) or overridden(owner.python_type(), method):
        return owner.call_method(tx, method, (other,), {})
    result = held.call_method(tx, method, (other,), {})
    return owner if result is held else result


def knows_only_itself(owner: VariableTracker, method: str) -> bool:
    """Whether a function, module or type leaves comparisons to the other side, as a view does to
    what is no set."""
    is_of_c = isinstance(owner, KnownVariable) or is_view(owner)
    return is_of_c and not overridden(owner.python_type(), method)


def _repeated(
    tx: Tx, lhs: VariableTracker, rhs: VariableTracker
) -> VariableTracker | None:
    """Text or bytes as often as an object says that is an index."""
    for text, times in ((lhs, rhs), (rhs, lhs)):
        held, is_index = text.contents or text, answers(times.python_type(), "__index__")
        if is_index and _is_text(held):
            count = tx.call_builtin(operator.index, times)
            return binary(tx, "*", held, count.contents or count)
    return None


def _refuses(
    row: BinaryOperator, owner: VariableTracker, method: str, raised: ObservedException
) -> bool:
    """Whether C says that text or bytes cannot be joined with, or repeated by, the other side."""
    held = owner.contents or owner
    is_of_c = _is_text(held) and not overridden(owner.python_type(), method)
    return is_of_c and row.symbol != "%" and issubclass(raised.value.python_type(), TypeError)


SEQUENCES = (list, tuple, str, bytes, bytearray, deque)


def _refusal(row: BinaryOperator, left: type, right: type, inplace: bool) -> str:
    """What Python says where neither operand knows the operator."""
    if row in COMPARISONS and not _has_numpys(left, right):
        kinds = f"{name_in_c(left)!r} and {name_in_c(right)!r}"
        return f"{row.symbol!r} not supported between instances of {kinds}"
    base = next((kind for kind in SEQUENCES if issubclass(left, kind)), None)
    if row.symbol == "+" and issubclass(left, np.ndarray):
        raise GraphBreak(f"adding a {right.__name__} to an array")  # which C takes for a sequence
    if row.symbol == "+" and base is not None and issubclass(right, base):  # which Python joins
        raise GraphBreak(f"{row.symbol!r} of a {base.__name__} that data decides")
    if row.symbol == "+" and base in (bytes, bytearray):
        return f"can't concat {name_in_c(right)} to {name_in_c(left)}"
    if row.symbol == "+" and base is not None:
        return f'can only concatenate {base.__name__} (not "{name_in_c(right)}") to {base.__name__}'
    if row.symbol == "*" and (base is not None or issubclass(right, SEQUENCES)):
        times = right if base is not None else left
        return NO_TIMES.format(name_in_c(times))
    symbol = f"{row.symbol}=" if inplace else row.symbol
    if row.symbol == "divmod":
        symbol = "divmod()"
    if row.symbol == "**":
        symbol = "**=" if inplace else "** or pow()"
    kinds = f"{name_in_c(left)!r} and {name_in_c(right)!r}"
    return f"unsupported operand type(s) for {symbol}: {kinds}"


def as_seen_by_c(owner: VariableTracker, other: VariableTracker) -> VariableTracker:
    """C looks at what a derived value, list or set holds, not at the methods of its class."""
    held = other.contents
    kinds = (ConstantVariable, SequenceVariable, SetVariable)
    is_member = isinstance(owner, TypedConstant) and isinstance(held, ConstantVariable)
    alike = is_member or (isinstance(held, kinds) and type(held) is type(owner))
    return held if alike and held is not None else other


def _cannot_answer(row: BinaryOperator, owner: VariableTracker, other: VariableTracker) -> bool:
    """Python's own immutable values know nothing of other kinds; text formatting takes anything."""
    if not is_plain(owner) or (other.is_constant() and row.symbol != "*"):
        return False
    if owner.python_type() is bytes and has_buffer(other.python_type()):
        raise GraphBreak(f"{row.symbol} of bytes and {other.describe()}")
    return not _is_text(owner) or row.symbol != "%"


def _is_text(value: VariableTracker) -> bool:
    """Whether it is text or bytes for C."""
    return is_plain(value) and issubclass(value.python_type(), str | bytes)


def has_buffer(kind: type) -> bool:
    """Whether the contents of such objects are bytes for C (Python code sees it from 3.12 on)."""
    return answers(kind, "__buffer__") or issubclass(kind, (bytearray, memoryview, array.array))


def overrides(right: type, left: type, reflected: str) -> bool:
    if right is left or not is_subtype(right, left):
        return False
    return lookup(right, reflected) is not lookup(left, reflected)


def is_not_implemented(value: VariableTracker) -> bool:
    return isinstance(value, ConstantVariable) and value.value is NotImplemented


def unary(tx: Tx, symbol: str, value: VariableTracker) -> VariableTracker:
    function, method = UNARY[symbol]
    if value.in_graph:
        return numpy_calls.unary(tx, symbol, value)
    if is_plain(value):
        return fold(tx, function, (value,))
    if not answers(value.python_type(), method):
        raise refuse(function, value.python_type())
    return value.call_method(tx, method, (), {})
