"""An entry gives up exactly where NumPy would have something to say, and then has had no effect."""
from __future__ import annotations

import itertools

import numpy as np
import pytest
from dynamo_lite.backends.llvm.backend import compile_graph

from dynamo_lite.native import _core

from ..backends.graphs import trace
from .kernels import has, pointwise

FLAGS = ("divide", "over", "invalid")
SPECIAL = [0.0, -0.0, 1.0, -1.0, 0.5, -0.5, 2.0, -2.0, 3.0, 1e-3, 700.0, 709.9, -709.9, 88.9,
           1e300, -1e300, 3e38, 1024.0, 127.9, 1e9, np.inf, -np.inf, np.nan]
UNARY = ["exp", "exp2", "expm1", "log", "log2", "log10", "log1p", "sin", "cos", "tan", "tanh",
         "sinh", "cosh", "arcsin", "arccos", "arctan", "arcsinh", "arccosh", "arctanh", "sqrt",
         "cbrt", "reciprocal", "square", "rint", "floor", "sign", "isnan", "absolute"]
BINARY = ["add", "subtract", "multiply", "divide", "power", "arctan2", "hypot", "logaddexp",
          "maximum", "minimum", "fmax", "less", "greater_equal", "equal", "remainder",
          "floor_divide", "copysign"]
# Arguments for which the call is given up although NumPy is silent: only slow, never wrong.
ALLOWED = {"sin", "cos", "tan", "remainder", "floor_divide", "power"}


def numpy_flags(function, args):
    raised = set()
    for flag in FLAGS:
        with np.errstate(**{**dict.fromkeys(FLAGS, "ignore"), flag: "raise"}, under="ignore"):
            try:
                function(*args)
            except FloatingPointError:
                raised.add(flag)
    return raised


def entry_flags(entry, args):
    raised = set()
    for flag in FLAGS:
        with np.errstate(**{**dict.fromkeys(FLAGS, "ignore"), flag: "warn"}, under="ignore"):
            if entry(*args) is _core.BAILOUT:
                raised.add(flag)
    return raised


@pytest.mark.parametrize("dtype", ["f4", "f8"])
@pytest.mark.parametrize("name", UNARY + BINARY)
def test_flags(name, dtype, level):
    function = getattr(np, name)
    result = function.resolve_dtypes((np.dtype(dtype),) * function.nin + (None,))[-1]
    assert has(name, np.dtype(dtype))
    entry = pointwise(name, [dtype] * function.nin, result, 3)
    with np.errstate(all="ignore"):
        values = np.unique(np.array(SPECIAL).astype(dtype))
    for point in itertools.product(values, repeat=function.nin):
        args = [np.full(3, value, dtype) for value in point]
        want, got = numpy_flags(function, args), entry_flags(entry, args)
        assert got >= want, point
        if name not in ALLOWED and not want:
            assert not got, point


@pytest.mark.parametrize("dtype", ["f4", "f8"])
@pytest.mark.parametrize("name", UNARY + BINARY)
def test_underflow(name, dtype):
    """Reported exactly, or every call is given up while the user asks for reports."""
    function = getattr(np, name)
    result = function.resolve_dtypes((np.dtype(dtype),) * function.nin + (None,))[-1]
    entry = pointwise(name, [dtype] * function.nin, result, 3)
    tiny = float(np.finfo(dtype).tiny)
    values = [1.0, -0.5, 3.0, tiny, -tiny, tiny * 1.5, tiny * tiny, -104.0, -745.0, 1e-25, 0.0]
    for point in itertools.product(values, repeat=function.nin):
        args = [np.full(3, value, dtype) for value in point]
        with np.errstate(all="ignore"), np.errstate(under="warn"):
            given_up = entry(*args) is _core.BAILOUT
        underflows = has_underflow(function, args)
        assert given_up >= underflows, point
        if not entry.inexact_flags:
            assert given_up == underflows, point
        with np.errstate(all="ignore"):
            assert entry(*args) is not _core.BAILOUT or name in ALLOWED


def has_underflow(function, args):
    with np.errstate(all="ignore"), np.errstate(under="raise"):
        try:
            function(*args)
        except FloatingPointError:
            return True
    return False


def test_underflow_of_whole_graphs():
    x = np.random.default_rng(0).random(100)

    def silent(x):
        return (x * 0.3 + 1) / 3 - np.sqrt(x), np.sum(x, axis=0), np.maximum(x, 0.5) > 0.7

    entry = compile_graph(trace(silent, x), [x])
    with np.errstate(all="raise"):
        assert entry(x) is not _core.BAILOUT
        assert entry(np.full(100, 1e-308)) is _core.BAILOUT
    for function in (np.prod, lambda x: np.sum(np.exp(x))):
        entry = compile_graph(trace(function, x), [x])
        with np.errstate(under="warn"):
            assert entry(x) is _core.BAILOUT
        with np.errstate(under="ignore"):
            assert entry(x) is not _core.BAILOUT


@pytest.mark.parametrize("n", [1, 3, 8, 11, 37])
def test_padding_raises_nothing(n):
    """0 / 0, log(0) and the like in the lanes beyond the end would be flagged."""
    x = np.random.default_rng(0).random(n) + 1.0

    def function(x):
        return 1 / x, np.log(x), np.sum(np.sqrt(x) / x), x % x

    entry = compile_graph(trace(function, x), [x])
    with np.errstate(all="raise", under="ignore"):
        assert entry(x) is not _core.BAILOUT


def test_nan_data_is_not_a_reason():
    x = np.array([1.0, np.nan, -np.inf, 3.0] * 5)

    def function(x):
        return np.maximum(x, 0), x < 2, np.max(x), np.argmin(x), np.where(x > 0, x, 1), np.sign(x)

    entry = compile_graph(trace(function, x), [x])
    with np.errstate(all="raise"):
        got = entry(x)
    assert got is not _core.BAILOUT
    for one, other in zip(got, function(x)):
        np.testing.assert_array_equal(one, other)


def test_index_out_of_bounds():
    x, index = np.arange(12.0), np.array([3, -1, 0])
    entry = compile_graph(trace(lambda x, i: x[i] * 2, x, index), [x, index])
    np.testing.assert_array_equal(entry(x, index)[0], x[index] * 2)
    for bad in (12, -13, 2**62, -(2**62)):
        assert entry(x, np.array([bad, 1, 1])) is _core.BAILOUT


def test_integer_division_by_zero():
    x, y = np.arange(20), np.arange(1, 21)
    entry = compile_graph(trace(lambda x, y: (x // y, x % y), x, y), [x, y])
    np.testing.assert_array_equal(entry(x, y)[0], x // y)
    y[13] = 0
    assert entry(x, y) is _core.BAILOUT


def test_an_extern_that_raises():
    x = np.eye(3)
    entry = compile_graph(trace(lambda x: np.linalg.inv(x) + 1, x), [x])
    np.testing.assert_array_equal(entry(x)[0], np.linalg.inv(x) + 1)
    assert entry(np.zeros((3, 3))) is _core.BAILOUT


@pytest.mark.parametrize("target", "bBhHiIlLf")
@pytest.mark.parametrize("source", "fd")
def test_casts_flag_what_numpy_flags(source, target, level):
    """Also: where an invalid cast is ignored, the value is the one that NumPy gives."""
    values = [1.5, -1.0, 127.0, 300.0, -200.0, 7e4, 2.0**31, -(2.0**33), 2.0**32, 2.0**63, 1e19,
              2.0**64, -1e30, 1e300, np.inf, -np.inf, np.nan]
    entry = pointwise("astype", [source], target, 9)
    for value in values:
        with np.errstate(all="ignore"):
            x = np.full(9, value).astype(source)
        want, got = numpy_flags(lambda x: x.astype(target), [x]), entry_flags(entry, [x])
        with np.errstate(all="ignore"):
            result = entry(x)
        if result is _core.BAILOUT:  # NumPy's result depends on the place in the array
            assert target == "I" and not -(2.0**31) <= value < 2.0**32
            continue
        assert got == want, value
        with np.errstate(all="ignore"):
            np.testing.assert_array_equal(result, x.astype(target))
