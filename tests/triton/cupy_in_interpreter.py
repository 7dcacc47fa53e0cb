"""Run in a process of its own: the whole way from a user's function to kernels, on real CuPy arrays
in host memory, with Triton's interpreter in place of the GPU."""
from __future__ import annotations

from typing import Any

import cupy as cp
import numpy as np
from dynamo_lite.backends.triton.backend import compile_for
from dynamo_lite.backends.triton.device import counterpart_in

import dynamo_lite as dl
from tests.triton.host import NoisyHost
from tests.triton.portable import FUNCTIONS
from tests.triton.test_cupy import on_host


class CuPyOnHost(NoisyHost):
    """CuPy's arrays over NumPy's memory."""

    array = cp.ndarray
    library = cp
    attempt = None

    def pointer(self, array: Any) -> int:
        return array.data.ptr

    def empty(self, shape: Any, dtype: Any) -> Any:
        return on_host(super().empty(shape, dtype))

    def view(self, base: Any, offset: int, shape: Any, dtype: Any, strides: Any) -> Any:
        return cp.ndarray(shape, dtype, base.data + offset, strides)

    def constant(self, value: np.ndarray) -> Any:
        return on_host(super().constant(value))

    def is_here(self, *arrays: Any) -> bool:
        return all(type(array) is cp.ndarray for array in arrays)

    def counterpart(self, target: Any) -> Any:
        return counterpart_in(cp, target)


def host(array: Any) -> np.ndarray:
    """What a CuPy array over host memory holds."""

    class Memory:
        __array_interface__ = {
            "data": (array.data.ptr, False), "shape": array.shape, "strides": array.strides,
            "typestr": array.dtype.str, "version": 3,
        }  # fmt: skip
        owner = array

    return np.array(Memory())


def main() -> None:
    rng = np.random.default_rng(3)
    for function in FUNCTIONS:
        made = []

        def backend(graph: Any, inputs: Any, made: Any = made) -> Any:
            made.append(compile_for(graph, CuPyOnHost()))
            return made[-1]

        compiled = dl.compile(function, backend=backend, fullgraph=True)
        for shape in ((4, 6), (5, 7), (6, 9)):
            x = rng.normal(size=shape)
            expected = function(np, x)
            found = compiled(cp, on_host(x))
            expected = expected if isinstance(expected, tuple) else (expected,)
            found = found if isinstance(found, tuple) else (found,)
            for got, want in zip(found, expected, strict=True):
                assert type(got) is cp.ndarray and got.shape == want.shape, function.__name__
                np.testing.assert_allclose(host(got), want, rtol=1e-12)
        assert len(made) == 2, f"{function.__name__} was compiled {len(made)} times"
        print("equal", function.__name__)


if __name__ == "__main__":
    main()
