"""Rows of the operations whose result shares memory with their first argument, or may."""
from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from .. import core
from ..row import Kind, made, op
from ..rules import elements, indexing, strided_views, views
from ..rules.externs import tried
from ..rules.views import view_rule


def _view(
    target: Callable[..., Any], strided_view: Callable[..., strided_views.StridedView | None],
    lowering: str = "strided", copy: Callable[..., Any] | None = None, **fields: Any,
) -> None:
    """The row of a function whose result is a strided view; else `copy` gives its type."""
    op(target, Kind.VIEW, infer=view_rule(strided_view, copy), strided_view=strided_view,
       lowering=lowering, **fields)


_view(np.transpose, strided_views.transpose, "transpose", method="transpose", adapts="axes",
      attribute="T", blocks="moving", vjp=("arrays.transposed",))
_view(np.matrix_transpose, strided_views.matrix_transpose, "matrix_transpose", attribute="mT",
      blocks="moving", vjp=(made("arrays.undone", np.matrix_transpose),))
_view(np.swapaxes, strided_views.swapaxes, "swapaxes", method="swapaxes", required=("", ""),
      blocks="moving", vjp=(made("arrays.undone", np.swapaxes),))
_view(np.moveaxis, strided_views.moveaxis, "moveaxis", blocks="moving",
      vjp=(made("arrays.viewed", np.moveaxis),))
_view(np.rollaxis, strided_views.rollaxis, blocks="moving",
      vjp=(made("arrays.viewed", np.rollaxis),))
_view(np.squeeze, strided_views.squeeze, "unit_dims", method="squeeze", itself="squeezes_nothing",
      blocks="moving", vjp=("arrays.reshaped",))
_view(np.broadcast_to, strided_views.broadcast_to, "broadcast_to", by_dask=True,
      vjp=("arrays.same",))
_view(np.diagonal, strided_views.diagonal, method="diagonal", by_dask=True,
      vjp=(made("arrays.viewed", np.diagonal),))
_view(core.diagonals, elements.writeable_diagonals, vjp=(made("arrays.viewed", core.diagonals),))
_view(np.diag, elements.diag, copy=tried(np.diag), vjp=("arrays.on_diagonal",))
_view(np.ndarray.view, elements.view, dtype_at=1)
_view(np.lib.stride_tricks.sliding_window_view, elements.sliding_windows,
      blocks="sliding", means="neighbours.windows")
_view(core.sliding_windows, elements.writeable_windows)
_view(np.reshape, strided_views.reshape, "reshape", copy=views.reshaped_copy, method="reshape",
      adapts="shape", blocks="reshape", by_dask=True, vjp=("arrays.reshaped",))
_view(np.ravel, strided_views.ravel, "ravel", copy=views.raveled_copy, method="ravel",
      blocks="reshape", by_dask=True, vjp=("arrays.reshaped",))
_view(np.expand_dims, strided_views.expand_dims, "unit_dims", copy=views.expanded_copy,
      blocks="moving", vjp=("arrays.reshaped",))
_view(np.flip, strided_views.flip, "flip", by_dask=True, vjp=(made("arrays.undone", np.flip),))
_view(np.fliplr, strided_views.fliplr, "flip", using={"axis": 1},
      vjp=(made("arrays.undone", np.fliplr),))
_view(np.flipud, strided_views.flipud, "flip", using={"axis": 0},
      vjp=(made("arrays.undone", np.flipud),))
_view(np.rot90, strided_views.rot90, vjp=(made("arrays.viewed", np.rot90),))
_view(np.real, elements.part("real"), "part", copy=views.real_number, llvm={"c": "@real"},
      using={"name": "real"}, attribute="real", itself="of_real_numbers", blocks="elementwise",
      vjp=("arrays.same",))
_view(np.imag, elements.part("imag"), "part", copy=views.imaginary_zeros, llvm={"c": "@imag"},
      using={"name": "imag"}, attribute="imag", blocks="elementwise", vjp=("arrays.imaginary",))
_view(np.atleast_1d, strided_views.atleast(1), "unit_dims", using={"or_itself": True},
      handler="at_least", itself="has_dimensions", least_ndim=1, blocks="moving",
      vjp=("arrays.reshaped",))
_view(np.atleast_2d, strided_views.atleast(2), "unit_dims", using={"or_itself": True},
      handler="at_least", itself="has_dimensions", least_ndim=2, blocks="moving",
      vjp=("arrays.reshaped",))

op(operator.getitem, Kind.VIEW, infer=indexing.getitem, strided_view=indexing.getitem_view,
   checks=("bounds",), lowering="getitem", preference="of_rows", blocks="item", by_dask=True,
   vjp=("arrays.indexed",))
