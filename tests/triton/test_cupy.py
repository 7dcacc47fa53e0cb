"""CuPy arrays in the tracer. They lie in host memory, so that no GPU is needed to look at them."""
from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

import dynamo_lite as dl
from dynamo_lite.ir.ops import libraries
from dynamo_lite.native import why_no_cuda

cp = pytest.importorskip("cupy")
pytest.importorskip("triton")

from dynamo_lite.backends.triton.backend import LaunchPlan  # noqa: E402

from tests.triton.cupy_on_host import on_host  # noqa: E402

pytestmark = pytest.mark.skipif(why_no_cuda() is None, reason="its own arrays are in its memory")
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
    except (Stop, TypeError, ImportError, cp.cuda.runtime.CUDARuntimeError):
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


def test_loops_of_dtypes_that_numpy_does_not_name_are_left_out(monkeypatch):
    """CuPy has loops of bfloat16, "E", where `ml_dtypes` is imported."""
    cupy = SimpleNamespace(exp=SimpleNamespace(types=["e->e", "E->E", "f->f"]))
    monkeypatch.setitem(sys.modules, "cupy", cupy)
    loops = libraries._loops.__wrapped__("exp", None)
    assert {loop[0].char for loop in loops} == {"e", "f"}


def test_results_are_laid_out_as_cupy_does():
    graph, _ = capture(lambda x: (x.T + 1, x.T, x.sum()), on_host(X))
    added, transposed, total = (node.type for node in graph.outputs)
    assert added.strides == (24, 8) and transposed.strides == (8, 32) and total.shape == ()


@pytest.mark.parametrize(("function", "reason"), [
    (lambda x: x + np.arange(4), "another library"),
    (lambda x: np.asarray(x), "asarray of NumPy does not take arrays of CuPy"),
    (lambda x: cp.fromiter(range(3), int), "without an array of CuPy"),
    (lambda x: cp.asarray(np.arange(3.0)), "made of one of another library"),
    (lambda x: x + cp.random.random(x.shape), "draws random numbers"),
    (lambda x: x.device, "attribute 'device'"),
    (lambda x: x.get(), "attribute 'get'"),
    (lambda x: cp.add(x, [1, 2, 3, 4]), "takes no sequences"),
])  # fmt: skip
def test_what_cupy_does_differently_breaks_the_graph(function, reason):
    _, reasons = capture(function, on_host(X))
    assert any(reason in found for found in reasons), reasons


def test_inputs_that_are_written_share_no_memory():
    def f(x, y):
        x += y
        return x

    x = np.zeros(20)
    compiled = []

    def backend(graph, inputs):
        compiled.append(graph)
        return LaunchPlan(lambda x, y: (), "", ())

    g = dl.compile(f, backend=backend)
    for _ in range(2):
        g(on_host(x[:10]), on_host(x[10:]))
    assert len(compiled) == 1
    with pytest.raises(cp.cuda.runtime.CUDARuntimeError):  # it is left to CuPy
        g(on_host(x[:10]), on_host(x[1:11]))
    assert len(compiled) == 1


def test_elements_are_views():
    graph, reasons = capture(lambda x: (x[0, 0], x[-1][1]), on_host(X))
    assert reasons == [] and [node.type.shape for node in graph.outputs] == [(), ()]
    assert graph.outputs[0].type.form.value == "array"


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
        [sys.executable, "-m", "tests.triton.cupy_in_interpreter", "functions"],
        cwd=Path(__file__).parents[2], capture_output=True, text=True,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr[-3000:]
    assert done.stdout.count("equal") == 16


ELSEWHERE = {
    "CuPy has no such function, or another one": """
        arrays-random_generator arrays-apply_axis arrays-vectorize elements-arrays_from_iterators
        elements-elements_by_a_python_function elements-many_elements_by_a_python_function
        elements-along_an_axis elements-along_many_rows elements-along_an_axis_of_three
        library-errstate_ignore library-errstate_divide library-errstate_raises
        library-errstate_nested calls-unbound_method elements-histogram_of_falling_edges""",
    "attributes of NumPy's arrays": """
        arrays-attributes arrays-membership arrays-sizes_along_axes arrays-copies_keep_the_layout
        arrays-no_ufunc elements-flat_elements generators-enumerate_zip_reversed library-copying
        protocols-metaclass_hooks protocols-refuses_ufuncs toolkit-copies_of_objects
        classes-protocols_of_known_values""",
    "scalars and classes of NumPy": """
        calls-single_dispatch statements-type_checks arrays-methods_of_one_number""",
    "arrays of NumPy beside those of CuPy": """
        control-global_read elements-outside_cache local_classes-keywords_of_a_class
        local_classes-plugins numpy_errors-wrong_calls arrays-assigning_sequences""",
    "NumPy's own errors": """
        numpy_errors-chained_errors numpy_errors-error_as_cause numpy_errors-output_where
        numpy_errors-outputs_are_given_back numpy_errors-errors_in_place_of_others""",
    "it is no operation that CuPy makes of nothing": "arrays-meshgrid",
}
"""What of the corpus means something else with CuPy, or is not one graph there."""


def test_the_corpus_on_arrays_of_cupy():
    """As whole graphs, with CuPy in the place of NumPy."""
    done = subprocess.run(
        [sys.executable, "-m", "tests.triton.cupy_in_interpreter", "corpus"],
        cwd=Path(__file__).parents[2], capture_output=True, text=True,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr[-3000:]
    said = [line.split() for line in done.stdout.splitlines()]
    different = {words[1] for words in said if words[:1] == ["different"]}
    assert different == set(" ".join(ELSEWHERE.values()).split())
    assert len([words for words in said if words[:1] == ["equal"]]) > 580
