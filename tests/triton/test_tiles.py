"""Kernels whose arrays lie across each other in memory, in the interpreter and as PTX."""
from __future__ import annotations

import re

import numpy as np
import pytest
from dynamo_lite.backends.triton.backend import compile_for

import dynamo_lite as dl
from tests.backends.graphs import trace
from tests.triton.host import NoisyHost

pytest.importorskip("triton")
X = np.random.default_rng(1).normal(size=(100, 130))
CUBE = np.random.default_rng(2).normal(size=(5, 40, 70))


def copied(x):
    out = np.empty(x.shape, x.dtype)
    out[...] = x
    return out


PROGRAMS = {
    "sum with its transpose": (lambda x: x[:, :100].T + x[:, :100], X),
    "whole tiles": (lambda x: x.T * 2 + x, X[:64, :64]),
    "transposed copy": (lambda x: copied(x.T), X),
    "of halves": (lambda x: copied(x.T[::-1]), X.astype("f2")),
    "three dimensions": (lambda x: copied(x.transpose(2, 0, 1)) + x[0, 0, 0], CUBE),
    "with rows and columns": (lambda x: copied(x.T * x[0][:, None] + x[:, 0]), X),
    "with positions": (lambda x: copied(x.T)[:, np.array([3, 1, 2] * 20)] * 2, X),
}


@pytest.mark.parametrize("dynamic", [False, True])
@pytest.mark.parametrize("name", PROGRAMS)
def test_tiles_equal_numpy(name, dynamic):
    function, x = PROGRAMS[name]
    f = dl.compile(function, options={"interpret": True}, backend="triton", fullgraph=True,
                   dynamic=dynamic)
    smaller = x[:40, :40] if name == "transposed copy" else x * 2
    for given in (x, smaller) if dynamic else (x,):
        np.testing.assert_array_equal(f(given), function(given))


@pytest.mark.parametrize("dtype", ["f4", "f8", "f2"])
def test_loads_along_both_axes_are_vectors(dtype):
    from dynamo_lite.backends.triton.binaries.compiler import compile_kernel

    x = np.ones((256, 256), dtype)
    (kernel,) = compile_for(trace(lambda x: x.T + x, x), NoisyHost()).kernels
    assert "first_column" in kernel.source
    found = re.findall(r"(?:ld|st)\.global[.\w:]*", compile_kernel(kernel)[1])
    assert found and all(re.search(r"\.v[24]\.", access) for access in found)
