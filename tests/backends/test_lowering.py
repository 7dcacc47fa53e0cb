"""Lowered programs, run by the reference interpreter, equal NumPy."""
from __future__ import annotations

import operator
from inspect import Parameter, signature
from typing import Any

import numpy as np
import pytest
from dynamo_lite.backends.loop_ir.program import Allocate, Commit, Extern, Launch, Program
from dynamo_lite.backends.lowering.lower import lower
from dynamo_lite.backends.lowering.state.context import LOWERINGS

from dynamo_lite.ir import core
from dynamo_lite.ir.row import ROWS
from tests.backends.interpret import BailOut, run_program

from ..oracle import Tolerance, same
from .graphs import Builder, trace

FEW_UNITS = Tolerance(signed_zeros=False, units=8)


def check(function: Any, *values: Any, externs: int = 0, kernels: int | None = None) -> Program:
    """Lower `function`, run it, compare with NumPy in every respect that a user sees."""
    program = lower(trace(function, *values))
    with np.errstate(all="ignore"):
        expected = function(*values)
        found = run_program(program, *values)
    expected = expected if isinstance(expected, tuple) else (expected,)
    assert same((values, tuple(found)), (values, expected), FEW_UNITS)
    assert sum(isinstance(s, Extern) for s in program.steps) == externs, program.notes
    if kernels is not None:
        assert sum(isinstance(s, Launch) for s in program.steps) == kernels
    return program


rng = np.random.default_rng(0)
V = rng.normal(size=12)
M = rng.normal(size=(4, 6))
F = np.asfortranarray(M)
T3 = rng.normal(size=(2, 3, 4))
N = rng.integers(-9, 9, size=(4, 6))
U = rng.integers(1, 9, size=(4, 6)).astype(np.uint8)
S = np.float32(1.5)
f4 = M.astype(np.float32)

CASES = {
    "chain": (lambda x: np.exp(x * 2 + 1) - x, V),
    "broadcast": (lambda x, y: x[:, None] * y[None, :] + 1, V, V[:5]),
    "rows": (lambda x, y: x + y, M, V[:6]),
    "scalars": (lambda x, s: x * s + 2, f4, S),
    "python scalar": (lambda x, s: x * s, f4, 2.5),
    "python int": (lambda x, s: x * s, f4, 3),
    "int chain": (lambda x: (x + 1) * x - (x < 3), N),
    "narrow": (lambda x: x * x + 200, U),
    "mixed": (lambda x, y: x * y, N, f4),
    "compare": (lambda x, y: (x < y) & (x > 0), N, M),
    "floor divide": (lambda x, y: x // y + x % y, N, U),
    "where": (lambda x: np.where(x > 0, x, -x), M),
    "where scalars": (lambda x: np.where(x > 0, 1.0, 0), f4),
    "clip": (lambda x: np.clip(x, -1, 1), N),
    "astype": (lambda x: x.astype(np.int32), M * 10),
    "0-d": (lambda x: x[2] * 2 + x[3], V),
    "transpose": (lambda x: (x + 1).T * 2, M),
    "transposed output": (lambda x: (x + 1).T, M),
    "fortran": (lambda x: x * 2, F),
    "mixed order": (lambda x, y: x + y, F, M),
    "negative steps": (lambda x: x[::-1, ::2] + x[:, 1::2], M),
    "slices": (lambda x: x[1:] - x[:-1], V),
    "view output": (lambda x: x[1:3, ::-1], M),
    "view of output": (lambda x: ((y := x + 1), y[::2], y.T), M),
    "row of output": (lambda x: ((y := x + 1)[0], y[:, 1]), M),
    "same output twice": (lambda x: ((y := x * 2), y, x), M),
    "copy": (lambda x: (x.copy(), x[:]), M),
    "reshape view": (lambda x: x.reshape(6, 4), M),
    "reshape copy": (lambda x: x.T.reshape(24), M),
    "reshape lazy": (lambda x: (x * 2).reshape(3, 8) + 1, M),
    "reshape lazy transposed": (lambda x: (x * 2).T.reshape(8, 3) + 1, M),
    "reshape split": (lambda x: np.transpose(x.reshape(2, 2, 3, 2), (0, 2, 1, 3)), M),
    "ravel": (lambda x: (np.ravel(x), np.ravel(x.T)), M),
    "flatten": (lambda x: x.flatten(), M),
    "moveaxis": (lambda x: np.moveaxis(x, 0, -1) + 1, T3),
    "swapaxes": (lambda x: np.swapaxes(x, 0, 2) * 2, T3),
    "squeeze": (lambda x: np.squeeze(np.expand_dims(x, 1) + 1), M),
    "broadcast_to": (lambda x: np.broadcast_to(x, (3, 12)), V),
    "flip": (lambda x: np.flip(x) + np.flip(x, 0), M),
    "sum": (lambda x: np.sum(x), M),
    "sum rows": (lambda x: np.sum(x, axis=1), M),
    "sum columns": (lambda x: np.sum(x, axis=0, keepdims=True), M),
    "sum ints": (lambda x: np.sum(x, axis=0), U),
    "sum bools": (lambda x: np.sum(x > 0), M),
    "sum of a product": (lambda x, y: np.sum(x * y, axis=-1), M, V[:6]),
    "max min": (lambda x: np.max(x, axis=0) - np.min(x, axis=0), M),
    "prod": (lambda x: np.prod(x, axis=(0, 2)), T3),
    "any all": (lambda x: (np.any(x > 0, axis=1), np.all(x > 0)), M),
    "argmin": (lambda x: np.argmin(x, axis=0), M),
    "argmax all": (lambda x: np.argmax(x), M),
    "mean": (lambda x: np.mean(x, axis=0), f4),
    "mean ints": (lambda x: np.mean(x), N),
    "var": (lambda x: np.var(x, axis=1), M),
    "std": (lambda x: np.std(x, axis=0, ddof=1), f4),
    "ptp": (lambda x: np.ptp(x, axis=0), N),
    "count_nonzero": (lambda x: np.count_nonzero(x > 0, axis=0), M),
    "norm": (lambda x: np.linalg.norm(x, axis=1), M),
    "norm inf": (lambda x: np.linalg.norm(x, np.inf, axis=1), M),
    "norm 1": (lambda x: np.linalg.norm(x, 1, axis=0), f4),
    "softmax": (
        lambda x: (e := np.exp(x - np.max(x, axis=1, keepdims=True)))
        / np.sum(e, axis=1, keepdims=True),
        M,
    ),
    "layernorm": (
        lambda x: (x - np.mean(x, axis=1, keepdims=True))
        / np.sqrt(np.var(x, axis=1, keepdims=True) + 1e-5),
        f4,
    ),
    "columns normalised": (lambda x: (x - np.mean(x, axis=0)) / np.std(x, axis=0), M),
    "kmeans": (
        lambda x, m: np.argmin(np.linalg.norm(x - m[:, None], axis=2), axis=0),
        rng.normal(size=(20, 2)),
        rng.normal(size=(3, 2)),
    ),
    "concatenate": (lambda x, y: np.concatenate([x * 2, y, x], axis=0) + 1, M, N),
    "concatenate flat": (lambda x, y: np.concatenate((x.T, y), axis=None), M, V),
    "cumsum": (lambda x: np.cumsum(x * 2, axis=0) + 1, M),
    "cumsum all": (lambda x: np.cumsum(x), N),
    "cumprod": (lambda x: np.cumprod(x, axis=1), U),
    "take": (lambda x, i: np.take(x * 2, i), V, np.array([3, -1, 0])),
    "take axis": (lambda x, i: np.take(x, i, axis=1), M, np.array([[3, -1], [0, 0]])),
    "gather rows": (lambda x, i: x[i] + 1, M, np.array([3, -1, 0], np.int32)),
    "gather both": (lambda x, i, j: x[i, j], M, np.array([[3], [0]]), np.array([1, 5, -2])),
    "gather middle": (lambda x, i: x[:, i, 1:3], T3, np.array([2, 0])),
    "gather list": (lambda x: x[[0, 2], 1], M),
    "gather newaxis": (lambda x, i: x[None, i], V, np.array([1, 2])),
    "matmul": (lambda x, y: np.matmul(x, y), M[:, :3], M[:3]),
    "matmul vector": (lambda x, y: np.matmul(x, y), M[:, :2], V[:2]),
    "dot": (lambda x, y: np.dot(x, y) * 2, V, V + 1),
    "int matmul": (lambda x, y: np.matmul(x, y.T), N, N),
    "outer": (lambda x, y: np.outer(x, y) + 1, V, V[:5]),
    "diagonal": (lambda x: (np.diagonal(x * 2), np.diagonal(x, 1)), M),
    "rot90": (lambda x: np.rot90(x) + 1, M),
    "rollaxis": (lambda x: np.rollaxis(x, 2), T3),
    "real": (lambda x: np.real(x) + 1, M),
    "like": (lambda x: (np.zeros_like(x) + x, np.ones_like(x), np.full_like(x, 7)), F),
    "nothing": (lambda x: x + 1, np.zeros((0, 3))),
    "sum of nothing": (lambda x: np.sum(x, axis=0), np.zeros((0, 3))),
    "stencil": (
        lambda u: u[1:-1, 1:-1] + 0.1 * (u[2:, 1:-1] + u[:-2, 1:-1] - 2 * u[1:-1, 1:-1]),
        M,
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_lowered_equals_numpy(name):
    function, *values = CASES[name]
    check(function, *values)


CREATED = {
    "arange": lambda b: b(np.arange, 2, 20, 3),
    "arange floats": lambda b: b(np.arange, 0.5, 7, 0.25),
    "arange one": lambda b: b(np.arange, 5),
    "arange f4": lambda b: b(np.arange, 5, dtype=np.float32),
    "linspace": lambda b: b(np.linspace, -1, 3, 7),
    "linspace open": lambda b: b(np.linspace, 0, 1, 10, endpoint=False),
    "eye": lambda b: b(np.eye, 3, 4, 1),
    "identity": lambda b: b(np.identity, 3),
    "tri": lambda b: b(np.tri, 3, 5, -1),
    "tri of a dtype": lambda b: b(np.tri, 3, 5, -1, "i4"),
    "full": lambda b: b(np.full, (2, 3), 2.5),
    "zeros": lambda b: b(np.zeros, (2, 3), np.int8),
    "arange in use": lambda b: b(np.multiply, b(np.arange, 6), 2.5),
}


@pytest.mark.parametrize("name", CREATED)
def test_creation(name):
    builder = Builder()
    node = CREATED[name](builder.call)
    program = lower(builder.output(node))
    assert not any(isinstance(s, Extern) for s in program.steps), program.notes
    (got,) = run_program(program)
    assert same(got, builder.values[node], FEW_UNITS)
    if got.dtype.kind == "f":
        np.testing.assert_array_equal(got, builder.values[node])


ROW1 = ((operator.getitem, (1,), {}),)
INNER = ((operator.getitem, ((slice(1, -1), slice(None, None, 2)),), {}),)


def run_writes(build, *inputs):
    """Run a functional graph with writes; returns outputs and the inputs afterwards."""
    builder = Builder()
    nodes = [builder.input(x, f"x{i}") for i, x in enumerate(inputs)]
    graph = build(builder, *nodes)
    program = lower(graph)
    copies = [x.copy(order="K") for x in inputs]
    found = run_program(program, *copies)
    for (p, final) in graph.writes:
        np.testing.assert_array_equal(copies[nodes.index(p)], builder.values[final])
    written = [nodes.index(p) for p, _ in graph.writes]
    for k, (before, after) in enumerate(zip(inputs, copies)):
        if k not in written:
            np.testing.assert_array_equal(before, after)
    for got, node in zip(found, graph.outputs):
        np.testing.assert_array_equal(got, builder.values[node])
    return program


def test_lowerings_take_what_the_rules_of_their_rows_take():
    named = (Parameter.POSITIONAL_ONLY, Parameter.POSITIONAL_OR_KEYWORD)
    looked_at, short = 0, []
    for target, row in ROWS.items():
        if row.lowering is None or row.infer is None:
            continue
        lowering = LOWERINGS[row.lowering]
        kinds = [parameter.kind for parameter in signature(lowering).parameters.values()]
        asked = [parameter.kind for parameter in signature(row.infer).parameters.values()]
        taken, given = (sum(map(named.__contains__, side)) for side in (kinds[2:], asked))
        looked_at += 1
        if taken < given and Parameter.VAR_POSITIONAL not in kinds:
            short.append(target)
    assert short == [] and looked_at > 50


def test_update_of_new_array():
    def build(b, x):
        zeros = b.call(np.zeros, (4, 6))
        one = b.call(core.update, zeros, INNER, b.call(np.multiply, x, 2.0))
        two = b.call(core.update, one, ROW1, 3)
        return b.output(two)

    program = run_writes(build, M[1:3, :3].copy())
    assert sum(isinstance(s, Allocate) for s in program.steps) == 1


def test_update_keeps_versions_that_are_read():
    def build(b, x):
        first = b.call(np.add, x, 1)
        second = b.call(core.update, first, ROW1, 0)
        third = b.call(core.update, second, ROW1, b.call(operator.getitem, first, 0))
        return b.output(b.call(np.add, first, second), third, first)

    run_writes(build, M)


def test_update_of_a_copy_copies_only_the_border():
    big = rng.normal(size=(80, 90))

    def build(b, x):
        copy = b.call(np.copy, x)
        inner = ((operator.getitem, ((slice(1, -1), slice(2, 70)),), {}),)
        part = b.call(operator.getitem, x, (slice(1, -1), slice(2, 70)))
        one = b.call(core.update, copy, inner, b.call(np.multiply, part, 2.0))
        two = b.call(core.update, one, ((operator.getitem, ((0,),), {}),), 1.0)
        whole = b.call(core.update, b.call(np.sqrt, x), (), one)
        return b.output(two, whole)

    program = run_writes(build, np.abs(big))
    sizes = [
        np.prod([a.extent for a in s.kernel.axes], dtype=int)
        for s in program.steps if isinstance(s, Launch)
    ]
    assert sizes.count(80 * 90) <= 3


def test_write_to_input_with_overlap():
    def build(b, x):
        tail = b.call(operator.getitem, x, slice(1, None))
        head = b.call(operator.getitem, x, slice(None, -1))
        summed = b.call(np.add, tail, head)
        final = b.call(core.update, x, ((operator.getitem, (slice(1, None),), {}),), summed)
        return b.output(writes=((x, final),))

    program = run_writes(build, V)
    assert any(isinstance(s, Commit) for s in program.steps)


def test_several_writes_and_results():
    def build(b, x, y):
        one = b.call(core.update, x, ROW1, y)
        two = b.call(core.update, one, ((np.transpose, (), {}), (operator.getitem, (0,), {})), 7)
        total = b.call(np.sum, one)
        whole = b.call(core.update, y, (), b.call(operator.getitem, two, 2))
        return b.output(total, writes=((x, two), (y, whole)))

    run_writes(build, M, V[:6])


def test_write_converts():
    def build(b, x, y):
        final = b.call(core.update, x, (), y)
        return b.output(writes=((x, final),))

    run_writes(build, N, M * 10)
    run_writes(build, N, M[:1])


def test_scalar_read_before_write():
    def build(b, x):
        old = b.call(operator.getitem, x, 2)
        final = b.call(core.update, x, ((operator.getitem, (2,), {}),), 100.0)
        return b.output(old, writes=((x, final),))

    run_writes(build, V)


def test_gather_out_of_bounds_bails_out():
    program = lower(trace(lambda x, i: x[i][1:], V, np.array([3, -1, 0])))
    for bad in (12, -13):
        with pytest.raises(BailOut):
            run_program(program, V, np.array([bad, 1, 1]))


W = rng.normal(size=(6, 5))
PRODUCTS = {
    "matrices": (lambda x, y: np.matmul(x, y) + 1, M, W),
    "transposed": (lambda x, y: np.dot(x.T, y.T), F.T, np.asfortranarray(W.T)),
    "mixed": (lambda x, y: np.matmul(x * 2, y), M, W.astype(np.float32)),
    "matrix vector": (lambda x, y: np.matmul(x, y), M, V[::2]),
    "transposed vector": (lambda x, y: np.matmul(x.T, y), W, V[:6]),
    "vector matrix": (lambda x, y: np.matmul(x, y), V[6:], W),
    "vector transposed": (lambda x, y: np.dot(x, y.T), V[6:], M),
    "slices": (lambda x, y: np.matmul(x[1:3], y[:, 1:4]), M, W),
    "reversed": (lambda x, y: np.matmul(x[::-1], y[::-1]), M, W),
    "one row": (lambda x, y: np.matmul(x[:1], y), M, W),
}
COPIED = {"mixed", "reversed"}  # before NumPy calls BLAS


@pytest.mark.parametrize("blas", [True, False])
@pytest.mark.parametrize("name", PRODUCTS)
def test_products(name, blas):
    function, *values = PRODUCTS[name]
    program = lower(trace(function, *values), blas=blas)
    (got,) = run_program(program, *values)
    assert same(got, function(*values), FEW_UNITS)
    assert any(isinstance(s, Extern) for s in program.steps) == (not blas or name in COPIED)


def test_unknown_operations_are_externs():
    check(lambda x: np.sort(x + 1, axis=0) * 2, M, externs=1)
    check(lambda x: np.linalg.inv(np.matmul(x, x.T)) + 1, M, externs=2)


def test_division_by_zero_bails_out():
    program = lower(trace(lambda x, y: x // y, N, U))
    zero = U.copy()
    zero[1, 2] = 0
    with pytest.raises(BailOut):
        run_program(program, N, zero)


def test_flags_bail_out_unless_ignored():
    program = lower(trace(lambda x: np.log(x), np.abs(V)))
    with pytest.raises(BailOut):
        run_program(program, V)
    with np.errstate(invalid="ignore"):
        np.testing.assert_array_equal(run_program(program, V)[0], np.log(V))
