"""Python ints from 0 to 2**64 - 1 that the graph computes, and longer ones of which a program keeps
the lowest 64 bits: hashes, checksums, generators of random numbers.

Sums, products and operators on bits need but the lowest bits of their operands for the lowest bits
of their result. So only masks and remainders tell what an int is, and no longer one is made.
"""
from __future__ import annotations

import operator
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from ....errors import GraphBreak
from ....ir import control, core
from ....ir.node import Node
from ....ir.types import python_number
from ...object_model.constants import ZERO, ConstantVariable, constant
from ...recording.nodes import record
from ...state.tracker import VariableTracker
from .numbers import ComputedNumber
from .sizes import SizeVariable
from .unions import UnionNumber

if TYPE_CHECKING:
    from ...state.emitter import Emitter
    from ...state.tx import Tx

BITS = 64
MODULUS, SIGN = 1 << BITS, 1 << BITS - 1
LARGEST_DIVISOR = 1 << BITS - 2
INT = python_number(int)


class WordVariable(VariableTracker):
    """An int whose lowest 64 bits are those of `bits`, an int of the graph that has a sign.
    `is_whole`: it is between 0 and 2**64 - 1; of others nobody knows more."""

    def __init__(self, bits: VariableTracker, is_whole: bool = True) -> None:
        self.bits = bits
        self.is_whole = is_whole

    def python_type(self) -> type:
        return int

    def describe(self) -> str:
        return f"an int of {'' if self.is_whole else 'more than '}64 bits"

    def method___invert__(self, tx: Tx) -> VariableTracker:
        return WordVariable(computed(tx, operator.xor, self.bits, constant(-1)), False)

    def method___neg__(self, tx: Tx) -> VariableTracker:
        return WordVariable(computed(tx, operator.sub, ZERO, self.bits), False)

    def reconstruct(self, code: Emitter) -> None:
        if not self.is_whole:
            raise GraphBreak(f"rebuilding {self.describe()}")
        code.build(self.bits)
        code.load_const(MODULUS - 1)
        code.emit("BINARY_OP", "&")


def is_int(value: VariableTracker) -> bool:
    """Whether it is an int of Python's that is computed with in 64 bits."""
    if isinstance(value, ConstantVariable):
        return type(value.value) is int
    return isinstance(value, WordVariable) or is_computed(value)


def is_computed(value: VariableTracker) -> bool:
    is_known = isinstance(value, UnionNumber) or not isinstance(value, ComputedNumber)
    return not is_known and value.array_type == INT  # type: ignore[attr-defined]


def is_operator(symbol: str, lhs: VariableTracker, rhs: VariableTracker) -> bool:
    """Whether the operands of an operator are ints, one of which has 64 bits, or gives such one."""
    if isinstance(lhs, WordVariable) or isinstance(rhs, WordVariable):
        return True
    for known, other in ((lhs, rhs), (rhs, lhs)):
        if isinstance(known, ConstantVariable) and type(known.value) is int and is_computed(other):
            is_long = not -SIGN <= known.value < SIGN
            return is_long and (symbol in RING or (symbol == "%" and known is rhs))
    return False


def binary(tx: Tx, symbol: str, lhs: VariableTracker, rhs: VariableTracker) -> VariableTracker:
    """An operator on two ints, one of them of 64 bits."""
    found = None
    if (apply := OPERATORS.get(symbol)) is not None and is_int(lhs):
        found = apply(tx, lhs, rhs) if is_int(rhs) or symbol == "/" else None
    if found is None:
        raise GraphBreak(f"{lhs.describe()} {symbol} {rhs.describe()}")
    return found


def as_word(tx: Tx, value: VariableTracker) -> VariableTracker:
    """An int as one of 64 bits; the call bails out where it is negative. Others as they are."""
    if isinstance(value, ConstantVariable):
        if type(value.value) is not int or not 0 <= value.value < MODULUS:
            return value
        return WordVariable(record(tx, core.wrapped_sum, (core.signed(value.as_constant(tx)), 0)))
    if is_computed(value) or isinstance(value, SizeVariable):
        expect_no_sign(tx, value)
        return WordVariable(record(tx, core.wrapped_sum, (value.as_argument(tx), 0)))
    return value


def computed(
    tx: Tx, op: Callable[[Any, Any], Any], left: VariableTracker, right: VariableTracker
) -> VariableTracker:
    """An operation on bits."""
    if isinstance(left, ConstantVariable) and isinstance(right, ConstantVariable):
        return constant(core.signed(op(left.value, right.value)))
    return record(tx, op, (left.as_argument(tx), right.as_argument(tx)))


def bits_of(value: VariableTracker) -> VariableTracker:
    if isinstance(value, WordVariable):
        return value.bits
    return constant(core.signed(value.value)) if isinstance(value, ConstantVariable) else value


def lowest(tx: Tx, value: VariableTracker) -> VariableTracker:
    """The lowest bits: how many more there are is of no interest."""
    bits = bits_of(value)
    if isinstance(bits, ConstantVariable):
        return bits
    return record(tx, core.wrapped_sum, (bits.as_argument(tx), 0))


# -- signs


def has_no_sign(value: VariableTracker) -> bool:
    """Whether an int is known to be between 0 and 2**64 - 1."""
    if isinstance(value, WordVariable):
        return value.is_whole
    if isinstance(value, ConstantVariable):
        return bool(0 <= value.value < MODULUS)
    node = value.node  # type: ignore[attr-defined]
    first, *rest = node.args if node.op == "call_function" else (None,)
    if node.target is int:
        return isinstance(first, Node) and first.type.dtype.kind in "ub"
    return node.target is operator.and_ and any(
        isinstance(leaf, int) and leaf >= 0 for leaf in (first, *rest)
    )


def expect_no_sign(tx: Tx, value: VariableTracker) -> None:
    """Bail out of the call where an int of the graph is negative."""
    if isinstance(value, SizeVariable) or not has_no_sign(value):
        found = record(tx, operator.ge, (value.as_argument(tx), 0))
        record(tx, core.expect, (found.as_argument(tx),))


def are_whole(tx: Tx, *values: VariableTracker) -> bool:
    """Whether two ints have 64 bits and no sign; of a computed one that is expected."""
    if not all(is_computed(value) or has_no_sign(value) for value in values):
        return False
    for value in values:
        if is_computed(value):
            expect_no_sign(tx, value)
    return True


# -- operators


def ring(op: Callable[[Any, Any], Any]) -> Callable[..., VariableTracker]:
    def apply(tx: Tx, lhs: VariableTracker, rhs: VariableTracker) -> VariableTracker:
        return WordVariable(computed(tx, op, bits_of(lhs), bits_of(rhs)), False)

    return apply


def on_bits(op: Callable[[Any, Any], Any]) -> Callable[..., VariableTracker]:
    def apply(tx: Tx, lhs: VariableTracker, rhs: VariableTracker) -> VariableTracker:
        is_whole = are_whole(tx, lhs, rhs)
        return WordVariable(computed(tx, op, bits_of(lhs), bits_of(rhs)), is_whole)

    return apply


def masked(tx: Tx, lhs: VariableTracker, rhs: VariableTracker) -> VariableTracker | None:
    for mask, value in ((rhs, lhs), (lhs, rhs)):
        if isinstance(mask, ConstantVariable) and mask.value >= 0:
            return kept(tx, value, mask.value)
    return on_bits(operator.and_)(tx, lhs, rhs)


def kept(tx: Tx, value: VariableTracker, mask: int) -> VariableTracker | None:
    """The bits of an int that a mask has, which has no sign."""
    if mask >= MODULUS and not has_no_sign(value):
        return None
    mask %= MODULUS
    bits = lowest(tx, value)
    if mask == MODULUS - 1:
        return WordVariable(bits)
    bits = computed(tx, operator.and_, bits, constant(core.signed(mask)))
    return bits if mask < SIGN else WordVariable(bits)


def halves(tx: Tx, word: WordVariable) -> tuple[VariableTracker, VariableTracker]:
    """The word without its lowest bit, halved, and that bit."""
    return shifted(tx, word, 1), computed(tx, operator.and_, word.bits, constant(1))


def remainder(tx: Tx, lhs: VariableTracker, rhs: VariableTracker) -> VariableTracker | None:
    divisor = known(rhs)
    if divisor and divisor & (divisor - 1) == 0:
        return kept(tx, lhs, divisor - 1)
    if not isinstance(lhs, WordVariable) or not lhs.is_whole:
        return None
    if divisor is None or divisor > LARGEST_DIVISOR:
        return None
    half, bit = halves(tx, lhs)
    rest = computed(tx, operator.mod, half, rhs)
    twice = computed(tx, operator.add, computed(tx, operator.add, rest, rest), bit)
    return computed(tx, operator.mod, twice, rhs)


def shifted_right(tx: Tx, lhs: VariableTracker, rhs: VariableTracker) -> VariableTracker | None:
    if not isinstance(lhs, WordVariable) or not lhs.is_whole:
        return None
    return None if (places := known(rhs)) is None else shifted(tx, lhs, places)


def shifted(tx: Tx, word: WordVariable, places: int) -> VariableTracker:
    if not 0 < places < BITS:
        return ZERO if places else word
    bits = computed(tx, operator.rshift, word.bits, constant(places))
    return computed(tx, operator.and_, bits, constant((1 << BITS - places) - 1))


def shifted_left(tx: Tx, lhs: VariableTracker, rhs: VariableTracker) -> VariableTracker | None:
    if (places := known(rhs)) is None:
        return None
    factor = constant(core.signed(1 << min(places, BITS)))
    return WordVariable(computed(tx, operator.mul, bits_of(lhs), factor), False)


def quotient(tx: Tx, lhs: VariableTracker, rhs: VariableTracker) -> VariableTracker | None:
    """By a power of two, which loses nothing that the nearest float has."""
    is_known = isinstance(rhs, ConstantVariable) and type(rhs.value) in (int, float)
    divisor = rhs.value if is_known else 0  # type: ignore[attr-defined]
    if not isinstance(lhs, WordVariable) or not lhs.is_whole or not 1 <= divisor <= MODULUS:
        return None
    if divisor != int(divisor) or int(divisor) & (int(divisor) - 1):
        return None
    return record(tx, operator.mul, (nearest_float(tx, lhs).as_argument(tx), 1 / divisor))


def nearest_float(tx: Tx, word: WordVariable) -> VariableTracker:
    """Half of the word, which has no sign then: the lowest bit only says whether the half was
    rounded."""
    half, bit = halves(tx, word)
    odd = computed(tx, operator.or_, half, bit)
    doubled = record(tx, operator.mul, (as_float(tx, odd), 2.0)).as_argument(tx)
    is_large = computed(tx, operator.lt, word.bits, ZERO).as_argument(tx)
    return record(tx, control.choose, (is_large, doubled, as_float(tx, word.bits)))


def as_float(tx: Tx, value: VariableTracker) -> Any:
    return record(tx, float, (value.as_argument(tx),)).as_argument(tx)


def compared(op: Callable[[Any, Any], Any]) -> Callable[..., VariableTracker | None]:
    """In the order of ints without a sign: that of the bits with their highest one changed."""
    is_order = op not in (operator.eq, operator.ne)

    def apply(tx: Tx, lhs: VariableTracker, rhs: VariableTracker) -> VariableTracker | None:
        if not are_whole(tx, lhs, rhs):
            return None
        values = [bits_of(lhs), bits_of(rhs)]
        if is_order:
            values = [computed(tx, operator.xor, one, constant(-SIGN)) for one in values]
        left, right = values
        if isinstance(left, ConstantVariable) and isinstance(right, ConstantVariable):
            return constant(op(left.value, right.value))
        return record(tx, op, (left.as_argument(tx), right.as_argument(tx)))

    return apply


def known(value: VariableTracker) -> int | None:
    """A constant that is not negative."""
    if not isinstance(value, ConstantVariable) or value.value < 0:
        return None
    found: int = value.value
    return found


RING: Mapping[str, Callable[..., VariableTracker | None]] = {
    "+": ring(operator.add), "-": ring(operator.sub), "*": ring(operator.mul),
    "|": on_bits(operator.or_), "^": on_bits(operator.xor), "&": masked,
}
"""Operators whose results have lowest bits that follow from those of the operands."""
OPERATORS: Mapping[str, Callable[..., VariableTracker | None]] = {
    **RING, "%": remainder, ">>": shifted_right, "<<": shifted_left, "/": quotient,
    "<": compared(operator.lt), "<=": compared(operator.le), ">": compared(operator.gt),
    ">=": compared(operator.ge), "==": compared(operator.eq), "!=": compared(operator.ne),
}
