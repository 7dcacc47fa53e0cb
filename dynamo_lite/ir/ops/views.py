"""Rows of the operations whose result shares memory with their first argument, or may."""
from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from .. import core
from ..row import Kind, op
from ..rules import elements, indexing, views, windows
from ..rules.externs import tried
from ..rules.views import view_rule


def _view(
    target: Callable[..., Any], window: Callable[..., windows.StridedView | None],
    lowering: str = "windowed", copy: Callable[..., Any] | None = None, **fields: Any,
) -> None:
    """The row of a function whose result is a strided view; else `copy` gives its type."""
    op(target, Kind.VIEW, infer=view_rule(window, copy), window=window, lowering=lowering, **fields)


_view(np.transpose, windows.transpose, "transpose", method="transpose", adapts="axes",
      attribute="T")
_view(np.matrix_transpose, windows.matrix_transpose, "matrix_transpose", attribute="mT")
_view(np.swapaxes, windows.swapaxes, "swapaxes", method="swapaxes", required=("", ""))
_view(np.moveaxis, windows.moveaxis, "moveaxis")
_view(np.rollaxis, windows.rollaxis)
_view(np.squeeze, windows.squeeze, "unit_dims", method="squeeze", itself="squeezes_nothing")
_view(np.broadcast_to, windows.broadcast_to, "broadcast_to")
_view(np.diagonal, windows.diagonal, method="diagonal")
_view(np.diag, elements.diag, copy=tried(np.diag))
_view(np.ndarray.view, elements.view, dtype_at=1)
_view(np.lib.stride_tricks.sliding_window_view, elements.sliding_windows)
_view(core.windows, elements.moving_windows)
_view(np.reshape, windows.reshape, "reshape", copy=views.reshaped_copy, method="reshape",
      adapts="shape")
_view(np.ravel, windows.ravel, "ravel", copy=views.raveled_copy, method="ravel")
_view(np.expand_dims, windows.expand_dims, "unit_dims", copy=views.expanded_copy)
_view(np.flip, windows.flip, "flip")
_view(np.fliplr, windows.fliplr, "flip", using={"axis": 1})
_view(np.flipud, windows.flipud, "flip", using={"axis": 0})
_view(np.rot90, windows.rot90)
_view(np.real, elements.part("real"), "part", copy=views.real_number, llvm={"c": "@real"},
      using={"name": "real"}, attribute="real", itself="of_real_numbers")
_view(np.imag, elements.part("imag"), "part", copy=views.imaginary_zeros, llvm={"c": "@imag"},
      using={"name": "imag"}, attribute="imag")
_view(np.atleast_1d, windows.atleast(1), "unit_dims", using={"or_itself": True},
      handler="at_least", itself="has_dimensions", least_ndim=1)
_view(np.atleast_2d, windows.atleast(2), "unit_dims", using={"or_itself": True},
      handler="at_least", itself="has_dimensions", least_ndim=2)

op(operator.getitem, Kind.VIEW, infer=indexing.getitem, window=indexing.getitem_view,
   checks=("bounds",), lowering="getitem", preference="of_rows")
