"""Python's complex numbers that the graph computes: two floats each."""
from __future__ import annotations

import operator
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, TypeGuard

import numpy as np

from ....errors import GraphBreak
from ....guards.sources import DependentSource, Pinned
from ....ir import core
from ...object_model.constants import ConstantVariable, constant, observe
from ...recording.nodes import record
from ...state.tracker import Args, Kwargs, VariableTracker
from .graph_methods import GraphMethodVariable
from .numbers import ComputedNumber, InputNumber, NumberVariable
from .unions import UnionNumber

if TYPE_CHECKING:
    from ...state.emitter import Emitter
    from ...state.tx import Tx

Pair = tuple[VariableTracker, VariableTracker]
ZERO = ConstantVariable(0.0)


class ComplexVariable(VariableTracker):
    """A complex number by its parts, Python floats."""

    def __init__(self, real: VariableTracker, imag: VariableTracker) -> None:
        self.parts = real, imag

    def python_type(self) -> type:
        return complex

    def getattr(self, tx: Tx, name: str) -> VariableTracker:
        if name == "conjugate":
            return GraphMethodVariable(self, name)
        if name not in ("real", "imag"):
            raise GraphBreak(f"attribute {name!r} of {self.describe()}")
        return self.parts[name == "imag"]

    def call_method(self, tx: Tx, name: str, args: Args, kwargs: Kwargs) -> VariableTracker:
        if name == "conjugate" and not args and not kwargs:
            return ComplexVariable(self.parts[0], negated(tx, self.parts[1]))
        if name == "__neg__":
            return ComplexVariable(*(negated(tx, part) for part in self.parts))
        if name == "__abs__":
            return absolute(tx, self.parts)
        raise GraphBreak(f"{name} of {self.describe()}")

    def as_argument(self, tx: Tx) -> Any:
        return record(tx, complex, [part.as_argument(tx) for part in self.parts]).as_argument(tx)

    def truth(self, tx: Tx) -> bool:
        raise GraphBreak(f"the truth of {self.describe()}, computed from data")

    def describe(self) -> str:
        return "a complex number that the graph computes"

    def reconstruct(self, code: Emitter) -> None:
        code.load_const(complex)
        for part in self.parts:
            code.build(part)
        code.call(2)


def real_and_imag(tx: Tx, value: VariableTracker) -> Pair | None:
    """A number of Python's as a complex one; None for NumPy's, which have their own rules."""
    if isinstance(value, ComplexVariable):
        return value.parts
    if isinstance(value, ConstantVariable) and type(value.value) in (bool, int, float, complex):
        if isinstance(value.value, int) and abs(value.value) > 2**53:
            return None
        known = complex(value.as_constant(tx))
        return constant(known.real), constant(known.imag)
    if isinstance(value, UnionNumber) or not isinstance(value, NumberVariable):
        return None
    if is_from_outside(value):
        return parts_from_outside(value)
    if not value.is_python or value.python_type() is complex:
        return None
    return real_part(tx, value), ZERO


def is_from_outside(value: VariableTracker) -> TypeGuard[InputNumber]:
    """Whether it is a complex number from outside."""
    return isinstance(value, InputNumber) and value.python_type() is complex


def parts_from_outside(value: InputNumber) -> Pair:
    return part_of(value, real_of), part_of(value, imag_of)


def part_of(value: InputNumber, part: Callable[[complex], float]) -> InputNumber:
    """A part of a number from outside, which is one itself."""
    return InputNumber(part(value.value), DependentSource(Pinned(part), (value.source,)))


def real_of(value: complex) -> float:
    return value.real


def imag_of(value: complex) -> float:
    return value.imag


def real_part(tx: Tx, value: VariableTracker) -> VariableTracker:
    """A number as a Python float."""
    if isinstance(value, ConstantVariable):
        return constant(float(value.as_constant(tx)))
    return record(tx, float, (value.as_argument(tx),))


def computed(
    tx: Tx, op: Callable[[Any, Any], Any], left: VariableTracker, right: VariableTracker
) -> VariableTracker:
    if isinstance(left, ConstantVariable) and isinstance(right, ConstantVariable):
        return constant(op(left.value, right.value))
    return record(tx, op, (left.as_argument(tx), right.as_argument(tx)))


def negated(tx: Tx, value: VariableTracker) -> VariableTracker:
    if isinstance(value, ConstantVariable):
        return constant(-value.value)
    return record(tx, operator.neg, (value.as_argument(tx),))


def absolute(tx: Tx, parts: Pair) -> VariableTracker:
    """`abs(z)`, which Python refuses where it is not finite."""
    if all(isinstance(part, ConstantVariable) for part in parts):
        real, imag = (part.as_constant(tx) for part in parts)
        return constant(observe(abs, complex(real, imag)))
    found = record(tx, np.hypot, [part.as_argument(tx) for part in parts]).as_argument(tx)
    record(tx, core.expect, (record(tx, np.isfinite, (found,)).as_argument(tx),))
    return record(tx, core.plain, (found,))


def multiplied(tx: Tx, left: Pair, right: Pair) -> VariableTracker:
    """CPython's `_Py_c_prod`."""
    (a, b), (c, d) = left, right
    products = [computed(tx, operator.mul, *pair) for pair in ((a, c), (b, d), (a, d), (b, c))]
    return ComplexVariable(
        computed(tx, operator.sub, *products[:2]), computed(tx, operator.add, *products[2:])
    )


def by_parts(op: Callable[[Any, Any], Any]) -> Callable[..., VariableTracker]:
    return lambda tx, left, right: ComplexVariable(
        *(computed(tx, op, *pair) for pair in zip(left, right))
    )


OPERATORS: Mapping[str, Callable[..., VariableTracker]] = {
    "+": by_parts(operator.add), "-": by_parts(operator.sub), "*": multiplied,
}


COMPUTED = ComplexVariable, ComputedNumber


def is_arithmetic(lhs: VariableTracker, rhs: VariableTracker) -> bool:
    """Whether an operator is one on two of Python's own numbers that the graph computes, or one of
    them, at least one complex."""
    if not isinstance(lhs, COMPUTED) and not isinstance(rhs, COMPUTED):
        return False
    values = lhs, rhs
    return all(map(_is_of_python, values)) and any(
        value.python_type() is complex for value in values)


def _is_of_python(value: VariableTracker) -> bool:
    if isinstance(value, UnionNumber):
        return False
    if isinstance(value, ConstantVariable):
        return type(value.value) in (bool, int, float, complex)
    return isinstance(value, ComplexVariable) or (
        isinstance(value, NumberVariable) and value.is_python
    )


def joined(tx: Tx, value: VariableTracker) -> VariableTracker:
    """A complex number as one value of the graph."""
    if not isinstance(value, ComplexVariable):
        return value
    return record(tx, complex, [part.as_argument(tx) for part in value.parts])


def binary(
    tx: Tx, symbol: str, lhs: VariableTracker, rhs: VariableTracker
) -> VariableTracker:
    """An operator on two numbers, one of them complex."""
    apply, pairs = OPERATORS.get(symbol), (real_and_imag(tx, lhs), real_and_imag(tx, rhs))
    if apply is None or None in pairs:
        raise GraphBreak(f"{lhs.describe()} {symbol} {rhs.describe()}")
    return apply(tx, *pairs)


def complex_of(tx: Tx, args: Args) -> VariableTracker | None:
    """`complex(real, imag)` of floats and ints, not all of which are known, or of one of NumPy's
    complex numbers."""
    if not 1 <= len(args) <= 2 or all(isinstance(arg, ConstantVariable) for arg in args):
        return None
    kinds = [arg.python_type() for arg in args]
    if len(args) == 1 and kinds[0] in (np.complex64, np.complex128):
        number = (args[0].as_argument(tx),)
        halves = record(tx, np.real, number), record(tx, np.imag, number)
        return ComplexVariable(*(real_part(tx, half) for half in halves))
    if any(isinstance(arg, UnionNumber) or not issubclass(kind, (int, float))
           for arg, kind in zip(args, kinds)):
        return None
    return ComplexVariable(*(real_part(tx, arg) for arg in [*args, ZERO][:2]))
