"""NumPy's larger functions: linear algebra, Fourier transforms, sorting, products, polynomials."""
from __future__ import annotations

import numpy as np
import pytest

import dynamo_lite as dl
from dynamo_lite.ir import core

from .checking import check

RNG = np.random.default_rng(7)
A = RNG.uniform(0.3, 1.2, (3, 4))
SQUARE = RNG.uniform(-1, 1, (3, 3)) + 2 * np.eye(3)
STACK = RNG.uniform(-1, 1, (2, 3, 3)) + 2 * np.eye(3)
B = RNG.uniform(-1, 1, (3, 2))
V = RNG.uniform(-1, 1, 7)
XP = np.array([0.0, 0.35, 0.8, 1.3])
ORDER = np.argsort(A, axis=1)
MASK = A > 0.5
BINS = np.array([0, 2, 1, 2])
FOUR = RNG.uniform(-1, 1, (2, 2, 2, 2))
ENDS = np.array([0, 2])
ZEROS = np.array([1.0, 0.0, 1.0, 0.0])


def diagonal_doubled(x):
    y = x * x
    diagonal = np.einsum("ii->i", y)
    diagonal *= 2
    return y


def spd(x):
    return x @ np.swapaxes(x, -1, -2) + np.eye(3)


CASES = {
    np.prod: ((lambda x: x.prod(), A), (lambda x: np.prod(x, axis=1), A),
              (lambda x: np.prod(x - A[0, 0]), A, 0, False),
              (lambda x: np.prod(x, axis=0, where=MASK, initial=2.0), A),
              (lambda x: np.prod(x * ZEROS[:2]), A[0, :2]),
              (lambda x: np.prod(x * ZEROS, axis=1), A)),
    np.multiply.reduce: ((lambda x: np.multiply.reduce(x), A),),
    np.maximum.reduce: ((lambda x: np.maximum.reduce(x), A),),
    np.minimum.reduce: ((lambda x: np.minimum.reduce(x, axis=1), A),),
    np.cumprod: ((lambda x: np.cumprod(x), A), (lambda x: np.cumprod(x, axis=1), A),
                 (lambda x: np.cumprod(x - A[1, 1], axis=0), A),
                 (lambda x: np.cumprod(x * ZEROS, axis=1), A),
                 (lambda x: np.cumprod(x - A * (1 - ZEROS), axis=1), A),
                 (lambda x: np.cumprod(np.repeat(x - A[:, :1], 70)), A, 0, False)),
    np.einsum: ((lambda x: np.einsum("ij,jk,k->ik", x, A.T, A[:, 0]), A),
                (lambda x: np.einsum("ij,ij->j", x, x), A),
                (lambda x: np.einsum("ij->i", x) ** 2, A),
                (lambda x: np.einsum("...j,kj->...k", x, x), A),
                (lambda x: np.einsum("...ij,...jk", x, x), STACK),
                (lambda x: np.einsum("jii,j->i", x, A[:2, 0]), STACK),
                (lambda x: np.einsum("iijj,j->i", x, V[:2]), FOUR),
                (lambda x: np.einsum("iii", x) ** 2, STACK[:, :2, :2])),
    core.diagonals: ((lambda x: np.einsum("ii->i", x) ** 2, SQUARE),
                     (lambda x: np.einsum("jiji->ij", x) ** 2, FOUR), (diagonal_doubled, SQUARE)),
    np.bincount: ((lambda x: (np.bincount(BINS, x) ** 2).sum(), V[:4]),
                  (lambda x: (np.bincount(BINS, weights=x, minlength=9) ** 2).sum(), V[:4])),
    np.histogram: ((lambda x: np.histogram(A[0], bins=3, weights=x)[0] ** 2, V[:4]),),
    np.linalg.inv: ((np.linalg.inv, SQUARE), (np.linalg.inv, STACK)),
    np.linalg.det: ((np.linalg.det, SQUARE), (np.linalg.det, STACK)),
    np.linalg.slogdet: ((lambda x: np.linalg.slogdet(x)[1], STACK),),
    np.linalg.solve: ((lambda x: np.linalg.solve(x, B), SQUARE),
                      (lambda x: np.linalg.solve(x, x[0]), SQUARE),
                      (lambda x: np.linalg.solve(SQUARE, x), B)),
    np.linalg.cholesky: ((lambda x: np.linalg.cholesky(spd(x)), SQUARE),
                         (lambda x: np.linalg.cholesky(spd(x)), STACK)),
    np.linalg.eigh: ((lambda x: np.linalg.eigh(spd(x))[0], SQUARE),
                     (lambda x: np.linalg.eigh(spd(x))[1] ** 2, SQUARE)),
    np.linalg.eigvalsh: ((lambda x: np.linalg.eigvalsh(spd(x)), STACK),),
    np.linalg.svd: ((lambda x: np.linalg.svd(x, full_matrices=False)[0] ** 2, A.T),
                    (lambda x: np.linalg.svd(x, full_matrices=False)[2] ** 2, A),
                    (lambda x: np.linalg.svd(x, compute_uv=False), A),
                    (lambda x: np.linalg.svd(x)[1] ** 3, A),
                    (lambda x: np.abs(np.linalg.svd(x)[0]), A)),
    np.linalg.svdvals: ((lambda x: np.linalg.svdvals(x), SQUARE),),
    np.linalg.qr: ((lambda x: np.linalg.qr(x)[0], SQUARE), (lambda x: np.linalg.qr(x)[1], A.T),
                   (lambda x: np.linalg.qr(x)[0], A), (lambda x: np.linalg.qr(x)[1], A),
                   (lambda x: np.linalg.qr(x, mode="r"), A.T)),
    np.fft.fft: ((np.fft.fft, V), (lambda x: np.fft.fft(x, 4, axis=0), A),
                 (lambda x: np.fft.fft(x, 5, norm="ortho"), V)),
    np.fft.ifft: ((np.fft.ifft, V + 1j * V[::-1]),),
    np.fft.fft2: ((np.fft.fft2, A),), np.fft.ifft2: ((np.fft.ifft2, A + 1j),),
    np.fft.fftn: ((np.fft.fftn, A),), np.fft.ifftn: ((np.fft.ifftn, A),),
    np.fft.fftshift: ((lambda x: np.fft.fftshift(x) * V, V),),
    np.fft.ifftshift: ((lambda x: np.fft.ifftshift(x) * V, V),),
    np.fft.rfft: ((np.fft.rfft, V), (lambda x: np.fft.rfft(x, axis=0), A),
                  (lambda x: np.fft.rfft(x, 10), V)),
    np.fft.irfft: ((np.fft.irfft, V + 1j * V[::-1]), (lambda x: np.fft.irfft(x, 7), V + 1j),
                   (lambda x: np.fft.irfft(np.fft.rfft(x), 7) ** 2, V)),
    np.kron: ((lambda x: np.kron(x, B), A), (lambda x: np.kron(B, x), A),
              (lambda x: np.kron(x[0], x), A), (lambda x: np.kron(x[0], x[1]), A)),
    np.trapezoid: ((lambda x: np.trapezoid(x, axis=0), A), (lambda x: np.trapezoid(V, x), V)),
    np.sinc: ((np.sinc, A), (np.sinc, np.zeros(2), 0, False)),
    np.average: ((lambda x: np.average(x, axis=0), A),
                 (lambda x: np.average(A, weights=x), A),
                 (lambda x: np.average(x, axis=1, weights=V[:4] + 2, keepdims=True), A),
                 (lambda x: np.average(A, axis=0, weights=x), B[:, 0] + 2)),
    np.median: ((lambda x: np.median(x), A), (lambda x: np.median(x, axis=0), A)),
    np.sort: ((lambda x: np.sort(x) * A, A), (lambda x: np.sort(x, axis=0) ** 2, A),
              (lambda x: np.sort(x, axis=None) ** 2, A)),
    np.take_along_axis: ((lambda x: np.take_along_axis(x, ORDER, 1) ** 2, A),
                         (lambda x: np.take_along_axis(x, ORDER[:1] % 3, 0) ** 2, A),
                         (lambda x: np.take_along_axis(x, BINS, None) ** 2, A)),
    np.interp: ((lambda x: np.interp(x, XP, XP ** 2), A), (lambda y: np.interp(A, XP, y), XP),
                (lambda x: np.interp(x, XP[::-1], XP ** 2, period=1.4), A)),
    np.convolve: ((lambda x: np.convolve(x, V[:3]), V), (lambda x: np.convolve(V, x, "same"), B[0]),
                  (lambda x: np.convolve(x, x[:4], "valid"), V)),
    np.correlate: ((lambda x: np.correlate(x, V[:3]), V),
                   (lambda x: np.correlate(V, x, "full"), V[:2]),
                   (lambda x: np.correlate(x[:2], x, "same"), V)),
    np.pad: ((lambda x: np.pad(x, 2) ** 2, A), (lambda x: np.pad(x, ((1, 0), (0, 2))) ** 2, A)),
    np.polyval: ((lambda x: np.polyval(x, 0.7), V), (lambda x: np.polyval(V, x), A)),
    np.append: ((lambda x: np.append(x, x) ** 2, A),),
    np.diff: ((lambda x: np.diff(x, prepend=0.5) ** 2, A),
              (lambda x: np.diff(x, 2, 0, x[:1] * 2, append=x[1:2] ** 2), A)),
    np.repeat: ((lambda x: np.repeat(x, [1, 0, 2], axis=0) ** 2, A),
                (lambda x: np.repeat(x, [1, 0, 2, 1] * 3) ** 2, A)),
    np.dstack: ((lambda x: np.dstack((x, x * x)), A), (lambda x: np.dstack((x[0], x[1])), A)),
    np.diag: ((lambda x: np.diag(x) ** 2, V), (lambda x: np.diag(x, 1) ** 2, A)),
    np.lib.stride_tricks.sliding_window_view: (
        (lambda x: np.lib.stride_tricks.sliding_window_view(x, 3) ** 2, V),),
    np.diagflat: ((lambda x: np.diagflat(x) ** 2, V),),
    np.nansum: ((lambda x: np.nansum(x * x, axis=0), A),
                (lambda x: np.nansum(x * x, axis=0, where=MASK, initial=2.0), A)),
    np.nanmean: ((lambda x: np.nanmean(x * x), A),),
    np.nan_to_num: ((lambda x: np.nan_to_num(x) ** 2, A),),
    np.angle: ((lambda x: np.angle(x + 1j * A), A),),
    np.clip: ((lambda x: np.clip(x, 0.5, 1.0) * x, A), (lambda x: x.clip(A[0] / 2, None), A)),
    np.gradient: ((lambda x: np.gradient(x, 0.5) ** 2, V),
                  (lambda x: np.gradient(x, XP, edge_order=2, axis=1), A),
                  (lambda x: np.gradient(V[:4], x), XP)),
    np.linalg.matrix_power: ((lambda x: np.linalg.matrix_power(x, 3), SQUARE),
                             (lambda x: np.linalg.matrix_power(x, -2), SQUARE)),
    np.linalg.lstsq: ((lambda x: np.linalg.lstsq(x, V[:4], rcond=None)[0], A.T),
                      (lambda x: np.linalg.lstsq(x, V[:3], rcond=None)[0], A)),
    np.linalg.pinv: ((np.linalg.pinv, A), (np.linalg.pinv, A.T)),
    np.vecdot: ((lambda x: np.vecdot(x, x), A),),
    np.matvec: ((lambda x: np.matvec(x, x[0]), A),),
    np.vecmat: ((lambda x: np.vecmat(x[:, 0], x), A),),
    np.mean: ((lambda x: np.mean(x, axis=0, where=MASK), A), (lambda x: np.mean(x * x), A + 1j)),
    np.var: ((lambda x: np.var(x, where=MASK), A), (lambda x: np.var(x, axis=1), A + 1j * ORDER)),
    np.std: ((lambda x: np.std(x, axis=1, where=MASK, ddof=1, keepdims=True), A),),
    np.cov: ((lambda x: np.cov(x), A), (lambda x: np.cov(x, x * x, rowvar=False), A),
             (lambda x: np.cov(x, aweights=XP + 1, ddof=0), A)),
    np.corrcoef: ((lambda x: np.corrcoef(x), A),),
    np.quantile: ((lambda x: np.quantile(x, 0.4, axis=1, keepdims=True), A),
                  (lambda q: np.quantile(A, q), np.float64(0.37))),
    np.percentile: ((lambda x: np.percentile(x, [10, 35]), A),
                    (lambda x: np.percentile(x, 35, axis=(0, 1)), A),
                    *((lambda x, m=m: np.percentile(x, [15, 40], axis=1, method=m), A)
                      for m in ("lower", "higher", "nearest", "midpoint"))),
    np.nanmedian: ((lambda x: np.nanmedian(np.where(MASK, x, np.nan), axis=0), A),),
    np.nanquantile: ((lambda x: np.nanquantile(np.where(MASK, x, np.nan), 0.3), A),),
    np.nanpercentile: ((lambda x: np.nanpercentile(x, 30), A),),
    np.nanprod: ((lambda x: np.nanprod(x, axis=0), A),),
    np.nanvar: ((lambda x: np.nanvar(np.where(MASK, x, np.nan)), A),),
    np.nanstd: ((lambda x: np.nanstd(x, axis=1), A),),
    np.nancumsum: ((lambda x: np.nancumsum(x, axis=1) ** 2, A),),
    np.nancumprod: ((lambda x: np.nancumprod(x, axis=1), A),),
    np.nanmax: ((lambda x: np.nanmax(x, axis=1) ** 2, A),),
    np.nanmin: ((lambda x: np.nanmin(x) ** 2, A),),
    np.logaddexp.reduce: ((lambda x: np.logaddexp.reduce(x, axis=1), A),),
    np.maximum.accumulate: ((lambda x: np.maximum.accumulate(x, axis=1) ** 2, A),),
    np.minimum.accumulate: ((lambda x: np.minimum.accumulate(x) ** 2, A),),
    np.add.reduceat: ((lambda x: np.add.reduceat(x, ENDS, axis=1) ** 2, A),
                      (lambda x: np.add.reduceat(x, ENDS[::-1]) ** 2, V)),
    np.partition: ((lambda x: np.partition(x, 1, axis=1) ** 2 * V[:4], A),
                   (lambda x: np.partition(x, 5, axis=None)[:5].sum(), A)),
    np.unwrap: ((lambda x: np.unwrap(x * 9) ** 2, A),),
    np.modf: ((lambda x: np.modf(x * 3)[0] ** 2, A),),
    np.frexp: ((lambda x: np.frexp(x)[0] ** 2, A),),
    np.divmod: ((lambda x: np.divmod(x, 0.4)[1] ** 2, A), (lambda x: np.divmod(3.0, x)[1], A)),
    np.choose: ((lambda x: np.choose(ORDER[0] % 3, x) ** 2, A),
                (lambda x: np.choose(ORDER % 2, [x, x * x]), A),
                (lambda x: np.choose(ORDER, [x, x * x], mode="clip"), A),
                (lambda x: np.choose(ORDER, [x, x * x], mode="wrap"), A)),
    np.select: ((lambda x: np.select([x > 0.9, x < 0.5], [x ** 2, x ** 3], x), A),),
    np.delete: ((lambda x: np.delete(x, 1, axis=1) ** 2, A),),
    np.insert: ((lambda x: np.insert(x, 1, x[:, 0] ** 2, axis=1) ** 2, A),
                (lambda x: np.insert(x, [1, 3], x[:, :2] ** 2, axis=1), A),
                (lambda x: np.insert(x, slice(1, 3), x[:2] ** 2), V),
                (lambda x: np.insert(x, slice(-3, None), x[:3] ** 2), V),
                (lambda x: np.insert(x, -1, x[:2] ** 2, axis=0), A)),
    np.resize: ((lambda x: np.resize(x, (5, 3)) ** 2, A),),
    np.meshgrid: ((lambda x: np.meshgrid(x, x * x)[0] * np.meshgrid(x, x * x)[1], V),),
    np.linspace: ((lambda x: np.linspace(x[0], x[1], 5) ** 2, V),
                  (lambda x: np.linspace(x, 2.0, 4, endpoint=False), V)),
    np.logspace: ((lambda x: np.logspace(x[0], x[1], 4), V),),
    np.geomspace: ((lambda x: np.geomspace(x[0, 0], x[0, 1], 4), A),),
    np.vander: ((lambda x: np.vander(x, 3), V), (lambda x: np.vander(x, increasing=True), V[:3])),
    np.cumulative_sum: (
        (lambda x: np.cumulative_sum(x, axis=1) ** 2, A),
        (lambda x: np.cumulative_sum(x, axis=0, include_initial=True) ** 2, A)),
    np.cumulative_prod: (
        (lambda x: np.cumulative_prod(x, axis=1), A),
        (lambda x: np.cumulative_prod(x, axis=1, include_initial=True), A)),
    np.ediff1d: ((lambda x: np.ediff1d(x) ** 2, A),),
    np.polyint: ((lambda x: np.polyint(x, 2) ** 2, V),),
    np.poly: ((lambda x: np.poly(x), V), (lambda x: np.poly(x), SQUARE),
              (lambda x: np.poly(x[:1, :1]), SQUARE)),
    np.polyder: ((lambda x: np.polyder(x, 2) ** 2, V),),
    np.polyadd: ((lambda x: np.polyadd(x, x[2:] ** 2), V),),
    np.polysub: ((lambda x: np.polysub(x[3:], x ** 2), V),),
    np.polyfit: ((lambda y: np.polyfit(V, y, 2), V ** 3), (lambda x: np.polyfit(x, V, 1), V[::-1])),
    np.linalg.norm: (
        *((lambda x, p=p: np.linalg.norm(x, p), SQUARE) for p in (1, -1, 2, -2, np.inf, "nuc")),
        *((lambda x, p=p: np.linalg.norm(x, p, axis=1), A) for p in (3, 0.5, -np.inf)),
        (lambda x: np.linalg.norm(x), A + 1j)),
    np.linalg.vector_norm: ((lambda x: np.linalg.vector_norm(x, axis=1, ord=3), A),),
    np.linalg.matrix_norm: ((lambda x: np.linalg.matrix_norm(x), A),),
    np.linalg.cond: ((np.linalg.cond, SQUARE), (lambda x: np.linalg.cond(x, 1), SQUARE)),
    np.linalg.multi_dot: ((lambda x: np.linalg.multi_dot([x, x.T, x]), A),),
    np.linalg.tensorinv: ((lambda x: np.linalg.tensorinv(x, ind=1), SQUARE),),
    np.linalg.tensorsolve: ((lambda x: np.linalg.tensorsolve(x, V[:3]), SQUARE),),
    np.linalg.outer: ((lambda x: np.linalg.outer(x, x[:2]), V),),
    np.cross: ((lambda x: np.cross(x[:, :3], x[:, 1:]), A + 1j),),
    np.linalg.cross: ((lambda x: np.linalg.cross(x[:, :3], x[:, 1:]), A),),
    np.fft.rfft2: ((np.fft.rfft2, A),), np.fft.rfftn: ((np.fft.rfftn, A),),
    np.fft.irfft2: ((np.fft.irfft2, A + 1j),),
    np.fft.irfftn: ((lambda x: np.fft.irfftn(x, (3, 5), axes=(0, 1)), A + 1j),),
    np.fft.hfft: ((np.fft.hfft, V + 1j),), np.fft.ihfft: ((np.fft.ihfft, V),),
}
COMPOSED = {
    **{f"Gram {place}": function for place, function in enumerate((
        lambda x: x @ x.T, lambda x: x.T @ x, lambda x: np.dot(x, x.T) * x[:, :1],
        lambda x: np.sin(x.T @ x) @ x.T, lambda x: (x * x).T @ (x * x), lambda x: (x * 2) @ x.T,
        lambda x: np.linalg.multi_dot([x, x.T, x]), lambda x: (x + 1j * x) @ (x - 1j * x).T))},
    "mean": lambda x: x.mean(axis=0) ** 2, "var": lambda x: x.var(axis=1, ddof=1),
    "std": lambda x: np.std(x, axis=0), "norm": lambda x: np.linalg.norm(x),
    "norms": lambda x: np.linalg.norm(x, axis=1), "ptp": lambda x: np.ptp(x, axis=0),
    "logsumexp": lambda x: np.log(np.exp(x - x.max()).sum()) + x.max(),
    "roll": lambda x: np.roll(x, 2, axis=1) * x, "tile": lambda x: np.tile(x, (2, 2)) ** 2,
    "repeat": lambda x: np.repeat(x, 3, axis=0) ** 2, "tril": lambda x: np.tril(x) ** 2,
    "diff": lambda x: np.diff(x, axis=1) ** 2, "outer": lambda x: np.outer(x[0], x[1]),
    "tensordot": lambda x: np.tensordot(x, B, (0, 0)), "trace": lambda x: np.trace(x @ x.T),
    "split": lambda x: np.split(x, 2, axis=1)[1] ** 2, "vstack": lambda x: np.vstack((x, x * x)),
    "hstack": lambda x: np.hstack((x, x * x)), "cross": lambda x: np.cross(x[:, 0], x[:, 1] ** 2),
    "block": lambda x: np.block([[x, x * 2], [x**2, np.sin(x)]]),
    "block of rows": lambda x: np.block([[x[0]], [x[1] ** 2]]),
    "block of several dtypes": lambda x: np.block([[x, np.ones((len(x), 1), "f4")]]),
    "polymul": lambda x: np.polymul(x[0], np.polymul([2, 1.0], x[1])),
    "vdot": lambda x: np.vdot(x, x * x), "mask": lambda x: x[A > 0.6].sum() * x,
}
PLACES = [(target, place) for target, cases in CASES.items() for place in range(len(cases))]


@pytest.fixture(autouse=True)
def by_numpy():
    """Rules are the same for all backends."""
    with dl.config.patch(backend="aot_eager"):
        yield


@pytest.mark.parametrize("target, place", PLACES,
                         ids=[f"{target.__name__}-{place}" for target, place in PLACES])
def test_derivatives_of_functions(target, place):
    check(*CASES[target][place])


HERMITIAN = STACK + 1j * np.swapaxes(STACK, 1, 2)
OF_HERMITIAN = {
    "cholesky": lambda x: np.linalg.cholesky(hermitian(x)),
    "upper": lambda x: np.linalg.cholesky(hermitian(x), upper=True),
    "eigenvalues": lambda x: np.linalg.eigh(hermitian(x))[0],
    "eigenvectors": lambda x: np.abs(np.linalg.eigh(hermitian(x))[1]),
    "singular values": lambda x: np.linalg.svd(x)[1],
    "singular vectors": lambda x: np.abs(np.linalg.svd(x)[0]) * np.abs(np.linalg.svd(x)[2]),
    "orthogonal": lambda x: np.linalg.qr(x[:, :, :2])[0],
    "triangular": lambda x: np.linalg.qr(x)[1],
    "sign": lambda x: np.linalg.slogdet(x)[0], "logarithm": lambda x: np.linalg.slogdet(x)[1],
}


def hermitian(x):
    return x @ np.conjugate(np.swapaxes(x, -1, -2)) + np.eye(3)


@pytest.mark.parametrize("name", OF_HERMITIAN)
def test_factors_of_complex_matrices(name):
    check(OF_HERMITIAN[name], HERMITIAN)


@pytest.mark.parametrize("name", COMPOSED)
def test_derivatives_of_what_is_composed(name):
    check(COMPOSED[name], A)


def test_products_with_a_transpose_that_is_a_constant():
    for product in (lambda x: x @ dl.stop_gradient(x).T, lambda x: x @ dl.stop_gradient(x.T)):
        assert np.allclose(dl.grad(lambda x, f=product: (SQUARE * f(x)).sum())(A), SQUARE @ A)
    left, right = dl.grad(lambda a, b: (SQUARE * (a @ b)).sum(), (0, 1))(A, A.T)
    assert np.allclose(left, SQUARE @ A) and np.allclose(right, A.T @ SQUARE)


@pytest.mark.parametrize("order", "CFAK")
@pytest.mark.parametrize("laid_out", [np.ascontiguousarray, np.asfortranarray])
def test_elements_in_an_order_of_memory(laid_out, order):
    places, weights = laid_out(np.arange(A.size).reshape(A.shape)), np.arange(1.0, A.size + 1)
    expected = np.empty(A.size)
    expected[places.ravel(order)] = weights
    x = laid_out(A)
    for flat in (np.ravel, np.ndarray.flatten):
        found = dl.grad(lambda x: (flat(x, order=order) * weights).sum())(x)
        assert np.array_equal(found, expected.reshape(A.shape))
    assert np.allclose(dl.grad(np.linalg.norm)(x), A / np.linalg.norm(A), rtol=1e-14)
