"""What CPython's and NumPy's own tests found: small programs that equal plain Python."""
import functools
import sys

import numpy as np
import pytest

import dynamo_lite as dl
from dynamo_lite.base.config import config


class Raises:
    """A context that keeps what was raised."""

    caught = None

    def __enter__(self):
        return self

    def __exit__(self, kind, value, traceback):
        self.caught = kind, str(value)
        return True


def removed_and_stored_again():
    d = {0: 0, 1: 1}
    try:
        for key in d:
            if key == 0:
                del d[0]
                d[0] = 2
    except RuntimeError as error:
        return list(d), str(error)
    return list(d)


def one_key_again():
    d = {}
    d[0] = 0
    context = Raises()
    dl.graph_break()
    with context:
        for key in d:
            del d[0]
            d[0] = 0
    return context.caught


def result_of_init():
    class Wrong:
        def __init__(self):
            return 10

    try:
        Wrong()
    except TypeError as error:
        return str(error)
    return None


def wrong_arguments():
    caught = []
    for call in (lambda: dict({}, {}), lambda: super(1, int), lambda: {}.update({}, {})):
        dl.graph_break()
        try:
            call()
        except TypeError as error:
            caught.append(str(error))
    return caught


def nothing_updated():
    def f():
        "text"

    f.attribute = 1

    @functools.wraps(f, (), ())
    def wrapper(): pass

    dl.graph_break()
    return wrapper.__name__, hasattr(wrapper, "attribute"), wrapper.__wrapped__ is f


def docstring_of_a_copied_property():
    def one(self):
        "one"

    def two(self):
        "two"

    return property(one, None, None, "own").getter(two).__doc__


def copies():
    values = frozenset([1, 2])
    return frozenset(values) is values, values.copy() is values


class Meta(type):
    @functools.cached_property
    def cached(cls):
        return "made"


class WithMeta(metaclass=Meta):
    pass


def attribute_of_a_metaclass():
    try:
        return WithMeta.cached
    except TypeError as error:
        return str(error)


@pytest.mark.parametrize("program", [
    removed_and_stored_again, one_key_again, result_of_init, wrong_arguments, nothing_updated,
    docstring_of_a_copied_property, copies, attribute_of_a_metaclass,
], ids=lambda program: program.__name__)
def test_programs_equal_python(program):
    with config.patch(strict=True):
        compiled = dl.compile(program, backend="eager")
        assert compiled() == compiled() == program()


def test_from_imports_load_submodules():
    def load():
        from wsgiref import headers
        return headers.__name__

    import wsgiref

    for _ in range(2):
        sys.modules.pop("wsgiref.headers", None)
        vars(wsgiref).pop("headers", None)
        assert dl.compile(load, backend="eager")() == "wsgiref.headers"


@pytest.mark.parametrize("value, dtype", [
    (np.float64("nan"), "i8"), (np.float32("inf"), "i4"), (-1, "u1"), (-1, "u8"), (2**40, "i4"),
])
def test_a_result_that_nobody_needs_may_still_raise(value, dtype):
    def made(value):
        try:
            np.array([value], dtype=dtype)
        except (ValueError, OverflowError) as error:
            return str(error)
        return None

    with np.errstate(all="ignore"):
        assert dl.compile(made)(value) == made(value) is not None


def test_ints_that_do_not_fit_are_refused_at_every_value():
    def made(value):
        return np.array([value], dtype="i2")

    compiled = dl.compile(made)
    for value in (5, 6, 7):
        assert compiled(value) == made(value)
    for value in (40_000, 50_000, -40_000):
        with pytest.raises(OverflowError, match="out of bounds for int16"):
            compiled(value)
