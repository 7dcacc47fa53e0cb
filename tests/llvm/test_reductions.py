"""Folds of every kind over every kind of axis equal NumPy's."""
from __future__ import annotations

import numpy as np
import pytest
from dynamo_lite.backends.llvm.kernels.split import split_reductions
from dynamo_lite.backends.loop_ir.program import Launch
from dynamo_lite.backends.lowering.lower import lower

import dynamo_lite as dl
from dynamo_lite.ir.passes import optimize

from ..backends.graphs import trace
from .kernels import reduction

FOLDS = {
    "add": np.add.reduce, "multiply": np.multiply.reduce, "minimum": np.min, "maximum": np.max,
    "argmin": np.argmin, "argmax": np.argmax,
    "bitwise_and": np.bitwise_and.reduce, "bitwise_or": np.bitwise_or.reduce,
}
SHAPES = [
    ((1,), (0,)), ((7,), (0,)), ((100,), (0,)), ((5000,), (0,)), ((3, 5), (0, 1)), ((3, 5), (0,)),
    ((3, 5), (1,)), ((17, 33), (1,)), ((17, 33), (0,)), ((40, 700), (1,)), ((700, 40), (0,)),
    ((4, 5, 6), (0, 2)), ((4, 600, 6), (1,)), ((2, 3, 4000), (1, 2)),
]


def example(op, dtype, shape, kind):
    rng = np.random.default_rng(len(shape) + kind)
    if dtype.kind == "f":
        x = (rng.random(shape) * 0.2 + 0.9 if op == "multiply" else rng.standard_normal(shape) * 2)
        x = x.astype(dtype)
        if kind == 1:
            x.flat[rng.integers(0, x.size, 2)] = np.nan
        return np.rint(x) + 0.0 if kind == 2 else x  # zeros of one sign, which are compiled
    low, high = (0, 2) if dtype.kind == "b" else (0, 100) if dtype.kind == "u" else (-100, 100)
    return rng.integers(low, high, shape).astype(dtype)


@pytest.mark.parametrize("dtype", ["f8", "f4", "i8", "i4", "u1", "?"])
@pytest.mark.parametrize("op", FOLDS)
def test_fold(op, dtype):
    dtype = np.dtype(dtype)
    if (op.startswith("bitwise") and dtype.kind == "f") or (op[:3] == "arg" and dtype.kind == "b"):
        pytest.skip("not an operation of NumPy")
    for shape, over in SHAPES:
        if op.startswith("arg") and len(over) > 1:
            continue
        function = reduction(op, dtype, shape, over)
        for kind in range(3):
            x = example(op, dtype, shape, kind)
            axis = over if len(over) > 1 else over[0]
            with np.errstate(all="ignore"):
                got, want = function(x), FOLDS[op](x, axis=axis)
            if dtype.kind == "f" and op in ("add", "multiply"):
                size = np.nanmax(np.abs(x), initial=0) * 30 if op == "add" else 0
                tolerance = 1e-4 if dtype.itemsize == 4 else 1e-12
                np.testing.assert_allclose(got, want, rtol=tolerance, atol=tolerance * size)
            else:
                np.testing.assert_array_equal(got, np.asarray(want).astype(got.dtype))


@pytest.mark.parametrize("n", [100, 1000, 300_000])
def test_one_row_that_is_kept_while_it_is_summed(n):
    def softmax(x):
        e = np.exp(x - x.max())
        return e / e.sum()

    compiled = dl.compile(softmax)
    for seed in range(5):
        x = np.random.default_rng(seed).normal(size=n)
        np.testing.assert_allclose(compiled(x), softmax(x), rtol=1e-13)


@pytest.mark.parametrize("dtype", ["f8", "f4"])
def test_sums_are_at_least_as_accurate_as_pairwise(dtype):
    for n in (129, 4097, 100_000, 1_000_003):
        x = np.random.default_rng(n).random(n).astype(dtype)
        exact = float(np.sum(x.astype(np.longdouble)))
        error = abs(float(reduction("add", dtype, (n,), (0,))(x)) - exact)
        unit = np.spacing(np.dtype(dtype).type(exact))
        assert error <= max(abs(float(x.sum()) - exact), 2 * unit)


def test_signed_zeros_and_empty_sums():
    for n in (0, 1, 3, 8, 200, 3000):
        x = np.full(n, -0.0)
        assert np.signbit(reduction("add", "f8", (n,), (0,))(x)) == np.signbit(x.sum())


@pytest.mark.parametrize("dtype", ["f8", "f4"])
def test_short_sums_have_the_bits_of_numpy(dtype, level):
    rng = np.random.default_rng(0)
    for n in [*range(1, 41), 63, 64, 65, 100, 127, 128]:
        x = rng.standard_normal((5, n)).astype(dtype)
        np.testing.assert_array_equal(reduction("add", dtype, x.shape, (1,))(x), x.sum(axis=1))
        np.testing.assert_array_equal(reduction("add", dtype, (n,), (0,))(x[0]), x[0].sum())
        np.testing.assert_array_equal(reduction("add", dtype, x.T.shape, (0,))(x.T.copy()),
                                      x.T.copy().sum(axis=0))


ORDERED = {
    "all": (lambda x: (x.sum(), x.mean(), x.var()), lambda n: (n,)),
    "of a product": (lambda x: (x * x[::-1]).sum(), lambda n: (n,)),
    "strided": (lambda x: x[::2].sum(), lambda n: (2 * n,)),
    "rows": (lambda x: x.sum(axis=-1), lambda n: (5, n)),
    "strided rows": (lambda x: x[:, ::2].sum(axis=1), lambda n: (5, 2 * n)),
    "a table": (lambda x: (x - 1).sum(), lambda n: (3, n)),
    "columns": (lambda x: x.sum(axis=0), lambda n: (n, 5)),
    "product": (lambda x: np.prod(1 + x / 99), lambda n: (n,)),
}


@pytest.mark.parametrize("dtype", ["f4", "f8", "c16"])
@pytest.mark.parametrize("name", ORDERED)
def test_sums_have_one_order_whatever_is_known_of_their_length(name, dtype, level):
    """It is NumPy's."""
    function, shape = ORDERED[name]
    symbolic = dl.compile(function, dynamic=True)
    rng = np.random.default_rng(0)
    for n in [*range(2, 41), *range(41, 300, 13), 1000, *range(4096, 4104), 40_001]:
        x = rng.standard_normal(shape(n)).astype(dtype)
        got = np.asarray(symbolic(x))
        if n in (2, 7, 8, 9, 17, 36, 132, 1000, 4099, 40_001):
            assert np.asarray(dl.compile(function)(x)).tobytes() == got.tobytes(), n
        assert np.asarray(function(x)).tobytes() == got.tobytes(), n


REDUCTIONS = {
    "sum": np.sum, "mean": np.mean, "var": np.var, "nansum": np.nansum,
    "prod": lambda x, axis: np.prod(1 + x / 1e13, axis=axis),
    "wider sum": lambda x, axis: np.sum(x, axis=axis, dtype="f8"),
    "cumsum": np.cumsum,
    "norm": lambda x, axis: np.linalg.norm(x, axis=axis),
    "norm of all": lambda x, axis: np.linalg.norm(x[..., 0] if axis == 0 else x, keepdims=True),
    "of a product": lambda x, axis: (x * x).sum(axis=axis, keepdims=True),
    "of rows less one": lambda x, axis: (x - x[:1]).sum(axis=axis),
    "of columns less one": lambda x, axis: (x * x[..., :1]).mean(axis=axis),
    "of both orders": lambda x, axis: (x + x.T.copy().T).sum(axis=axis),
}


def not_aligned(base, shape):
    array = np.ndarray(shape, base.dtype, bytearray(base.nbytes + 1), 1)
    array[...] = base[tuple(map(slice, shape))]
    return array


LAYOUTS = {
    "C": lambda base, shape: base[tuple(map(slice, shape))].copy(),
    "Fortran": lambda base, shape: base[tuple(map(slice, shape))].copy("F"),
    "a part": lambda base, shape: base[tuple(map(slice, shape))],
    "every other": lambda base, shape: base[tuple(slice(None, None, 2) for _ in shape)],
    "reversed": lambda base, shape: base[tuple(map(slice, shape))].T[::-1],
    "not aligned": not_aligned,
}
SIZES = [(9000,), (200, 3), (5, 8200), (140, 4, 33)]


@pytest.mark.parametrize("dynamic", [None, True])
@pytest.mark.parametrize("name", REDUCTIONS)
def test_sums_and_products_have_the_bits_of_numpy_in_every_layout(name, dynamic):
    rng = np.random.default_rng(len(name))
    for number, shape in enumerate(SIZES):
        wide = rng.standard_normal([2 * n for n in shape]) * 1e8
        for axis in [None, 0, -1, (0, -1)][: 2 * len(shape)]:
            if axis == (0, -1) and (len(shape) == 1 or name == "cumsum"):
                continue
            function = lambda x: REDUCTIONS[name](x, axis=axis)  # noqa: E731
            base = wide.astype(("f4", "i4", "f8")[(number + (axis == 0)) % 3])
            compiled = dl.compile(function, dynamic=dynamic)
            for layout, laid_out in LAYOUTS.items():
                x = laid_out(base, shape)
                got, want = np.asarray(compiled(x)), np.asarray(function(x))
                assert got.tobytes() == want.tobytes(), (shape, axis, layout)


def test_means_of_small_integers_that_threads_share():
    x = np.random.default_rng(0).integers(0, 200, (1000, 16, 17), dtype="u1")[:, ::2]
    for function in (lambda x: x - x.mean(), lambda x: x.std(), lambda x: x.T.var() * 2):
        np.testing.assert_array_equal(dl.compile(function)(x), function(x))


def test_a_long_sum_has_the_same_bits_in_one_piece_and_in_parts():
    def total(x, y):
        return (x * y).sum(), x.sum(axis=0).sum()

    x = np.random.default_rng(0).standard_normal((300_001, 3))
    short_first = dl.compile(total, dynamic=True)
    short_first(x[:5], x[:5])
    assert short_first(x, x) == dl.compile(total)(x, x)


@pytest.mark.parametrize("rows", [15, 16, 17, 101])
@pytest.mark.parametrize("function", [np.maximum, np.minimum])
def test_extrema_of_columns_have_the_bits_of_one_loop(function, rows):
    """The last of equal zeros and the first NaN, however the rows are divided."""
    rng = np.random.default_rng(rows)
    x = rng.choice([0.0, -0.0, -1.0 if function is np.maximum else 1.0], (rows, 37))
    x[rng.integers(rows, size=5), rng.integers(37, size=5)] = np.nan
    compiled = dl.compile(lambda x: function.reduce(x, axis=0), backend="llvm")
    assert compiled(x).tobytes() == function.reduce(x, axis=0).tobytes()


@pytest.mark.parametrize("dtype", ["f8", "f4", "i8", "u1", "i2", "?"])
@pytest.mark.parametrize("n", [1, 7, 64, 1023, 1025, 5000, 40_000])
def test_the_place_of_the_first_best_element(n, dtype):
    rng = np.random.default_rng(n)
    plain = (rng.normal(size=n) * 50).astype("i8").astype(dtype)
    constant = np.full(n, np.finfo(dtype).min if dtype[0] == "f" else plain[0], dtype)
    arrays = [plain, constant, np.sort(plain), np.sort(plain)[::-1].copy(), np.zeros(n, dtype)]
    if dtype[0] == "f":
        for values in (np.nan, -np.inf, [0.0, -0.0], [-np.inf, np.nan]):
            other = plain.copy()
            other[n // 2 :] = np.resize(values, n - n // 2)
            arrays += [other, np.resize(values, n).astype(dtype)]
    if dtype == "?":
        arrays += [np.arange(n) == n - 1, np.arange(n) != n - 1]

    def program(x):
        return np.argmax(x), np.argmin(x), np.argmax(x[::-1]), np.argmax(x != x[0])

    static, dynamic = dl.compile(program), dl.compile(program, dynamic=True)
    for x in arrays:
        assert static(x) == dynamic(x) == program(x)
        rows = np.stack([x, x[::-1]])
        assert np.array_equal(dl.compile(np.argmax)(rows, 1), np.argmax(rows, 1))


def test_threads_do_not_each_compute_what_they_all_need():
    x = np.ones(1_000_000)
    for function in (lambda x: np.subtract(x, np.sum(x)), lambda x: np.multiply(x, np.max(x))):
        program = split_reductions(lower(optimize(trace(function, x))))
        *_, last = [step.kernel for step in program.steps if isinstance(step, Launch)]
        assert last.parallel and not last.folds
