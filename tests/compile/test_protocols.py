"""NumPy's protocols: subclasses, ducks and arrays that no graph holds give what Python gives."""
import re
import warnings

import numpy as np
import pytest

import dynamo_lite as dl

MATRIX, VECTOR = np.arange(6.0).reshape(2, 3), np.arange(3.0)
FIELDS = np.array([(1, 2.0), (3, 4.0)], dtype=[("a", "i4"), ("b", "f8")])


class Noted(np.ndarray):
    """A subclass with an attribute that goes along."""

    def __array_finalize__(self, origin):
        self.note = getattr(origin, "note", "none")


class Handled(np.ndarray):
    def __array_ufunc__(self, ufunc, method, *inputs, **kwargs):
        plain = [np.asarray(v).view(np.ndarray) if isinstance(v, Handled) else v for v in inputs]
        return "handled", getattr(ufunc, method)(*plain)


class Rewrapped(np.ndarray):
    def __array_wrap__(self, array, context=None, return_scalar=False):
        return "wrapped", np.asarray(array).tolist()


class Duck:
    def __init__(self, values):
        self.values = values

    def __array_ufunc__(self, ufunc, method, *inputs, **kwargs):
        return ufunc.__name__, method, len(inputs)

    def __array_function__(self, function, types, args, kwargs):
        return function.__name__, len(args)


class Converted:
    def __array__(self, dtype=None, copy=None):
        return np.asarray(MATRIX, dtype=dtype)


class First:
    __array_priority__ = 1000

    def __radd__(self, other):
        return "radd", np.shape(other)


class Refusing:
    __array_ufunc__ = None

    def __radd__(self, other):
        return "radd", np.shape(other)


def noted():
    made = MATRIX.copy().view(Noted)
    made.note = "made"
    return made


MAKERS = {
    "noted": noted, "handled": lambda: MATRIX.copy().view(Handled),
    "rewrapped": lambda: MATRIX.copy().view(Rewrapped), "duck": lambda: Duck(MATRIX),
    "converted": Converted, "first": First, "refusing": Refusing,
    "matrix": lambda: np.matrix(MATRIX), "masked": lambda: np.ma.masked_greater(MATRIX, 2),
    "records": lambda: FIELDS.copy().view(np.recarray), "fields": FIELDS.copy,
    "objects": lambda: np.array([1, "a", None], dtype=object),
    "dates": lambda: np.array(["2020-01-01", "2021-02-03"], "M8[D]"),
    "text": lambda: np.array(["a", "bc"]), "other order": lambda: np.arange(3, dtype=">f8"),
}


def added(a):
    return a + VECTOR, VECTOR + a


def added_in_place(a):
    y = MATRIX * 2
    y += a
    return y


def ufuncs(a):
    return np.sin(a), np.add(MATRIX, a)


def reduced(a):
    return np.sum(a, axis=0), a.mean()


def joined(a):
    return np.concatenate([a, a]), np.zeros_like(a)


def parts(a):
    part = a[1:]
    return part, getattr(part, "note", None), type(part), a[0]


def written(a):
    a[0] = a[1]
    return a


def compared(a):
    return a == a, a != VECTOR


def converted(a):
    return np.asarray(a), np.array(a, dtype=float) * 2


def noted_anew(a):
    a.note = "new"
    return a.note, (a * 2).note


def fields(a):
    a["b"][:] = 5
    return a["a"] * 2, a["b"].sum(), a


def around(a):
    y = MATRIX * 2 + 1
    return np.multiply(y, a), y.sum()


FUNCTIONS = [added, added_in_place, ufuncs, reduced, joined, parts, written, compared, converted,
             noted_anew, fields, around]


def outcome(function, make):
    """Result or error, the argument afterwards, and what was warned about, as text."""
    argument = make()
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        try:
            result = shown(function(argument))
        except Exception as error:
            result = type(error), str(error)
    return str((result, shown(argument), sorted({str(w.message) for w in said})))


def shown(value):
    if isinstance(value, np.ndarray):
        mask = np.ma.getmaskarray(value).tolist() if isinstance(value, np.ma.MaskedArray) else None
        contents = re.sub("0x[0-9a-f]+", "", repr(np.asarray(value).tolist()))
        return type(value), value.dtype, contents, mask, getattr(value, "note", None)
    if isinstance(value, tuple | list):
        return type(value), [shown(item) for item in value]
    return type(value), re.sub("0x[0-9a-f]+", "", repr(value))


@pytest.mark.parametrize("function", FUNCTIONS)
@pytest.mark.parametrize("kind", MAKERS)
def test_equals_python(function, kind):
    with dl.config.patch(strict=True):
        compiled = dl.compile(function)
        for _ in range(2):
            assert outcome(compiled, MAKERS[kind]) == outcome(function, MAKERS[kind])
