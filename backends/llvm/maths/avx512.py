"""What AVX-512 has for elementary functions: tables in registers, exponents and mantissas.

All of it works on whole vectors of 512 bits, which `native` makes of whatever there is, so that a
number has the same result in a vector of any length and alone. Quiet operations raise no flag.
"""
from __future__ import annotations

import functools
from collections.abc import Callable, Sequence

import numpy as np

from ..builder.elements import F64, Number, literal_text, scalar_type
from ..builder.values import Value

Function = Callable[..., Value]
QUIET = 8  # and rounding to nearest
DOWN = 1
MINIMUM_BY_SIZE = 2  # what VRANGE chooses


def native(function: Function) -> Function:
    """`function` on vectors of the size that the instructions have, where the target has them."""

    @functools.wraps(function)
    def resized(*args: Value) -> Value:
        first = args[0]
        full = 64 // first.dtype.itemsize
        if not first.builder.has_avx512 or first.lanes == full:
            return function(*args)
        if first.lanes > full:
            starts = range(0, first.lanes, full)
            return joined([function(*(_part(a, i, full) for a in args)) for i in starts])
        return function(*(_padded(a, full) for a in args)).shuffle(range(first.lanes))

    return resized


def _padded(a: Value, lanes: int) -> Value:
    """The lanes again and again: nothing is computed that was not there."""
    if a.literal or a.lanes == 1:
        return _literal(a, lanes) if a.literal else a.splat(lanes)
    return a.shuffle([i % a.lanes for i in range(lanes)])


def _part(a: Value, start: int, lanes: int) -> Value:
    return _literal(a, lanes) if a.literal else a.shuffle(range(start, start + lanes))


def _literal(a: Value, lanes: int) -> Value:
    """Literals have the same number in every lane."""
    return a.splat(lanes) if a.lanes == 1 else Value(a.builder, a.ref, a.dtype, lanes, True)


def joined(parts: Sequence[Value]) -> Value:
    while len(parts) > 1:
        pairs = zip(parts[::2], parts[1::2])
        parts = [a.shuffle(range(2 * a.lanes), b) for a, b in pairs]
    return parts[0]


def _suffix(x: Value) -> str:
    return "pd.512" if x.dtype == F64 else "ps.512"


def _call(x: Value, name: str, *arguments: Value | int) -> Value:
    operands = ", ".join(f"i32 {a}" if isinstance(a, int) else repr(a) for a in arguments)
    return x.like(x.builder.emit(f"call {x.type} @llvm.x86.avx512.{name}.{_suffix(x)}({operands})"))


def _masked(x: Value, name: str, *arguments: Value | int, control: int = QUIET) -> Value:
    """An instruction that LLVM knows only with a mask, under the full one."""
    operands = ", ".join(f"i32 {a}" if isinstance(a, int) else repr(a) for a in arguments)
    return x.like(
        x.builder.emit(
            f"call {x.type} @llvm.x86.avx512.mask.{name}.{_suffix(x)}({operands}, "
            f"{x.type} zeroinitializer, i{x.lanes} -1, i32 {control})"
        )
    )


def scalef(x: Value, exponent: Value) -> Value:
    """x * 2**floor(exponent), with its flags. An infinite exponent gives infinity or 0 of any x
    but a NaN that is signalling."""
    return _masked(x, "scalef", x, exponent, control=4)


def exponent_of(x: Value) -> Value:
    """floor(log2(x)) also of subnormal numbers; -inf of 0, inf and NaN of themselves."""
    return _masked(x, "getexp", x)


def mantissa_of(x: Value) -> Value:
    """Of |x|, from 1 to 2; 1 for 0 and inf."""
    return _masked(x, "getmant", x, 4)


def at_most(x: Value, limit: float) -> Value:
    """The smaller, NaN for NaN."""
    return _call(x, "min", x.constant(limit), x, QUIET)


def at_least(x: Value, limit: float) -> Value:
    return _call(x, "max", x.constant(limit), x, QUIET)


def within(x: Value, size: float) -> Value:
    """x, not larger than `size`; some number for NaN."""
    return _masked(x, "range", x, x.constant(size), MINIMUM_BY_SIZE)


def quiet_fma(
    x: Value, factor: Value | Number, addend: Value | Number, rounding: int = 0
) -> Value:
    others = [o if isinstance(o, Value) else x.constant(o) for o in (factor, addend)]
    return _call(x, "vfmadd", x, *others, QUIET + rounding)


def quiet_difference(x: Value, other: Value) -> Value:
    return _call(x, "sub", x, other, QUIET)


def quiet_scalef(x: Value, exponent: Value) -> Value:
    return _masked(x, "scalef", x, exponent)


def table_size(x: Value) -> int:
    """How many numbers `looked_up` chooses from: two registers full."""
    return 128 // x.dtype.itemsize


def looked_up(index: Value, numbers: Sequence[float], dtype: np.dtype) -> Value:
    """numbers[index modulo the size of the table]."""
    like = index.like("", dtype)
    halves = [literal_vector(numbers[i : i + like.lanes], dtype) for i in (0, like.lanes)]
    suffix = "pd" if dtype == F64 else "ps"
    return like.like(
        like.builder.emit(
            f"call {like.type} @llvm.x86.avx512.vpermi2var.{suffix}.512("
            f"{like.type} {halves[0]}, {index}, {like.type} {halves[1]})"
        )
    )


def literal_vector(numbers: Sequence[float], dtype: np.dtype) -> str:
    kind = scalar_type(dtype)
    texts = (literal_text(dtype, np.array(number, dtype).tobytes()) for number in numbers)
    return "<" + ", ".join(f"{kind} {text}" for text in texts) + ">"


def replaced_by(special: Function) -> Callable[[Function], Function]:
    """On AVX-512 the decorated function is `special`."""

    def decorate(general: Function) -> Function:
        @functools.wraps(general)
        def chosen(*args: Value) -> Value:
            return (special if args[0].builder.has_avx512 else general)(*args)

        return chosen

    return decorate
