"""Each row that has a rule, against central differences: forwards, backwards and twice."""
from __future__ import annotations

import operator

import numpy as np
import pytest

import dynamo_lite as dl
from dynamo_lite.ir import control, core, factors, pullback
from dynamo_lite.ir.derivatives import rows as rows
from dynamo_lite.ir.ops.columns import having

from .checking import central, check, close, direction, pairing
from .test_functions import CASES as FUNCTIONS

RNG = np.random.default_rng(5)
A = RNG.uniform(0.3, 1.2, (3, 4))
M = RNG.uniform(-1, 1, (4, 5))
T = RNG.uniform(-1, 1, (2, 4, 3))
MASK = A > 0.6
PLACES = np.array([2, 0, 2, 1])


def written(x):
    y = x * 2
    y[1:, :2] *= x[:-1, 2:]
    return y


def scattered(x):
    y = x * x
    np.add.at(y, PLACES[:3], x[:3])
    return y


def sorted_in_place(x):
    y = x * x
    y.sort(axis=0)
    return y * x


def rows_sorted_in_place(x):
    y = x * x
    y.T[1:].sort(axis=1)
    return y * x


def partitioned_in_place(x):
    y = x * x
    y.partition(1, axis=1)
    return y[:, 1] * x[:, 0]


def assigned_twice(x):
    """Of what is written at one place, the last is left."""
    y = x * x
    y[[0, 1, 0]] = x[:3] ** 3
    y[:, PLACES] = x * y
    return y


def put(x):
    y = x * x
    np.put(y, [0, 5, 0], x[0, :3] ** 3)
    y.put(PLACES, x[1, 1])
    return y


def put_where(x):
    y = x * x
    np.putmask(y, MASK, x ** 3)
    np.putmask(y, x > 0.9, x[0, 0])
    return y


def put_along_rows(x):
    y = x * x
    np.put_along_axis(y, PLACES[:3, None], x[:, :1] ** 3, 1)
    return y


def subtracted_at(x):
    y = x * x
    np.subtract.at(y, PLACES[:3], x[:3])
    return y


def filled(x):
    y = x * x
    np.fill_diagonal(y, x[0, 0])
    return y * x


CASES = {
    np.sum: (lambda x: x.sum(), lambda x: x.sum(axis=0), lambda x: x.sum(axis=1, keepdims=True)),
    np.add.reduce: (lambda x: np.add.reduce(x),),
    np.max: (lambda x: x.max(), lambda x: x.max(axis=1, keepdims=True)),
    np.min: (lambda x: x.min(axis=0),),
    np.amax: (lambda x: np.amax(x, axis=1), lambda x: np.amax(x, axis=1, initial=0.9) * 2),
    np.amin: (lambda x: np.amin(x), lambda x: np.amin(x, initial=0.5, where=MASK) * 2),
    np.cumsum: (lambda x: np.cumsum(x), lambda x: np.cumsum(x, axis=1)),
    np.where: (lambda x: np.where(MASK, x * x, np.sin(x)), lambda x: np.where(x > 0.7, x, 1.0)),
    control.choose: (lambda x: max(x[0, 0], x[1, 1]) * min(x[0, 1], x[2, 2]) * x,),
    np.conjugate: (lambda x: np.conjugate(x) * x,),
    np.real: (lambda x: np.real(x) * 2,),
    np.imag: (lambda x: np.imag(x * 1j) * x,),
    np.copy: (lambda x: np.copy(x) * x,),
    np.ndarray.copy: (lambda x: x.copy() * x,),
    np.ndarray.astype: (lambda x: x.astype(complex).real * x,),
    np.asarray: (lambda x: np.asarray(x) * x,),
    np.asanyarray: (lambda x: np.asanyarray(x) * x,),
    np.ascontiguousarray: (lambda x: np.ascontiguousarray(x.T) ** 2,),
    np.array: (lambda x: np.array(x) ** 2,),
    np.broadcast_to: (lambda x: np.broadcast_to(x, (2, 3, 4)) ** 2,),
    np.full_like: (lambda x: np.full_like(x, x[0, 0]) * x,),
    np.full: (lambda x: np.full(3, x[1, 1] ** 2),),
    np.zeros_like: (lambda x: np.zeros_like(x) + x * x,),
    np.ones_like: (lambda x: np.ones_like(x) * x * x,),
    np.empty_like: (written,),
    np.reshape: (lambda x: x.reshape(2, 6) ** 2, lambda x: np.reshape(x, -1, order="F") * 2),
    np.ravel: (lambda x: x.T.ravel() ** 2,),
    np.ndarray.flatten: (lambda x: x.flatten() ** 2,),
    np.squeeze: (lambda x: np.squeeze(x[:1]) ** 2,),
    np.expand_dims: (lambda x: np.expand_dims(x, 1) ** 2,),
    np.atleast_1d: (lambda x: np.atleast_1d(x[0, 0]) ** 2,),
    np.atleast_2d: (lambda x: np.atleast_2d(x[0]) ** 2,),
    np.swapaxes: (lambda x: np.swapaxes(x, 0, 1) ** 2,),
    np.flip: (lambda x: np.flip(x) * x, lambda x: np.flip(x, 1) * x),
    np.fliplr: (lambda x: np.fliplr(x) * x,),
    np.flipud: (lambda x: np.flipud(x) * x,),
    np.matrix_transpose: (lambda x: np.matrix_transpose(x) ** 2,),
    np.moveaxis: (lambda x: np.moveaxis(x[None] * x, 0, 2) ** 2,),
    np.rollaxis: (lambda x: np.rollaxis(x[None] * x, 2) ** 2,),
    np.diagonal: (lambda x: np.diagonal(x) ** 2,),
    np.rot90: (lambda x: np.rot90(x) ** 2,),
    np.transpose: (lambda x: x.T @ x, lambda x: np.transpose(x[None], (2, 0, 1)) ** 2),
    operator.getitem: (
        lambda x: x[1] ** 2, lambda x: x[::2, 1:] ** 2, lambda x: x[PLACES[:3]] ** 2,
        lambda x: x[PLACES[:2], PLACES[2:]] ** 2, lambda x: x[..., None, -1] ** 2),
    np.take: (lambda x: np.take(x, PLACES, axis=0) ** 2, lambda x: np.take(x, PLACES) ** 2),
    np.concatenate: (lambda x: np.concatenate([x, x * x], axis=1),
                     lambda x: np.concatenate((x, x)),
                     lambda x: np.concatenate((x, x[0] ** 2), axis=None)),
    np.stack: (lambda x: np.stack([x, x * x], axis=1),),
    np.block: (lambda x: np.block([[x, x * 2], [x * x, x]]),),
    core.update: (written, assigned_twice),
    core.perform: (scattered,),
    np.ndarray.sort: (sorted_in_place, rows_sorted_in_place),
    np.ndarray.partition: (partitioned_in_place,),
    np.fill_diagonal: (filled,),
    np.add.at: (scattered,),
    np.subtract.at: (subtracted_at,),
    np.put: (put,),
    np.ndarray.put: (put,),
    np.putmask: (put_where,),
    np.put_along_axis: (put_along_rows,),
    np.matmul: (lambda x: x @ M, lambda x: M.T @ x.T, lambda x: x @ M[:, 0], lambda x: M.T @ x[0],
                lambda x: x[0] @ x[1], lambda x: x @ T, lambda x: T @ x),
    np.dot: (lambda x: np.dot(x, M), lambda x: np.dot(x[0], x[1]), lambda x: np.dot(2.0, x),
             lambda x: np.dot(T.swapaxes(1, 2), x.T), lambda x: np.dot(x, T)),
    np.inner: (lambda x: np.inner(x, M.T), lambda x: np.inner(x[0], x), lambda x: np.inner(x, x)),
}
REAL = {
    np.interp, np.unwrap, np.modf, np.frexp, np.divmod, np.logaddexp.reduce, np.fft.rfft,
    np.fft.rfft2, np.fft.rfftn, np.fft.ihfft, np.quantile, np.percentile, np.nanquantile,
    np.nanpercentile, np.bincount, np.poly,
}
"""What NumPy refuses to do to complex numbers."""
OF_HERMITIAN = {np.linalg.cholesky, np.linalg.eigh, np.linalg.eigvalsh, np.linalg.svd}
"""Which have complex cases of their own."""
INTERNAL = {pullback.independent, pullback.owned, pullback.unknown, core.plain, float, complex,
            factors.solved, factors.solved_again, factors.divided}
"""Rows that functions of arrays do not reach by name."""
CASES_OF_ROWS = [(target, place) for target, cases in CASES.items() for place in range(len(cases))]


def test_every_row_with_a_rule_has_a_case():
    rules = {row.target for column in ("vjp", "means") for row in having(column)}
    assert rules == {*CASES, *FUNCTIONS} | INTERNAL


@pytest.fixture(autouse=True)
def by_numpy():
    """Rules are the same for all backends."""
    with dl.config.patch(backend="aot_eager"):
        yield


FIRST = {**{target: (cases[0], A) for target, cases in CASES.items()},
         **{target: cases[0] for target, cases in FUNCTIONS.items()}}


@pytest.mark.parametrize("target", FIRST, ids=lambda target: target.__qualname__)
def test_derivatives_in_single_precision(target):
    function, x = FIRST[target][:2]
    x = np.asarray(x)
    small = x.astype(np.complex64 if x.dtype.kind == "c" else np.float32)
    v = direction(RNG, x)
    value, tangent = dl.jvp(function, (small,), (v.astype(small.dtype),))
    assert tangent.dtype == value.dtype
    assert close(tangent, dl.jvp(function, (x,), (v,))[1], 5e-3)
    w = direction(RNG, value)
    (cotangent,) = dl.vjp(function, small)[1](w)
    assert cotangent.dtype == small.dtype
    assert close(pairing(cotangent, v), pairing(w, tangent), 1e-2)


@pytest.mark.parametrize("target", [each for each in FIRST if each not in OF_HERMITIAN],
                         ids=lambda target: target.__qualname__)
def test_derivatives_of_complex_numbers(target):
    function, x = FIRST[target][:2]
    x = x + 1j * RNG.uniform(0.1, 0.5, np.shape(x))
    if target in REAL:
        with pytest.raises((TypeError, dl.errors.FullGraphRequired)):
            dl.jvp(function, (x,), (x,))
        return
    v = direction(RNG, x)
    value, tangent = dl.jvp(function, (x,), (v,))
    assert close(tangent, central(function, x, v))
    w = direction(RNG, value)
    (cotangent,) = dl.vjp(function, x)[1](w)
    assert close(pairing(cotangent, v), pairing(w, tangent), 1e-9)


@pytest.mark.parametrize("target, place", CASES_OF_ROWS,
                         ids=[f"{target.__name__}-{place}" for target, place in CASES_OF_ROWS])
def test_derivatives_of_rows(target, place):
    check(CASES[target][place], A)
