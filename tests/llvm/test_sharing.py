"""What an unrolled loop repeats is in the machine code once."""
from __future__ import annotations

from typing import Any

import numpy as np
from dynamo_lite.backends.llvm.backend import compile_graph
from dynamo_lite.backends.llvm.builder.target import host
from dynamo_lite.backends.llvm.entry.writer import write_entry
from dynamo_lite.backends.lowering.lower import lower

from dynamo_lite.ir.passes import optimize

from ..backends.graphs import trace


def functions(function: Any, *args: Any) -> int:
    """How many kernels the code has; checks the result against NumPy."""
    graph = trace(function, *args)
    with np.errstate(all="ignore"):
        (found,), expected = compile_graph(graph, list(args))(*args), function(*args)
    np.testing.assert_allclose(found, expected, rtol=1e-12)
    program = lower(optimize(graph, None), None)
    return "".join(write_entry(program, host()).texts).count("\ndefine") - 1


def test_iterations_of_a_loop_share_their_kernels():
    def smooth(rounds: int) -> Any:
        def run(x: Any) -> Any:
            for _ in range(rounds):
                x = np.sort(x, axis=0) * 0.5 + x[::-1]
            return x
        return run

    x = np.random.default_rng(0).random((40, 30))
    assert functions(smooth(12), x) <= functions(smooth(4), x)


def test_rows_are_computed_by_one_kernel():
    def rows(x: Any) -> Any:
        return np.stack([np.sort(x[k], axis=0) + 1 for k in range(20)])

    assert functions(rows, np.random.default_rng(0).random((20, 50))) <= 3


def test_layers_with_a_residual_share_their_kernels():
    def network(layers: int) -> Any:
        def run(x: Any, weight: Any) -> Any:
            for _ in range(layers):
                normal = (x - np.mean(x, axis=1, keepdims=True)) * 0.5
                x = x + (normal @ weight + 1)
            return x
        return run

    x, weight = np.random.default_rng(0).random((2, 20, 20)) / 20
    assert functions(network(9), x, weight) == functions(network(5), x, weight)


def test_kernels_with_other_numbers_share_one():
    def rows(count: int) -> Any:
        def run(x: Any) -> Any:
            return np.stack([np.sort(x[k], axis=0) + 0.1 * k for k in range(count)])
        return run

    x = np.random.default_rng(0).random((20, 50))
    assert functions(rows(20), x) == functions(rows(10), x)


def test_a_number_that_grows_from_iteration_to_iteration_is_kept():
    def descend(count: int) -> Any:
        def run(x: Any) -> Any:
            bias = np.mean(x)
            for _ in range(count):
                bias = bias - np.mean(np.tanh(x + bias)) * 0.1
            return x + bias
        return run

    x = np.random.default_rng(0).random(100)
    assert functions(descend(10), x) <= functions(descend(6), x) + 1
