"""What has no derivative is refused at the call, with the line and a remedy."""
from __future__ import annotations

import numpy as np
import pytest

import dynamo_lite as dl

X = np.arange(3.0)


def test_a_value_that_is_no_number():
    with pytest.raises(TypeError, match=r"scalar-output functions.*\(3,\)"):
        dl.grad(lambda x: x * x)(X)


@pytest.mark.parametrize("given", [3, True, np.int32(1), np.arange(3), np.zeros(2, bool)],
                         ids=["int", "bool", "int32", "array", "mask"])
def test_arguments_of_integers(given):
    with pytest.raises(TypeError, match="real- or complex-valued inputs"):
        dl.grad(lambda x: np.sum(x * 1.0))(given)


def test_a_complex_value():
    with pytest.raises(TypeError, match="real-valued outputs"):
        dl.grad(lambda x: (x * 1j).sum())(X)


def test_what_has_no_rule_names_the_line():
    def function(x):
        return np.partition(x, 1).sum()

    with pytest.raises(dl.errors.NotDifferentiable) as caught:
        dl.grad(function)(X)
    line = function.__code__.co_firstlineno + 1
    assert f"test_errors.py:{line} in" in str(caught.value)
    assert "partition" in str(caught.value) and "remedy" in str(caught.value)


def test_a_graph_break_is_an_error():
    def function(x):
        print("here")
        return x.sum()

    with pytest.raises(dl.errors.FullGraphRequired, match="print"):
        dl.grad(function)(X)


def test_without_the_compiler():
    with dl.set_stance("force_eager"), pytest.raises(TypeError, match="switched off"):
        dl.grad(np.sum)(X)


def test_trees_of_other_shapes():
    with pytest.raises((TypeError, dl.errors.FullGraphRequired), match="same shapes"):
        dl.jvp(np.sin, (X,), (np.zeros(2),))
    with pytest.raises((TypeError, dl.errors.FullGraphRequired), match="same shapes"):
        dl.vjp(np.sin, X)[1](np.zeros(2))


@pytest.mark.parametrize("transform", [dl.grad, dl.jacobian, dl.hessian])
def test_what_is_no_function(transform):
    with pytest.raises(TypeError, match="takes a function"):
        transform(3)


def test_places_are_ints():
    with pytest.raises(TypeError, match="argnums"):
        dl.grad(np.sum, argnums="x")
