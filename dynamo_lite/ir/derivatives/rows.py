"""The columns of rows that say how they are differentiated. Importing this module fills them in:
only who takes a derivative does."""
from __future__ import annotations

import operator
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from .. import control, core, factors, pullback
from ..ops.columns import UFUNC_OF
from ..row import ROWS, complete
from . import (
    arrays,
    bessel,
    fourier,
    linalg,
    meanings,
    neighbours,
    norms,
    products,
    statistics,
    writes,
)

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
    control.choose: (None, arrays.chosen_true, arrays.chosen_false),
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
    **{function: (arrays.undone(function),) for function in (
        np.swapaxes, np.flip, np.fliplr, np.flipud, np.matrix_transpose)},
    **{function: (arrays.viewed(function),) for function in (
        np.moveaxis, np.rollaxis, np.diagonal, core.diagonals, np.rot90)},
    np.transpose: (arrays.transposed,),
    operator.getitem: (arrays.indexed,),
    np.take: (arrays.taken,),
    np.concatenate: (arrays.joined,),
    np.stack: (arrays.stacked,),
    core.update: (writes.base_of_update, None, writes.value_of_update),
    np.add.at: (arrays.same, None, writes.gathered),
    np.subtract.at: (arrays.same, None, writes.subtracted),
    np.putmask: (writes.around_mask, None, writes.in_mask),
    **dict.fromkeys((np.put, np.ndarray.put), (writes.around_places, None, writes.at_places)),
    np.put_along_axis: (writes.around_rows, None, writes.along_rows),
    np.ndarray.sort: (writes.sorted_in_place,),
    np.fill_diagonal: (writes.around_diagonal, writes.on_filled_diagonal),
    core.perform: (None, writes.base_of_perform, None, None, writes.args_of_perform),
    np.prod: (arrays.multiplied,),
    np.multiply.reduce: (arrays.from_first_axis(arrays.multiplied),),
    **dict.fromkeys(
        (np.maximum.reduce, np.minimum.reduce), (arrays.from_first_axis(arrays.extremum),)),
    **dict.fromkeys((np.nanmax, np.nanmin), (arrays.extremum,)),
    np.modf: (arrays.fraction,),
    np.frexp: (arrays.mantissa,),
    np.divmod: (arrays.dividend, arrays.divisor),
    np.unwrap: (arrays.same,),
    np.partition: (arrays.partitioned,),
    np.ndarray.partition: (writes.partitioned_in_place,),
    np.add.reduceat: (arrays.in_segments,),
    np.diag: (arrays.on_diagonal,),
    np.bincount: (None, arrays.weights_of_counts),
    np.histogram: (arrays.counted, arrays.counted, arrays.counted, None,
                   arrays.weights_of_histogram),
    np.cumprod: (arrays.running_product,),
    np.einsum: (None, *map(products.operand_of_einsum, range(8))),
    np.linalg.inv: (linalg.inverse,),
    np.linalg.det: (linalg.determinant,),
    np.linalg.slogdet: (linalg.log_determinant,),
    np.linalg.solve: (linalg.matrix_of_solve, linalg.right_of_solve),
    factors.solved: (linalg.matrix_of_solved, linalg.right_of_solved),
    factors.solved_again: (linalg.matrix_of_solved_again, linalg.right_of_solved_again,
                           arrays.nothing),
    factors.divided: (linalg.right_of_divided, linalg.triangle_of_divided),
    np.linalg.cholesky: (linalg.cholesky,),
    np.linalg.eigh: (linalg.eigenvectors,),
    np.linalg.eigvalsh: (linalg.eigenvalues,),
    np.linalg.svd: (linalg.singular,),
    np.linalg.svdvals: (linalg.singular_values,),
    np.linalg.qr: (linalg.orthogonal,),
    **{function: (fourier.symmetric(function),) for function in (np.fft.fft, np.fft.ifft)},
    np.fft.fftshift: (arrays.undone(np.fft.ifftshift),),
    np.fft.ifftshift: (arrays.undone(np.fft.fftshift),),
    np.fft.rfft: (fourier.of_reals,),
    np.fft.irfft: (fourier.to_reals,),
    np.matmul: (products.left_of_matmul, products.right_of_matmul),
    np.dot: (products.left_of_dot, products.right_of_dot),
    np.inner: (products.left_of_inner, products.right_of_inner),
}

MEANS: Mapping[Callable[..., Any], Callable[..., Any]] = {
    np.kron: meanings.kron, np.trapezoid: meanings.trapezoid, np.sinc: meanings.sinc,
    np.sort: meanings.sort, np.take_along_axis: meanings.take_along_axis,
    np.append: meanings.append, np.dstack: meanings.dstack,
    np.block: meanings.block, np.diagflat: meanings.diagflat,
    np.nan_to_num: meanings.nan_to_num, np.angle: meanings.angle, np.clip: meanings.clip,
    np.choose: meanings.choose, np.select: meanings.select, np.delete: meanings.delete,
    np.insert: meanings.insert, np.repeat: meanings.repeat, np.resize: meanings.resize,
    np.meshgrid: meanings.meshgrid,
    np.linspace: meanings.linspace, np.logspace: meanings.logspace,
    np.geomspace: meanings.geomspace, np.vander: meanings.vander,
    np.cumulative_sum: meanings.running_total, np.cumulative_prod: meanings.running_products,
    np.diff: meanings.diff, np.ediff1d: meanings.ediff1d, np.polyval: meanings.polyval,
    np.polyder: meanings.polyder,
    np.polyint: meanings.polyint, np.poly: meanings.poly, np.polyadd: meanings.polyadd,
    np.polysub: meanings.polysub,
    np.maximum.accumulate: meanings.maximum_so_far, np.minimum.accumulate: meanings.minimum_so_far,
    np.mean: statistics.mean, np.var: statistics.var, np.std: statistics.std,
    np.average: statistics.average, np.cov: statistics.cov, np.corrcoef: statistics.corrcoef,
    np.median: statistics.median, np.quantile: statistics.quantile,
    np.percentile: statistics.percentile, np.nanmedian: statistics.nanmedian,
    np.nanquantile: statistics.nanquantile, np.nanpercentile: statistics.nanpercentile,
    np.nansum: statistics.without(0.0, np.sum), np.nanprod: statistics.without(1.0, np.prod),
    np.nancumsum: statistics.nancumsum, np.nancumprod: statistics.nancumprod,
    np.nanmean: statistics.without_nan(statistics.mean),
    np.nanvar: statistics.without_nan(statistics.var),
    np.nanstd: statistics.without_nan(statistics.std),
    np.logaddexp.reduce: statistics.logaddexp,
    np.interp: neighbours.interp, np.convolve: neighbours.convolve,
    np.correlate: neighbours.correlate, np.pad: neighbours.pad,
    np.gradient: neighbours.gradient,
    np.lib.stride_tricks.sliding_window_view: neighbours.windows,
    np.linalg.norm: norms.norm, np.linalg.vector_norm: norms.vector_norm,
    np.linalg.matrix_norm: norms.matrix_norm, np.linalg.cond: norms.cond,
    np.linalg.multi_dot: norms.multi_dot, np.linalg.matrix_power: norms.matrix_power,
    np.linalg.tensorinv: norms.tensorinv, np.linalg.tensorsolve: norms.tensorsolve,
    np.linalg.outer: norms.outer, np.linalg.cross: norms.cross, np.cross: norms.cross,
    np.linalg.lstsq: norms.least_squares, np.linalg.pinv: norms.pseudo_inverse,
    np.polyfit: norms.polyfit, np.vecdot: norms.vecdot, np.matvec: norms.matvec,
    np.vecmat: norms.vecmat,
    np.fft.fft2: fourier.one_after_another(np.fft.fft, usual=(-2, -1)),
    np.fft.ifft2: fourier.one_after_another(np.fft.ifft, usual=(-2, -1)),
    np.fft.fftn: fourier.one_after_another(np.fft.fft),
    np.fft.ifftn: fourier.one_after_another(np.fft.ifft),
    np.fft.rfft2: fourier.one_after_another(np.fft.fft, np.fft.rfft, (-2, -1)),
    np.fft.rfftn: fourier.one_after_another(np.fft.fft, np.fft.rfft),
    np.fft.irfft2: fourier.one_after_another(np.fft.ifft, np.fft.irfft, (-2, -1), True),
    np.fft.irfftn: fourier.one_after_another(np.fft.ifft, np.fft.irfft, to_reals=True),
    np.fft.hfft: fourier.hermitian, np.fft.ihfft: fourier.of_hermitian,
}
BEFORE_DECOMPOSING = frozenset({meanings.clip})
"""Meanings that count although the rows are decomposed: their kinks are JAX's."""
ARRAYS_AT: Mapping[Callable[..., Any], tuple[int, ...]] = {
    **dict.fromkeys(
        (np.concatenate, np.stack, np.vstack, np.hstack, np.dstack, np.column_stack, np.block,
         np.linalg.multi_dot), (0,)),
    np.select: (0, 1), np.choose: (1,),
}
"""Which arguments are sequences of arrays."""


def complete_rows() -> None:
    for target, ufunc in UFUNC_OF.items():
        if target in ROWS:  # the operator on Python's numbers
            complete(target, partials=ROWS[ufunc].partials)
    complete(np.i0, partials=(bessel.order_one,))
    for target, vjp in VJP.items():
        complete(target, vjp=vjp)
    for target, means in MEANS.items():
        complete(target, means=means)
    for target, places in ARRAYS_AT.items():
        complete(target, arrays_at=places)
    complete(np.block, nests=True)
    complete(np.linalg.solve, keeping=linalg.keeping_factors)


complete_rows()
