"""Rows of the functions of `math`, of one or two Python floats: C's, but for `hypot`.

NumPy's ufunc of the same meaning gives the type, and in kernels the same polynomial; its own loop
may differ from C's function in the last bit.
"""
from __future__ import annotations

import math
from typing import Any

from ..row import ROWS, Kind, complete, op
from ..rules.pointwise import ufunc_rule
from . import pointwise as pointwise  # the ufuncs' rows

UFUNCS: dict[Any, Any] = {
    row.math: row.target for row in ROWS.values() if row.math and row.approximated
}
"""Those that C's library and kernels compute each by a polynomial of their own."""

for _function, _ufunc in UFUNCS.items():
    _name, _row = _function.__name__, ROWS[_ufunc]
    op(_function, Kind.POINTWISE, name=f"c_{_name}", infer=ufunc_rule(_ufunc),
       llvm={"f": _row.llvm["f"]}, triton=_row.triton, c={"d": _name}, flags=True,
       lowering="c_function", weight=10, partials=_row.partials)
complete(math.pow, c={"d": "pow", "f": "powf"})
