"""What becomes one kernel, what gets memory, and what a program looks like as text."""
from __future__ import annotations

import operator

import numpy as np
import pytest
from dynamo_lite.backends.loop_ir import simplify
from dynamo_lite.backends.loop_ir.loops import Buffer, Check, Gather, Kernel, Load, Offset, Store
from dynamo_lite.backends.loop_ir.printing import print_kernel
from dynamo_lite.backends.loop_ir.products import Product
from dynamo_lite.backends.loop_ir.program import Allocate, Extern, Launch, Loop, Output, Program
from dynamo_lite.backends.lowering.lower import lower
from dynamo_lite.backends.passes.fuse import merge

import dynamo_lite as dl
from dynamo_lite.ir.passes import optimize
from dynamo_lite.ir.types import array

from ..graphs import graph_of
from .graphs import trace
from .test_lowering import CASES, M, V


def kernels(program: Program) -> list[Kernel]:
    return [step.kernel for step in program.steps if isinstance(step, Launch)]


def scratch(program: Program) -> list[Allocate]:
    return [s for s in program.steps if isinstance(s, Allocate) and s.kind == "scratch"]


@pytest.mark.parametrize(
    "name", ["chain", "softmax", "layernorm", "kmeans", "stencil", "max min", "sum of a product"]
)
def test_one_kernel_without_intermediates(name):
    function, *values = CASES[name]
    program = lower(trace(function, *values))
    assert len(kernels(program)) == 1
    assert not scratch(program)


def shifted(x, w):
    x[1:] = x[:-1]
    y = x[1:] * w
    x[0] = y[0]
    return y


@pytest.mark.parametrize("dynamic", [False, True])
def test_sizes_that_have_to_be_equal_are_one(dynamic):
    """`s0 - 1`, `max(s0 - 1, 0)` and the size of what is multiplied with it: as many kernels as
    for sizes that are known, and none that keeps what is read before it changes."""
    graph = graph_of(shifted, np.arange(10.0), np.ones(9), dynamic=dynamic)
    program = lower(optimize(graph, None), None)
    assert len(kernels(program)) == 3
    assert len(scratch(program)) == 1


@pytest.mark.parametrize("row", [
    lambda x: (a := x[0] - np.max(x[0])) * np.sum(a), lambda x: np.exp(x[0]) / np.exp(x[0]).sum(),
], ids=["product", "softmax"])
def test_a_row_that_all_rows_share_is_kept_for_none_of_them(row):
    x = np.linspace(-1, 1, 21).reshape(3, 7)
    compiled = dl.compile(lambda x: x * row(x), options={"compile_unprofitable": True})
    assert np.allclose(compiled(x), x * row(x), rtol=1e-12)


SPREAD = {
    "max of few": (lambda x: x / np.max(x, axis=1, keepdims=True), (100, 4), 2),
    "argmin of few": (lambda x: np.argmin(x, axis=1)[:, None] - x, (100, 4), 2),
    "max of many": (lambda x: x / np.max(x, axis=1, keepdims=True), (100, 40), 1),
    "max of few, in few rows": (lambda x: x / np.max(x, axis=1, keepdims=True), (4, 4), 1),
    "sum of few": (lambda x: x / np.sum(x, axis=1, keepdims=True), (100, 4), 1),
    "sum of few, added up across": (
        lambda x: np.sum(x / np.sum(x * x, axis=1, keepdims=True), axis=0), (100, 4), 2),
    "sum of few, added up along": (
        lambda x: np.sum(x / np.sum(x * x, axis=1, keepdims=True), axis=1), (100, 4), 1),
}


@pytest.mark.parametrize("name", SPREAD)
def test_short_folds_that_are_spread_again_are_done_for_many_rows_at_a_time(name):
    function, shape, count = SPREAD[name]
    x = np.linspace(1, 2, shape[0] * shape[1]).reshape(shape)
    assert len(kernels(lower(trace(function, x), in_order=True))) == count
    compiled = dl.compile(function, options={"compile_unprofitable": True})
    assert np.allclose(compiled(x), function(x), rtol=1e-12)


def test_results_over_one_box_share_a_kernel():
    program = lower(trace(lambda x, y: ((a := np.exp(x * y)), a + 1, x - y), M, M + 1))
    (kernel,) = kernels(program)
    assert len(kernel.statements) == 3
    assert len(kernel.axes) == 1  # contiguous axes collapse


def test_folds_of_folds_are_computed_for_many_rows_at_a_time_where_short_rows_read_them():
    def members(x, centres):
        distance = np.sum((x[:, None, :] - centres[None, :, :]) ** 2, axis=-1)
        return np.argmin(distance, axis=1)[:, None] == centres[:, 0]

    program = lower(trace(members, np.ones((30, 16)), np.ones((4, 16))))
    nearest, rows = kernels(program)
    assert len(nearest.axes) == 1 and nearest.vector == nearest.axes[0]
    assert len(rows.axes) == 2 and not rows.folds


def test_a_copy_is_made_right_before_what_reads_it():
    def attend(keys, values, key, query):
        keys, values = (np.concatenate([old, key]) for old in (keys, values))
        return keys, values, np.tanh(keys @ query) @ values

    stack = np.ones((40, 8))
    program = lower(trace(attend, stack, stack, stack[:1], stack[0]), blas=True)
    order = [
        step for step in program.steps
        if isinstance(step, Product) or (isinstance(step, Launch) and len(step.kernel.loads) == 1)
    ]
    first = next(k for k, step in enumerate(order) if isinstance(step, Product))
    (copied,) = {buffer for step in order[:first] for buffer in step.writes}
    assert copied in order[first].reads


def counted(count):
    """How often the values of an orbit stay small."""

    def steps(x):
        z, n = x, np.zeros(x.shape, np.int64)
        for _ in range(5):
            z = z * z + x
            n = count(n, z < 2)
        return n

    return steps


@pytest.mark.parametrize("count", [
    lambda n, mask: n + mask, operator.iadd, lambda n, mask: np.add(n, mask, out=n),
])
def test_sums_in_place_fuse_like_sums(count):
    graphs = []
    dl.compile(counted(count), backend=lambda graph, _: graphs.append(graph) or graph)(V)
    program = lower(optimize(graphs[0]))
    assert len(kernels(program)) == 1
    assert not scratch(program)


def test_column_statistics_are_computed_before_the_rows():
    program = lower(trace(lambda x: (x - np.mean(x, axis=0)) / np.std(x, axis=0), M))
    statistics, rows = kernels(program)
    assert len(statistics.axes) == 1 and len(statistics.statements) == 2
    assert len(rows.axes) == 2 and rows.vector == rows.axes[-1]


def test_expensive_value_of_several_kernels_is_computed_once():
    program = lower(trace(lambda x: ((e := np.tanh(x * 2))[1:] * 2, np.sum(e[:5])), V))
    texts = [print_kernel(kernel) for kernel in kernels(program)]
    assert sum("tanh" in text for text in texts) == 1


def test_sums_that_are_checked_where_they_are_made_are_computed_once():
    """What is added up step by step, with other calls between, is no sum of all over again."""

    def program(x, n):
        total = 0
        for i in range(n):
            x = np.append(x, x[i])
            x *= 1.5
            total += np.sum(x > 1)
        return total

    counts = []
    for n in (5, 10):
        graph = optimize(graph_of(program, V, n))
        texts = map(print_kernel, kernels(lower(graph)))
        counts.append(sum(text.count("greater.?") for text in texts))
    assert counts[1] <= 2 * counts[0] <= 20


def test_functions_are_computed_in_vectors_before_a_running_fold():
    computed, summed = kernels(lower(trace(lambda x: np.cumsum(np.sin(x)), V)))
    assert computed.vector is not None and summed.vector is None
    assert len(kernels(lower(trace(lambda x: np.cumsum(x * 2), V)))) == 1


@pytest.mark.parametrize("order", "KACF")
def test_memory_orders_that_are_asked_for_are_kernels(order):
    def function(x):
        return np.exp(np.add(x, x[0], order=order)) * 2, np.multiply(x.T, 2, order=order)

    program = lower(trace(function, M))
    assert not any(isinstance(step, Extern) for step in program.steps)
    compiled = dl.compile(function, options={"compile_unprofitable": True})
    for found, expected in zip(compiled(M), function(M)):
        assert found.strides == expected.strides and np.allclose(found, expected, rtol=1e-14)


def slopes(x):
    y = x * x - 1
    value = np.sum(y * y)
    with np.errstate(all="ignore"):
        return value, 4 * y * x


def of_infinity(x):
    y = x * x
    with np.errstate(all="ignore"):
        return y[1:] * 2


@pytest.mark.parametrize("function", [slopes, of_infinity])
def test_what_is_computed_once_more_is_reported_all_the_same(function):
    compiled = dl.compile(function, options={"compile_unprofitable": True})
    with pytest.warns(RuntimeWarning, match="overflow"):
        compiled(np.array([1e200, 1.0, 2.0]))


def test_number_that_more_results_need_than_one_kernel_has():
    def scaled(x):
        norm = np.sqrt(np.sum(x * x))
        return tuple(x / norm + i for i in range(20))

    program = lower(trace(scaled, V))
    texts = [print_kernel(kernel) for kernel in kernels(program)]
    assert sum(text.count("[r0 <") for text in texts) == 1


def test_warnings_of_elements_that_nobody_reads_count():
    program = lower(trace(lambda x: np.log(x)[1:] + 1, V))
    assert any(kernel.axes[0].extent == 12 for kernel in kernels(program))


PLACE, FOUND, SUM, GOES_ON = (Buffer(name, np.dtype(dtype)) for name, dtype in (
    ("place", "i8"), ("found", "f8"), ("sum", "f8"), ("goes_on", "?")))
X = Buffer("x", np.dtype("f8"))


def step_of(*statements):
    return Launch(Kernel("kernel", (), statements))


def test_a_place_is_checked_before_a_loop_looks_it_up():
    """Also where the kernel that checks it could be one with another behind the loop."""
    place, total = Load(PLACE, Offset()), Load(SUM, Offset())
    is_inside = simplify.apply("less", (place, simplify.const(10, PLACE.dtype)), GOES_ON.dtype)
    element = Gather(X, Offset(), ((place, 8),))
    loop = Loop(GOES_ON, (step_of(Store(SUM, Offset(), element)),))
    steps = [Allocate(one, array(one.dtype, ()), "scratch") for one in (PLACE, SUM, GOES_ON)]
    steps += [
        Allocate(FOUND, array(FOUND.dtype, ()), "array"),
        Loop(GOES_ON, (step_of(Store(PLACE, Offset(), simplify.const(3, PLACE.dtype))),)),
        step_of(Check(is_inside)), loop, step_of(Store(FOUND, Offset(), total)),
    ]
    output = Output(FOUND, array(FOUND.dtype, ()))
    merged = merge(Program((), (), {}, tuple(steps), (output,)), lambda size: 1)
    kinds = [type(one) for one in merged.steps if not isinstance(one, Allocate)]
    has_check = [any(isinstance(one, Check) for one in step.kernel.statements)
                 for step in merged.steps if isinstance(step, Launch)]
    assert kinds == [Loop, Launch, Loop, Launch]
    assert has_check == [True, False]


def test_scratch_memory_is_used_again():
    def steps(x):
        for _ in range(6):
            x = np.cumsum(x * 2, axis=0) - 1
        return x

    assert len(scratch(lower(trace(steps, M)))) <= 2


def test_reading_along_rows_vectorises_the_fold():
    wide = np.ones((50, 300))
    (rows,) = kernels(lower(trace(lambda x: np.sum(x, axis=1), wide)))
    assert rows.vector is not None and rows.vector.extent == 300
    (columns,) = kernels(lower(trace(lambda x: np.sum(x, axis=0), wide)))
    assert columns.vector == columns.axes[0]


def test_kernel_text():
    (kernel,) = kernels(lower(trace(lambda x: np.exp(x + 1) * 2, V)))
    assert print_kernel(kernel) == (
        "kernel kernel0[i0 < 12] vector i0 parallel:\n"
        "    t0:d[i0*(8)] = multiply.d(exp.d(add.d(x0_in0[i0*(8)], d:1.0)), d:2.0)"
    )


def test_lowering_is_deterministic():
    function, *values = CASES["columns normalised"]
    texts = {
        "\n".join(map(print_kernel, kernels(lower(trace(function, *values))))) for _ in range(3)
    }
    assert len(texts) == 1


def test_values_that_are_read_twice_and_again_twice_are_looked_at_once():
    """Of `t = t * 0.5 + t * 0.25`, thirty times, there are a billion ways from the first to the
    last."""

    def program(x):
        t = x.sum() + 1.0
        for _ in range(30):
            t = t * 0.5 + t * 0.25
        return t

    x = np.full((20, 30), 1e-3)
    assert dl.compile(program)(x) == program(x)
