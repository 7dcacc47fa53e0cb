"""Complex numbers as pairs of real ones: kernels of them become kernels of their parts.

`Kernel` in, `Kernel` out, before any source is written. What rounds or compares numbers is a
function of the prelude for each part, which Triton's interpreter leaves to NumPy: both parts are
computed there, and reported of, whichever is read.
"""
from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any, Union

import numpy as np

from ....base.records import dataclass, field
from ....errors import Unsupported
from ....ir.ops.columns import having
from ...loop_ir import affine
from ...loop_ir.loops import (
    Apply,
    Buffer,
    Check,
    Const,
    Convert,
    Expr,
    Gather,
    Kernel,
    Load,
    Offset,
    Reduce,
    Scalar,
    Scan,
    Select,
    Statement,
    Store,
    walk,
)
from ...loop_ir.rewrite import REBUILT, map_statement
from .prelude import OPERANDS

BOOL = np.dtype(np.bool_)
PARTS: Mapping[np.dtype, np.dtype] = {
    np.dtype(np.complex64): np.dtype(np.float32), np.dtype(np.complex128): np.dtype(np.float64)}
SUM_OF_PARTS = "add_parts"
"""The sum of the real or of the imaginary parts, in the order in which NumPy adds such numbers."""


@dataclass(frozen=True, slots=True)
class Pair:
    """A complex number: its real and its imaginary part."""

    real: Expr
    imag: Expr

    @property
    def dtype(self) -> np.dtype:
        return self.real.dtype

    def map(self, function: Callable[[Expr], Expr]) -> Pair:
        return Pair(function(self.real), function(self.imag))


@dataclass(frozen=True, slots=True)
class PairStore(Store):
    """A store of the real part, with that of the imaginary part: first both are computed."""

    imag: Store = field(default=None)  # type: ignore[assignment]  # of which there always is one

    @property
    def roots(self) -> tuple[Expr, ...]:
        return (self.value, *self.imag.roots)


Element = Union[Expr, Pair]


@dataclass(frozen=True, slots=True)
class Given:
    """A part of a number that a kernel is called with."""

    number: Scalar
    part: str


def in_pairs(kernel: Kernel) -> tuple[Kernel, dict[Scalar, Given]]:
    """The kernel without complex numbers, and which of its parameters are parts of what;
    Unsupported names what has no such form."""
    if not any(part.dtype in PARTS for part in kernel.parts):
        return kernel, {}
    splitting = Splitting()
    for part in kernel.parts:
        operands = tuple([splitting.found[operand] for operand in part.operands])
        splitting.found[part] = splitting.element(part, operands)
    statements = [made for one in kernel.statements for made in splitting.statements(one)]
    return replace(kernel, statements=tuple(statements)), splitting.given


@dataclass
class Splitting:
    """What expressions have become."""

    found: dict[Expr, Element] = field(default_factory=dict)
    given: dict[Scalar, Given] = field(default_factory=dict)

    def element(self, expr: Expr, operands: tuple[Any, ...]) -> Element:
        is_pair = expr.dtype in PARTS or any(isinstance(one, Pair) for one in operands)
        if is_pair:
            return SPLIT[type(expr)](self, expr, operands)
        return REBUILT[type(expr)](expr, operands) if operands else expr

    def statements(self, statement: Statement) -> tuple[Statement, ...]:
        """One for one, but running sums, which are those of the parts."""
        made = map_statement(statement, self.first)
        if isinstance(made, Check) or made.buffer.dtype not in PARTS:
            return (made,)
        pair = self.found[statement.roots[0]]
        assert isinstance(pair, Pair)
        buffer, places = parts_of(made.buffer, made.offset)
        parts = list(zip(places, (pair.real, pair.imag)))
        if isinstance(made, Scan):
            return self.running(made, buffer, parts)
        real, imag = (Store(buffer, place, value, made.indices) for place, value in parts)
        return (PairStore(real.buffer, real.offset, real.value, real.indices, imag),)

    def running(
        self, scan: Scan, buffer: Buffer, parts: list[tuple[Offset, Expr]]
    ) -> tuple[Statement, ...]:
        if scan.op != "add":
            raise Unsupported("a running product of complex numbers")
        loads = walk([value for _, value in parts])
        if any(isinstance(one, (Load, Gather)) and one.buffer == buffer for one in loads):
            raise Unsupported("a running sum of complex numbers in their place")
        return tuple([Scan(scan.op, buffer, place, value, scan.axis) for place, value in parts])

    def first(self, expr: Expr) -> Expr:
        """What a real number is now, or the real part."""
        found = self.found[expr]
        return found.real if isinstance(found, Pair) else found

    def load(self, expr: Load, operands: tuple[Any, ...]) -> Pair:
        buffer, places = parts_of(expr.buffer, expr.offset)
        return Pair(*(Load(buffer, place) for place in places))

    def gather(self, expr: Gather, operands: tuple[Any, ...]) -> Pair:
        buffer, places = parts_of(expr.buffer, expr.offset)
        indices = tuple((new, stride) for new, (_, stride) in zip(operands, expr.indices))
        return Pair(*(Gather(buffer, place, indices) for place in places))

    def literal(self, expr: Const, operands: tuple[Any, ...]) -> Pair:
        part, middle = PARTS[expr.dtype], len(expr.bits) // 2
        return Pair(Const(expr.bits[:middle], part), Const(expr.bits[middle:], part))

    def number(self, expr: Scalar, operands: tuple[Any, ...]) -> Pair:
        made = [Scalar(f"{expr.name}_{part}", PARTS[expr.dtype]) for part in ("real", "imag")]
        self.given |= {one: Given(expr, part) for one, part in zip(made, ("real", "imag"))}
        return Pair(*made)

    def converted(self, expr: Convert, operands: tuple[Any, ...]) -> Element:
        (arg,), part = operands, PARTS.get(expr.dtype, expr.dtype)
        if expr.dtype == BOOL:
            return truth(arg)
        if not isinstance(arg, Pair):
            return Pair(cast(arg, part), zero(part))
        return arg.map(lambda one: cast(one, part)) if expr.dtype in PARTS else (
            cast(arg.real, part))

    def chosen(self, expr: Select, operands: tuple[Any, ...]) -> Pair:
        condition, true, false = operands
        return Pair(Select(condition, true.real, false.real),
                    Select(condition, true.imag, false.imag))

    def fold(self, expr: Reduce, operands: tuple[Any, ...]) -> Pair:
        body: Pair = operands[0]
        if expr.op != "add":
            raise Unsupported(f"{expr.op} of complex numbers as a fold")
        return body.map(lambda one: Reduce(
            SUM_OF_PARTS, one, expr.axes, one.dtype, operands[1:], expr.row))

    def applied(self, expr: Apply, operands: tuple[Any, ...]) -> Element:
        if (formula := FORMULAS.get(expr.op)) is None:
            raise Unsupported(f"{expr.op} of {expr.args[0].dtype} has no Triton form")
        return formula(*operands)


SPLIT: Mapping[type, Callable[[Splitting, Any, tuple[Any, ...]], Element]] = {
    Apply: Splitting.applied, Const: Splitting.literal, Convert: Splitting.converted,
    Gather: Splitting.gather, Load: Splitting.load, Reduce: Splitting.fold,
    Scalar: Splitting.number, Select: Splitting.chosen,
}


def parts_of(buffer: Buffer, offset: Offset) -> tuple[Buffer, tuple[Offset, Offset]]:
    """The same memory as one of real numbers, and where in it the two parts are."""
    part = PARTS[buffer.dtype]
    return Buffer(buffer.name, part), (offset, affine.plus(offset, Offset(part.itemsize)))


def cast(expr: Expr, dtype: np.dtype) -> Expr:
    return expr if expr.dtype == dtype else Convert(expr, dtype)


def zero(dtype: np.dtype) -> Expr:
    return Const(bytes(dtype.itemsize), dtype)


def truth(a: Element) -> Expr:
    if isinstance(a, Pair):
        return either(Convert(a.real, BOOL), Convert(a.imag, BOOL))
    return cast(a, BOOL)


def both(a: Expr, b: Expr) -> Expr:
    return Apply("logical_and", (a, b), BOOL)


def either(a: Expr, b: Expr) -> Expr:
    return Apply("logical_or", (a, b), BOOL)


def negated(a: Expr) -> Expr:
    return Apply("negative", (a,), a.dtype)


# Formulas, by the names of rows -------------------------------------------------------------------

def prelude_functions(part: str) -> list[str]:
    """The operations of which the prelude has a function for a part."""
    names = (re.fullmatch(f"complex_(.+)_{part}", name) for name in OPERANDS)
    return [name[1] for name in names if name]


def by_parts(op: str) -> Callable[..., Pair]:
    """The operation on the real parts, and on the imaginary ones."""
    def formula(*operands: Pair) -> Pair:
        real, imag = (tuple(getattr(one, part) for one in operands) for part in ("real", "imag"))
        return Pair(Apply(op, real, real[0].dtype), Apply(op, imag, imag[0].dtype))

    return formula


def called(op: str, *parts: str) -> Callable[..., Element]:
    """Functions of the prelude on all parts of the operands; `parts` are those of a pair."""
    def formula(*operands: Pair) -> Element:
        given = tuple([part for one in operands for part in (one.real, one.imag)])
        dtype = given[0].dtype
        return Pair(*(Apply(f"complex_{op}_{part}", given, dtype) for part in parts))

    return formula


def number(op: str, dtype: np.dtype | None = None) -> Callable[..., Expr]:
    """A function of the prelude that gives a real number or a truth."""
    def formula(*operands: Pair) -> Expr:
        given = tuple([part for one in operands for part in (one.real, one.imag)])
        return Apply(f"complex_{op}", given, dtype or given[0].dtype)

    return formula


def compared(op: str, join: Callable[[Expr, Expr], Expr]) -> Callable[..., Expr]:
    """Both parts compared or tested."""
    def formula(*operands: Pair) -> Expr:
        real, imag = (tuple(getattr(one, part) for one in operands) for part in ("real", "imag"))
        return join(Apply(op, real, BOOL), Apply(op, imag, BOOL))

    return formula


def of_truths(op: str) -> Callable[..., Expr]:
    return lambda *operands: Apply(op, tuple(map(truth, operands)), BOOL)


BY_PARTS: Mapping[str, Callable[[str], Callable[..., Element]]] = {
    "each part": by_parts, "truths": of_truths,
    "both parts": lambda op: compared(op, both), "either part": lambda op: compared(op, either),
}
"""What rows say of complex numbers."""
PAIR = ("real", "imag")
FORMULAS: Mapping[str, Callable[..., Element]] = {
    "identity": lambda a: a, "positive": lambda a: a,
    "conjugate": lambda a: Pair(a.real, negated(a.imag)),
    "real": lambda a: a.real, "imag": lambda a: a.imag, "complex": Pair,
    **{op: called(op, *PAIR) for op in (*prelude_functions("real"), "mul")},
    "absolute": number("absolute"),
    **{op: number(op, BOOL) for op in ("less", "less_equal", "greater", "greater_equal")},
    **{row.name: BY_PARTS[by](row.name) for row in having("triton")
       if isinstance(row.triton, Mapping) and (by := row.triton.get("c"))},
}
