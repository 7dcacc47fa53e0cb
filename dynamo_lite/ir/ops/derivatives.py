"""Rows of derivatives, which are replaced before a backend sees the graph, and the reverse rules of
rows that other topics made."""
from __future__ import annotations

import operator
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from .. import core, pullback
from ..derivatives import arrays, fourier, linalg, meanings, products
from ..row import ROWS, Kind, complete, op
from ..rules import derivatives as rules
from .c_functions import UFUNCS
from .partials import PARTIALS

op(pullback.independent, Kind.STRUCTURE, infer=rules.independent, handler="node")
for _target in (pullback.owned, pullback.detached):
    op(_target, Kind.STRUCTURE, infer=rules.copied, handler="node")
op(pullback.pullback, Kind.STRUCTURE, infer=rules.pullback, handler="node")
op(pullback.pushforward, Kind.STRUCTURE, infer=rules.pushforward, handler="node")
op(pullback.unknown, Kind.STRUCTURE, infer=rules.unknown, handler="node")
for _ruled in (pullback.ruled_backwards, pullback.ruled_forwards):
    op(_ruled, Kind.STRUCTURE, infer=rules.ruled, handler="node")

Rule = Callable[..., Any]

VJP: Mapping[Callable[..., Any], tuple[Rule | None, ...]] = {
    **dict.fromkeys(
        (np.zeros_like, np.ones_like, np.empty_like, pullback.unknown), (arrays.nothing,)),
    np.full_like: (arrays.nothing, arrays.same),
    np.full: (None, arrays.same),
    np.sum: (arrays.summed,),
    np.add.reduce: (arrays.from_first_axis(arrays.summed),),
    **dict.fromkeys((np.max, np.min, np.amax, np.amin), (arrays.extremum,)),
    np.cumsum: (arrays.running,),
    np.where: (None, arrays.where_true, arrays.where_false),
    np.conjugate: (arrays.conjugated,),
    np.real: (arrays.same,),
    np.imag: (arrays.imaginary,),
    **dict.fromkeys(
        (np.copy, np.ndarray.copy, np.ndarray.astype, np.asarray, np.asanyarray,
         np.ascontiguousarray, np.array, np.broadcast_to, core.plain, float, complex,
         pullback.independent, pullback.owned),
        (arrays.same,)),
    **dict.fromkeys(
        (np.reshape, np.ravel, np.ndarray.flatten, np.squeeze, np.expand_dims, np.atleast_1d,
         np.atleast_2d),
        (arrays.reshaped,)),
    **{function: (arrays.again(function),) for function in (
        np.swapaxes, np.flip, np.fliplr, np.flipud, np.matrix_transpose)},
    **{function: (arrays.viewed(function),) for function in (
        np.moveaxis, np.rollaxis, np.diagonal, np.rot90)},
    np.transpose: (arrays.transposed,),
    operator.getitem: (arrays.indexed,),
    np.take: (arrays.taken,),
    np.concatenate: (arrays.joined,),
    np.stack: (arrays.stacked,),
    core.update: (arrays.base_of_update, None, arrays.value_of_update),
    np.add.at: (arrays.same, None, arrays.gathered),
    np.ndarray.sort: (arrays.sorted_in_place,),
    np.fill_diagonal: (arrays.around_diagonal, arrays.on_filled_diagonal),
    core.perform: (None, arrays.base_of_perform, None, None, arrays.args_of_perform),
    np.prod: (arrays.multiplied,),
    np.multiply.reduce: (arrays.from_first_axis(arrays.multiplied),),
    **dict.fromkeys(
        (np.maximum.reduce, np.minimum.reduce), (arrays.from_first_axis(arrays.extremum),)),
    np.diag: (arrays.on_diagonal,),
    np.cumprod: (arrays.running_product,),
    np.einsum: (None, *map(products.operand_of_einsum, range(8))),
    np.linalg.inv: (linalg.inverse,),
    np.linalg.det: (linalg.determinant,),
    np.linalg.slogdet: (linalg.log_determinant,),
    np.linalg.solve: (linalg.matrix_of_solve, linalg.right_of_solve),
    np.linalg.cholesky: (linalg.cholesky,),
    np.linalg.eigh: (linalg.eigenvectors,),
    np.linalg.eigvalsh: (linalg.eigenvalues,),
    np.linalg.svd: (linalg.singular,),
    np.linalg.svdvals: (linalg.singular_values,),
    np.linalg.qr: (linalg.orthogonal,),
    **{function: (fourier.symmetric(function),) for function in (np.fft.fft, np.fft.ifft)},
    **{function: (fourier.along_axes(function),) for function in (
        np.fft.fft2, np.fft.ifft2, np.fft.fftn, np.fft.ifftn)},
    np.fft.fftshift: (fourier.along_axes(np.fft.ifftshift),),
    np.fft.ifftshift: (fourier.along_axes(np.fft.fftshift),),
    np.fft.rfft: (fourier.of_reals,),
    np.fft.irfft: (fourier.to_reals,),
    np.matmul: (products.left_of_matmul, products.right_of_matmul),
    np.dot: (products.left_of_dot, products.right_of_dot),
    np.inner: (products.left_of_inner, products.right_of_inner),
}

MEANS: Mapping[Callable[..., Any], Callable[..., Any]] = {
    np.kron: meanings.kron, np.trapezoid: meanings.trapezoid, np.sinc: meanings.sinc,
    np.average: meanings.average, np.median: meanings.median, np.sort: meanings.sort,
    np.take_along_axis: meanings.take_along_axis, np.interp: meanings.interp,
    np.convolve: meanings.convolve, np.correlate: meanings.correlate, np.pad: meanings.pad,
    np.polyval: meanings.polyval, np.append: meanings.append, np.dstack: meanings.dstack,
    np.diagflat: meanings.diagflat, np.nansum: meanings.nansum, np.nanmean: meanings.nanmean,
    np.nan_to_num: meanings.nan_to_num, np.angle: meanings.angle, np.clip: meanings.clip,
    np.gradient: meanings.gradient, np.linalg.matrix_power: meanings.matrix_power,
    np.linalg.lstsq: meanings.least_squares, np.linalg.pinv: meanings.pseudo_inverse,
    np.vecdot: meanings.vecdot,
    np.lib.stride_tricks.sliding_window_view: meanings.windows,
}
PYTHON: Mapping[Callable[..., Any], np.ufunc] = {
    operator.add: np.add, operator.sub: np.subtract, operator.mul: np.multiply,
    operator.truediv: np.divide, operator.floordiv: np.floor_divide, operator.mod: np.remainder,
    operator.neg: np.negative, operator.abs: np.absolute, operator.pow: np.power,
}
"""Operators as they are on Python's numbers, which have rows of their own."""


def complete_rows() -> None:
    """Give rows their rules, once all topics have made theirs."""
    for target, partials in PARTIALS.items():
        complete(target, partials=partials)
    for target, ufunc in {**UFUNCS, **PYTHON}.items():
        complete(target, partials=ROWS[ufunc].partials)
    for target, vjp in VJP.items():
        complete(target, vjp=vjp)
    for target, means in MEANS.items():
        complete(target, means=means)
