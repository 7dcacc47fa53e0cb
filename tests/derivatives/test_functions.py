"""NumPy's larger functions: linear algebra, Fourier transforms, sorting, products, polynomials."""
from __future__ import annotations

import numpy as np
import pytest

from .checking import check

RNG = np.random.default_rng(7)
A = RNG.uniform(0.3, 1.2, (3, 4))
SQUARE = RNG.uniform(-1, 1, (3, 3)) + 2 * np.eye(3)
STACK = RNG.uniform(-1, 1, (2, 3, 3)) + 2 * np.eye(3)
B = RNG.uniform(-1, 1, (3, 2))
V = RNG.uniform(-1, 1, 7)
XP = np.array([0.0, 0.35, 0.8, 1.3])
ORDER = np.argsort(A, axis=1)


def spd(x):
    return x @ np.swapaxes(x, -1, -2) + np.eye(3)


CASES = {
    np.prod: ((lambda x: x.prod(), A), (lambda x: np.prod(x, axis=1), A),
              (lambda x: np.prod(x - A[0, 0]), A, 0, False)),
    np.multiply.reduce: ((lambda x: np.multiply.reduce(x), A),),
    np.maximum.reduce: ((lambda x: np.maximum.reduce(x), A),),
    np.minimum.reduce: ((lambda x: np.minimum.reduce(x, axis=1), A),),
    np.cumprod: ((lambda x: np.cumprod(x), A), (lambda x: np.cumprod(x, axis=1), A)),
    np.einsum: ((lambda x: np.einsum("ij,jk,k->ik", x, A.T, A[:, 0]), A),
                (lambda x: np.einsum("ij,ij->j", x, x), A),
                (lambda x: np.einsum("ij->i", x) ** 2, A)),
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
                    (lambda x: np.linalg.svd(x, compute_uv=False), A)),
    np.linalg.svdvals: ((lambda x: np.linalg.svdvals(x), SQUARE),),
    np.linalg.qr: ((lambda x: np.linalg.qr(x)[0], SQUARE), (lambda x: np.linalg.qr(x)[1], A.T)),
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
    np.kron: ((lambda x: np.kron(x, B), A), (lambda x: np.kron(B, x), A)),
    np.trapezoid: ((lambda x: np.trapezoid(x, axis=0), A), (lambda x: np.trapezoid(V, x), V)),
    np.sinc: ((np.sinc, A), (np.sinc, np.zeros(2), 0, False)),
    np.average: ((lambda x: np.average(x, axis=0), A),
                 (lambda x: np.average(A, weights=x), A)),
    np.median: ((lambda x: np.median(x), A), (lambda x: np.median(x, axis=0), A)),
    np.sort: ((lambda x: np.sort(x) * A, A), (lambda x: np.sort(x, axis=0) ** 2, A),
              (lambda x: np.sort(x, axis=None) ** 2, A)),
    np.take_along_axis: ((lambda x: np.take_along_axis(x, ORDER, 1) ** 2, A),
                         (lambda x: np.take_along_axis(x, ORDER[:1] % 3, 0) ** 2, A)),
    np.interp: ((lambda x: np.interp(x, XP, XP ** 2), A), (lambda y: np.interp(A, XP, y), XP)),
    np.convolve: ((lambda x: np.convolve(x, V[:3]), V), (lambda x: np.convolve(V, x, "same"), B[0]),
                  (lambda x: np.convolve(x, x[:4], "valid"), V)),
    np.correlate: ((lambda x: np.correlate(x, V[:3]), V),
                   (lambda x: np.correlate(V, x, "full"), V[:2])),
    np.pad: ((lambda x: np.pad(x, 2) ** 2, A), (lambda x: np.pad(x, ((1, 0), (0, 2))) ** 2, A)),
    np.polyval: ((lambda x: np.polyval(x, 0.7), V), (lambda x: np.polyval(V, x), A)),
    np.append: ((lambda x: np.append(x, x) ** 2, A),),
    np.dstack: ((lambda x: np.dstack((x, x * x)), A),),
    np.diag: ((lambda x: np.diag(x) ** 2, V), (lambda x: np.diag(x, 1) ** 2, A)),
    np.lib.stride_tricks.sliding_window_view: (
        (lambda x: np.lib.stride_tricks.sliding_window_view(x, 3) ** 2, V),),
    np.diagflat: ((lambda x: np.diagflat(x) ** 2, V),),
    np.nansum: ((lambda x: np.nansum(x * x, axis=0), A),),
    np.nanmean: ((lambda x: np.nanmean(x * x), A),),
    np.nan_to_num: ((lambda x: np.nan_to_num(x) ** 2, A),),
    np.angle: ((lambda x: np.angle(x + 1j * A), A),),
    np.clip: ((lambda x: np.clip(x, 0.5, 1.0) * x, A), (lambda x: x.clip(A[0] / 2, None), A)),
    np.gradient: ((lambda x: np.gradient(x, 0.5) ** 2, V),),
    np.linalg.matrix_power: ((lambda x: np.linalg.matrix_power(x, 3), SQUARE),),
    np.linalg.lstsq: ((lambda x: np.linalg.lstsq(x, V[:4], rcond=None)[0], A.T),),
    np.linalg.pinv: ((np.linalg.pinv, A), (np.linalg.pinv, A.T)),
    np.vecdot: ((lambda x: np.vecdot(x, x), A),),
}
COMPOSED = {
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
    "vdot": lambda x: np.vdot(x, x * x), "mask": lambda x: x[A > 0.6].sum() * x,
}
PLACES = [(target, place) for target, cases in CASES.items() for place in range(len(cases))]


@pytest.mark.parametrize("target, place", PLACES,
                         ids=[f"{target.__name__}-{place}" for target, place in PLACES])
def test_derivatives_of_functions(target, place):
    check(*CASES[target][place])


@pytest.mark.parametrize("name", COMPOSED)
def test_derivatives_of_what_is_composed(name):
    check(COMPOSED[name], A)
