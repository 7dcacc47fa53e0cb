"""NumPy's protocols, subclasses and unusual arrays: compiled gives what NumPy gives, types included."""
import inspect
import warnings

import numpy as np
import pytest

import dynamo_lite as dl

from ..oracle import differences, outcome


class Tagged(np.ndarray):
    """Keeps an attribute through views and results."""

    def __array_finalize__(self, other):
        self.tag = getattr(other, "tag", "none")


class Answers(np.ndarray):
    def __array_ufunc__(self, ufunc, method, *inputs, **kwargs):
        plain = [np.asarray(value) for value in inputs]
        kwargs.pop("out", None)
        return "answered", ufunc.__name__, getattr(ufunc, method)(*plain, **kwargs)


class Duck:
    def __array_ufunc__(self, ufunc, method, *inputs, **kwargs):
        return "duck", ufunc.__name__

    def __array_function__(self, function, types, args, kwargs):
        return "duck", function.__name__


class Convertible:
    def __array__(self, dtype=None, copy=None):
        return np.arange(4.0) if dtype is None else np.arange(4.0).astype(dtype)


class Refuses:
    __array_ufunc__ = None

    def __radd__(self, other):
        return "added from the right"


def tagged():
    array = np.arange(4.0).view(Tagged)
    array.tag = "mine"
    return array


def read_only():
    array = np.arange(4.0)
    array.flags.writeable = False
    return array


def unaligned():
    array = np.frombuffer(bytearray(33), "f8", 4, offset=1)
    array[...] = np.arange(4.0)
    return array


def matrix():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return np.matrix([[1.0, 2], [3, 4]])


MAKE = {
    "tagged": tagged,
    "answers": lambda: np.arange(4.0).view(Answers),
    "duck": Duck,
    "convertible": Convertible,
    "refuses": Refuses,
    "matrix": matrix,
    "masked": lambda: np.ma.array([1.0, 2, 3, 4], mask=[0, 1, 0, 0]),
    "records": lambda: np.rec.array([(1, 2.0), (3, 4.0)], dtype=[("a", "i4"), ("b", "f8")]),
    "structured": lambda: np.array([(1, 2.0), (3, 4.0)], dtype=[("a", "i4"), ("b", "f8")]),
    "objects": lambda: np.array([1, 2, 3, 4], dtype=object),
    "dates": lambda: np.array(["2020-01-01", "2020-02-01"], dtype="M8[D]"),
    "durations": lambda: np.array([1, 2], "m8[s]"),
    "texts": lambda: np.array(["a", "bb"]),
    "bytes": lambda: np.array([b"a", b"bb"]),
    "half": lambda: np.array([1.0, 2, 3, 65504], "f2"),
    "longdouble": lambda: np.array([1.0, 2, 3, 4], "g"),
    "complex64": lambda: np.array([1 + 2j, 3, 4, 5], "F"),
    "clongdouble": lambda: np.array([1 + 2j, 3], "G"),
    "swapped": lambda: np.arange(4, dtype=">f8"),
    "swapped integers": lambda: np.arange(4, dtype=">i4"),
    "unaligned": unaligned,
    "read-only": read_only,
    "longlong": lambda: np.arange(4, dtype="q"),
    "long": lambda: np.arange(4, dtype="l"),
    "ulonglong": lambda: np.arange(4, dtype="Q"),
    "empty": lambda: np.empty((0, 3)),
    "0-d": lambda: np.array(3.0),
    "longlong scalar": lambda: np.longlong(3),
    "booleans": lambda: np.array([True, False]),
}


def write(x):
    x[0] = x[1]
    return x


def add_in_place(x):
    x += x
    return x


def write_out(x):
    np.multiply(x, 2, out=x)
    return x


def reverse(x):
    x = x.copy()
    x[...] = x[::-1]
    return x


FUNCTIONS = [
    lambda x: x + x, lambda x: np.add(1, x), lambda x: np.arange(4.0) + x, lambda x: np.sum(x),
    lambda x: x.sum(), lambda x: np.sqrt(x), lambda x: np.concatenate([x, x]), lambda x: x[1:],
    lambda x: x[0], lambda x: np.asanyarray(x) * 2, lambda x: (x == x, x > x), lambda x: np.mean(x),
    lambda x: x.T.copy(), lambda x: np.sort(x), lambda x: x.reshape(-1), lambda x: np.dot(x, x),
    lambda x: np.zeros_like(x), lambda x: x.astype("f8"), lambda x: np.maximum(x, x),
    lambda x: (x.real, x.imag), lambda x: (x.max(), np.argmax(x)), lambda x: np.stack([x, x]),
    lambda x: np.cumsum(x), lambda x: np.clip(x, 0, 2), lambda x: list(x), lambda x: abs(-x) / 2,
    lambda x: (x // 2, np.round(x, 1), x**2), lambda x: x @ x, lambda x: (type(x), x.dtype),
    lambda x: (x.flags.writeable, x.flat[0]), lambda x: x.std(), lambda x: x.view().shape,
    write, add_in_place, write_out, reverse,
]


def kinds(value):
    """What `==` does not tell: exact types, dtypes by character, attributes of subclasses."""
    if isinstance(value, (tuple, list)):
        return [kinds(item) for item in value]
    return type(value), getattr(getattr(value, "dtype", None), "char", None), getattr(value, "tag", 0)


@pytest.mark.parametrize("name", MAKE)
@pytest.mark.filterwarnings("ignore")
def test_unusual_operands(name):
    dl.reset()
    for function in FUNCTIONS:
        compiled = dl.compile(function)
        with dl.config.patch(strict=True):
            for _ in range(2):
                value = MAKE[name]()
                expected = outcome(function, (value,))
                value = value if name in ("duck", "refuses") else MAKE[name]()
                found = outcome(compiled, (value,))
                source = inspect.getsource(function)
                assert not differences(found, expected), source
                assert kinds(found.result) == kinds(expected.result), source


def test_one_entry_is_never_used_for_a_dtype_that_only_compares_equal():
    compiled = dl.compile(lambda x, y: (x + y, x @ y))
    for code in "lqlq":
        x = np.arange(3, dtype=code)
        for result in compiled(x, x):
            assert result.dtype.char == code


def test_memory_maps(tmp_path):
    x = np.memmap(tmp_path / "data", dtype="f8", mode="w+", shape=(4,))
    x[:] = 1.5
    function = lambda x: (x + 1, x[1:], x.sum())  # noqa: E731
    for found, expected in zip(dl.compile(function)(x), function(x)):
        assert type(found) is type(expected) and np.array_equal(found, expected)
