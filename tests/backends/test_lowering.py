"""Lowered programs, run by the reference interpreter, equal NumPy."""
from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from dynamo_lite.backends.interpret import Abandoned, run_program
from dynamo_lite.backends.lowering import lower
from dynamo_lite.backends.program import Extern, Launch, Program

from .graphs import trace


def check(function: Any, *values: Any, externs: int = 0, kernels: int | None = None) -> Program:
    """Lower `function`, run it, compare with NumPy in every respect that a user sees."""
    program = lower(trace(function, *values))
    with np.errstate(all="ignore"):
        expected = function(*values)
        found = run_program(program, *values)
    expected = expected if isinstance(expected, tuple) else (expected,)
    assert len(found) == len(expected)
    for got, want in zip(found, expected):
        same(got, want)
    for one, two in ((i, j) for i in range(len(found)) for j in range(i)):
        assert (found[one] is found[two]) == (expected[one] is expected[two])
        assert np.shares_memory(found[one], found[two]) == np.shares_memory(
            expected[one], expected[two]
        )
    for got, want in zip(found, expected):
        for value in values:
            assert (got is value) == (want is value)
            assert np.may_share_memory(got, value) == np.may_share_memory(want, value)
    assert sum(isinstance(s, Extern) for s in program.steps) == externs, program.notes
    if kernels is not None:
        assert sum(isinstance(s, Launch) for s in program.steps) == kernels
    return program


def same(got: Any, want: Any) -> None:
    assert type(got) is type(want)
    want_array = np.asarray(want)
    got_array = np.asarray(got)
    assert got_array.dtype == want_array.dtype
    assert got_array.shape == want_array.shape
    if isinstance(want, np.ndarray) and want.size:
        assert [s for s, n in zip(got.strides, got.shape) if n > 1] == [
            s for s, n in zip(want.strides, want.shape) if n > 1
        ]
        assert got.flags.writeable == want.flags.writeable
    if want_array.dtype.kind in "fc":
        np.testing.assert_allclose(got_array, want_array, rtol=1e-6 if want_array.itemsize == 4 else 1e-12)
    else:
        np.testing.assert_array_equal(got_array, want_array)


rng = np.random.default_rng(0)
V = rng.normal(size=12)
M = rng.normal(size=(4, 6))
F = np.asfortranarray(M)
T3 = rng.normal(size=(2, 3, 4))
I = rng.integers(-9, 9, size=(4, 6))
U = rng.integers(1, 9, size=(4, 6)).astype(np.uint8)
S = np.float32(1.5)
f4 = M.astype(np.float32)

CASES = {
    "chain": (lambda x: np.exp(x * 2 + 1) - x, V),
    "broadcast": (lambda x, y: x[:, None] * y[None, :] + 1, V, V[:5]),
    "rows": (lambda x, y: x + y, M, V[:6]),
    "scalars": (lambda x, s: x * s + 2, f4, S),
    "python scalar": (lambda x, s: x * s, f4, 2.5),
    "python int": (lambda x, s: x * s, f4, 3),
    "int chain": (lambda x: (x + 1) * x - (x < 3), I),
    "narrow": (lambda x: x * x + 200, U),
    "mixed": (lambda x, y: x * y, I, f4),
    "compare": (lambda x, y: (x < y) & (x > 0), I, M),
    "floor divide": (lambda x, y: x // y + x % y, I, U),
    "where": (lambda x: np.where(x > 0, x, -x), M),
    "where scalars": (lambda x: np.where(x > 0, 1.0, 0), f4),
    "clip": (lambda x: np.clip(x, -1, 1), M),
    "astype": (lambda x: x.astype(np.int32), M * 10),
    "0-d": (lambda x: x[2] * 2 + x[3], V),
    "transpose": (lambda x: (x + 1).T * 2, M),
    "transposed output": (lambda x: (x + 1).T, M),
    "fortran": (lambda x: x * 2, F),
    "mixed order": (lambda x, y: x + y, F, M),
    "negative steps": (lambda x: x[::-1, ::2] + x[:, 1::2], M),
    "slices": (lambda x: x[1:] - x[:-1], V),
    "view output": (lambda x: x[1:3, ::-1], M),
    "view of output": (lambda x: ((y := x + 1), y[::2], y.T), M),
    "row of output": (lambda x: ((y := x + 1)[0], y[:, 1]), M),
    "same output twice": (lambda x: ((y := x * 2), y, x), M),
    "copy": (lambda x: (x.copy(), x[:]), M),
    "reshape view": (lambda x: x.reshape(6, 4), M),
    "reshape copy": (lambda x: x.T.reshape(24), M),
    "reshape lazy": (lambda x: (x * 2).reshape(3, 8) + 1, M),
    "reshape lazy transposed": (lambda x: (x * 2).T.reshape(8, 3) + 1, M),
    "reshape split": (lambda x: x.reshape(2, 2, 3, 2).transpose(0, 2, 1, 3) if isinstance(x, np.ndarray) else np.transpose(x.reshape(2, 2, 3, 2), (0, 2, 1, 3)), M),
    "ravel": (lambda x: (np.ravel(x), np.ravel(x.T)), M),
    "flatten": (lambda x: x.flatten(), M),
    "moveaxis": (lambda x: np.moveaxis(x, 0, -1) + 1, T3),
    "swapaxes": (lambda x: np.swapaxes(x, 0, 2) * 2, T3),
    "squeeze": (lambda x: np.squeeze(np.expand_dims(x, 1) + 1), M),
    "broadcast_to": (lambda x: np.broadcast_to(x, (3, 12)), V),
    "flip": (lambda x: np.flip(x) + np.flip(x, 0), M),
    "sum": (lambda x: np.sum(x), M),
    "sum rows": (lambda x: np.sum(x, axis=1), M),
    "sum columns": (lambda x: np.sum(x, axis=0, keepdims=True), M),
    "sum ints": (lambda x: np.sum(x, axis=0), U),
    "sum bools": (lambda x: np.sum(x > 0), M),
    "sum of a product": (lambda x, y: np.sum(x * y, axis=-1), M, V[:6]),
    "max min": (lambda x: np.max(x, axis=0) - np.min(x, axis=0), M),
    "prod": (lambda x: np.prod(x, axis=(0, 2)), T3),
    "any all": (lambda x: (np.any(x > 0, axis=1), np.all(x > 0)), M),
    "argmin": (lambda x: np.argmin(x, axis=0), M),
    "argmax all": (lambda x: np.argmax(x), M),
    "mean": (lambda x: np.mean(x, axis=0), f4),
    "mean ints": (lambda x: np.mean(x), I),
    "var": (lambda x: np.var(x, axis=1), M),
    "std": (lambda x: np.std(x, axis=0, ddof=1), f4),
    "ptp": (lambda x: np.ptp(x, axis=0), I),
    "count_nonzero": (lambda x: np.count_nonzero(x > 0, axis=0), M),
    "norm": (lambda x: np.linalg.norm(x, axis=1), M),
    "norm all": (lambda x: np.linalg.norm(x), M),
    "norm 1": (lambda x: np.linalg.norm(x, 1, axis=0), f4),
    "softmax": (
        lambda x: (e := np.exp(x - np.max(x, axis=1, keepdims=True)))
        / np.sum(e, axis=1, keepdims=True),
        M,
    ),
    "layernorm": (
        lambda x: (x - np.mean(x, axis=1, keepdims=True)) / np.sqrt(np.var(x, axis=1, keepdims=True) + 1e-5),
        f4,
    ),
    "columns normalised": (lambda x: (x - np.mean(x, axis=0)) / np.std(x, axis=0), M),
    "kmeans": (
        lambda x, m: np.argmin(np.linalg.norm(x - m[:, None], axis=2), axis=0),
        rng.normal(size=(20, 2)),
        rng.normal(size=(3, 2)),
    ),
    "nothing": (lambda x: x + 1, np.zeros((0, 3))),
    "sum of nothing": (lambda x: np.sum(x, axis=0), np.zeros((0, 3))),
    "stencil": (lambda u: u[1:-1, 1:-1] + 0.1 * (u[2:, 1:-1] + u[:-2, 1:-1] - 2 * u[1:-1, 1:-1]), M),
}


@pytest.mark.parametrize("name", CASES)
def test_lowered_equals_numpy(name):
    function, *values = CASES[name]
    check(function, *values)


def test_unknown_operations_are_externs():
    check(lambda x: np.sort(x + 1, axis=0) * 2, M, externs=1)
    check(lambda x: np.linalg.inv(np.matmul(x.T, x)) + 1, M, externs=2)


def test_division_by_zero_is_abandoned():
    program = lower(trace(lambda x, y: x // y, I, U))
    zero = U.copy()
    zero[1, 2] = 0
    with pytest.raises(Abandoned):
        run_program(program, I, zero)


def test_flags_abandon_unless_ignored():
    program = lower(trace(lambda x: np.log(x), np.abs(V)))
    with pytest.raises(Abandoned):
        run_program(program, V)
    with np.errstate(invalid="ignore"):
        np.testing.assert_array_equal(run_program(program, V)[0], np.log(V))
