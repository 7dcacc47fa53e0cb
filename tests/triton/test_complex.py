"""Complex numbers as pairs: kernels of them, and the formulas that a GPU computes them by."""
from __future__ import annotations

import functools

import numpy as np
import pytest

import dynamo_lite as dl

pytest.importorskip("triton")
from dynamo_lite.backends.triton.backend import compile_for
from dynamo_lite.backends.triton.binaries.compiler import namespace_of
from dynamo_lite.backends.triton.devices import interpreted
from dynamo_lite.backends.triton.devices.host import HostDevice
from dynamo_lite.backends.triton.devices.turns import TURN
from dynamo_lite.backends.triton.kernels.prelude import OPERANDS, PRELUDE

from tests.backends.graphs import trace

from .rows import complex_numbers

tl, interpreter = interpreted.tl, interpreted.interpreter


@functools.cache
def formulas():
    """The functions of the prelude as a GPU has them, not NumPy's in their place."""
    names = interpreted.interpretable(namespace_of(PRELUDE))
    names["libdevice"] = interpreted.Libdevice()
    return names


def tensor(values):
    kind = tl.float32 if values.itemsize == 4 else tl.float64
    handle = interpreter.TensorHandle(np.ascontiguousarray(values), kind)
    return tl.tensor(handle, tl.block_type(kind, list(values.shape)))


def computed(name, parts):
    with TURN.kept(), np.errstate(all="ignore"):
        TURN.take(interpreted.patched)
        return formulas()[name](*map(tensor, parts)).handle.data


def are_tame(base, exponent, power):
    """Which powers of finite numbers are not about to overflow or underflow; others are not C's."""
    size, limits = np.abs(power), np.finfo(power.dtype)
    inside = (size == 0) | ((size > limits.tiny) & (size < limits.max))
    return np.isfinite(base) & np.isfinite(exponent) & inside


def exponents(base, exponent):
    """What a power is the exponential of, whose error grows with it."""
    size = np.where(base == 0, 1, base)
    return exponent.astype("c16") * np.log(size.astype("c16"))


def test_whole_powers_are_products():
    z = np.array([1 + 2j, -0.5j, 3, -1.25 + 0.75j, 1e-3 + 1e-3j])
    base, exponent = (one.ravel() for one in np.meshgrid(z, np.arange(-16.0, 16.0)))
    base, exponent = (np.resize(one, 256).astype("c16") for one in (base, exponent))
    parts = [base.real, base.imag, exponent.real, exponent.imag]
    got = computed("complex_power_real", parts) + 1j * computed("complex_power_imag", parts)
    np.testing.assert_allclose(got, base**exponent, rtol=4e-15)


@pytest.mark.parametrize("dtype", ["c8", "c16"])
@pytest.mark.parametrize("name", OPERANDS)
def test_formulas_are_numpys(name, dtype):
    """To the last few bits of the number, and exactly where it has no finite part."""
    op, _, part = name.removeprefix("complex_").partition("_")
    if part not in ("real", "imag"):
        op, part = f"{op}_{part}".rstrip("_"), ""
    drawn = np.random.default_rng(3).normal(size=(2, 175)) * 3  # with the 81 others a block
    values = np.concatenate([complex_numbers(np.dtype(dtype)), (drawn[0] + 1j * drawn[1])])
    values = values.astype(dtype)
    operands = (values,) if OPERANDS[name] == 2 else np.broadcast_arrays(values[:, None], values)
    with np.errstate(all="ignore"):
        want = getattr(np, op)(*operands)
    got = computed(name, [half for one in operands for half in (one.real, one.imag)])
    ulps = np.full(want.shape, 8.0)
    if op == "power":
        with np.errstate(all="ignore"):
            taken, grown = are_tame(*operands, want), ulps * np.abs(exponents(*operands))
        got, want, ulps = (one[taken] for one in (got, want, ulps + grown))
    if want.dtype == np.bool_:
        np.testing.assert_array_equal(got, want)
        return
    size, want = np.abs(want), getattr(want, part) if part else want
    finite = np.isfinite(size) & (size > np.finfo(want.dtype).tiny)
    apart = np.abs(got[finite].astype("f8") - want[finite])
    assert (apart <= ulps[finite] * np.finfo(want.dtype).eps * size[finite]).all()
    np.testing.assert_array_equal(got[~finite], want[~finite])


def arithmetic(x, y):
    return x * y + 1j - y / x, x.conj() * np.abs(y), -x, x**2, 1 / y, np.sqrt(np.exp(x))


def elementary(x, y):
    return np.log(x) * np.sin(y), np.cos(x) + np.tan(y), np.tanh(x), x**y, np.exp2(y), np.log1p(x)


def inverses(x, y):
    return (np.arcsin(x) + np.arccos(y), np.arctan(x) * np.arctanh(y),
            np.arcsinh(x), np.arccosh(y).real)


def parts(x, y):
    return x.real + y.imag, np.where(x.real > 0, x, y), x.real.astype(x.dtype), x.astype("c16")


def compared(x, y):
    return x < y, x == y, x != y, np.isnan(x), np.isfinite(y), x.any(), np.logical_not(x)


def sums(x, y):
    return x.sum(), (x * y).sum(axis=0), x.mean(axis=1), np.abs(x).sum(axis=1)


def moved(x, y):
    return x.T * 2, x[::-1] + y, np.concatenate([x, y]), x[[1, 0, 2, 1]]


def in_place(x, y):
    x *= y
    x[0] = x[1].conj()
    x[:, 1:] += x[:, 1:] * 1j
    return x


@pytest.mark.parametrize("shape", [(3, 40), (300, 7)])
@pytest.mark.parametrize("dtype", ["c8", "c16"])
@pytest.mark.parametrize(
    "function", [arithmetic, elementary, inverses, parts, compared, sums, moved, in_place])
def test_functions_are_kernels_with_numpys_bits(function, dtype, shape):
    plans = []

    def backend(graph, inputs):
        plans.append(compile_for(graph, HostDevice()))
        return plans[-1]

    rng = np.random.default_rng(2)
    x, y = ((rng.normal(size=shape) + 1j * rng.normal(size=shape)).astype(dtype) for _ in range(2))
    ours = x.copy()
    found = dl.compile(function, backend=backend, fullgraph=True)(ours, y)
    expected = function(x, y)
    for got, want in zip(*(one if type(one) is tuple else (one,) for one in (found, expected)),
                         strict=True):
        assert got.dtype == want.dtype
        np.testing.assert_array_equal(got, want)
    np.testing.assert_array_equal(ours, x)
    (plan,) = plans
    assert plan.kernels and "# exp" not in plan.text


def test_numbers_are_given_as_their_parts():
    def scaled(x, a, b):
        return x * a + b

    x = np.arange(4.0) + 1j
    f = dl.compile(scaled, backend="triton", options={"interpret": True}, dynamic=True)
    for a, b in ((2 + 3j, np.complex128(1j)), (1j, np.complex128(-4 - 0j))):
        np.testing.assert_array_equal(f(x, a, b), scaled(x, a, b))


RUNNING = {
    "rows": lambda x: np.cumsum(x, axis=1),
    "columns": lambda x: np.cumsum(x, axis=0),
    "of what is computed": lambda x: np.cumsum(x * 1j - x, axis=1),
    "computed with": lambda x: np.conjugate(np.cumsum(x, axis=1)),
}


@pytest.mark.parametrize("shape", [(5, 70), (130, 3), (2, 9000), (3, 64)], ids=str)
@pytest.mark.parametrize("dtype", ["c8", "c16"])
@pytest.mark.parametrize("name", RUNNING)
def test_running_sums_are_those_of_parts(name, dtype, shape):
    function, rng = RUNNING[name], np.random.default_rng(1)
    shape = shape[::-1] if name == "columns" else shape  # as many sums, and as long ones
    x = (rng.normal(size=shape) + 1j * rng.normal(size=shape)).astype(dtype)
    plan = compile_for(trace(function, x), HostDevice())
    assert len(plan.kernels) >= 1 and "running_add" in plan.kernels[0].source
    np.testing.assert_array_equal(plan(x)[0], function(x))


def test_running_sums_in_their_place():
    @dl.compile(backend="triton", options={"interpret": True}, fullgraph=True)
    def f(x):
        np.cumsum(x * 2j, axis=1, out=x)
        return x + 1

    x = np.arange(12.0).reshape(3, 4) * (1 - 1j)
    expected = np.cumsum(x * 2j, axis=1)
    np.testing.assert_array_equal(f(x), expected + 1)
    np.testing.assert_array_equal(x, expected)


@pytest.mark.parametrize("dtype", ["c8", "c16"])
def test_running_sums_compile_without_spills(dtype):
    from dynamo_lite.backends.triton.binaries.compiler import compile_kernel

    from .test_triton import stack_bytes

    for shape in ((5, 70), (200, 9000)):
        (kernel,) = compile_for(trace(RUNNING["rows"], np.ones(shape, dtype)), HostDevice()).kernels
        assert stack_bytes(compile_kernel(kernel.narrow or kernel)[0].cubin) == 0
