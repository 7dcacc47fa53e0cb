"""CuPy arrays in the tracer. They lie in host memory, so that no GPU is needed to look at them."""
from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import dynamo_lite as dl
from dynamo_lite.native import why_no_cuda

cp = pytest.importorskip("cupy")


def on_host(array):
    memory = cp.cuda.UnownedMemory(array.ctypes.data, array.nbytes, array, 0)
    pointer = cp.cuda.MemoryPointer(memory, 0)
    return cp.ndarray(array.shape, array.dtype, pointer, array.strides)


X = np.arange(12.0).reshape(3, 4)


class Stop(Exception):
    """The graph was captured."""


def capture(function, *values):
    """The graph of a function, and the reasons of its breaks; nothing is run."""
    seen = []

    def backend(graph, inputs):
        seen.append(graph)

        def run(*inputs):
            raise Stop

        return run

    try:
        dl.compile(function, backend=backend)(*values)
    except (Stop, TypeError, cp.cuda.runtime.CUDARuntimeError):
        pass
    return (seen[0] if seen else None), list(dl.stats().break_reasons)


@pytest.mark.parametrize("function", [
    lambda x: cp.exp(x) * 2 + np.sqrt(x),
    lambda x: x.sum(axis=0) - x.mean(axis=0),
    lambda x: (x.T + 1, x[1:], x.reshape(-1)),
    lambda x: cp.where(x > 0, x, 0.0),
    lambda x: cp.concatenate([x, x]) @ x.T,
    lambda x: np.linalg.norm(x, axis=1),
    lambda x: cp.max(x),
])  # fmt: skip
def test_whole_functions_are_captured(function):
    graph, reasons = capture(function, on_host(X))
    assert reasons == []
    kinds = [node.type for node in graph.calls]
    assert {(kind.library, kind.form.value) for kind in kinds} == {("cupy", "array")}


def test_results_are_laid_out_as_cupy_does():
    graph, _ = capture(lambda x: (x.T + 1, x.T, x.sum()), on_host(X))
    added, transposed, total = (node.type for node in graph.outputs)
    assert added.strides == (24, 8) and transposed.strides == (8, 32) and total.shape == ()


@pytest.mark.parametrize(("function", "reason"), [
    (lambda x: x + np.arange(4), "another library"),
    (lambda x: np.asarray(x), "asarray of NumPy does not take arrays of CuPy"),
    (lambda x: cp.zeros(3), "without an array of CuPy"),
    (lambda x: x[0, 0], "which is a view"),
    (lambda x: x.device, "attribute 'device'"),
    (lambda x: x.get(), "attribute 'get'"),
    (lambda x: cp.add(x, [1, 2, 3, 4]), "takes no sequences"),
])  # fmt: skip
def test_what_cupy_does_differently_breaks_the_graph(function, reason):
    _, reasons = capture(function, on_host(X))
    assert any(reason in found for found in reasons), reasons


def test_writing_into_an_input_breaks_the_graph():
    def f(x):
        x += 1
        return x

    _, reasons = capture(f, on_host(X))
    assert any("from outside" in reason for reason in reasons)


def test_guards_tell_dtypes_sizes_and_layouts_apart():
    calls = []

    def backend(graph, inputs):
        calls.append(graph)
        return lambda x: (x,)

    f = dl.compile(lambda x: x + 1, backend=backend, dynamic=False)
    for count, value in enumerate((X, X.astype("f4"), X[:2], np.asfortranarray(X)), 1):
        for _ in range(2):
            f(on_host(value))
        f(on_host(value.copy(order="K")))
        assert len(calls) == count


def test_numpy_and_cupy_of_one_function():
    libraries = []

    def backend(graph, inputs):
        libraries.append(graph.placeholders[0].type.library)
        return lambda x: (x,)

    f = dl.compile(lambda x: np.exp(x), backend=backend)
    for value in (X, on_host(X), X, on_host(X)):
        f(value)
    assert libraries == ["numpy", "cupy"]


@pytest.mark.skipif(why_no_cuda() is None, reason="there is a GPU")
def test_without_a_driver_eager_speaks():
    f = dl.compile(lambda x: x + 1)
    with dl.config.patch(strict=False), pytest.warns(UserWarning, match="there is no CUDA driver"):
        with pytest.raises(cp.cuda.runtime.CUDARuntimeError):
            f(on_host(X))


def test_llvm_refuses_arrays_of_the_gpu():
    f = dl.compile(lambda x: x + 1, backend="llvm")
    with dl.config.patch(strict=False), pytest.warns(UserWarning, match="arrays of cupy"):
        with pytest.raises(cp.cuda.runtime.CUDARuntimeError):
            f(on_host(X))


def test_from_functions_to_kernels_in_the_interpreter():
    pytest.importorskip("triton")
    done = subprocess.run(
        [sys.executable, "-m", "tests.triton.cupy_in_interpreter"],
        cwd=Path(__file__).parents[2], capture_output=True, text=True,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr[-3000:]
    assert done.stdout.count("equal") == 6
