"""On a GPU: CuPy arrays through `dl.compile`, against NumPy. Skipped without one."""
from __future__ import annotations

import threading

import numpy as np
import pytest

import dynamo_lite as dl
from dynamo_lite.native import why_no_cuda

if (why := why_no_cuda()) is not None:
    pytest.skip(why, allow_module_level=True)
cp = pytest.importorskip("cupy")
pytest.importorskip("triton")

from dynamo_lite.backends.triton.devices import tuning  # noqa: E402

from benchmarks import gpu_programs as gpu  # noqa: E402
from tests.triton.bfloat16_programs import (  # noqa: E402
    CUPYS_OWN,
    ELEMENTWISE,
    FOLDS,
    TRANSCENDENTAL,
    WRITTEN,
)
from tests.triton.fused_programs import FUSED  # noqa: E402
from tests.triton.portable import FUNCTIONS, WRITES, softmax  # noqa: E402
from tests.triton.programs import PROGRAMS  # noqa: E402
from tests.triton.rows import ROW_PROGRAMS  # noqa: E402


def same(found, expected, rtol, atol=None):
    if atol is None:
        atol = 0 if rtol < 1e-9 else 1e-6
    expected = expected if isinstance(expected, tuple) else (expected,)
    found = found if isinstance(found, tuple) else (found,)
    for got, want in zip(found, expected, strict=True):
        if type(want) in (bool, int, float):
            assert type(got) is type(want) and got == pytest.approx(want, rel=rtol)
            continue
        assert type(got) is cp.ndarray and got.shape == want.shape
        want = want.get() if isinstance(want, cp.ndarray) else want
        np.testing.assert_allclose(got.get(), want, rtol=rtol, atol=atol)


@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda function: function.__name__)
@pytest.mark.parametrize("dtype", ["f4", "f8"])
def test_functions(function, dtype):
    compiled = dl.compile(function, fullgraph=True)
    rtol = 2e-5 if dtype == "f4" else 1e-12
    for shape in ((4, 6), (5, 7), (300, 2000), (2, 9000)):
        x = np.random.default_rng(1).normal(size=shape).astype(dtype)
        same(compiled(cp, cp.asarray(x)), function(np, x), rtol)


@pytest.mark.parametrize("name", {**PROGRAMS, **ROW_PROGRAMS})
def test_programs(name):
    program = {**PROGRAMS, **ROW_PROGRAMS}[name]
    compiled = dl.compile(program.function)
    values = program.right or program.values
    arrays = [cp.asarray(v) if isinstance(v, np.ndarray) else v for v in values]
    # These are the libraries' own business.
    own = name.startswith("casts") or name == "nextafter f2"
    given = arrays if own else values
    with np.errstate(all="ignore"):
        expected = program.function(*given)
        if name.startswith("logical") and name.endswith(("c8", "c16")):
            with pytest.raises(TypeError, match="Wrong type"):  # CuPy has no such loops
                compiled(*arrays)
        elif name in ("power c8", "power c16"):
            same_powers(compiled(*arrays).get(), expected, values)
        else:
            same(compiled(*arrays), expected, 1e-3, 1e-4 if "scans" in name else None)


def same_powers(found, expected, operands):
    """Of finite numbers; C's formula finds infinities where others have NaNs."""
    finite = np.logical_and.reduce([np.isfinite(operand) for operand in operands])
    known = finite & np.isfinite(expected)
    np.testing.assert_allclose(found[known], expected[known], rtol=1e-3, atol=1e-6)
    assert not np.isfinite(found[finite & ~known]).any() and known.sum() > 1000


@pytest.mark.parametrize("function", WRITES, ids=lambda function: function.__name__)
def test_writes_and_flow(function):
    compiled = dl.compile(function, fullgraph=True)
    for shape in ((4, 6), (5, 7), (6, 300)):
        x = np.random.default_rng(1).normal(size=shape)
        there = cp.asarray(x)
        found = compiled(cp, there)
        same(found, function(np, x), 1e-10)
        np.testing.assert_allclose(there.get(), x, rtol=1e-10)


LONG = np.random.default_rng(1).normal(size=3_000_017)


@pytest.mark.parametrize("function", [
    lambda x: (x.sum(), x.max(), x.argmin(), (x > 4).any()),
    lambda x: (x[:3_000_000].reshape(3000, 1000).sum(axis=0), x[1:].mean()),
    lambda x: (x[:3_000_000].reshape(2, -1) - x[:3_000_000].reshape(2, -1).max(axis=1)[:, None],),
    lambda x: (x - x.sum(), x.std()),
])  # fmt: skip
def test_long_folds_by_many_processors(function):
    for x in (LONG, LONG.astype("f4"), np.where(LONG > 4.9, np.nan, LONG)):
        rtol = 1e-4 if x.dtype == "f4" else 1e-11
        same(dl.compile(function, fullgraph=True)(cp.asarray(x)), function(x), rtol, 10 * rtol)


def test_halves():
    shapes = {softmax: (300, 2000), gpu.gelu: (70, 77), gpu.layer_norm: (9, 70)}
    for function, shape in shapes.items():
        x = np.random.default_rng(1).normal(size=shape).astype("f2")
        found = dl.compile(function, fullgraph=True)(cp, cp.asarray(x))
        assert found.dtype == np.float16
        np.testing.assert_allclose(
            found.get(), function(np, x.astype("f4")), rtol=1e-2, atol=1e-3)
    x, total = cp.ones(4_000_000, "f2") / 1000, dl.compile(lambda x: x.sum(), fullgraph=True)
    np.testing.assert_allclose(total(x).get(), 4000, rtol=1e-3)


def test_quotients_of_halves_have_the_same_bits():
    halves = np.arange(0, 65536, 37).astype("u2").view("f2")
    with np.errstate(all="ignore"):
        found, expected = dl.compile(lambda x, y: x[:, None] / y, fullgraph=True)(
            cp.asarray(halves), cp.asarray(halves)).get(), halves[:, None] / halves
    known = ~np.isnan(expected)
    np.testing.assert_array_equal(np.isnan(found), ~known)
    np.testing.assert_array_equal(found.view("i2")[known], expected.view("i2")[known])


def every_bfloat16():
    bfloat16 = pytest.importorskip("ml_dtypes").bfloat16
    return cp.asarray(np.arange(65536, dtype="u2").view(bfloat16))


def same_bits(found, expected, most=0):
    """Of bfloat16: `most` is by how many steps the others may differ, NaN being one number."""
    assert found.dtype == expected.dtype and found.shape == expected.shape
    got, want = found.get(), expected.get()
    if found.dtype.kind != "V":
        np.testing.assert_array_equal(got, want)
        return
    unknown = np.isnan(want)
    np.testing.assert_array_equal(np.isnan(got), unknown)
    steps = [np.where(bits < 0, -(bits & 0x7FFF), bits)
             for bits in (one.view("i2").astype("i4")[~unknown] for one in (got, want))]
    assert np.abs(steps[0] - steps[1]).max(initial=0) <= most


EXACT = ("absolute", "negative", "sqrt", "square", "reciprocal", "floor", "ceil", "trunc", "rint",
         "sign", "fabs", "positive", "isnan", "isinf", "isfinite", "signbit")
ROUNDED = ("exp", "exp2", "expm1", "log", "log2", "log10", "log1p", "sin", "cos", "tan", "sinh",
           "cosh", "tanh", "arcsin", "arccos", "arctan", "arcsinh", "arccosh", "arctanh", "cbrt")


@pytest.mark.parametrize("name", EXACT + ROUNDED)
def test_functions_of_every_bfloat16(name):
    x = every_bfloat16()
    found = dl.compile(lambda x: getattr(np, name)(x), fullgraph=True)(x)
    same_bits(found, getattr(cp, name)(x), most=0 if name in EXACT else 1)


@pytest.mark.parametrize("name", [
    "add", "subtract", "multiply", "divide", "maximum", "minimum", "fmax", "fmin", "copysign",
    "less", "equal", "greater_equal", "floor_divide", "fmod", "hypot", "arctan2", "power",
])  # fmt: skip
def test_functions_of_pairs_of_bfloat16(name):
    kind = every_bfloat16().dtype
    x, y = cp.asarray(np.random.default_rng(1).integers(0, 65536, (2, 1 << 20), "u2").view(kind))
    found = dl.compile(lambda x, y: getattr(np, name)(x, y), fullgraph=True)(x, y)
    same_bits(found, getattr(cp, name)(x, y), most=name in ("hypot", "arctan2", "power"))


@pytest.mark.parametrize("name", {**ELEMENTWISE, **WRITTEN, **TRANSCENDENTAL, **FOLDS})
def test_programs_of_bfloat16(name):
    function = {**ELEMENTWISE, **WRITTEN, **TRANSCENDENTAL, **FOLDS}[name]
    kind = every_bfloat16().dtype
    for shape in ((5, 32), (300, 2000)):
        values = np.random.default_rng(1).normal(size=(2, *shape)).astype(kind)
        (x, y), (there, other) = map(cp.asarray, values), map(cp.asarray, values)
        found = dl.compile(function, fullgraph=True)(x, y)
        expected = function(there, other)
        pair = (found, expected) if isinstance(found, tuple) else ((found,), (expected,))
        for got, want in zip(*pair, strict=True):
            if want.dtype == "f4" and name in FOLDS:
                np.testing.assert_allclose(got.get(), want.get(), rtol=1e-4, atol=1e-3)
            else:
                same_bits(got, want, most=name in {**TRANSCENDENTAL, **FOLDS})
        same_bits(x, there)


def test_folds_of_bfloat16_with_nan_and_of_many():
    x = every_bfloat16()
    folds = dl.compile(lambda x: (x.max(), x.min(), x.argmax(), x.argmin()), fullgraph=True)
    for given in (x, x[:0x7F80], x[0x8000:0xFF80]):
        for got, want in zip(folds(given), (given.max(), given.min(), given.argmax(),
                                            given.argmin()), strict=True):
            same_bits(got, want)
    ones = cp.ones((1 << 16, 4), x.dtype)
    for got, want in zip(dl.compile(lambda x: (x.sum(), x.sum(axis=0), x.mean()), fullgraph=True)(
            ones), (ones.sum(), ones.sum(axis=0), ones.mean()), strict=True):
        same_bits(got, want)


def test_products_of_bfloat16():
    kind = every_bfloat16().dtype
    x = cp.asarray(np.random.default_rng(1).normal(size=(300, 400)).astype(kind))
    f = dl.compile(lambda x: (x @ x.T, np.exp(x @ x[0]), np.dot(x[0], x[1])), fullgraph=True)
    for got, want in zip(f(x), (x @ x.T, np.exp(x @ x[0]), x[0] @ x[1]), strict=True):
        same_bits(got, want, most=1)


@pytest.mark.parametrize("reason", CUPYS_OWN)
def test_what_cupy_does_otherwise_with_bfloat16_is_its_own(reason):
    kind, function = every_bfloat16().dtype, CUPYS_OWN[reason]
    x, y = map(cp.asarray, np.random.default_rng(1).normal(size=(2, 5, 32)).astype(kind))
    outcomes = []
    for call in (function, dl.compile(function)):
        try:
            with dl.config.patch(strict=False):
                outcomes.append(call(x, y))
        except Exception as error:
            outcomes.append((type(error), str(error).splitlines()[0]))
    expected, found = outcomes
    assert type(found) is type(expected)
    if isinstance(expected, cp.ndarray):
        same_bits(found, expected)
    elif type(expected) is float or isinstance(expected[0], type):
        assert found[0] is expected[0] if isinstance(found, tuple) else found == expected


@pytest.mark.parametrize("function", [
    lambda q: q @ q.swapaxes(2, 3), lambda q: q.swapaxes(2, 3) @ q, lambda q: q @ q[0, 0].T,
    lambda q: q[:, :, ::2, ::3] @ q[:, :, ::2, ::3].swapaxes(2, 3),
    lambda q: q.swapaxes(1, 2) @ q.swapaxes(1, 2).swapaxes(2, 3),
])  # fmt: skip
def test_stacks_of_products_of_halves(function):
    q = np.random.default_rng(1).normal(size=(3, 4, 50, 64)).astype("f2")
    found = dl.compile(function, fullgraph=True)(cp.asarray(q))
    assert found.dtype == np.float16
    np.testing.assert_allclose(found.get(), function(q.astype("f4")), rtol=2e-3, atol=2e-2)


@pytest.mark.parametrize("way", [0, 1], ids=["apart", "fused"])
@pytest.mark.parametrize("name", FUSED)
def test_products_with_what_is_made_of_them(name, way, monkeypatch):
    monkeypatch.setattr(tuning.Choice, "_known", lambda self, ways: way)
    function, arrays = FUSED[name]
    compiled = dl.compile(function, fullgraph=True, mode="max-autotune-no-cudagraphs")
    found = compiled(*map(cp.asarray, arrays))
    assert found.dtype == np.float16
    expected = function(*[array.astype("f4") for array in arrays])
    np.testing.assert_allclose(found.get(), expected, rtol=1e-2, atol=1e-2)


def test_rows_that_are_made_where_they_are_read():
    x, y = np.random.default_rng(1).normal(size=(2, 500, 1000))

    def f(xp, x, y):
        z = xp.exp(x) * y + x
        return gpu.layer_norm(xp, z), z

    same(dl.compile(f, fullgraph=True)(cp, cp.asarray(x), cp.asarray(y)), f(np, x, y), 1e-10, 1e-10)


@pytest.mark.parametrize("bins", [1, 50, 1024])
def test_histograms(bins):
    for dtype in ("f4", "f8"):
        x = cp.asarray(np.random.default_rng(1).normal(size=(2, 3_000_017)).astype(dtype))
        found = dl.compile(lambda x: cp.histogram(x, bins), fullgraph=True)(x)
        for got, want in zip(found, cp.histogram(x, bins), strict=True):
            assert got.dtype == want.dtype
            np.testing.assert_array_equal(got.get(), want.get())


def test_small_results_are_nobody_elses():
    f = dl.compile(lambda x: (x * 2, x.sum(axis=0)), fullgraph=True)
    x = cp.arange(12.0).reshape(3, 4)
    kept = []
    for n in range(50):
        y, total = f(x + n)
        kept.append((n, y if n % 3 else y.T, total[1:] if n % 2 else total))
    for n, y, total in kept:
        want = (x.get() + n) * 2
        np.testing.assert_array_equal(y.get(), want if n % 3 else want.T)
        np.testing.assert_array_equal(total.get(), want.sum(axis=0)[n % 2 :] / 2)


def test_more_elements_than_31_bits_count():
    x = cp.ones(2**31 + 4097, "i1")
    x[-1] = 5
    y, total = dl.compile(lambda x: (x * 2, x.sum()), fullgraph=True)(x)
    assert y[:5].tolist() == [2] * 5 and y[-2:].tolist() == [2, 10]
    assert int(total) == 2**31 + 4101


def test_long_lines_of_running_folds():
    x = np.random.default_rng(1).integers(-9, 9, 3_000_017)
    f = dl.compile(lambda x: (x.cumsum(), x[:3_000_000].reshape(-1, 3).cumsum(axis=0)),
                   fullgraph=True)
    same(f(cp.asarray(x)), (x.cumsum(), x[:3_000_000].reshape(-1, 3).cumsum(axis=0)), 1e-12)


@pytest.mark.parametrize("dtype", ["c8", "c16"])
def test_running_sums_of_complex_numbers(dtype):
    rng = np.random.default_rng(1)
    x = (rng.normal(size=(300, 9000)) + 1j * rng.normal(size=(300, 9000))).astype(dtype)
    f = dl.compile(lambda x: (x.cumsum(axis=1), x.cumsum(axis=0) * 2), fullgraph=True)
    rtol = 1e-4 if dtype == "c8" else 1e-11
    same(f(cp.asarray(x)), (x.cumsum(axis=1), x.cumsum(axis=0) * 2), rtol, 1e3 * rtol)


def test_what_the_memory_does_not_hold_is_cupys_error():
    @dl.compile
    def f(x):
        x[0] = 5
        return x * x.T

    x = cp.ones((300_000, 1))
    with dl.config.patch(strict=False), pytest.raises(cp.cuda.memory.OutOfMemoryError):
        f(x)
    assert x[:2, 0].tolist() == [5, 1]


def test_calls_as_graphs():
    f = dl.compile(lambda x: (cp.exp(x) * 2, x.sum(axis=0)), backend="triton", fullgraph=True,
                   mode="reduce-overhead")
    x = cp.random.normal(size=(300, 200))
    for _ in range(20):
        y, total = f(x)
        kept = f(x)
        same((y, total, *kept), 2 * (np.exp(x.get()) * 2, x.get().sum(axis=0)), 1e-10)
        x *= 0.9
    other = cp.asarray(x.get())
    same(f(other), (np.exp(x.get()) * 2, x.get().sum(axis=0)), 1e-10)


def test_many_kernels_compiled_by_other_processes(tmp_path):
    with dl.config.patch(cache_dir=str(tmp_path)):
        f = dl.compile(lambda x: tuple(cp.cumsum(x * k, axis=k % 2) for k in range(8)))
        x = cp.arange(60.0).reshape(5, 12)
        same(f(x), tuple(np.cumsum(x.get() * k, axis=k % 2) for k in range(8)), 1e-12)


def test_other_streams_threads_and_unaligned_memory():
    f = dl.compile(lambda x: cp.exp(x) * 2 + 1, fullgraph=True)
    x = cp.arange(10_000.0) / 10_000
    expected = np.exp(x.get()) * 2 + 1
    np.testing.assert_allclose(f(x).get(), expected, rtol=1e-12)
    np.testing.assert_allclose(f(x[1:]).get(), expected[1:], rtol=1e-12)
    with cp.cuda.Stream() as stream:
        result = f(x)
        stream.synchronize()
    np.testing.assert_allclose(result.get(), expected, rtol=1e-12)
    found = []
    thread = threading.Thread(target=lambda: found.append(f(x)))
    thread.start()
    thread.join()
    np.testing.assert_allclose(found[0].get(), expected, rtol=1e-12)


def test_functions_of_numpy_arrays_go_there_and_back():
    @dl.compile(device="cuda", fullgraph=True)
    def f(x):
        x[1:] += 1
        return np.exp(x) @ x.T, x[::-1], x.sum()

    x = np.random.default_rng(1).normal(size=(300, 200))
    expected = x.copy()
    expected[1:] += 1
    product, turned, total = f(x)
    np.testing.assert_array_equal(x, expected)
    np.testing.assert_allclose(product, np.exp(x) @ x.T, rtol=1e-11)
    np.testing.assert_allclose(total, x.sum(), rtol=1e-12)
    assert np.shares_memory(turned, x) and type(total) is np.float64


def test_what_is_added_up_at_positions_has_numpys_order():
    def f(x, i, v):
        np.add.at(x, i, v)
        return x * 2, np.bincount(i, v), np.bincount(i)

    rng = np.random.default_rng(2)
    for dtype in ("f4", "f8", "i8"):
        x, i = np.zeros(500, dtype), rng.integers(0, 500, 20_000)
        v = (rng.normal(size=20_000) * 100).astype(dtype)
        expected, ours = x.copy(), x.copy()
        found = dl.compile(f, device="cuda", fullgraph=True)(ours, i, v)
        for got, want in zip((*found, ours), (*f(expected, i, v), expected)):
            np.testing.assert_array_equal(got, want)


@pytest.mark.parametrize("function", [
    lambda a: (np.tanh(a) ** 2).sum(),
    lambda a: np.log(np.exp(a - a.max(axis=1, keepdims=True)).sum(axis=1)).mean(),
    lambda a: (a[a > 0] ** 2).sum(),
    lambda a: (a[[0, 2, 2]] ** 2).sum() + (np.take(a, [1, 1], axis=1) ** 3).sum(),
    lambda a: (a * 2).sum() if a.sum() > 0 else (a * 3).sum(),
])  # fmt: skip
def test_gradients(function):
    x = np.random.default_rng(1).normal(size=(300, 70))
    value, gradient = dl.value_and_grad(function)(cp.asarray(x))
    expected, slope = dl.value_and_grad(function)(x)
    assert type(gradient) is cp.ndarray
    np.testing.assert_allclose(float(value), expected, rtol=1e-10)
    np.testing.assert_allclose(gradient.get(), slope, rtol=1e-9, atol=1e-12)
