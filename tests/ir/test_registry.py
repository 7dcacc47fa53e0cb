"""Backends by name: built in, registered, or the callable itself."""
from __future__ import annotations

import sys

import numpy as np
import pytest
from dynamo_lite.backends import registry

from dynamo_lite.errors import BackendError
from dynamo_lite.ir.types import array

from .building import Builder


def graph():
    b = Builder()
    x = b.input("x", array("f8", 3))
    return b.output(b.call(np.add, x, 1.0))


def test_eager_is_the_graph_itself():
    run = registry.lookup_backend("eager")(graph(), [np.zeros(3)])
    (found,) = run(np.zeros(3))
    np.testing.assert_array_equal(found, np.ones(3))


def test_a_graph_is_a_compiled_callable():
    (found,) = registry.lookup_backend(lambda graph, inputs: graph)(graph(), [])(np.zeros(3))
    np.testing.assert_array_equal(found, np.ones(3))


def test_registered_backends_are_found_and_listed(monkeypatch):
    monkeypatch.setattr(registry, "_registered", {})

    @registry.register_backend
    def counting(graph, inputs):
        return graph

    registry.register_backend(counting, name="other")
    assert registry.lookup_backend("counting") is counting is registry.lookup_backend("other")
    assert registry.list_backends() == [
        "aot_eager", "auto", "counting", "dask", "eager", "llvm", "other", "triton"]


def test_mistakes_are_named():
    told = "no backend is called 'cuda'; there are aot_eager, auto, dask, eager"
    with pytest.raises(BackendError, match=told):
        registry.lookup_backend("cuda")
    with pytest.raises(TypeError, match="callable"):
        registry.register_backend(3)
    with pytest.raises(BackendError, match="'llvm' is a built-in backend"):
        registry.register_backend(lambda graph, inputs: graph, name="llvm")


def test_nothing_heavy_is_imported():
    import subprocess
    code = ("import sys, dynamo_lite.ir.passes, dynamo_lite.backends.registry\n"
            "print({'llvmlite', 'triton'} & set(sys.modules))")
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert out.stdout.strip() == "set()"
