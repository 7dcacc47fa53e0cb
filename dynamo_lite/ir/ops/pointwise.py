"""Rows of the ufuncs.

In LLVM templates NumPy booleans are `i1`, comparisons give `i1` vectors, and a text "@name" calls
the generator's own function. `IDENTITY` says that the operation does nothing for that kind.
"""
from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from ..row import Kind, op
from ..rules.pointwise import ufunc_rule

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
                 triton={"": "({a} + {b})", "b": "({a} | {b})"}, flags=True),
    np.subtract: _row(llvm={"f": "fsub {t} {a}, {b}", **_each("iu", "sub {t} {a}, {b}")},
                      triton="({a} - {b})", flags=True),
    np.multiply: _row(llvm={"f": "fmul {t} {a}, {b}", **_each("iu", "mul {t} {a}, {b}"),
                            "b": "and {t} {a}, {b}"},
                      triton={"": "({a} * {b})", "b": "({a} & {b})"}, flags=True),
    np.divide: _row(llvm={"f": "fdiv {t} {a}, {b}"},
                    triton={"d": "({a} / {b})", "": "tl.div_rn({a}, {b})"}, flags=True),
    np.floor_divide: _row(llvm=_own("floor_divide", "fiu"), triton="@floor_divide", flags=True,
                          checks=("zero divisor",)),
    np.remainder: _row(llvm=_own("remainder", "fiu"), triton="@remainder", flags=True,
                       checks=("zero divisor",)),
    np.fmod: _row(llvm=_own("fmod", "fiu"), triton="@fmod", flags=True,
                  checks=("zero divisor",)),
    np.divmod: _row(flags=True, checks=("zero divisor",)),
    np.power: _row(llvm=_own("power", "fiu"), triton="@power", flags=True,
                   checks=("negative power",)),
    np.float_power: _row(llvm=_own("power"), triton="@power", flags=True),
    np.negative: _row(llvm={"f": "fneg {t} {a}", **_each("iu", "sub {t} zeroinitializer, {a}")},
                      triton={"": "(-{a})", "f": "@negative"}),
    np.positive: _row(llvm=_each("fiuc", IDENTITY), triton="{a}"),
    np.absolute: _row(llvm={"f": _call("fabs", 1),
                            "i": "call {t} @llvm.abs.{s}({t} {a}, i1 false)",
                            **_each("ub", IDENTITY)},
                      triton={"": "tl.abs({a})", "u": "{a}", "b": "{a}"}),
    np.fabs: _row(llvm={"f": _call("fabs", 1)}, triton="tl.abs({a})"),
    np.sign: _row(llvm=_own("sign", "fiu"), triton="@sign"),
    np.conjugate: _row(llvm=_each("fiu", IDENTITY), triton="{a}"),
    np.square: _row(llvm={"f": "fmul {t} {a}, {a}", **_each("iu", "mul {t} {a}, {a}")},
                    triton="({a} * {a})", flags=True),
    np.reciprocal: _row(llvm=_own("reciprocal", "fiu"), triton="@reciprocal", flags=True,
                        checks=("zero divisor",)),
}

BITS: Mapping[np.ufunc, dict[str, Any]] = {
    np.bitwise_and: _row(llvm=_logic("and"), triton="({a} & {b})"),
    np.bitwise_or: _row(llvm=_logic("or"), triton="({a} | {b})"),
    np.bitwise_xor: _row(llvm=_logic("xor"), triton="({a} ^ {b})"),
    np.invert: _row(llvm=_own("invert", "iub"),
                    triton={"": "(~{a})", "u": "@invert", "b": "({a} == 0)"}),
    np.left_shift: _row(llvm=_own("left_shift", "iu"), triton="@left_shift"),
    np.right_shift: _row(llvm=_own("right_shift", "iu"), triton="@right_shift"),
    np.bitwise_count: _row(llvm=_own("bitwise_count", "iu"), triton="@bitwise_count"),
    np.logical_and: _row(llvm={**_own("logical_and", "fiu"), "b": "and {t} {a}, {b}"},
                         triton="(({a} != 0) & ({b} != 0))"),
    np.logical_or: _row(llvm={**_own("logical_or", "fiu"), "b": "or {t} {a}, {b}"},
                        triton="(({a} != 0) | ({b} != 0))"),
    np.logical_xor: _row(llvm={**_own("logical_xor", "fiu"), "b": "xor {t} {a}, {b}"},
                         triton="(({a} != 0) ^ ({b} != 0))"),
    np.logical_not: _row(llvm={"f": "fcmp oeq {t} {a}, zeroinitializer",
                               **_each("iub", "icmp eq {t} {a}, zeroinitializer")},
                         triton="({a} == 0)"),
}

COMPARING: Mapping[np.ufunc, dict[str, Any]] = {
    np.equal: _row(llvm=_compare("oeq", "eq", "eq"), triton="({a} == {b})"),
    np.not_equal: _row(llvm=_compare("une", "ne", "ne"), triton="({a} != {b})"),
    np.less: _row(llvm=_compare("olt", "slt", "ult"), triton="({a} < {b})", flags=True),
    np.less_equal: _row(llvm=_compare("ole", "sle", "ule"), triton="({a} <= {b})", flags=True),
    np.greater: _row(llvm=_compare("ogt", "sgt", "ugt"), triton="({a} > {b})", flags=True),
    np.greater_equal: _row(llvm=_compare("oge", "sge", "uge"), triton="({a} >= {b})",
                           flags=True),
    np.isnan: _row(llvm={"f": "fcmp uno {t} {a}, {a}", **_each("iub", "icmp ne {t} {a}, {a}")},
                   triton="({a} != {a})"),
    np.isfinite: _row(llvm={**_own("isfinite"), **_each("iub", "icmp eq {t} {a}, {a}")},
                      triton={"f": "@isfinite", "": "({a} == {a})"}),
    np.isinf: _row(llvm={**_own("isinf"), **_each("iub", "icmp ne {t} {a}, {a}")},
                   triton={"f": "@isinf", "": "({a} != {a})"}),
    np.signbit: _row(llvm=_own("signbit"), triton="@signbit"),
    np.maximum: _row(llvm={**_own("maximum"), "i": _call("smax"), "u": _call("umax"),
                           "b": "or {t} {a}, {b}"},
                     triton={"": "tl.maximum({a}, {b}, propagate_nan=tl.PropagateNan.ALL)",
                             "b": "({a} | {b})"}),
    np.minimum: _row(llvm={**_own("minimum"), "i": _call("smin"), "u": _call("umin"),
                           "b": "and {t} {a}, {b}"},
                     triton={"": "tl.minimum({a}, {b}, propagate_nan=tl.PropagateNan.ALL)",
                             "b": "({a} & {b})"}),
    np.fmax: _row(llvm={**_own("fmax"), "i": _call("smax"), "u": _call("umax"),
                        "b": "or {t} {a}, {b}"},
                 triton={"f": "@fmax", "b": "({a} | {b})", "": "tl.maximum({a}, {b})"}),
    np.fmin: _row(llvm={**_own("fmin"), "i": _call("smin"), "u": _call("umin"),
                        "b": "and {t} {a}, {b}"},
                 triton={"f": "@fmin", "b": "({a} & {b})", "": "tl.minimum({a}, {b})"}),
}

ROUNDING: Mapping[np.ufunc, dict[str, Any]] = {
    np.rint: _row(llvm={"f": _call("rint", 1)}, triton="libdevice.rint({a})"),
    np.floor: _row(llvm={"f": _call("floor", 1), **_each("iub", IDENTITY)},
                   triton={"f": "tl.floor({a})", "": "{a}"}),
    np.ceil: _row(llvm={"f": _call("ceil", 1), **_each("iub", IDENTITY)},
                  triton={"f": "tl.ceil({a})", "": "{a}"}),
    np.trunc: _row(llvm={"f": _call("trunc", 1), **_each("iub", IDENTITY)},
                   triton={"f": "libdevice.trunc({a})", "": "{a}"}),
    np.copysign: _row(llvm={"f": _call("copysign")}, triton="libdevice.copysign({a}, {b})"),
    np.nextafter: _row(triton="libdevice.nextafter({a}, {b})",
                       flags=True),
    np.heaviside: _row(llvm=_own("heaviside"), triton="@heaviside"),
}

# The generators' own elementary functions; libdevice has the same names unless given here.
ELEMENTARY: Mapping[np.ufunc, str] = {
    np.exp: "exp", np.exp2: "exp2", np.expm1: "expm1",
    np.log: "log", np.log2: "log2", np.log10: "log10", np.log1p: "log1p",
    np.cbrt: "cbrt",
    np.sin: "sin", np.cos: "cos", np.tan: "tan",
    np.arcsin: "asin", np.arccos: "acos", np.arctan: "atan",
    np.sinh: "sinh", np.cosh: "cosh", np.tanh: "tanh",
    np.arcsinh: "asinh", np.arccosh: "acosh", np.arctanh: "atanh",
}
ELEMENTARY_OF_TWO: Mapping[np.ufunc, str] = {
    np.hypot: "libdevice.hypot({a}, {b})", np.arctan2: "libdevice.atan2({a}, {b})",
    np.logaddexp: "@logaddexp", np.logaddexp2: "@logaddexp2",
}

# The generator's own formulas for complex numbers, as NumPy has them.
COMPLEX = frozenset((
    np.add, np.subtract, np.multiply, np.divide, np.negative, np.conjugate, np.absolute, np.square,
    np.reciprocal, np.equal, np.not_equal, np.less, np.less_equal, np.greater, np.greater_equal,
    np.isnan, np.isfinite, np.isinf, np.logical_and, np.logical_or, np.logical_xor, np.logical_not,
))

PROBES = (0.0, -0.0, 1.0, -1.0, 0.5, 2.5, -3.5, 1e-300, 1e300, np.inf, -np.inf, np.nan)


def _register() -> None:
    """A row for every ufunc of NumPy that works element by element."""
    listed: dict[np.ufunc, dict[str, Any]] = {
        **ARITHMETIC, **BITS, **COMPARING, **ROUNDING,
        **{f: _row(llvm=_own(f.__name__), triton=f"libdevice.{name}({{a}})", flags=True)
           for f, name in ELEMENTARY.items()},
        **{f: _row(llvm=_own(f.__name__), triton=text, flags=True)
           for f, text in ELEMENTARY_OF_TWO.items()},
        np.sqrt: _row(llvm={"f": _call("sqrt", 1)},
                      triton={"d": "tl.sqrt({a})", "f": "tl.sqrt_rn({a})"}, flags=True),
    }
    for value in vars(np).values():
        if isinstance(value, np.ufunc) and value.signature is None:
            fields = listed.get(value, {"flags": True})
            if value in COMPLEX:
                fields |= {"llvm": {**fields["llvm"], "c": f"@{value.__name__}"}}
            op(value, Kind.POINTWISE, infer=ufunc_rule(value), probes=PROBES, **fields)


_register()
