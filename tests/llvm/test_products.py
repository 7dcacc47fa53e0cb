"""Matrix products have the bits that NumPy's have, whichever way NumPy computes them."""
from __future__ import annotations

import itertools

import numpy as np
import pytest
from dynamo_lite.backends.llvm.backend import compile_graph, compile_program
from dynamo_lite.backends.loop_ir.products import Product
from dynamo_lite.backends.loop_ir.program import Extern
from dynamo_lite.backends.lowering.lower import lower

from dynamo_lite.errors import Unsupported
from dynamo_lite.ir.passes import optimize
from dynamo_lite.native import _core

from ..backends.graphs import trace
from ..backends.test_symbolic import retyped
from ..oracle import same

# How an operand may lie in memory; each makes an array of the given shape.
LAYOUTS = {
    "C": lambda x: x,
    "F": lambda x: np.asfortranarray(x),
    "padded": lambda x: np.pad(x, [(0, 0)] * (x.ndim - 1) + [(0, 3)])[..., : x.shape[-1]],
    "every other": lambda x: np.repeat(x, 2, axis=-1)[..., ::2],
    "backwards": lambda x: x[..., ::-1].copy()[..., ::-1],
    "rows backwards": lambda x: x[::-1].copy()[::-1],
    "repeated": lambda x: np.broadcast_to(x[:1], x.shape),
    "swapped": lambda x: np.swapaxes(np.swapaxes(x, -1, -x.ndim).copy(), -1, -x.ndim),
}
SHAPES = [
    ((7, 5), (5, 6)), ((33, 70), (70, 18)), ((1, 9), (9, 4)), ((4, 9), (9, 1)), ((1, 9), (9, 1)),
    ((6, 1), (1, 5)), ((1, 1), (1, 5)), ((6, 1), (1, 1)), ((1, 1), (1, 1)), ((9,), (9, 4)),
    ((4, 9), (9,)), ((300,), (300,)), ((1,), (1,)), ((1,), (1, 4)), ((4, 1), (1,)),
    ((2, 2), (2, 2)), ((0, 3), (3, 2)), ((2, 0), (0, 3)), ((2, 3), (3, 0)), ((0,), (0,)),
    ((2, 0), (0,)),
    ((200, 3), (3, 3)), ((64, 65), (65,)), ((65,), (65, 64)),
]
STACKS = [
    ((3, 7, 5), (3, 5, 6)), ((3, 7, 5), (5, 6)), ((7, 5), (3, 5, 6)), ((2, 3, 4, 5), (3, 5, 6)),
    ((2, 1, 4, 5), (3, 5, 6)), ((3, 1, 5), (3, 5, 4)), ((3, 4, 5), (3, 5, 1)), ((3, 4, 5), (5,)),
    ((5,), (3, 5, 4)), ((3, 1, 5), (3, 5, 1)), ((3, 4, 1), (3, 1, 5)), ((0, 4, 5), (5, 6)),
    ((1, 4, 5), (1, 5, 6)), ((3, 4, 5), (1, 5, 6)),
]


def numbers(dtype, shape, seed=0):
    rng = np.random.default_rng(seed)
    values = rng.standard_normal(shape) + 1j * rng.standard_normal(shape)
    return (values if np.dtype(dtype).kind == "c" else values.real).astype(dtype)


def check(function, *values, symbolic=False):
    graph = trace(function, *values)
    if symbolic:
        try:
            graph = retyped(graph, values, True)
        except Unsupported as reason:
            pytest.skip(str(reason))
    want = function(*values)
    (got,) = compile_graph(graph, values)(*values)
    assert same(got, want)


def kinds_of_steps(function, *values):
    return kinds_in(trace(function, *values))


def kinds_in(graph):
    program = lower(optimize(graph), blas=True)
    return [type(step) for step in program.steps if isinstance(step, (Product, Extern))]


@pytest.mark.parametrize("dtype", "fdFD")
@pytest.mark.parametrize("layouts", list(itertools.product(LAYOUTS, LAYOUTS)), ids="-".join)
def test_layouts(dtype, layouts):
    for function in (np.matmul, np.dot):
        for left, right in [((33, 70), (70, 18)), ((9,), (9, 4)), ((4, 9), (9, 1)), ((9,), (9,))]:
            a, b = (LAYOUTS[name](numbers(dtype, shape, i))
                    for i, (name, shape) in enumerate(zip(layouts, (left, right))))
            check(lambda a, b, f=function: f(a, b), a, b)


@pytest.mark.parametrize("symbolic", [False, True], ids=["static", "symbolic"])
@pytest.mark.parametrize("dtype", "fdFDli?")
@pytest.mark.parametrize("function", [np.matmul, np.dot])
def test_shapes(function, dtype, symbolic):
    for left, right in SHAPES:
        for turned in (False, True):
            a, b = numbers(dtype, left), numbers(dtype, right, 1)
            a, b = (np.asfortranarray(a), np.asfortranarray(b)) if turned else (a, b)
            try:
                check(lambda a, b: function(a, b), a, b, symbolic=symbolic)
            except pytest.skip.Exception:
                continue


@pytest.mark.parametrize("symbolic", [False, True], ids=["static", "symbolic"])
@pytest.mark.parametrize("dtype", "fdD")
def test_stacks(dtype, symbolic):
    for left, right in STACKS:
        for turned in (False, True):
            a, b = numbers(dtype, left), numbers(dtype, right, 1)
            if turned and b.ndim > 1:
                b = np.swapaxes(np.swapaxes(b, -1, -2).copy(), -1, -2)
            try:
                check(lambda a, b: a @ b, a, b, symbolic=symbolic)
            except pytest.skip.Exception:
                continue


@pytest.mark.parametrize("dtype", "fd")
def test_stacks_that_may_have_one_row(dtype):
    """NumPy has ways of its own for one row and one term; BLAS may use threads for long ones."""
    def function(more, row, column):
        rows = np.concatenate([more, row], axis=1)
        return rows @ column, np.sum(rows, axis=-1)[:, None, :] @ rows

    def values(n):
        found = [numbers(dtype, shape, n) for shape in ((90, n, 64), (90, 1, 64), (90, 64, 1))]
        for array in found:
            array[:, :, ::5] = -0.0
        return found

    graph = retyped(trace(function, *values(7)), values(7), True)
    assert kinds_in(graph) == [Product, Product]
    entry = compile_graph(graph, values(7))
    for n in (0, 1, 2, 7, 40, 300):
        for got, want in zip(entry(*values(n)), function(*values(n))):
            assert same(got, want)


@pytest.mark.parametrize("function", [np.inner, np.vdot])
@pytest.mark.parametrize("dtype", "fdFD")
def test_inner_products(function, dtype):
    for shape in [(300,), (1,), (0,), (4, 5)]:
        a, b = numbers(dtype, shape), numbers(dtype, shape, 1)
        check(lambda a, b: function(a, b), a, b)
    check(lambda a, b: function(a, b), np.array([-0.0], dtype), np.array([1.0], dtype))


@pytest.mark.parametrize("dtype", "fdD")
def test_a_matrix_and_its_own_transpose(dtype):
    for shape in [(37, 20), (20, 37), (1, 9), (9, 1), (2, 2)]:
        a = numbers(dtype, shape)
        check(lambda a: a @ a.T, a)
        check(lambda a: a.T @ a, a)
        check(lambda a: np.dot(a, a.T), np.asfortranarray(a))


def test_whether_the_operands_are_one_array_is_kept():
    """NumPy multiplies an array with its own transpose in another way than with an equal one."""
    a = numbers("f", (100, 60))

    def one(a):
        b = a * 2
        return b @ b.T

    def two(a):
        return (a * 2) @ (a * 2).T

    check(one, a)
    check(two, a)
    check(lambda a: np.dot((a * 2).T, a * 2), a)
    entry = compile_graph(trace(lambda a, b: a @ b.T, a, a), [a, a])
    assert same(entry(a, a)[0], a @ a.T)
    assert same(entry(a, a.copy())[0], a @ a.copy().T)


def test_between_other_operations():
    a, b = numbers("d", (40, 30)), numbers("d", (40, 30), 1)

    def function(a, b):
        scores = (a + 1) @ (b.T * 2)
        return (scores - np.max(scores, axis=1, keepdims=True)) @ a[:, ::2]

    check(function, a, b)
    assert kinds_of_steps(function, a, b).count(Product) == 1


def test_mixed_and_unaligned_operands():
    raw = np.zeros(8 * 25 + 1, np.uint8)[1:]
    unaligned = raw.view(np.float64).reshape(5, 5)
    unaligned[...] = numbers("d", (5, 5))
    check(lambda a, b: a @ b, unaligned, numbers("d", (5, 5)))
    check(lambda a, b: a @ b, numbers("f", (5, 5)), numbers("d", (5, 5)))
    check(lambda a, b: a @ b, np.arange(25).reshape(5, 5).T, numbers("d", (5, 5)))
    check(lambda a, b: a @ b, numbers("e", (5, 5)), numbers("e", (5, 5)))


def test_blas_is_called_without_python():
    a, b, x = numbers("d", (7, 5)), numbers("d", (5, 6)), numbers("d", 5)
    for function, values in [
        (lambda a, b: a @ b, (a, b)), (lambda a, b: np.dot(a, b), (a, b)),
        (lambda a, b: a @ b, (a, x)), (lambda a, b: a @ b, (x, b)),
        (lambda a, b: a @ b, (x, x)), (lambda a, b: a @ b, (numbers("d", (3, 7, 5)), b)),
    ]:
        assert kinds_of_steps(function, *values) == [Product]


@pytest.mark.parametrize("value", [np.inf, np.nan, 1e200])
@pytest.mark.parametrize("shapes", [((20, 30), (30, 10)), ((20, 30), (30,)), ((30,), (30,))])
def test_reports(value, shapes):
    """What happens in BLAS is reported where NumPy reports it; flags of other operations stay."""
    a, b = np.ones(shapes[0]), np.ones(shapes[1])
    a[0], b[0] = value, -value
    for function in (np.matmul, np.dot, np.vdot)[: 3 if a.ndim == b.ndim == 1 else 2]:
        graph = trace(lambda a, b, f=function: f(a, b), a, b)
        entry = compile_program(lower(graph, blas=True))
        with np.errstate(all="raise"):
            try:
                want = function(a, b)
            except FloatingPointError:
                assert entry(a, b) is _core.BAILOUT
            else:
                assert same(entry(a, b)[0], want)
        both = compile_graph(trace(lambda a, b, f=function: (1 / b, f(a, b)), a, b), [a, b])
        with np.errstate(all="ignore", divide="warn"):
            assert both(a, b) is not _core.BAILOUT
            b[1] = 0
            assert both(a, b) is _core.BAILOUT
            b[1] = 1
