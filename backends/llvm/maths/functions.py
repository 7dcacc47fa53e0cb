"""Elementary functions as inline polynomials over vectors, for float32 and float64.

They raise the floating-point flags that NumPy's functions raise, by really computing what is
flagged, and on other arguments (NaN and infinities included) neither divide, overflow nor invalid.
"""
from __future__ import annotations

from collections.abc import Mapping

from .avx512 import native
from .division import floor_divide, fmod, reciprocal, remainder
from .exponential import exp, exp2, expm1
from .formats import Function
from .hyperbolic import arccosh, arcsinh, arctanh, cosh, sinh, tanh
from .inverse import arccos, arcsin, arctan, arctan2
from .logarithm import log, log1p, log2, log10
from .power import cbrt, hypot, logaddexp, logaddexp2, power
from .trigonometric import cos, sin, tan

ON_ANY_VECTOR: Mapping[str, Function] = {
    "arccos": arccos, "arccosh": arccosh, "arcsin": arcsin, "arcsinh": arcsinh,
    "arctan": arctan, "arctan2": arctan2, "arctanh": arctanh, "cbrt": cbrt, "cos": cos,
    "cosh": cosh, "exp": exp, "exp2": exp2, "expm1": expm1, "floor_divide": floor_divide,
    "fmod": fmod, "hypot": hypot, "log": log, "log10": log10, "log1p": log1p, "log2": log2,
    "logaddexp": logaddexp, "logaddexp2": logaddexp2, "power": power, "reciprocal": reciprocal,
    "remainder": remainder, "sin": sin, "sinh": sinh, "tan": tan, "tanh": tanh,
}
FUNCTIONS: Mapping[str, Function] = {name: native(f) for name, f in ON_ANY_VECTOR.items()}
