"""What a kernel of rows reads is computed there, if a pointwise kernel has made it."""
from __future__ import annotations

import numpy as np
import pytest
from dynamo_lite.backends.triton.backend import compile_for

import dynamo_lite as dl
from dynamo_lite.native import BAILOUT
from tests.backends.graphs import trace
from tests.triton.host import NoisyHost

pytest.importorskip("triton")
X, Y = np.random.default_rng(1).normal(size=(2, 60, 130)).astype("f4")


def layer_norm(z):
    centred = z - np.mean(z, axis=1, keepdims=True)
    return centred / np.sqrt(np.mean(centred * centred, axis=1, keepdims=True) + np.float32(1e-5))


def residual(x, y):
    z = np.exp(x) * y + x
    return layer_norm(z), z


MERGED = {
    "written for others": residual,
    "not written": lambda x, y: (layer_norm(np.exp(x) * y + x),),
    "of broadcast numbers": lambda x, y: (layer_norm(np.exp(x) * y[0, 0] + x),),
    "read again later": lambda x, y: (layer_norm(z := np.tanh(x) * y), np.sort(z, axis=1)),
}
APART = {
    "in other order": lambda x, y: (layer_norm((np.exp(x) * y + x)[:, ::-1]),),
    "of other rows": lambda x, y: (layer_norm((np.exp(x) * y + x)[::-1]),),
    "of a part": lambda x, y: (layer_norm((np.exp(x) * y + x)[:, 1:]),),
}


def check(function, *values):
    """The kernels of a plan whose results are NumPy's."""
    plan = compile_for(trace(function, *values), NoisyHost())
    found = plan(*values)
    assert found is not BAILOUT
    for got, want in zip(found, function(*values), strict=True):
        np.testing.assert_allclose(got, want, rtol=2e-5, atol=1e-5)
    return plan.kernels


@pytest.mark.parametrize("name", MERGED)
def test_merged(name):
    (kernel,) = check(MERGED[name], X, Y)
    is_written = name in ("written for others", "read again later")
    assert kernel.source.count("tl.store") == 1 + is_written


@pytest.mark.parametrize("name", APART)
def test_apart(name):
    assert len(check(APART[name], X, Y)) == 2


def test_rows_that_no_program_holds_at_once():
    assert len(check(residual, np.tile(X[:2], 70), np.tile(Y[:2], 70))) == 2


def test_writes_into_inputs_stay_apart():
    def function(x, y):
        z = np.exp(x) * y + x
        x[...] = layer_norm(z)
        return (z,)

    made = []

    def backend(graph, inputs):
        made.append(compile_for(graph, NoisyHost()))
        return made[-1]

    ours, theirs = X.copy(), X.copy()
    (got,) = dl.compile(function, backend=backend, fullgraph=True)(ours, Y)
    (want,) = function(theirs, Y)
    assert len(made[0].kernels) == 2
    np.testing.assert_allclose(got, want, rtol=1e-5)
    np.testing.assert_allclose(ours, theirs, rtol=2e-5, atol=1e-5)


def test_arrays_are_loaded_once():
    from dynamo_lite.backends.triton.binaries.compiler import compile_kernel

    loads = []
    for function in (residual, lambda x, y: (layer_norm(x),)):
        graph = trace(function, *np.ones((2, 512, 1024), "f4"))
        (kernel,) = compile_for(graph, NoisyHost()).kernels
        loads.append(compile_kernel(kernel)[1].count("ld.global"))
    assert loads[0] == 2 * loads[1]
