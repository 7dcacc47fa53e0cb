"""Rows of the functions of `math`, of one or two Python floats: C's, but for `hypot`.

NumPy's ufunc of the same meaning gives the type, and in kernels the same polynomial; its own loop
may differ from C's function in the last bit.
"""
from __future__ import annotations

import math
from collections.abc import Callable, Mapping

import numpy as np

from ..row import ROWS, Kind, op
from ..rules.pointwise import ufunc_rule
from . import pointwise as pointwise  # the ufuncs' rows

UFUNCS: Mapping[Callable[..., float], np.ufunc] = {
    math.acos: np.arccos, math.asin: np.arcsin, math.atan: np.arctan, math.atan2: np.arctan2,
    math.cos: np.cos, math.cosh: np.cosh, math.exp: np.exp, math.expm1: np.expm1,
    math.hypot: np.hypot, math.log: np.log, math.log10: np.log10, math.log1p: np.log1p,
    math.log2: np.log2,
    math.pow: np.power, math.sin: np.sin, math.sinh: np.sinh, math.tan: np.tan,
    math.tanh: np.tanh,
}

for _function, _ufunc in UFUNCS.items():
    _name = f"c_{_function.__name__}"
    op(_function, Kind.POINTWISE, name=_name, infer=ufunc_rule(_ufunc), llvm={"f": f"@{_name}"},
       triton=ROWS[_ufunc].triton, flags=True, lowering="c_function", weight=10)
