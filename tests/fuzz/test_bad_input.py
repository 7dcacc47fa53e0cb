"""What people pass by mistake: NumPy's own result or exception, and nothing is changed that NumPy
would not change."""
from __future__ import annotations

import decimal
import fractions
import tempfile
import time
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import dynamo_lite as dl

from ..oracle import CLOSE, check_anew, differences, outcome

BACKENDS = ("eager", "llvm")


def check(function: Callable[..., Any], make: Callable[[], Any], backend: str, calls: int = 2) -> None:
    """`make()` gives the arguments, afresh for each call."""
    check_anew(dl.compile(function, backend=backend), function, make, calls)


def f8(*shape: int) -> np.ndarray:
    return np.arange(1.0, 1.0 + int(np.prod(shape))).reshape(shape)


# -- functions that do a bit of everything

def pointwise(x):
    return x * 2 + 1


def with_other(x, y):
    return x * y - x


def in_place(x, y):
    x += y
    return x


def into(x, y):
    np.add(x, 1, out=y)
    return y


def fill_slice(x, y):
    x[1:] = y
    return x


def overlapping(x):
    x[1:] += x[:-1]
    return x


def reversed_onto_itself(x):
    x[:] = x[::-1]
    return x


def transposed_onto_itself(x):
    x += x.T
    return x


def reduce(x):
    return x.sum(), x.max(axis=0), x.mean(axis=-1)


def reduce_last(x):
    return np.sum(x, axis=-1) + np.min(x)


def positions(x):
    return x.argmax(), np.argmin(x, axis=0)


def matmul(x, y):
    return x @ y


def index(x, i):
    return x[i] + 1


def assign(x, i, v):
    x[i] = v
    return x


def reshape(x, shape):
    return x.reshape(shape) * 2


def concatenate(x, y):
    return np.concatenate([x, y]) * 2


def shape_branch(x):
    return x + 1 if x.shape[0] > 2 else x - 1


def rows(x):
    return [row * 2 for row in x]


def attribute(x):
    return x.shape, x.dtype, x.ndim, x.T * 2


def asarray(x):
    return np.asarray(x) * 2 + np.asarray(x).shape[0]


def norm(x):
    return np.linalg.norm(x, axis=-1)


def softmax(x):
    e = np.exp(x - x.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)


def compare(x, y):
    return x < y, x == y, (x != y) & True


def cast(x):
    return x.astype(np.int32), x.astype("f4"), x.astype(bool)


def clip_and_where(x):
    return np.clip(x, 0, 5), np.where(x > 2, x, 0)


ONE = (pointwise, overlapping, reversed_onto_itself, reduce, reduce_last, positions, shape_branch,
       rows, attribute, asarray, norm, softmax, cast, clip_and_where)  # fmt: skip
TWO = (with_other, in_place, into, fill_slice, matmul, concatenate, compare)


def read_only(array: np.ndarray) -> np.ndarray:
    array.flags.writeable = False
    return array


def masked() -> np.ndarray:
    return np.ma.masked_array(f8(4), [False, True, False, False])


def recarray() -> np.ndarray:
    return np.rec.array([(1, 2.0), (3, 4.0)], dtype=[("a", "i4"), ("b", "f8")])


def memmap() -> np.ndarray:
    array = np.memmap(tempfile.TemporaryFile(), dtype="f8", mode="w+", shape=(6,))
    array[:] = f8(6)
    return array


def unaligned(dtype: str = "f8", size: int = 6) -> np.ndarray:
    raw = np.zeros(size * np.dtype(dtype).itemsize + 1, np.uint8)
    view = np.ndarray((size,), dtype, raw.data, 1)
    view[...] = np.arange(size)
    return view


class Subclass(np.ndarray):
    """Overrides what operators do."""

    def __array_ufunc__(self, ufunc, method, *inputs, **kwargs):
        plain = [np.asarray(i) if isinstance(i, Subclass) else i for i in inputs]
        kwargs.pop("out", None)
        return ("mine", getattr(ufunc, method)(*plain, **kwargs))


class Duck:
    """Not an array, but knows how to become one."""

    shape = (3,)

    def __array__(self, dtype=None, copy=None):
        return f8(3)

    def __mul__(self, other):
        return "duck times"


VALUES: dict[str, Callable[[], Any]] = {
    "list": lambda: [1.0, 2.0, 3.0],
    "nested list": lambda: [[1, 2], [3, 4]],
    "ragged list": lambda: [[1, 2], [3]],
    "tuple": lambda: (1, 2, 3),
    "empty list": lambda: [],
    "None": lambda: None,
    "str": lambda: "abc",
    "bytes": lambda: b"abc",
    "int": lambda: 3,
    "huge int": lambda: 2**100,
    "float": lambda: 2.5,
    "complex": lambda: 1 + 2j,
    "bool": lambda: True,
    "dict": lambda: {"a": f8(2)},
    "set": lambda: {1, 2},
    "range": lambda: range(4),
    "generator": lambda: (i for i in range(3)),
    "Decimal": lambda: decimal.Decimal("1.5"),
    "Fraction": lambda: fractions.Fraction(1, 3),
    "object array": lambda: np.array([1, 2.5, fractions.Fraction(1, 2)], object),
    "object array of None": lambda: np.array([None, 1, "a"], object),
    "object array of arrays": lambda: np.array([f8(2), f8(3)], object),
    "str array": lambda: np.array(["a", "bc"]),
    "bytes array": lambda: np.array([b"a", b"bc"]),
    "datetime64": lambda: np.array(["2020-01-01", "2021-02-03"], "M8[D]"),
    "timedelta64": lambda: np.array([1, 2, 3], "m8[s]"),
    "structured": lambda: np.array([(1, 2.0), (3, 4.0)], [("a", "i4"), ("b", "f8")]),
    "void": lambda: np.zeros(3, "V8"),
    "recarray": recarray,
    "matrix": lambda: np.matrix([[1.0, 2.0], [3.0, 4.0]]),
    "masked": masked,
    "memmap": memmap,
    "subclass": lambda: f8(4).view(Subclass),
    "duck": Duck,
    "longdouble": lambda: f8(4).astype(np.longdouble),
    "clongdouble": lambda: f8(4).astype(np.clongdouble),
    "half": lambda: f8(4).astype(np.float16),
    "complex64": lambda: f8(4).astype("c8") * 1j,
    "swapped": lambda: f8(5).astype(">f8"),
    "swapped ints": lambda: np.arange(5).astype(">i4"),
    "unaligned": unaligned,
    "unaligned ints": lambda: unaligned("i4"),
    "NaN and inf": lambda: np.array([np.nan, 1.0, np.inf, -np.inf, -0.0]),
    "all NaN": lambda: np.full(4, np.nan),
    "empty": lambda: np.empty(0),
    "empty rows": lambda: np.empty((0, 3)),
    "empty columns": lambda: np.empty((3, 0)),
    "0-d": lambda: np.array(3.0),
    "0-d int": lambda: np.array(3),
    "NumPy scalar": lambda: np.float32(2.5),
    "NumPy bool": lambda: np.bool_(True),
    "one item": lambda: f8(1),
    "one by one": lambda: f8(1, 1),
    "strided": lambda: f8(12)[::3],
    "negative": lambda: f8(6)[::-1],
    "Fortran": lambda: np.asfortranarray(f8(3, 4)),
    "transposed": lambda: f8(3, 4, 2).transpose(1, 2, 0),
    "window": lambda: np.lib.stride_tricks.sliding_window_view(f8(6), 3),
    "overlapping window": lambda: np.lib.stride_tricks.as_strided(f8(8), (3, 3), (8, 8)),
    "stride 0": lambda: np.broadcast_to(f8(3), (4, 3)),
    "writeable stride 0": lambda: np.lib.stride_tricks.as_strided(f8(3), (4, 3), (0, 8)),
    "read-only": lambda: read_only(f8(4)),
    "bool array": lambda: np.array([True, False, True]),
    "uint8": lambda: np.array([250, 251, 252], np.uint8),
    "int8": lambda: np.array([-128, 127, 0], np.int8),
    "uint64": lambda: np.array([2**64 - 1, 0, 1], np.uint64),
    "square": lambda: f8(3, 3),
    "32 dimensions": lambda: f8(2).reshape((2,) + (1,) * 31),
    "function": lambda: len,
    # Not a class of arrays: CPython reads past its stack for `ndarray.sum()` where arrays came before.
    "class": lambda: complex,
    "Ellipsis": lambda: ...,
    "slice": lambda: slice(1, 3),
    "dtype": lambda: np.dtype("f8"),
}


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("name", VALUES)
def test_one_argument(name, backend):
    for function in ONE:
        check(function, lambda: [VALUES[name]()], backend)


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("name", VALUES)
def test_two_arguments(name, backend):
    for function in TWO:
        check(function, lambda: [VALUES[name](), f8(3)], backend, calls=1)
        check(function, lambda: [f8(3), VALUES[name]()], backend, calls=1)


def test_a_function_that_was_compiled_for_arrays_takes_anything():
    """Entries never fit what they were not made for."""
    for function in ONE:
        compiled = dl.compile(function, backend="llvm", options={"recompile_limit": 64})
        compiled(f8(5))
        compiled(f8(5))
        for make in VALUES.values():
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                one, two = make(), make()
            wrong = differences(outcome(compiled, [one]), outcome(function, [two]), CLOSE)
            assert not wrong, (function.__name__, wrong)


INDICES: dict[str, Any] = {
    "list": [0, 2], "bools": [True, False, True], "wrong bools": [True, False],
    "floats": np.array([0.0, 1.0]), "empty floats": np.array([]), "empty": [], "tuple": (0, 1),
    "too many": (0, 0, 0), "huge": 2**70, "out of range": 5, "negative": -4, "nested": [[0, 1], [2, 0]],
    "None": None, "str": "a", "bool": True, "0-d": np.array(1), "0-d bool": np.array(False),
    "uint8": np.array([1, 2], np.uint8), "uint64": np.array([1, 2], np.uint64),
    "far": np.array([0, 10**12]), "far negative": np.array([-(10**12)]), "slice": slice(None, None, 0),
    "float slice": slice(0.5, 2), "ellipses": (..., ...), "swapped": np.array([1, 0], ">i8"),
    "strided": np.arange(6)[::3], "object": np.array([0, 1], object), "mask": np.array([True] * 3),
    "2-d mask": np.ones((3, 2), bool), "int8": np.array([-1, -3], np.int8), "float": 1.0,
}  # fmt: skip


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("name", INDICES)
def test_indices(name, backend):
    key = INDICES[name]
    check(index, lambda: [f8(3), key], backend)
    check(index, lambda: [f8(3, 2), key], backend)
    check(lambda x: x[key] + 1, lambda: [f8(3)], backend)
    check(lambda x: np.take(x, key) * 2, lambda: [f8(3)], backend)
    for value in 7, f8(2), f8(3), "no":
        check(assign, lambda: [f8(3), key, value], backend, calls=1)
    check(assign, lambda: [read_only(f8(3)), key, 1], backend, calls=1)


SHAPES = ((3, 2), 6, -1, (-1, 2), (-1, 4), (-1, -1), (), (0,), (2.0, 3), [3, 2], "ab", None, (6, 1, 1),
          (7,), (-2, 3), np.int64(6), np.array([2, 3]))  # fmt: skip


@pytest.mark.parametrize("backend", BACKENDS)
def test_shapes(backend):
    for shape in SHAPES:
        check(reshape, lambda: [f8(6), shape], backend)
        check(lambda x: np.zeros(shape) + x[0], lambda: [f8(6)], backend)
        check(lambda x: np.broadcast_to(x, shape) + 1, lambda: [f8(1)], backend)
        check(reshape, lambda: [f8(0), shape], backend)


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("axis", [0, -1, 1, 2, -3, (0, 1), (0, 0), (), None, 0.5, "a", True, 2**40])
def test_axes(axis, backend):
    for function in (np.sum, np.max, np.mean, np.argmin, np.cumsum, np.any, np.linalg.norm, np.sort,
                     np.expand_dims, np.squeeze, np.flip, np.prod, np.std):  # fmt: skip
        check(lambda x: function(x, axis=axis), lambda: [f8(3, 2)], backend, calls=1)
        check(lambda x: function(x, axis=axis), lambda: [f8(3, 1)], backend, calls=1)


def test_mismatched_shapes():
    for function in TWO:
        for one in (3,), (4,), (3, 4), (4, 3), (1,), (), (0,), (3, 0):
            for two in (3,), (4,), (3, 4), (1,), ():
                check(function, lambda: [f8(*one), f8(*two)], "llvm", calls=1)


def test_dtypes_of_operands():
    kinds = ("?", "i1", "u1", "i4", "u8", "f2", "f4", "f8", "c8", "O", "U3", "M8[s]", "m8[s]")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        arrays = {kind: (lambda kind=kind: f8(3).astype(kind)) for kind in kinds}
    for one in arrays.values():
        for two in arrays.values():
            for function in with_other, in_place, into, compare:
                check(function, lambda: [one(), two()], "llvm", calls=1)


@pytest.mark.parametrize("backend", BACKENDS)
def test_overlapping_memory(backend):
    def pairs(how):
        base = f8(9)
        return {
            "shifted": (base[1:], base[:-1]), "same": (base, base), "reversed": (base, base[::-1]),
            "parts": (base[::2][:4], base[1::2]), "rows": (base.reshape(3, 3), base[:3]),
            "transposed": (base.reshape(3, 3), base.reshape(3, 3).T), "one": (base, base[4:5]),
            "bytes": (base, base.view("i8")),
        }[how]

    def both_ways(x, y):
        x[...] = y + 1
        y += x
        return x, y

    def copied_first(x, y):
        z = x * 2
        x -= y
        return z, x + y

    for how in ("shifted", "same", "reversed", "parts", "rows", "transposed", "one", "bytes"):
        for function in in_place, into, both_ways, copied_first, with_other:
            check(function, lambda: pairs(how), backend)
            check(function, lambda: pairs(how)[::-1], backend)
            compiled = dl.compile(function, backend=backend)
            compiled(f8(8), f8(8))
            wrong = differences(outcome(compiled, pairs(how)), outcome(function, pairs(how)), CLOSE)
            assert not wrong, (how, function.__name__, wrong)


def test_more_elements_than_31_bits_count():
    """Stride 0 makes huge arrays cheap to have; what NumPy does quickly stays quick."""
    huge = np.broadcast_to(np.float64(2.0), (2**20, 2**13))
    start = time.perf_counter()
    for backend in BACKENDS:
        for function in (
            lambda x: x.shape, lambda x: x[:2, :3] + 1, lambda x: x[-1, -1] * 2, lambda x: x.size,
            lambda x: x.T[0, :3], lambda x: x.reshape(2**13, 2**20)[0, :2], lambda x: x[::2**18, 0] * 3,
            lambda x: x[10:12].sum(), lambda x: x.nbytes, lambda x: np.broadcast_to(x, (3, *x.shape))[0, 0, :2],
            lambda x: x.strides, lambda x: x[0].max(), lambda x: x[2**19, :5].copy(), lambda x: len(x),
        ):  # fmt: skip
            check(function, lambda: [huge], backend, calls=1)
    assert time.perf_counter() - start < 20


def test_wrong_numbers_of_arguments():
    def plain(x, y=2, *, z=3):
        return x * y + z

    def starred(x, *rest, scale=1, **named):
        return x * scale, len(rest), sorted(named)

    x = f8(3)
    calls: list[tuple[Any, tuple, dict]] = [
        (plain, (), {}), (plain, (x, 1, 2), {}), (plain, (x,), {"w": 1}), (plain, (x,), {"x": x}),
        (plain, (x, 3), {"y": 4}), (plain, (x,), {"z": 5}), (plain, (x, 3), {"z": 5}),
        (plain, (), {"x": x, "y": 7}), (plain, (x, 1, 2, 3, 4), {}), (starred, (), {}),
        (starred, (x, 1, 2), {"scale": 3, "other": 4}), (starred, (x,), {}), (starred, (x,), {"x": 1}),
        (lambda x, /, y: x + y, (), {"x": x, "y": 1}), (lambda x, /, y: x + y, (x,), {"y": 1}),
        (lambda: f8(2), (x,), {}), (lambda *a: a[0] + 1, (), {}), (lambda **k: k["x"] + 1, (), {"x": x}),
    ]  # fmt: skip
    for backend in BACKENDS:
        for function, args, kwargs in calls:
            compiled = dl.compile(function, backend=backend)
            for _ in range(2):
                found, expected = outcome(compiled, args, kwargs), outcome(function, args, kwargs)
                assert not differences(found, expected), (args, kwargs)


def test_arguments_are_left_alone():
    """A call that fails in the middle leaves what NumPy leaves."""
    def fails_late(x, y):
        x += 1
        x[...] = x * 2
        return x + y.reshape(2, 2)

    def fails_between(x, y):
        x += 1
        y[100] = 3
        return x

    for backend in BACKENDS:
        for function in fails_late, fails_between:
            check(function, lambda: [f8(3), f8(3)], backend)
            compiled = dl.compile(function, backend=backend)
            outcome(compiled, [f8(4), f8(200)])
            wrong = differences(outcome(compiled, [f8(3), f8(3)]), outcome(function, [f8(3), f8(3)]))
            assert not wrong, wrong
