"""Objects whose `__dict__` nobody has asked for have none, and the interpreter finds their
attributes sooner up to Python 3.12: neither analyses nor guards make one."""
import numpy as np
import pytest

import dynamo_lite as dl
from dynamo_lite.native import own_value, present_dict
from tests.oracle import check

X = np.arange(5.0)


class Spline:
    scale = 2.0

    def __init__(self, points):
        self.points = points
        self.calls = 0

    def at(self, x):
        self.calls += 1
        return self.offset(x) * self.scale

    def offset(self, x):
        return x - self.points[0]


class Pair:
    def __init__(self):
        self.first, self.second = Spline(X), Spline(X * 2)

    def both(self, x):
        self.last = self.first.at(x) + self.second.at(x)
        return self.last


class Named(Spline):
    @property
    def size(self):
        return len(self.points)


def of_methods(pair, x):
    return pair.both(x) + pair.first.calls


def of_properties(named, x):
    named.calls = named.size
    return named.at(x) + named.size


def of_new_objects(pair, x):
    made = Pair()
    return made.both(x) + pair.both(x), made


CASES = [(of_methods, Pair), (of_properties, lambda: Named(X)), (of_new_objects, Pair)]


def parts(value):
    return [value, *(own_value(value, name, value) for name in ("first", "second"))]


@pytest.mark.parametrize(("function", "make"), CASES, ids=lambda each: each.__name__)
def test_no_dict_is_made(function, make):
    compiled = dl.compile(function)
    for _ in range(4):
        value = make()
        compiled(value, X)
        assert all(present_dict(part) is None for part in parts(value))


@pytest.mark.parametrize(("function", "make"), CASES, ids=lambda each: each.__name__)
def test_objects_with_and_without_one(function, make):
    """One entry is right for both."""
    compiled = dl.compile(function)
    check(compiled, function, make(), X)
    for asked in (False, True, False):
        value, expected = make(), make()
        if asked:
            assert vars(value)
            assert all(vars(part) for part in parts(value))
        found, wanted = compiled(value, X), function(expected, X)
        assert np.array_equal(*(each[0] if isinstance(each, tuple) else each
                                for each in (found, wanted)))
        assert value.__dict__.keys() == expected.__dict__.keys()
    assert len(compiled.entries()) == 1


@pytest.mark.parametrize("asked", [False, True])
def test_methods_that_an_object_hides(asked):
    def function(spline, x):
        return spline.at(x)

    compiled, spline = dl.compile(function), Spline(X)
    check(compiled, function, spline, X)
    spline.offset = lambda x: x * 100
    if asked:
        assert "offset" in vars(spline)
    check(compiled, function, spline, X)
    del spline.offset
    check(compiled, function, spline, X)


def test_a_dict_that_is_reached_in_two_ways():
    """The dict of an object as another argument: what one changes the other shows."""
    def function(spline, names, x):
        names["scale"] = 5.0
        return spline.offset(x) * spline.scale

    for first in (True, False):
        compiled = dl.compile(function)
        for same in (first, not first, first):
            spline = Spline(X)
            names = spline.__dict__ if same else {"a": 1}
            assert np.array_equal(compiled(spline, names, X), X * (5.0 if same else 2.0))


@pytest.mark.parametrize("name", ["points", "scale", "at", "new name"])
def test_what_objects_hold_themselves(name):
    spline = Spline(X)
    setattr(spline, "new" + " name", 7)
    missing = object()
    found = own_value(spline, name, missing)
    assert found is vars(spline).get(name, missing)
    assert own_value(spline, name, missing) is found
