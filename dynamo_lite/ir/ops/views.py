"""Rows of the operations whose result shares memory with their first argument, or may."""
from __future__ import annotations

import operator
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from .. import core
from ..row import Kind, op
from ..rules import elements, indexing, views, windows
from ..rules.externs import tried
from ..rules.views import view_rule

WINDOWS: Mapping[Callable[..., Any], Callable[..., windows.StridedView | None]] = {
    np.transpose: windows.transpose,
    np.matrix_transpose: windows.matrix_transpose,
    np.swapaxes: windows.swapaxes,
    np.moveaxis: windows.moveaxis,
    np.rollaxis: windows.rollaxis,
    np.squeeze: windows.squeeze,
    np.broadcast_to: windows.broadcast_to,
    np.diagonal: windows.diagonal,
    np.diag: elements.diag,
    np.ndarray.view: elements.view,
    np.lib.stride_tricks.sliding_window_view: elements.sliding_windows,
    core.windows: elements.moving_windows,
    np.reshape: windows.reshape,
    np.ravel: windows.ravel,
    np.expand_dims: windows.expand_dims,
    np.flip: windows.flip,
    np.fliplr: windows.fliplr,
    np.flipud: windows.flipud,
    np.rot90: windows.rot90,
    np.real: elements.part("real"),
    np.imag: elements.part("imag"),
    np.atleast_1d: windows.atleast(1),
    np.atleast_2d: windows.atleast(2),
}

COPIES: Mapping[Callable[..., Any], Callable[..., Any]] = {
    np.reshape: views.reshaped_copy,
    np.ravel: views.raveled_copy,
    np.expand_dims: views.expanded_copy,
    np.imag: views.imaginary_zeros,
    np.real: views.real_number,
    np.diag: tried(np.diag),
}

for _target, _window in WINDOWS.items():
    _part = {"c": f"@{_target.__name__}"} if _target in (np.real, np.imag) else {}
    op(_target, Kind.VIEW, infer=view_rule(_window, COPIES.get(_target)), window=_window,
       llvm=_part)

op(operator.getitem, Kind.VIEW, infer=indexing.getitem, window=indexing.getitem_view,
   checks=("bounds",))
