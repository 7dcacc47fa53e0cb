"""Scalar operations and conversions with NumPy's exact semantics.

Most operations are the templates of their registry rows. Others are functions that are written on
values: those of a template "@name" here or in `integers`, those of "@topic.name" in `maths`, or one
in the row itself. `has` tells lowering what there is.
"""
from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import Any

import numpy as np

from ....base.loading import loaded
from ....ir.ops import topics as topics  # they fill the registry
from ....ir.row import ROWS, Op
from ...loop_ir.loops import Apply, Const, Convert, Expr, Reduce, Select
from ...loop_ir.simplify import value_of
from ..builder import integers, pairs
from ..builder.choices import extreme, rarely
from ..builder.constrained import constrained
from ..builder.divisors import FUNCTIONS as DIVISIONS
from ..builder.elements import BOOL, F32, F64, I32, I64, PARTS
from ..builder.flags import barrier, with_flags_of
from ..builder.nest import Nest
from ..builder.pairs import Element, Pair
from ..builder.terms import Term
from ..builder.values import Value
from ..maths.avx512 import native
from ..maths.called import function as called_outside
from .known_results import is_zero, may_be_known

Function = Callable[..., Any]
MATHS = "..maths"


@cache
def _by_name() -> Mapping[str, Op]:
    return {row.name: row for row in ROWS.values() if row.llvm}


def kind_letter(dtype: np.dtype) -> str:
    """The letter of an operand dtype in the `llvm` field of rows."""
    return dtype.kind


def template(op: str, dtype: np.dtype) -> str | Function | None:
    """What the row says for operands of `dtype`: a text, or what computes it; or None."""
    row = _by_name().get(op)
    text = row.llvm.get(kind_letter(dtype)) if row else None
    return function(text[1:], dtype) if isinstance(text, str) and text[0] == "@" else text


def function(name: str, dtype: np.dtype) -> Function | None:
    """What a template "@name" calls for operands of `dtype`."""
    if "." in name:
        return elementary(name)
    if dtype.kind == "c":
        return pairs.FUNCTIONS.get(name)
    return OWN.get(name) or (None if dtype.kind == "f" else integers.FUNCTIONS.get(name))


@cache
def elementary(name: str) -> Function:
    """A function of a topic, which most programs have none of."""
    topic, name = name.split(".")
    return native(getattr(loaded(f"{MATHS}.{topic}", __package__), name))


def emit_apply(nest: Nest, term: Term) -> Element:
    expr = term.expr
    assert isinstance(expr, Apply)
    varies = nest.varies(term)
    values: list[Any] = [nest.operand(arg, varies) for arg in term.args]
    if expr.op == "power" and nest.builder.math == "numpy" and not nest.varies(term.args[1]):
        values[1] = nest.value(term.args[1])  # NumPy's loop looks whether it is the same for all
    if term.args[0].expr in nest.halved:
        (pair,) = values
        wanted, other = (pair.real, pair.imag)[:: 1 if expr.op == "real" else -1]
        return with_flags_of(wanted, other, nest.zero)
    if (inverse := exact_inverse(expr)) is not None:
        return values[0] * inverse
    literal = all(value.literal for value in values)
    if literal or (len(term.args) == 2 and may_be_known(expr.op, *term.args)):
        values = [opaque(value) for value in values]
    return apply(expr.op, values, expr.dtype)


def exact_inverse(expr: Apply) -> float | None:
    """What a float may be multiplied by, which is faster, instead of being divided by a power of
    two: the result is the same, and so is what is reported."""
    if expr.op != "divide" or not isinstance(expr.args[1], Const):
        return None
    if isinstance(expr.args[0], Const) or expr.dtype not in (F32, F64):
        return None
    divisor = float(value_of(expr.args[1]))
    mantissa, exponent = math.frexp(divisor)
    is_power = abs(mantissa) == 0.5 and abs(exponent) < LARGEST_EXPONENT
    return 1 / divisor if is_power else None


LARGEST_EXPONENT = 64
"""Of powers of two whose inverses any float format has."""
PARTS_OF = frozenset(("real", "imag"))


def halved(exprs: Sequence[Expr]) -> frozenset[Expr]:
    """The computed complex numbers of which only the real parts are read, or only the others."""
    found = [e for e in exprs if isinstance(e, Apply) and e.op in PARTS_OF]
    asked: dict[Expr, set[str]] = {}
    for part in found:
        if isinstance(part.args[0], COMPUTED):
            asked.setdefault(part.args[0], set()).add(part.op)
    once = {expr for expr, names in asked.items() if len(names) == 1}
    if not once:
        return frozenset()
    others = {*exprs}.difference(found)
    return frozenset(once.difference(*(expr.operands for expr in others)))


def apply(op: str, values: Sequence[Any], dtype: np.dtype) -> Any:
    """The operation on values of one lane count."""
    if op in DIVISIONS:
        return DIVISIONS[op](*values)
    if op == "complex":
        return Pair(*values)
    text = template(op, values[0].dtype)
    if text is None:
        raise NotImplementedError(f"no LLVM code for {op} of {values[0].dtype}")
    if not isinstance(text, str):
        return (exact_function(op, values[0]) or text)(*values)
    first: Value = values[0]
    if match := re.match(r"fcmp (\w+) ", text):
        return first.compare(match[1], values[1] if len(values) > 1 else 0)
    names = dict(zip("abc", (value.ref for value in values)))
    result = first.like("", dtype)
    names |= {"t": first.type, "s": first.suffix, "r": result.type}
    found = first.like(first.builder.emit(text.format_map(names)), dtype)
    if len(values) > 1 and (match := re.match(r"icmp (\w+) ", text)):
        found.compared = match[1], first, values[1]
    return found


def exact_function(op: str, first: Any) -> Function | None:
    """What computes an operation with the bits that it has in Python, where that is asked for."""
    exact = isinstance(first, Value) and first.builder.math == "numpy"
    return called_outside(op, first) if exact else None


def opaque(value: Any) -> Any:
    """A literal that LLVM cannot fold, so that an operation on literals still raises its flags."""
    if isinstance(value, Pair):
        return value.map(opaque)
    if value.dtype.kind == "b":
        return value
    if value.dtype.kind in "iu" and value.lanes == 1:
        return value.builder.opaque(value)
    slot = keep(value)
    return value.like(value.builder.emit(f"load volatile {value.type}, ptr {slot}"))


def keep(value: Any) -> str:
    """Have LLVM compute a value, whoever reads it; the place where it is."""
    if isinstance(value, Pair):
        keep(value.imag)
        return keep(value.real)
    slot: str = value.builder.stack(value.type)
    value.builder.void(f"store volatile {value}, ptr {slot}")
    return slot


def emit_const(nest: Nest, term: Term) -> Element:
    expr = term.expr
    assert isinstance(expr, Const)
    if expr.dtype in PARTS:
        return pairs.literal(nest.builder, expr.dtype, expr.bits)
    return nest.builder.literal(expr.dtype, expr.bits)


def emit_select(nest: Nest, term: Term) -> Element:
    assert isinstance(term.expr, Select)
    varies = nest.varies(term)
    condition, true, false = (nest.operand(arg, varies) for arg in term.args)
    if isinstance(true, Value) and (found := extreme(condition, true, false)) is not None:
        return found
    if is_place(term.expr) and true.lanes == 1 and nest.builder.has_branches:
        return rarely(condition, true, false)
    if true.dtype.kind in "fc":
        first, second = (arg.expr for arg in term.args[1:])
        both = isinstance(first, Const) and isinstance(second, Const)
        true = barrier(true, nest.zero) if both or loses_flags(first) else true
        false = barrier(false, nest.zero) if loses_flags(second) else false
    if isinstance(true, Pair):
        return pairs.select(condition, true, false)
    return condition.select(true, false)


def is_place(expr: Select) -> bool:
    """Whether an expression is the place of an index, which counts from the end where it is
    negative."""
    test, counted, index = expr.operands
    if not isinstance(test, Apply) or not isinstance(counted, Apply) or index.dtype != I64:
        return False
    is_negative = test.op == "less" and test.args[0] == index and is_zero(test.args[1])
    return is_negative and counted.op == "add" and counted.args[0] == index


COMPUTED = (Apply, Convert, Select, Reduce)
"""What may raise flags, also where it is not selected."""
NEUTRAL = (0.0, 1.0)


def loses_flags(alternative: Expr) -> bool:
    """Whether LLVM may move operations into or out of a selection for what it selects from: where
    that is a neutral element, as in `x / where(y == 0, 1, y)`, it computes `x / y` in any case."""
    if isinstance(alternative, Const):
        return np.frombuffer(alternative.bits, alternative.dtype)[0] in NEUTRAL
    return isinstance(alternative, COMPUTED)


def emit_convert(nest: Nest, term: Term) -> Element:
    assert isinstance(term.expr, Convert)
    (arg,), dtype = term.args, term.expr.dtype
    operand = nest.operand(arg, nest.varies(term))
    operand = opaque(operand) if operand.literal else operand
    part = PARTS.get(dtype, dtype)
    if isinstance(operand, Pair):
        if dtype.kind == "b":
            return pairs.truth(operand)
        return operand.map(lambda one: convert(one, part))
    value = convert(operand, part)
    value = barrier(value, nest.zero) if is_choice(arg.expr.dtype, part) else value
    return value if part == dtype else Pair(value, value.constant(0))


def is_choice(source: np.dtype, target: np.dtype) -> bool:
    """LLVM sees a converted bool as a selection of 0 or 1, and folds operations on it."""
    return source.kind == "b" and target.kind == "f"


def convert(value: Value, dtype: np.dtype) -> Value:
    """NumPy's unsafe cast of each element."""
    source = value.dtype
    if source == dtype:
        return value
    if dtype.kind == "b":
        return value.compare("une" if source.kind == "f" else "ne", 0)
    if source.kind == "b" and dtype.kind == "f":
        return value.select(value.builder.constant(dtype, 1), 0)
    if source.kind == "b":
        return value.cast("zext", dtype)
    if source.kind == "f" and dtype.kind == "f":
        wider = dtype.itemsize > source.itemsize
        return value.cast("fpext" if wider else "fptrunc", dtype)
    if source.kind == "f":
        return float_to_integer(value, dtype)
    if dtype.kind == "f":
        return value.cast("sitofp" if source.kind == "i" else "uitofp", dtype)
    if source.itemsize == dtype.itemsize:
        return value.like_retyped(dtype)
    if dtype.itemsize < source.itemsize:
        return value.cast("trunc", dtype)
    return value.cast("sext" if source.kind == "i" else "zext", dtype)


def float_to_integer(value: Value, dtype: np.dtype) -> Value:
    """The processor's own conversion, as the C compiler uses it for NumPy: out of range and NaN
    raise the invalid flag, so NumPy's warning is not lost. Narrow integers go through 32 bits,
    unsigned ones of 64 bits in two ranges.

    What NumPy gives for a uint32 out of range depends on the place in the array: NumPy is asked."""
    if dtype.kind == "u" and dtype.itemsize == 8:
        limit = float(2**63)
        large = value.ge(limit)
        low = _hardware_convert(large.select(value - limit, value), I64)
        return large.select(low ^ -(2**63), low).like_retyped(dtype)
    if dtype == np.uint32:
        value.builder.bail_out_where(~(value.ge(-(2.0**31)) & value.lt(2.0**32)))
    wide = I64 if dtype.itemsize == 8 or dtype == np.uint32 else I32
    result = _hardware_convert(value, wide)
    if dtype.itemsize < wide.itemsize:
        return result.cast("trunc", dtype)
    return result.like_retyped(dtype)


def _hardware_convert(value: Value, dtype: np.dtype) -> Value:
    """`fptosi` of which no value is undefined: the constrained form is never folded to poison."""
    return constrained(
        "fptosi.{to}.{of}", (value,), dtype, 'metadata !"fpexcept.strict"')


def identity(a: Value) -> Value:
    return a


def invert(a: Value) -> Value:
    return ~a


def logical_and(a: Value, b: Value) -> Value:
    return convert(a, BOOL) & convert(b, BOOL)


def logical_or(a: Value, b: Value) -> Value:
    return convert(a, BOOL) | convert(b, BOOL)


def logical_xor(a: Value, b: Value) -> Value:
    return convert(a, BOOL) ^ convert(b, BOOL)


def isfinite(a: Value) -> Value:
    return a.call("fabs").bits().lt(_infinity_bits(a))


def isinf(a: Value) -> Value:
    return a.call("fabs").bits().eq(_infinity_bits(a))


def _infinity_bits(a: Value) -> int:
    bits = np.dtype(f"i{a.dtype.itemsize}")
    return int(np.array(np.inf, a.dtype).view(bits))


def signbit(a: Value) -> Value:
    return a.bits().lt(0)


def sign(a: Value) -> Value:
    """-1, 0 or 1; NaN stays NaN, and -0.0 gives 0.0."""
    if a.dtype.kind == "u":
        return a.ne(0).select(a.builder.constant(a.dtype, 1), 0)
    up = a.gt(0).select(a.builder.constant(a.dtype, 1), 0)
    both = a.lt(0).select(-1, up)
    return a.is_nan().select(a, both) if a.dtype.kind == "f" else both


def maximum(a: Value, b: Value) -> Value:
    """`a` where it is greater or NaN; of equal zeros the second, as NumPy's vector loops give."""
    return in_order(a.gt(b), a, b)


def minimum(a: Value, b: Value) -> Value:
    return in_order(a.lt(b), a, b)


def in_order(is_first: Value, a: Value, b: Value) -> Value:
    """`a` where it is the first, or NaN."""
    is_nan = a.is_nan
    found = extreme(is_first, a, b, lambda: is_nan().select(a, b))
    return found or (is_first | is_nan()).select(a, b)


def fmax(a: Value, b: Value) -> Value:
    return chosen(a.ge(b) | b.is_nan(), a, b)


def fmin(a: Value, b: Value) -> Value:
    return chosen(a.le(b) | b.is_nan(), a, b)


def chosen(is_first: Value, a: Value, b: Value) -> Value:
    """One of two numbers. Of zeros with different signs NumPy's vector loops give the second, and
    its scalar loops the first: the call bails out."""
    if a.dtype.kind == "f":
        a.builder.bail_out_where(a.eq(b) & a.bits().ne(b.bits()))
    return is_first.select(a, b)


def heaviside(a: Value, b: Value) -> Value:
    step = a.lt(0).select(a.builder.constant(a.dtype, 0), a.eq(0).select(b, 1))
    return a.is_nan().select(a, step)


OWN: Mapping[str, Function] = {
    f.__name__: f
    for f in (
        identity, invert, logical_and, logical_or, logical_xor, isfinite, isinf, signbit, sign,
        maximum, minimum, fmax, fmin, heaviside,
    )
}
