"""Data that compiled code does not expect: the program's own exception, or an error with the line,
the reason and a remedy."""
from __future__ import annotations

import math
import warnings

import numpy as np
import pytest

import dynamo_lite as dl

FEW, MANY = np.array([1.0, 0.5, 2.0]), np.array([10.0, 11.0, 12.0])


def raises(x):
    y = np.log(x)
    if x.sum() > 5:
        raise ValueError(f"too large: {len(x)}")
    return (y * x).sum()


def asserts(x):
    if not x.sum() < 5:  # as pytest has its own way with `assert`
        raise AssertionError("too large")
    return (x * x).sum()


def in_a_loop(x):
    total = 0.0
    for i in range(len(x)):
        if x[i] > 5:
            raise KeyError(i)
        total = total + x[i] ** 2
    return total


def pops(x):
    found = []
    for i in range(len(x)):
        if x[i] < 8:
            found.append(x[i] * x[i])
    return found.pop() + found[1]


def overflows(x):
    return math.exp(x[0] * 100)


PROGRAMS = {
    raises: (ValueError, "too large: 3"), asserts: (AssertionError, "too large"),
    in_a_loop: (KeyError, "0"), pops: (IndexError, "pop from empty list"),
    overflows: (OverflowError, "math range error"),
}
WAYS = {
    "grad": lambda f: dl.grad(f), "value_and_grad": lambda f: dl.value_and_grad(f),
    "jacobian": lambda f: dl.jacobian(f), "hessian": lambda f: dl.hessian(f),
    "jvp": lambda f: lambda x: dl.jvp(f, (x,), (x,)),
    "vjp": lambda f: lambda x: dl.vjp(f, x)[1](1.0),
    "inside": lambda f: dl.compile(lambda x: dl.grad(f)(x)),
}


@pytest.mark.parametrize("backend", ["auto", "aot_eager"])
@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("function", PROGRAMS)
def test_what_the_function_raises(function, way, backend):
    kind, said = PROGRAMS[function]
    for calls in ((FEW, MANY, MANY, FEW), (MANY, FEW, MANY)):
        with dl.config.patch(backend=backend):
            derivative = WAYS[way](function)
            for x in calls:
                if x is FEW:
                    derivative(x)
                    continue
                with pytest.raises(kind, match=said) as caught:
                    derivative(x.copy())
                assert caught.traceback[-1].name == function.__name__


def test_what_was_reported_before_is_reported_once():
    gradient = dl.grad(raises)
    for x in (np.array([0.0, 1.0]), np.array([0.0, 9.0])):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            if x.sum() > 5:
                with pytest.raises(ValueError, match="too large"):
                    gradient(x)
            else:
                gradient(x)
        assert [str(one.message) for one in caught][:1] == ["divide by zero encountered in log"]
        assert len(caught) <= 2


def handled(x):
    try:
        asserts(x)
    except AssertionError:
        return x.sum()
    return x.sum() * 2


def multiplies(x):
    return np.polymul(x - x[0], x).sum()


def multiplies_in_a_branch(x):
    if x[1] < 3:
        return x.sum()
    return np.polymul(x - 10, x).sum()


@pytest.mark.parametrize(("function", "line", "said"), [
    (handled, asserts.__code__.co_firstlineno + 1, "requires of its values does not hold"),
    (multiplies, multiplies.__code__.co_firstlineno + 1, "leading zeros.*np.convolve"),
    (multiplies_in_a_branch, multiplies_in_a_branch.__code__.co_firstlineno + 3,
     "leading zeros.*np.convolve")])
@pytest.mark.parametrize("way", WAYS)
def test_data_that_is_not_in_the_graph(function, line, said, way):
    derivative = WAYS[way](function)
    for _ in range(2):
        with pytest.raises(dl.errors.NotDifferentiable, match=f"(?s){said}") as caught:
            derivative(MANY)
        assert f"{__file__}:{line} in" in str(caught.value)
        assert "remedy: " in str(caught.value)


def test_leading_coefficients_that_are_not_zero():
    p = np.array([1.0, 0.0, 2.0])
    gradient = dl.grad(lambda p, x: np.polymul(p, x)[0] * 3 + np.polymul(p, x).sum())
    assert gradient(p, MANY).tolist() == [63.0, 33.0, 33.0]
    with pytest.raises(dl.errors.NotDifferentiable, match="np.convolve"):
        gradient(p - 1, MANY)
    assert gradient(p + 1, MANY).tolist() == [63.0, 33.0, 33.0]


@pytest.mark.parametrize("function", [raises, asserts, multiplies, handled])
def test_compiled_to_calls_of_numpy(function):
    def told(call):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                return call(MANY)
            except (ValueError, AssertionError) as error:
                return repr(error)

    assert told(dl.compile(function, backend="aot_eager")) == told(function)
