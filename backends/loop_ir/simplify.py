"""Constructors that simplify: literals, conversions, and operations on literals.

Only rewrites that are exact for every input, floating-point flags included, belong here; what a
rewrite leaves out may still have to be computed for its flags (`lowering.arithmetic.reports`).
"""
from __future__ import annotations

from typing import Any

import numpy as np

from ...ir.ops.columns import target_named
from ...ir.sizes import Size
from .loops import Apply, Const, Convert, Expr, Select, SizeValue

INT64 = np.dtype(np.int64)
BOOL = np.dtype(np.bool_)


class Inexact(Exception):
    """A literal cannot be converted without NumPy having something to say about it."""


def const(value: Any, dtype: np.typing.DTypeLike) -> Const:
    """The literal `value` as `dtype`; Inexact when NumPy would warn or raise while converting."""
    resolved = np.dtype(dtype)
    if isinstance(value, (complex, np.complexfloating)):
        check_parts(np.dtype(complex), resolved)
    try:
        with np.errstate(all="raise", under="ignore"):
            return Const(np.asarray(value).astype(resolved).tobytes()
                         if isinstance(value, np.generic)
                         else np.asarray(value, resolved).tobytes(), resolved)
    except (FloatingPointError, OverflowError) as error:
        raise Inexact(str(error)) from error


def drops_parts(source: np.dtype, target: np.dtype) -> bool:
    return source.kind == "c" and target.kind not in "cb"


def check_parts(source: np.dtype, target: np.dtype) -> None:
    """NumPy warns where it drops imaginary parts."""
    if drops_parts(source, target):
        raise Inexact(f"imaginary parts are dropped: {source} as {target}")


def value_of(expr: Const) -> Any:
    """The NumPy scalar that a literal stands for."""
    return np.frombuffer(expr.bits, expr.dtype)[0]


def size_value(size: Size) -> Expr:
    return const(size, INT64) if isinstance(size, int) else SizeValue(size)


def is_exact(source: np.dtype, target: np.dtype) -> bool:
    """Whether every value of `source` is a value of `target`."""
    if source.kind == "f" and target.kind == "f":
        return target.itemsize >= source.itemsize
    if source.kind in "iub" and target.kind == "f":
        return np.can_cast(source, target, "safe") and (
            source.itemsize * 8 <= np.finfo(target).nmant + 1
        )
    return bool(np.can_cast(source, target, "safe"))


def convert(expr: Expr, dtype: np.dtype) -> Expr:
    """NumPy's cast of one element; nothing where the dtype is right already."""
    if expr.dtype == dtype:
        return expr
    check_parts(expr.dtype, dtype)
    if isinstance(expr, Const):
        try:
            return const(value_of(expr), dtype)
        except Inexact:
            return Convert(expr, dtype)
    if isinstance(expr, Convert) and _skips(expr.arg.dtype, expr.dtype, dtype):
        return convert(expr.arg, dtype)
    return Convert(expr, dtype)


def _skips(source: np.dtype, middle: np.dtype, target: np.dtype) -> bool:
    """Whether source → middle → target equals source → target, in value and in flags."""
    if not is_exact(source, middle):
        return False
    kinds = {source.kind, middle.kind, target.kind}
    return kinds <= set("iub") or kinds == {"f"} or source.kind == "b"


def select(condition: Expr, true: Expr, false: Expr) -> Expr:
    if isinstance(condition, Const):
        return true if value_of(condition) else false
    return true if true is false else Select(condition, true, false)


def is_true(expr: Expr) -> bool:
    return isinstance(expr, Const) and expr.dtype == BOOL and bool(value_of(expr))


def apply(name: str, operands: tuple[Expr, ...], dtype: np.dtype) -> Expr:
    """A scalar operation; what does not depend on data is decided now, as LLVM would."""
    if (decided := _decided(name, operands, dtype)) is not None:
        return decided
    is_decided = name in DECIDED or (name == "absolute" and dtype.kind == "f")
    if is_decided and all(isinstance(operand, Const) for operand in operands):
        return const(target_named(name)(*map(value_of, operands)), dtype)  # type: ignore[arg-type]
    if name in ("logical_or", "logical_and") and dtype == BOOL:
        decisive = name == "logical_or"
        for operand, other in (operands, operands[::-1]):
            if isinstance(operand, Const) and operand.dtype == BOOL:
                return operand if bool(value_of(operand)) == decisive else other
    return Apply(name, operands, dtype)


DECIDED = frozenset(
    ("equal", "not_equal", "less", "less_equal", "greater", "greater_equal",
     "logical_or", "logical_and", "logical_not")
)


def _decided(name: str, operands: tuple[Expr, ...], dtype: np.dtype) -> Expr | None:
    """The one result that an operation has whatever an operand is, or None."""
    if len(operands) != 2:
        return None
    if operands[0].dtype.kind not in "biu" and not name.startswith("logical_"):
        return None
    if operands[0] is operands[1] and name in OF_EQUALS:
        return const(OF_EQUALS[name], dtype)
    for operand in operands:
        if name in ABSORBING and isinstance(operand, Const):
            if value_of(operand) == np.array(ABSORBING[name]).astype(operand.dtype):
                return operand if operand.dtype == dtype else const(0, dtype)
    return None


OF_EQUALS = {
    **dict.fromkeys(("subtract", "bitwise_xor", "logical_xor", "not_equal", "less", "greater"), 0),
    **dict.fromkeys(("equal", "less_equal", "greater_equal"), 1),
}
"""What operations on integers, and those of logic, give of two that are the same."""
ABSORBING = {"multiply": 0, "bitwise_and": 0, "logical_and": 0, "bitwise_or": -1}
"""Integers that decide what an operation gives: themselves, or False."""
