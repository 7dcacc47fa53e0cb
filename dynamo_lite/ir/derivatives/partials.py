"""Partial derivatives of ufuncs: functions of the result and the operands, one for each operand.

A derivative that is 0 everywhere is the number 0; a ufunc that has none is not here.
"""
from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from . import bessel
from . import elementwise as rules

PARTIALS: Mapping[Callable[..., Any], tuple[Callable[..., Any], ...]] = {
    np.add: (rules.one, rules.one),
    np.subtract: (rules.one, rules.minus_one),
    np.multiply: (lambda out, a, b: b, lambda out, a, b: a),
    np.divide: (lambda out, a, b: 1 / b, rules.quotient),
    np.negative: (rules.minus_one,),
    np.positive: (rules.one,),
    np.power: (rules.base, rules.exponent),
    np.float_power: (rules.base, rules.exponent),
    np.remainder: (rules.one, lambda out, a, b: -np.floor(a / b)),
    np.fmod: (rules.one, lambda out, a, b: -np.trunc(a / b)),
    np.floor_divide: (rules.none, rules.none),
    np.absolute: (rules.slope,),
    np.fabs: (rules.slope,),
    np.copysign: (lambda out, a, b: rules.slope(out, a) * np.copysign(1.0, b), rules.none),
    np.maximum: (rules.larger, lambda out, a, b: rules.larger(out, b, a)),
    np.minimum: (rules.larger, lambda out, a, b: rules.larger(out, b, a)),
    np.fmax: rules.present(np.greater),
    np.fmin: rules.present(np.less),
    **dict.fromkeys((np.sign, np.floor, np.ceil, np.trunc, np.rint), (rules.none,)),
    np.heaviside: (rules.none, lambda out, a, b: np.where(np.equal(a, 0), 1.0, 0.0)),
    np.square: (lambda out, a: 2 * a,),
    np.sqrt: (lambda out, a: 0.5 / out,),
    np.cbrt: (lambda out, a: 1 / (3 * out * out),),
    np.reciprocal: (lambda out, a: -out * out,),
    np.exp: (lambda out, a: out,),
    np.exp2: (lambda out, a: out * math.log(2),),
    np.expm1: (lambda out, a: out + 1,),
    np.log: (lambda out, a: 1 / a,),
    np.log2: (lambda out, a: 1 / (a * math.log(2)),),
    np.log10: (lambda out, a: 1 / (a * math.log(10)),),
    np.log1p: (lambda out, a: 1 / (1 + a),),
    np.sin: (lambda out, a: np.cos(a),),
    np.cos: (lambda out, a: -np.sin(a),),
    np.tan: (lambda out, a: 1 + out * out,),
    np.arcsin: (lambda out, a: 1 / np.sqrt(1 - a * a),),
    np.arccos: (lambda out, a: -1 / np.sqrt(1 - a * a),),
    np.arctan: (lambda out, a: 1 / (1 + a * a),),
    np.sinh: (lambda out, a: np.cosh(a),),
    np.cosh: (lambda out, a: np.sinh(a),),
    np.tanh: (lambda out, a: 1 - out * out,),
    np.arcsinh: (lambda out, a: 1 / np.sqrt(a * a + 1),),
    np.arccosh: (lambda out, a: 1 / np.sqrt((a - 1) * (a + 1)),),
    np.arctanh: (lambda out, a: 1 / (1 - a * a),),
    np.arctan2: (lambda out, a, b: b / (a * a + b * b), lambda out, a, b: -a / (a * a + b * b)),
    np.hypot: (rules.leg(0), rules.leg(1)),
    np.logaddexp: (rules.share(np.exp, 0), rules.share(np.exp, 1)),
    np.logaddexp2: (rules.share(np.exp2, 0), rules.share(np.exp2, 1)),
    np.deg2rad: (lambda out, a: math.pi / 180,), np.radians: (lambda out, a: math.pi / 180,),
    np.rad2deg: (lambda out, a: 180 / math.pi,), np.degrees: (lambda out, a: 180 / math.pi,),
    np.i0: (bessel.order_one,),
    np.ldexp: (lambda out, a, b: np.exp2(b), rules.none),
}
