"""Ufuncs at positions that repeat: kernels with NumPy's results, in Triton's interpreter."""
from __future__ import annotations

import re

import numpy as np
import pytest
from dynamo_lite.backends.triton.devices.host import HostDevice
from dynamo_lite.backends.triton.devices.repeated import (
    ATOMIC,
    MOST_IN_TURN,
    AtPositions,
    kernel_of,
)
from dynamo_lite.backends.triton.devices.round_trips import GpuForNumPy

from dynamo_lite.ir import core

pytest.importorskip("triton")
RNG = np.random.default_rng(5)
REPEATED = RNG.integers(-12, 12, 700)


class Left(Exception):
    """The call was left to NumPy."""


def left(*args, **kwargs):
    raise Left


@pytest.fixture
def at():
    return AtPositions(HostDevice(), left)


def items(dtype, shape):
    drawn = RNG.normal(size=shape) * 50
    return np.abs(drawn).astype(dtype) if np.dtype(dtype).kind == "u" else drawn.astype(dtype)


def performed(at, ufunc, base, index, given):
    return at.perform(ufunc.at, base, (), 0, (index, given), {})


@pytest.mark.parametrize("dtype", ["f2", "f4", "f8", "i1", "i2", "i4", "i8", "u1", "u4", "u8"])
@pytest.mark.parametrize("ufunc", [np.add, np.subtract, np.multiply, np.maximum, np.minimum])
def test_results_have_numpys_bits(at, ufunc, dtype):
    base, given = items(dtype, 12), items(dtype, 700)
    expected = base.copy()
    with np.errstate(all="ignore"):
        ufunc.at(expected, REPEATED, given)
        found = performed(at, ufunc, base, REPEATED, given)
    np.testing.assert_array_equal(found, expected)
    assert found.dtype == expected.dtype and found is not base


@pytest.mark.parametrize(("shape", "index", "given"), [
    ((24, 5), (REPEATED,), (700, 5)),
    ((24, 5), (REPEATED,), (5,)),
    ((24, 5), (REPEATED, REPEATED % 5), (700,)),
    ((24, 5), (REPEATED.reshape(7, 100).T, REPEATED[:100, None] % 5), (100, 7)),
    ((24, 2, 3), (REPEATED.reshape(70, 10), REPEATED[:10] % 2), (70, 10, 3)),
    ((24,), (REPEATED[:0],), (0,)),
    ((24,), (np.full(MOST_IN_TURN, 3),), (MOST_IN_TURN,)),
    ((24,), (REPEATED.astype("i2"),), ()),
])  # fmt: skip
def test_indices_of_several_axes(at, shape, index, given):
    base, given = items("f4", shape), items("f4", given)
    expected = base.copy()
    np.add.at(expected, index, given)
    np.testing.assert_array_equal(performed(at, np.add, base, index, given), expected)


@pytest.mark.parametrize("given", [3, 2.5])
def test_numbers_are_added(at, given):
    for dtype in ("f8", "i8") if type(given) is int else ("f8",):
        base = items(dtype, 12)
        expected = base.copy()
        np.add.at(expected, REPEATED, given)
        np.testing.assert_array_equal(performed(at, np.add, base, REPEATED, given), expected)


@pytest.mark.parametrize(("base", "index", "given"), [
    (np.zeros(12), np.array([12]), 1.0),
    (np.zeros(12), np.array([-13]), 1.0),
    (np.zeros(12), slice(3), 1.0),
    (np.zeros(12), np.ones(12, bool), 1.0),
    (np.zeros((3, 12)).T, np.array([1]), 1.0),
    (np.zeros(12, "f4"), np.array([1]), 1.1),
    (np.zeros(12, "f4"), np.array([1]), np.ones(1)),
    (np.zeros(12, "c8"), np.array([1]), np.ones(1, "c8")),
    (np.zeros(12), np.zeros(MOST_IN_TURN + 1, int), 1.0),
])  # fmt: skip
def test_the_rest_is_numpys(at, base, index, given):
    with pytest.raises(Left):
        performed(at, np.add, base, index, given)
    assert not base.any()


def test_counts(at):
    x = np.abs(REPEATED).astype("i4")
    weights = items("f4", 700)
    for given in ({}, {"minlength": 40}, {"weights": weights}, {"weights": x}):
        found, expected = at.bincount(x, **given), np.bincount(x, **given)
        np.testing.assert_array_equal(found, expected)
        assert found.dtype == expected.dtype
    for wrong in (REPEATED, x[:0], x.astype("u8"), x.astype(float), x.reshape(7, 100)):
        with pytest.raises(Left):
            at.bincount(wrong)
    for weights in (weights[1:], weights.astype("c8")):
        with pytest.raises(Left):
            at.bincount(x, weights=weights)


def test_graphs_of_numpy_arrays_have_them_on_a_gpu():
    device = GpuForNumPy.__new__(GpuForNumPy)
    device.library = np
    assert device.counterpart(core.perform).func is AtPositions.perform
    assert device.counterpart(np.bincount).func is AtPositions.bincount
    assert device.counterpart(np.sort).target is np.sort


@pytest.mark.parametrize("dtype", ["f2", "f4", "f8", "i4", "u8", "i1"])
def test_kernels_compile(dtype):
    from dynamo_lite.backends.triton.binaries.compiler import compile_kernel, target

    kernel = kernel_of(np.add, np.dtype(dtype))
    assert kernel.name.startswith("atomic") == (np.dtype(dtype) in ATOMIC)
    for capability in (80, 90):
        binary, ptx = compile_kernel(kernel, 0, target(capability))
        is_atomic = re.search(r"\b(red|atom)\.", ptx) is not None
        assert binary.cubin and is_atomic == (np.dtype(dtype) in ATOMIC)


def test_other_kernels_are_none():
    assert kernel_of(np.less, np.dtype("f8")) is None
    assert kernel_of(np.negative, np.dtype("f8")) is None
    assert kernel_of(np.add, np.dtype("c16")) is None
    assert kernel_of(np.divide, np.dtype("i4")) is None
