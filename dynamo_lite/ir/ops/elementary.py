"""Rows of elementary functions: those that kernels compute by polynomials.

`_row(function, device)`: what kernels for processors call (`maths.power.hypot` of the generator as
"power.hypot"), and what those for GPUs do, where the library of the device has most of them.
"""
from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from ..rules import slopes


def _row(function: str, device: str, **fields: Any) -> dict[str, Any]:
    return {"llvm": {"f": f"@{function}"}, "triton": device, "weight": 10, "flags": True,
            "approximated": True, **fields}


ELEMENTARY: Mapping[np.ufunc, dict[str, Any]] = {
    np.exp: _row("exponential.exp", "libdevice.exp({a})", math=math.exp, cost=0.2,
                 positive_zeros=True, partials=(lambda out, a: out,)),
    np.exp2: _row("exponential.exp2", "libdevice.exp2({a})", cost=0.2,
                  partials=(lambda out, a: out * math.log(2),)),
    np.expm1: _row("exponential.expm1", "libdevice.expm1({a})", math=math.expm1, cost=0.35,
                   partials=(lambda out, a: out + 1,)),
    np.log: _row("logarithm.log", "libdevice.log({a})", math=math.log, cost=0.3,
                 harmless_at_one="f", partials=(lambda out, a: 1 / a,)),
    np.log2: _row("logarithm.log2", "libdevice.log2({a})", math=math.log2, cost=0.3,
                  harmless_at_one="f", partials=(lambda out, a: 1 / (a * math.log(2)),)),
    np.log10: _row("logarithm.log10", "libdevice.log10({a})", math=math.log10, cost=0.3,
                   harmless_at_one="f", partials=(lambda out, a: 1 / (a * math.log(10)),)),
    np.log1p: _row("logarithm.log1p", "libdevice.log1p({a})", math=math.log1p, cost=0.45,
                   partials=(lambda out, a: 1 / (1 + a),)),
    np.cbrt: _row("power.cbrt", "libdevice.cbrt({a})", cost=0.4,
                  partials=(lambda out, a: 1 / (3 * out * out),)),
    np.sin: _row("trigonometric.sin", "libdevice.sin({a})", math=math.sin, cost=0.8,
                 partials=(lambda out, a: np.cos(a),)),
    np.cos: _row("trigonometric.cos", "libdevice.cos({a})", math=math.cos, cost=0.8,
                 partials=(lambda out, a: -np.sin(a),)),
    np.tan: _row("trigonometric.tan", "libdevice.tan({a})", math=math.tan, cost=0.8,
                 partials=(lambda out, a: 1 + out * out,)),
    np.arcsin: _row("inverse.arcsin", "libdevice.asin({a})", math=math.asin, cost=0.5,
                    partials=(lambda out, a: 1 / np.sqrt(1 - a * a),)),
    np.arccos: _row("inverse.arccos", "libdevice.acos({a})", math=math.acos, cost=0.5,
                    partials=(lambda out, a: -1 / np.sqrt(1 - a * a),)),
    np.arctan: _row("inverse.arctan", "libdevice.atan({a})", math=math.atan, cost=0.65,
                    partials=(lambda out, a: 1 / (1 + a * a),)),
    np.sinh: _row("hyperbolic.sinh", "libdevice.sinh({a})", math=math.sinh, cost=0.5,
                  partials=(lambda out, a: np.cosh(a),)),
    np.cosh: _row("hyperbolic.cosh", "libdevice.cosh({a})", math=math.cosh, cost=0.25,
                  partials=(lambda out, a: np.sinh(a),)),
    np.tanh: _row("hyperbolic.tanh", "libdevice.tanh({a})", math=math.tanh, cost=0.6,
                  partials=(lambda out, a: 1 - out * out,)),
    np.arcsinh: _row("hyperbolic.arcsinh", "libdevice.asinh({a})", cost=1.2,
                     partials=(lambda out, a: 1 / np.sqrt(a * a + 1),)),
    np.arccosh: _row("hyperbolic.arccosh", "libdevice.acosh({a})", cost=1.0,
                     partials=(lambda out, a: 1 / np.sqrt((a - 1) * (a + 1)),)),
    np.arctanh: _row("hyperbolic.arctanh", "libdevice.atanh({a})", cost=0.7,
                     partials=(lambda out, a: 1 / (1 - a * a),)),
    np.hypot: _row("power.hypot", "libdevice.hypot({a}, {b})", math=math.hypot, cost=0.3,
                   positive_zeros=True, partials=(slopes.leg(0), slopes.leg(1))),
    np.arctan2: _row("inverse.arctan2", "libdevice.atan2({a}, {b})", math=math.atan2, cost=1.0,
                     partials=(lambda out, a, b: b / (a * a + b * b),
                               lambda out, a, b: -a / (a * a + b * b))),
    np.logaddexp: _row("power.logaddexp", "@logaddexp", cost=1.7,
                       partials=(slopes.share(np.exp, 0), slopes.share(np.exp, 1))),
    np.logaddexp2: _row("power.logaddexp2", "@logaddexp2",
                        partials=(slopes.share(np.exp2, 0), slopes.share(np.exp2, 1))),
}
