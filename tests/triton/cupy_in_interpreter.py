"""Run in a process of its own: the whole way from a user's function to kernels, on real CuPy arrays
in host memory, with Triton's interpreter in place of the GPU."""
from __future__ import annotations

import copy
import sys
import types
from typing import Any

import cupy as cp
import numpy as np
from dynamo_lite.backends.triton.backend import compile_for

import dynamo_lite as dl
from tests.oracle import outcome_of_copy
from tests.trace.test_corpus import PROGRAMS
from tests.triton.cupy_on_host import CuPyOnHost, computes_on_host, host, on_host
from tests.triton.portable import FUNCTIONS, WRITES


def with_cupy(function: Any) -> Any:
    """A function of a module in which CuPy has the name of NumPy."""
    if not isinstance(function, types.FunctionType):
        return None
    names = {name: cp if value is np else value for name, value in function.__globals__.items()}
    made = types.FunctionType(
        function.__code__, names, function.__name__, function.__defaults__, function.__closure__)
    made.__kwdefaults__ = function.__kwdefaults__
    return made


def moved(tree: Any, change: Any) -> Any:
    """A tree of plain containers with other leaves."""
    if type(tree) in (list, tuple):
        return type(tree)(moved(item, change) for item in tree)
    if type(tree) is dict:
        return {key: moved(value, change) for key, value in tree.items()}
    return change(tree)


def to_cupy(leaf: Any) -> Any:
    is_held = isinstance(leaf, np.ndarray) and leaf.dtype.kind in "biufc"
    return on_host(leaf.copy("K")) if is_held else leaf


def to_numpy(leaf: Any) -> Any:
    return host(leaf).copy() if isinstance(leaf, cp.ndarray) else leaf


def equal(got: Any, want: Any) -> None:
    """Arrays of CuPy stand for NumPy's scalars, too."""
    if type(want) in (list, tuple):
        assert len(got) == len(want)
        for one, other in zip(got, want):
            equal(one, other)
    elif type(want) is dict:
        for key in want:
            equal(got[key], want[key])
    elif isinstance(want, (np.ndarray, np.generic)):
        assert (got.dtype, got.shape) == (want.dtype, want.shape), (got.dtype, want.dtype)
        np.testing.assert_allclose(got, want, rtol=1e-9, atol=1e-12)
    elif isinstance(want, (bool, int, float, complex, str, type(None))):
        assert type(got) is type(want) and (got == want or got != got), (got, want)


def compiled(function: Any, made: list[Any]) -> Any:
    def backend(graph: Any, inputs: Any) -> Any:
        made.append(compile_for(graph, CuPyOnHost()))
        return made[-1]

    return dl.compile(function, backend=backend, fullgraph=True)


def check_functions() -> None:
    rng = np.random.default_rng(3)
    for function in (*FUNCTIONS, *WRITES):
        made: list[Any] = []
        ours = compiled(function, made)
        for shape in ((4, 6), (5, 7), (6, 9)):
            x = rng.normal(size=shape)
            y = x.copy()
            expected = function(np, x)
            found = ours(cp, on_host(y))
            equal(moved(found, to_numpy), expected)
            np.testing.assert_allclose(y, x, rtol=1e-12)
        assert len(made) == 2, f"{function.__name__} was compiled {len(made)} times"
        print("equal", function.__name__)


def check_corpus() -> None:
    for program in PROGRAMS:
        function = with_cupy(program.function)
        expected = outcome_of_copy(program.function, program.args)
        if not program.is_one_graph or function is None or expected.error is not None:
            continue
        given = moved(copy.deepcopy(program.args), to_cupy)
        try:
            found = compiled(function, [])(*given)
            equal(moved(found, to_numpy), expected.result)
            equal(moved(given, to_numpy), expected.args)
        except Exception as error:
            print("different", program, type(error).__name__, str(error)[:200].replace("\n", " "))
        else:
            print("equal", program)


def main(part: str) -> None:
    computes_on_host()
    with dl.config.patch(strict=True):
        {"functions": check_functions, "corpus": check_corpus}[part]()


if __name__ == "__main__":
    main(*sys.argv[1:])
