"""Scalar operations and conversions are exact, at every position of an array of any length."""
from __future__ import annotations

import itertools

import numpy as np
import pytest
from dynamo_lite.backends.llvm.backend import compile_graph

from dynamo_lite.ir.row import ROWS, Kind

from ..backends.graphs import trace
from ..oracle import same
from .kernels import ELEMENTARY, has, pointwise

INTEGERS = [np.dtype(c) for c in "bBhHiIlL"]
UFUNCS = [u for u, row in ROWS.items() if isinstance(u, np.ufunc) and row.kind is Kind.POINTWISE]
EXACT = {
    "add", "subtract", "multiply", "divide", "negative", "positive", "absolute", "fabs", "sign",
    "square", "sqrt", "reciprocal", "conjugate", "equal", "not_equal", "less", "less_equal",
    "greater", "greater_equal", "isnan", "isinf", "isfinite", "signbit", "maximum", "minimum",
    "rint", "floor", "ceil", "trunc", "copysign", "heaviside", "nextafter", "spacing",
    "logical_and", "logical_or", "logical_xor", "logical_not", "fmod", "remainder", "floor_divide",
}
SPECIAL = [0.0, -0.0, 1.0, -1.0, 0.5, -2.5, 3.0, 7.0, 1e-3, -1e10, np.inf, -np.inf, np.nan]


def pairs(values, dtype):
    grid = np.array(list(itertools.product(values, values))).astype(dtype)
    return [np.ascontiguousarray(grid[:, i]) for i in (0, 1)]


def loop(ufunc, dtype):
    """The operand and result dtypes of NumPy's loop for equal operands, or None."""
    try:
        resolved = ufunc.resolve_dtypes((dtype,) * ufunc.nin + (None,) * ufunc.nout)
    except TypeError:
        return None
    return resolved if ufunc.nout == 1 and has(ufunc.__name__, *resolved[:-1]) else None


@pytest.mark.parametrize("dtype", ["f4", "f8"])
@pytest.mark.parametrize("name", sorted(EXACT))
def test_floats(name, dtype, level):
    ufunc = getattr(np, name)
    types = loop(ufunc, np.dtype(dtype))
    assert types is not None
    operands = pairs(SPECIAL, dtype)[: ufunc.nin]
    with np.errstate(all="ignore"):
        want = ufunc(*operands)
        got = pointwise(name, types[:-1], types[-1], want.size)(*operands)
    if name in ("maximum", "minimum"):  # which of two zeros wins depends on NumPy's loop
        want, got = want + 0.0, got + 0.0
    assert same(got, want)


@pytest.mark.parametrize("dtype", INTEGERS, ids=str)
def test_integers(dtype, level):
    limits = np.iinfo(dtype)
    rng = np.random.default_rng(1)
    edge = [limits.min, limits.max, 0, 1, 2, 3, limits.max - 1]
    edge += [] if dtype.kind == "u" else [-1, -2, -3]
    a = np.concatenate([rng.integers(limits.min, limits.max, 300, dtype=dtype, endpoint=True)] * 2)
    b = np.concatenate([a[:300][::-1], rng.integers(0, 9, 300).astype(dtype)])
    corner = np.array(list(itertools.product(edge, edge)), dtype)
    a, b = np.concatenate([a, corner[:, 0]]), np.concatenate([b, corner[:, 1]])
    for ufunc in UFUNCS:
        types = loop(ufunc, dtype)
        if types is None or types[0] != dtype:
            continue
        operands = (a, b)[: ufunc.nin]
        if ufunc is np.power:  # lowering checks for negative exponents
            operands = (a, np.abs(b % 7))
        if ufunc is np.reciprocal:  # lowering checks for zeros
            operands = (np.where(a == 0, dtype.type(5), a),)
        with np.errstate(all="ignore"):
            want = ufunc(*operands)
            got = pointwise(ufunc.__name__, types[:-1], types[-1], a.size)(*operands)
        assert same(got, want)


@pytest.mark.parametrize("name", ["logical_and", "logical_or", "logical_xor", "logical_not",
                                  "invert", "bitwise_and", "add", "multiply", "equal", "less",
                                  "maximum", "minimum", "not_equal", "absolute"])
def test_bools(name):
    ufunc = getattr(np, name)
    operands = pairs([False, True] * 9, "?")[: ufunc.nin]
    want = ufunc(*operands)
    assert same(pointwise(name, ["?"] * ufunc.nin, want.dtype, want.size)(*operands), want)


FLOATS_TO_CAST = [0.0, -0.5, 1.9, -1.9, 100.7, -128.0, 255.0, 300.0, -200.0, 70000.0, 2.0**31,
                  -(2.0**31), 2.0**32 + 4096, 2.0**53, 2.0**62, 2.0**63, 1.5e19]


@pytest.mark.parametrize("source", ["?", "b", "B", "h", "H", "i", "I", "l", "L", "f", "d"])
def test_casts(source, level):
    source = np.dtype(source)
    if source.kind == "f":
        x = np.array(FLOATS_TO_CAST, source)
    else:
        x = np.random.default_rng(0).integers(-(2**63), 2**63 - 1, 50).astype(source)
    for target in "?bBhHiIlLfd":
        with np.errstate(all="ignore"):
            want = x.astype(target)
            if source.kind == "f" and target == "I":
                x = x[(x >= -(2**31)) & (x < 2**32)]
                want = x.astype(target)
            got = pointwise("astype", [source], target, x.size)(x)
        valid = np.ones(x.size, bool)
        if source.kind == "f" and np.dtype(target).kind in "iu":  # else the C compiler's choice
            with np.errstate(all="ignore"):
                valid = np.trunc(x.astype(np.longdouble)) == want.astype(np.longdouble)
        assert same(got[valid], want[valid])


def ordinary(name, dtype, n):
    ufunc = getattr(np, name)
    low, high = {"arccosh": (1.0, 5.0)}.get(name, (0.01, 0.99))
    rng = np.random.default_rng(0)
    return [rng.uniform(low, high, n).astype(dtype) for _ in range(ufunc.nin)]


@pytest.mark.parametrize("name", [*ELEMENTARY, "divide"])
@pytest.mark.parametrize("dtype", ["f4", "f8"])
def test_a_value_does_not_depend_on_the_length_or_place(name, dtype):
    operands = ordinary(name, dtype, 70)
    whole = pointwise(name, [dtype] * len(operands), dtype, 70)(*operands)
    for n in (1, 3, 8, 17, 31):
        part = pointwise(name, [dtype] * len(operands), dtype, n)
        assert same(part(*(x[:n].copy() for x in operands)), whole[:n])
        assert same(part(*(x[-n:].copy() for x in operands)), whole[-n:])


@pytest.mark.parametrize("name", ELEMENTARY)
def test_a_value_does_not_depend_on_the_rest_of_the_kernel(name, level):
    """Vectors are shorter where the kernel computes in double as well."""
    ufunc, operands = getattr(np, name), ordinary(name, "f4", 41)
    wide = np.arange(41.0)
    alone = pointwise(name, ["f4"] * ufunc.nin, "f4", 41)(*operands)
    entry = compile_graph(trace(lambda y, *x: ufunc(*x) + y, wide, *operands), [])
    assert same(entry(wide, *operands)[0], alone + wide)


def test_every_function_of_the_rows_exists():
    named = {
        (row.name, kind)
        for row in ROWS.values()
        for kind, text in row.llvm.items()
        if isinstance(text, str) and text.startswith("@")
    }
    sizes = {"f": "f8", "i": "i8", "u": "u8", "b": "?", "c": "c16"}
    assert [pair for pair in named if not has(pair[0], np.dtype(sizes[pair[1]]))] == []
