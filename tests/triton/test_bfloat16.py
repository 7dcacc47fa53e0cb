"""bfloat16 of CuPy's arrays: what is compiled, in Triton's interpreter, and what is CuPy's own."""
from __future__ import annotations

import operator

import numpy as np
import pytest

import dynamo_lite as dl
from dynamo_lite.native import why_no_cuda

cp = pytest.importorskip("cupy")
pytest.importorskip("triton")
bfloat16 = np.dtype(pytest.importorskip("ml_dtypes").bfloat16)

from dynamo_lite.backends.triton.backend import compile_for  # noqa: E402
from dynamo_lite.backends.triton.binaries import compiler  # noqa: E402

from tests.triton.bfloat16_programs import (  # noqa: E402
    CUPYS_OWN,
    ELEMENTWISE,
    FOLDS,
    TRANSCENDENTAL,
    WRITTEN,
)
from tests.triton.cupy_on_host import CuPyOnHost, host, on_host  # noqa: E402
from tests.triton.test_cupy import capture  # noqa: E402

pytestmark = pytest.mark.skipif(why_no_cuda() is None, reason="its own arrays are in its memory")
X, Y = np.random.default_rng(1).normal(size=(2, 5, 32)).astype(bfloat16)


def plan_of(function):
    graph, reasons = capture(function, on_host(X), on_host(Y))
    assert reasons == []
    return graph, compile_for(graph, CuPyOnHost())


def results(function):
    """What the compiled function gives in Triton's interpreter, and leaves in its inputs."""
    graph, plan = plan_of(function)
    inputs = {"x": X.copy(), "y": Y.copy()}
    given = [on_host(inputs[node.name]) for node in graph.placeholders]
    return tuple(host(one).copy() for one in plan(*given)), inputs


def in_a_tuple(value):
    return value if isinstance(value, tuple) else (value,)


@pytest.mark.parametrize("name", ELEMENTWISE)
def test_elements_have_the_bits_of_operations_that_are_rounded_one_by_one(name):
    function, (x, y) = ELEMENTWISE[name], (X.copy(), Y.copy())
    found, inputs = results(function)
    wanted = in_a_tuple(function(x, y))
    for got, want in zip(found[-len(wanted):], wanted, strict=True):
        assert (got.dtype, got.shape) == (want.dtype, want.shape)
        np.testing.assert_array_equal(got.astype("c16"), want.astype("c16"))
    np.testing.assert_array_equal(inputs["x"].astype("f8"), x.astype("f8"))


@pytest.mark.parametrize("name", {**TRANSCENDENTAL, **FOLDS})
def test_functions_and_folds_are_in_single_precision_and_rounded(name):
    function = {**TRANSCENDENTAL, **FOLDS}[name]
    found, _ = results(function)
    wanted = in_a_tuple(function(X.astype("f4"), Y.astype("f4")))
    for got, want in zip(found, wanted, strict=True):
        assert got.shape == np.shape(want)
        assert got.dtype == (want.dtype if "single" in name or want.dtype == int else bfloat16)
        np.testing.assert_allclose(got.astype("f8"), want, rtol=2.0**-7, atol=1e-3)


def test_writes_of_parts_are_captured():
    graph, _ = plan_of(WRITTEN["stored"])
    assert [node.target for node in graph.calls].count(operator.setitem) == 2


@pytest.mark.parametrize("reason", CUPYS_OWN)
def test_calls_that_are_cupys_own(reason):
    _, reasons = capture(CUPYS_OWN[reason], on_host(X), on_host(Y))
    assert any(found.endswith(reason) for found in reasons), reasons


def test_products_of_matrices_are_of_bfloat16():
    graph, reasons = capture(lambda x, y: (x @ y.T, np.dot(x[0], y[0])), on_host(X), on_host(Y))
    assert reasons == []
    assert [(node.type.dtype, node.type.shape) for node in graph.outputs] == [
        (bfloat16, (5, 5)), (bfloat16, ())]


def test_casts_of_every_number_are_to_the_nearest():
    values = np.random.default_rng(2).integers(0, 2**32, 4096, dtype="u4").view("f4")
    values[:6] = 0, -0.0, np.inf, -np.inf, np.nan, np.finfo("f4").max
    graph, reasons = capture(lambda x: x.astype(bfloat16), on_host(values))
    assert reasons == []
    (found,) = compile_for(graph, CuPyOnHost())(on_host(values))
    with np.errstate(all="ignore"):
        want = values.astype(bfloat16)
    got = host(found)
    np.testing.assert_array_equal(np.isnan(got), np.isnan(want))
    known = ~np.isnan(want)
    np.testing.assert_array_equal(got.view("u2")[known], want.view("u2")[known])


@pytest.mark.parametrize("capability", [80, 90])
@pytest.mark.parametrize("name", ["arithmetic", "parts", "casts", "tanh", "sums", "softmax"])
def test_kernels_compile_for_gpus(name, capability):
    _, plan = plan_of({**ELEMENTWISE, **TRANSCENDENTAL, **FOLDS}[name])
    for kernel in plan.kernels:
        binary, _ = compiler.compile_kernel(kernel, 1, compiler.target(capability))
        assert binary.to_bytes()


def test_arrays_of_numpy_are_left_to_numpy():
    def f(x):
        return x + x, x.sum()

    with dl.config.patch(strict=False):
        found = dl.compile(f)(X)
    assert all(got.dtype == bfloat16 for got in found)
    np.testing.assert_array_equal(found[0].astype("f8"), (X + X).astype("f8"))
    assert any("which ml_dtypes adds to NumPy's" in why for why in dl.stats().break_reasons)


def test_no_array_of_numpy_becomes_one_in_a_graph():
    def f(x):
        return x.astype(bfloat16) + 1

    found = dl.compile(f)(X.astype("f4"))
    assert found.dtype == bfloat16
    np.testing.assert_array_equal(found.astype("f8"), (X + 1).astype("f8"))
