"""Rows of the ufuncs.

In LLVM templates NumPy booleans are `i1`, comparisons give `i1` vectors, and a text "@name" calls
the generator's own function. `IDENTITY` says that the operation does nothing for that kind.
"""
from __future__ import annotations

import math
import operator
from collections.abc import Mapping
from typing import Any

import numpy as np

from ..row import Kind, op
from ..rules import slopes
from ..rules.pointwise import ufunc_rule
from .elementary import ELEMENTARY

IDENTITY = "@identity"

Templates = Mapping[str, str]


def _row(**fields: Any) -> dict[str, Any]:
    return fields


def _call(name: str, arity: int = 2) -> str:
    operands = ", ".join(f"{{t}} {{{letter}}}" for letter in "abc"[:arity])
    return f"call {{t}} @llvm.{name}.{{s}}({operands})"


def _each(letters: str, text: str) -> dict[str, str]:
    return dict.fromkeys(letters, text)


def _compare(ordered: str, signed: str, unsigned: str) -> Templates:
    return {
        "f": f"fcmp {ordered} {{t}} {{a}}, {{b}}",
        "i": f"icmp {signed} {{t}} {{a}}, {{b}}",
        **_each("ub", f"icmp {unsigned} {{t}} {{a}}, {{b}}"),
    }


def _logic(name: str) -> Templates:
    return {
        **_each("iu", f"{name} {{t}} {{a}}, {{b}}"),
        "b": f"{name} {{t}} {{a}}, {{b}}",
    }


def _own(name: str, letters: str = "f") -> Templates:
    return _each(letters, f"@{name}")


ARITHMETIC: Mapping[np.ufunc, dict[str, Any]] = {
    np.add: _row(llvm={"f": "fadd {t} {a}, {b}", **_each("iu", "add {t} {a}, {b}"),
                       "b": "or {t} {a}, {b}"},
                 triton={"": "({a} + {b})", "b": "({a} | {b})"}, flags=True,
                 operators=(operator.add,), scalars_warn=True, never_reports=True, silent="biu",
                 partials=(slopes.one, slopes.one)),
    np.subtract: _row(llvm={"f": "fsub {t} {a}, {b}", **_each("iu", "sub {t} {a}, {b}")},
                      triton="({a} - {b})", flags=True,
                      operators=(operator.sub,), scalars_warn=True, never_reports=True,
                      silent="biu", partials=(slopes.one, slopes.minus_one)),
    np.multiply: _row(llvm={"f": "fmul {t} {a}, {b}", **_each("iu", "mul {t} {a}, {b}"),
                            "b": "and {t} {a}, {b}"},
                      triton={"": "({a} * {b})", "b": "({a} & {b})"}, flags=True,
                      operators=(operator.mul,), scalars_warn=True, never_reports=True,
                      formula="multiply", silent="biu",
                      partials=(lambda out, a, b: b, lambda out, a, b: a)),
    np.divide: _row(llvm={"f": "fdiv {t} {a}, {b}"},
                    triton={"d": "({a} / {b})", "": "tl.div_rn({a}, {b})"}, flags=True,
                    operators=(operator.truediv,), harmless_at_one="iuf", cost=0.1, weight=4,
                    partials=(lambda out, a, b: 1 / b, slopes.quotient)),
    np.floor_divide: _row(llvm={"f": "@division.floor_divide", **_own("floor_divide", "iu")},
                          triton="@floor_divide", flags=True,
                          checks=("zero divisor", "quotient overflow"),
                          operators=(operator.floordiv,), scalars_warn=True,
                          harmless_at_one="iu", cost=0.8, weight=4,
                          partials=(slopes.none, slopes.none)),
    np.remainder: _row(llvm={"f": "@division.remainder", **_own("remainder", "iu")},
                       triton="@remainder", flags=True,
                       checks=("zero divisor",),
                       operators=(operator.mod,), harmless_at_one="iu", cost=0.5,
                       weight=4, bfloat16=None,
                       partials=(slopes.one, lambda out, a, b: -np.floor(a / b))),
    np.fmod: _row(llvm={"f": "@division.fmod", **_own("fmod", "iu")}, triton="@fmod", flags=True,
                  math=math.fmod,
                  checks=("zero divisor",), cost=0.25, weight=4,
                  partials=(slopes.one, lambda out, a, b: -np.trunc(a / b))),
    np.divmod: _row(flags=True, checks=("zero divisor",), operators=(divmod,), weight=4,
                    vjp=("arrays.dividend", "arrays.divisor")),
    np.power: _row(llvm={"f": "@power.power", **_own("power", "iu")}, triton="@power", flags=True,
                   checks=("negative power",),
                   operators=(operator.pow, pow), scalars_warn=True, math=math.pow,
                   cost=1.1, weight=10, approximated=True, partials=(slopes.base, slopes.exponent)),
    np.float_power: _row(llvm={"f": "@power.power"}, c={"d": "pow"}, triton="@power", flags=True,
                         weight=10, partials=(slopes.base, slopes.exponent)),
    np.negative: _row(llvm={"f": "fneg {t} {a}", **_each("iu", "sub {t} zeroinitializer, {a}")},
                      triton={"": "(-{a})", "f": "@negative", "c": "each part"},
                      operators=(operator.neg,), scalars_warn=True, never_reports=True,
                      silent="biufc", partials=(slopes.minus_one,)),
    np.positive: _row(llvm=_each("fiuc", IDENTITY), triton="{a}",
                      operators=(operator.pos,), never_reports=True, flags_exact=True,
                      partials=(slopes.one,)),
    np.absolute: _row(llvm={"f": _call("fabs", 1),
                            "i": "call {t} @llvm.abs.{s}({t} {a}, i1 false)",
                            **_each("ub", IDENTITY)},
                      triton={"": "tl.abs({a})", "u": "{a}", "b": "{a}"},
                      operators=(operator.abs, abs), scalars_warn=True, math=math.fabs,
                      formula="absolute", silent="biufc", positive_zeros=True,
                      partials=(slopes.slope,)),
    np.fabs: _row(llvm={"f": _call("fabs", 1)}, triton="tl.abs({a})", positive_zeros=True,
                  partials=(slopes.slope,)),
    np.sqrt: _row(llvm={"f": _call("sqrt", 1)},
                  triton={"d": "tl.sqrt({a})", "f": "tl.sqrt_rn({a})"}, flags=True,
                  math=math.sqrt, harmless_at_one="f", cost=0.2, weight=4,
                  partials=(lambda out, a: 0.5 / out,)),
    np.sign: _row(llvm=_own("sign", "fiu"), triton="@sign", flags_exact=True,
                  partials=(slopes.none,)),
    np.conjugate: _row(llvm=_each("fiu", IDENTITY), triton="{a}", method="conjugate",
                       flags_exact=True, vjp=("arrays.conjugated",)),
    np.square: _row(llvm={"f": "fmul {t} {a}, {a}", **_each("iu", "mul {t} {a}, {a}")},
                    triton="({a} * {a})", flags=True, formula="multiply", silent="biu",
                    positive_zeros=True, partials=(lambda out, a: 2 * a,)),
    np.reciprocal: _row(llvm={"f": "@division.reciprocal", **_own("reciprocal", "iu")},
                        triton="@reciprocal", flags=True,
                        checks=("zero reciprocal",), harmless_at_one="f", weight=4,
                        flags_exact=True, partials=(lambda out, a: -out * out,)),
}

BITS: Mapping[np.ufunc, dict[str, Any]] = {
    np.bitwise_and: _row(llvm=_logic("and"), triton="({a} & {b})", operators=(operator.and_,),
                         silent="biu"),
    np.bitwise_or: _row(llvm=_logic("or"), triton="({a} | {b})", operators=(operator.or_,),
                        silent="biu"),
    np.bitwise_xor: _row(llvm=_logic("xor"), triton="({a} ^ {b})", operators=(operator.xor,),
                         silent="biu"),
    np.invert: _row(llvm=_own("invert", "iub"),
                    triton={"": "(~{a})", "u": "@invert", "b": "({a} == 0)"},
                    operators=(operator.invert,), silent="biu"),
    np.left_shift: _row(llvm=_own("left_shift", "iu"), triton="@left_shift",
                        operators=(operator.lshift,)),
    np.right_shift: _row(llvm=_own("right_shift", "iu"), triton="@right_shift",
                         operators=(operator.rshift,)),
    np.bitwise_count: _row(llvm=_own("bitwise_count", "iu"), triton="@bitwise_count"),
    np.logical_and: _row(llvm={**_own("logical_and", "fiu"), "b": "and {t} {a}, {b}"},
                         triton={"": "(({a} != 0) & ({b} != 0))", "c": "truths"}, silent="biufc",
                         flags_exact=True, bfloat16=None),
    np.logical_or: _row(llvm={**_own("logical_or", "fiu"), "b": "or {t} {a}, {b}"},
                        triton={"": "(({a} != 0) | ({b} != 0))", "c": "truths"}, silent="biufc",
                        flags_exact=True, bfloat16=None),
    np.logical_xor: _row(llvm={**_own("logical_xor", "fiu"), "b": "xor {t} {a}, {b}"},
                         triton={"": "(({a} != 0) ^ ({b} != 0))", "c": "truths"}, silent="biufc",
                         flags_exact=True, bfloat16=None),
    np.logical_not: _row(llvm={"f": "fcmp oeq {t} {a}, zeroinitializer",
                               **_each("iub", "icmp eq {t} {a}, zeroinitializer")},
                         triton={"": "({a} == 0)", "c": "truths"}, silent="biufc", bfloat16=None),
}

COMPARING: Mapping[np.ufunc, dict[str, Any]] = {
    np.equal: _row(llvm=_compare("oeq", "eq", "eq"), triton={"": "({a} == {b})", "c": "both parts"},
                   operators=(operator.eq,), silent="biufc"),
    np.not_equal: _row(llvm=_compare("une", "ne", "ne"),
                       triton={"": "({a} != {b})", "c": "either part"},
                       operators=(operator.ne,), silent="biufc"),
    np.less: _row(llvm=_compare("olt", "slt", "ult"), triton="({a} < {b})", flags=True,
                  operators=(operator.lt,), silent="biufc"),
    np.less_equal: _row(llvm=_compare("ole", "sle", "ule"), triton="({a} <= {b})", flags=True,
                        operators=(operator.le,), silent="biufc"),
    np.greater: _row(llvm=_compare("ogt", "sgt", "ugt"), triton="({a} > {b})", flags=True,
                     operators=(operator.gt,), silent="biufc"),
    np.greater_equal: _row(llvm=_compare("oge", "sge", "uge"), triton="({a} >= {b})",
                           flags=True, operators=(operator.ge,), silent="biufc"),
    np.isnan: _row(llvm={"f": "fcmp uno {t} {a}, {a}", **_each("iub", "icmp ne {t} {a}, {a}")},
                   triton={"": "({a} != {a})", "c": "either part"}, math=math.isnan,
                   silent="biufc"),
    np.isfinite: _row(llvm={**_own("isfinite"), **_each("iub", "icmp eq {t} {a}, {a}")},
                      triton={"f": "@isfinite", "": "({a} == {a})", "c": "both parts"},
                      math=math.isfinite,
                      silent="biufc", flags_exact=True),
    np.isinf: _row(llvm={**_own("isinf"), **_each("iub", "icmp ne {t} {a}, {a}")},
                   triton={"f": "@isinf", "": "({a} != {a})", "c": "either part"}, math=math.isinf,
                   silent="biufc", flags_exact=True),
    np.signbit: _row(llvm=_own("signbit"), triton="@signbit", silent="biufc", flags_exact=True),
    np.maximum: _row(llvm={**_own("maximum"), "i": _call("smax"), "u": _call("umax"),
                           "b": "or {t} {a}, {b}"},
                     triton={"": "tl.maximum({a}, {b}, propagate_nan=tl.PropagateNan.ALL)",
                             "e": "tl.where(({a} >= {b}) | ({a} != {a}), {a}, {b})",
                             "b": "({a} | {b})"}, out_by_name=True,
                     silent="biufc", flags_exact=True,
                     partials=(slopes.larger, lambda out, a, b: slopes.larger(out, b, a))),
    np.minimum: _row(llvm={**_own("minimum"), "i": _call("smin"), "u": _call("umin"),
                           "b": "and {t} {a}, {b}"},
                     triton={"": "tl.minimum({a}, {b}, propagate_nan=tl.PropagateNan.ALL)",
                             "e": "tl.where(({a} <= {b}) | ({a} != {a}), {a}, {b})",
                             "b": "({a} & {b})"}, out_by_name=True,
                     silent="biufc", flags_exact=True,
                     partials=(slopes.larger, lambda out, a, b: slopes.larger(out, b, a))),
    np.fmax: _row(llvm={**_own("fmax"), "i": _call("smax"), "u": _call("umax"),
                        "b": "or {t} {a}, {b}"},
                 triton={"f": "@fmax", "e": "tl.where(({a} >= {b}) | ({b} != {b}), {a}, {b})",
                         "b": "({a} | {b})", "": "tl.maximum({a}, {b})"},
                  silent="biufc", flags_exact=True, partials=slopes.present(np.greater)),
    np.fmin: _row(llvm={**_own("fmin"), "i": _call("smin"), "u": _call("umin"),
                        "b": "and {t} {a}, {b}"},
                 triton={"f": "@fmin", "e": "tl.where(({a} <= {b}) | ({b} != {b}), {a}, {b})",
                         "b": "({a} & {b})", "": "tl.minimum({a}, {b})"},
                  silent="biufc", flags_exact=True, partials=slopes.present(np.less)),
}

def _next_after(x: Any, y: Any) -> Any:
    """The number beside x on the way to y: one more, or less, where its bits are an integer. NumPy
    reports overflow where there is none."""
    bits = x.bits()
    moved = (x.lt(y) ^ x.lt(0)).select(bits + 1, bits - 1).as_float()
    smallest = bits.constant(1).as_float().call("copysign", y)
    found = x.eq(y).select(y, x.eq(0).select(smallest, moved))
    x.builder.bail_out_where(found.abs().eq(math.inf) & x.abs().ne(math.inf))
    is_nan = x.is_nan() | y.is_nan()
    return is_nan.select(is_nan.select(x, 0) + is_nan.select(y, 0), found)


def _spacing(x: Any) -> Any:
    """How far the next number is on the way from 0; NumPy reports overflow where there is none."""
    bits = x.eq(0).select(0, x.bits())
    beyond = (bits + 1).as_float()
    x.builder.bail_out_where(beyond.abs().eq(math.inf))
    known = x.abs().lt(math.inf)
    distance = known.select(known.select(beyond, 0) - known.select(x, 0), math.nan)
    return x.is_nan().select(x, distance)


ROUNDING: Mapping[np.ufunc, dict[str, Any]] = {
    np.rint: _row(llvm={"f": _call("rint", 1)},
                  triton={"": "libdevice.rint({a})", "c": "each part"},
                  partials=(slopes.none,)),
    np.floor: _row(llvm={"f": _call("floor", 1), **_each("iub", IDENTITY)},
                   triton={"f": "tl.floor({a})", "": "{a}"}, math=math.floor,
                   partials=(slopes.none,)),
    np.ceil: _row(llvm={"f": _call("ceil", 1), **_each("iub", IDENTITY)},
                  triton={"f": "tl.ceil({a})", "": "{a}"}, math=math.ceil, partials=(slopes.none,)),
    np.trunc: _row(llvm={"f": _call("trunc", 1), **_each("iub", IDENTITY)},
                   triton={"f": "libdevice.trunc({a})", "": "{a}"}, math=math.trunc,
                   partials=(slopes.none,)),
    np.copysign: _row(llvm={"f": _call("copysign")}, triton="libdevice.copysign({a}, {b})",
                      silent="biufc",
                      partials=(lambda out, a, b: slopes.slope(out, a) * np.copysign(1.0, b),
                                slopes.none)),
    np.nextafter: _row(llvm={"f": _next_after},  # of halves the next one is not that of floats
                       triton={"e": None, "f": "libdevice.nextafter({a}, {b})"}, flags=True,
                       weight=4, bfloat16=None),
    np.spacing: _row(llvm={"f": _spacing}, flags=True, weight=4),
    np.heaviside: _row(llvm=_own("heaviside"), triton="@heaviside", flags_exact=True,
                       partials=(slopes.none,
                                 lambda out, a, b: np.where(np.equal(a, 0), 1.0, 0.0))),
    np.modf: _row(flags=True, vjp=("arrays.fraction",)),
    np.frexp: _row(flags=True, vjp=("arrays.mantissa",)),
    np.ldexp: _row(flags=True, partials=(lambda out, a, b: np.exp2(b), slopes.none)),
}


# The generator's own formulas for complex numbers, as NumPy has them.
COMPLEX = frozenset((
    np.add, np.subtract, np.multiply, np.divide, np.negative, np.conjugate, np.absolute, np.square,
    np.reciprocal, np.equal, np.not_equal, np.less, np.less_equal, np.greater, np.greater_equal,
    np.isnan, np.isfinite, np.isinf, np.logical_and, np.logical_or, np.logical_xor, np.logical_not,
))


def _register() -> None:
    """A row for every ufunc of NumPy that works element by element."""
    listed: dict[np.ufunc, dict[str, Any]] = {
        **ARITHMETIC, **BITS, **COMPARING, **ROUNDING, **ELEMENTARY,
    }
    for value in vars(np).values():
        if isinstance(value, np.ufunc) and value.signature is None:
            fields = {"bfloat16": "rounded" if value.nout == 1 else None,
                      **listed.get(value, {"flags": True})}
            if value in COMPLEX:
                fields |= {"llvm": {**fields["llvm"], "c": f"@{value.__name__}"}}
            op(value, Kind.POINTWISE, infer=ufunc_rule(value), **fields)


_register()
