"""Complex arithmetic has NumPy's bits, at every position, and raises NumPy's flags."""
from __future__ import annotations

import itertools

import numpy as np
import pytest
from dynamo_lite.backends.llvm.builder.formulas import formula

import dynamo_lite as dl
from dynamo_lite.ir.ops.pointwise import COMPLEX
from dynamo_lite.native import BAILOUT

from ..oracle import same
from .kernels import has, pointwise, reduction

EDGES = [0.0, -0.0, 1.0, -1.0, 0.3, -2.5, 7e18, np.inf, -np.inf, np.nan]
LIMITS = {"c8": [1e-45, 1e-38, 3.4e38], "c16": [5e-324, 2e-308, 1.7e308]}
FORMULAS = {np.multiply: "multiply", np.square: "multiply", np.absolute: "absolute"}


def numbers(dtype):
    parts = EDGES + LIMITS[dtype]
    return np.array([complex(*pair) for pair in itertools.product(parts, parts)], dtype)


def operands(ufunc, dtype):
    """Edge values with each other, and random ones whose products are rounded."""
    rng = np.random.default_rng(3)
    edges = numbers(dtype)
    usual = (rng.standard_normal(999) + 1j * rng.standard_normal(999)).astype(dtype)
    if ufunc.nin == 1:
        return (np.concatenate([edges, usual]),)
    grid = np.array(list(itertools.product(edges, edges)), dtype)
    return tuple(np.concatenate([grid[:, i], usual[::step]]) for i, step in ((0, 1), (1, -1)))


def cases():
    found = []
    for ufunc in sorted(COMPLEX, key=lambda ufunc: ufunc.__name__):
        for dtype in ("c8", "c16"):
            found.append(pytest.param(ufunc, dtype, id=f"{ufunc.__name__}-{dtype}"))
    return found


def compiled(ufunc, dtype, n, level):
    kind = np.dtype(dtype)
    if formula(FORMULAS.get(ufunc, "multiply"), kind) == "fused" and not level.fma:
        if ufunc in FORMULAS:
            pytest.skip("NumPy computes it with an instruction that this level does not have")
    types = ufunc.resolve_dtypes((kind,) * ufunc.nin + (None,))
    assert has(ufunc.__name__, *types[:-1])
    return pointwise(ufunc.__name__, types[:-1], types[-1], n)


@pytest.mark.parametrize(("ufunc", "dtype"), cases())
def test_bits(ufunc, dtype, level):
    given = operands(ufunc, dtype)
    with np.errstate(all="ignore"):
        assert same(compiled(ufunc, dtype, given[0].size, level)(*given), ufunc(*given))


@pytest.mark.parametrize(("ufunc", "dtype"), cases())
def test_no_report_is_missed(ufunc, dtype, level):
    """Where NumPy has something to report, the call bails out."""
    edges = numbers(dtype)
    run = compiled(ufunc, dtype, 5, level)
    for given in itertools.product(*[edges] * ufunc.nin):
        arrays = [np.full(5, number) for number in given]
        reported = []
        with np.errstate(all="call", under="ignore", call=lambda *what: reported.append(what)):
            ufunc(*arrays)
            if reported:
                assert run(*arrays) is BAILOUT, (given, reported)


@pytest.mark.parametrize("dtype", ["c8", "c16"])
def test_usual_numbers_report_nothing(dtype, level):
    given = np.array([0, -0.0, 1, 1j, -2.5 + 1e9j, 1e-9j], dtype)
    with np.errstate(all="raise", under="ignore"):
        for ufunc in (np.add, np.multiply, np.equal, np.less, np.absolute, np.square, np.divide):
            arrays = np.meshgrid(given, given + 3)[: ufunc.nin]
            arrays = [np.ascontiguousarray(array.reshape(-1)) for array in arrays]
            assert compiled(ufunc, dtype, arrays[0].size, level)(*arrays) is not BAILOUT


@pytest.mark.parametrize("dtype", ["c8", "c16"])
def test_sums_have_the_bits_of_numpy(dtype, level):
    rng = np.random.default_rng(0)
    for n in [*range(1, 41), 63, 64, 65, 68, 70, 100, 127, 128, 129, 136, 300, 1000, 4103]:
        x = (rng.standard_normal((5, n)) + 1j * rng.standard_normal((5, n))).astype(dtype)
        assert same(reduction("add", dtype, x.shape, (1,))(x), x.sum(axis=1))
        assert same(reduction("add", dtype, (n,), (0,))(x[0]), np.asarray(x[0].sum()))


def total(z, w):
    return z.sum(), (z * w).sum(axis=-1), (z - w).mean(), (z * w).sum(), z.sum(axis=0)


@pytest.mark.parametrize("dtype", ["c8", "c16"])
@pytest.mark.parametrize("rows", [(), (3,), (1,)])
def test_sums_have_one_order_whatever_is_known_of_their_length(rows, dtype, level):
    symbolic = dl.compile(total, dynamic=True)
    rng = np.random.default_rng(0)
    for n in [*range(1, 41, 3), 63, 64, 65, 66, 127, 129, 131, 1000, 4099, 100_001]:
        parts = rng.standard_normal((2, 2, *rows, n))
        z, w = (parts[0] + 1j * parts[1]).astype(dtype)
        wanted = total(z, w)
        is_fixed = n in (1, 7, 16, 64, 129, 100_001)
        for compiled in (symbolic, dl.compile(total)) if is_fixed else (symbolic,):
            for got, want in zip(compiled(z, w), wanted):
                assert same(np.asarray(got), np.asarray(want))


@pytest.mark.parametrize("function", [
    lambda a: np.zeros(3, complex) / a[0], lambda a: np.zeros(3, complex) / a[:1],
    lambda a: np.zeros(3, complex) / (a[0] + 0j), lambda a: (np.zeros(3, complex) / a.sum()).shape,
    lambda a: (a[0] + (1e300 + 1e300j)) * np.full(3, 1e300 + 1e300j),
    lambda a: (a[0] + complex(np.inf, 0)) * np.full(3, complex(np.inf, 0)),
])
def test_parts_that_are_literals_report(function):
    with pytest.warns(RuntimeWarning) as expected:
        function(np.zeros(3))
    compiled = dl.compile(function, backend="llvm")
    for _ in range(2):
        with pytest.warns(RuntimeWarning, match=str(expected[0].message)):
            compiled(np.zeros(3))
