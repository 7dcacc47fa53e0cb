"""To add an elementwise operation is to add its row: everything else asks that."""
import numpy as np
import pytest
from dynamo_lite.backends.llvm.backend import compile_graph
from dynamo_lite.backends.llvm.kernels import scalars
from dynamo_lite.backends.loop_ir.program import Extern, Launch
from dynamo_lite.backends.lowering.lower import lower
from dynamo_lite.backends.triton.kernels.scalars import template_of

import dynamo_lite as dl
from dynamo_lite.ir import row
from dynamo_lite.ir.ops.inference import infer
from dynamo_lite.ir.rules.pointwise import ufunc_rule
from tests.backends.graphs import trace
from tests.backends.interpret import run_program

X, Y = np.linspace(-3.0, 3.0, 37), np.linspace(2.0, -2.0, 37)


@pytest.fixture
def unknown(monkeypatch):
    """A ufunc of which the registry knows no more than of any other: NumPy computes it."""
    ufunc = np.copysign
    monkeypatch.delitem(row.ROWS, ufunc)
    monkeypatch.delitem(row._POINTWISE, ufunc.__name__)
    row.op(ufunc, infer=ufunc_rule(ufunc), flags=True)
    scalars._by_name.cache_clear()
    yield ufunc
    monkeypatch.undo()
    scalars._by_name.cache_clear()


def add_row(ufunc, code):
    del row.ROWS[ufunc], row._POINTWISE[ufunc.__name__]
    row.op(
        ufunc, infer=ufunc_rule(ufunc), triton="libdevice.copysign({a}, {b})", cost=0.5, weight=3,
        llvm={"f": code}, partials=(lambda out, a, b: out / a, lambda out, a, b: 0),
    )
    scalars._by_name.cache_clear()


def copied_sign(a, b):
    """As rows have it that need several instructions, on values of the generator."""
    sign = b.bits().lt(0)
    return sign.select(-a.abs(), a.abs())


def steps_of(graph):
    return {type(step) for step in lower(graph).steps} & {Extern, Launch}


@pytest.mark.parametrize(
    "code", ["call {t} @llvm.copysign.{s}({t} {a}, {t} {b})", copied_sign], ids=["text", "formula"])
def test_a_row_is_all_that_an_elementwise_operation_needs(unknown, code):
    def program(x, y):
        return unknown(x, y) + 1.5

    graph, want = trace(program, X, Y), program(X, Y)
    assert Extern in steps_of(graph)
    add_row(unknown, code)
    assert steps_of(graph) == {Launch}
    assert infer(unknown, (np.float32(1), np.float32(2))).dtype == np.float32
    assert template_of(unknown.__name__, np.dtype("f8")) == "libdevice.copysign({a}, {b})"
    for entry in (compile_graph(graph, (X, Y)), lambda *args: run_program(lower(graph), *args)):
        np.testing.assert_array_equal(entry(X, Y)[0], want)
    compiled = dl.compile(program, fullgraph=True)
    np.testing.assert_array_equal(compiled(X, Y), want)
    np.testing.assert_array_equal(compiled(Y, X), program(Y, X))
    gradient = dl.grad(lambda x: unknown(x, 2.0).sum())
    np.testing.assert_array_equal(gradient(Y[:5]), 1.0)
