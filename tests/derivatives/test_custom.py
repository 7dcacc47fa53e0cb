"""Rules that programs give, and values that are computed again."""
from __future__ import annotations

import numpy as np
import pytest

import dynamo_lite as dl

from .checking import close

X = np.linspace(0.2, 1.5, 4)


@dl.custom_vjp
def tripled(x, y):
    """Three times the truth, so that the rule can be told from NumPy's."""
    return np.sin(x) * y


tripled.defvjp(lambda x, y: (np.sin(x) * y, (x, y)),
               lambda kept, g: (3 * g * np.cos(kept[0]) * kept[1], None))


@dl.custom_jvp
def halved(x):
    return np.exp(x)


@halved.defjvp
def halved_rule(primals, tangents):
    (x,), (t,) = primals, tangents
    value = np.exp(x)
    return value, 0.5 * value * t


def test_a_pullback_of_the_programs_own():
    assert np.array_equal(tripled(X, X), np.sin(X) * X)
    assert tripled.__doc__.startswith("Three times")
    first, second = dl.grad(lambda x, y: tripled(x, y).sum(), (0, 1))(X, X)
    assert close(first, 3 * np.cos(X) * X, 1e-12) and not second.any()
    value, tangent = dl.jvp(lambda x: tripled(x, 2.0), (X,), (X,))
    assert close(value, 2 * np.sin(X), 1e-12) and close(tangent, 6 * np.cos(X) * X, 1e-12)


def test_second_derivatives_of_a_rule():
    second = dl.grad(lambda x: dl.grad(lambda z: tripled(z, 2.0).sum())(x).sum())(X)
    assert close(second, -6 * np.sin(X), 1e-12)


def test_tangents_of_the_programs_own():
    assert np.array_equal(halved(X), np.exp(X))
    assert close(dl.jvp(halved, (X,), (X,))[1], 0.5 * np.exp(X) * X, 1e-12)
    assert close(dl.grad(lambda x: (halved(x) * 2).sum())(X), np.exp(X), 1e-12)


def test_places_without_derivatives():
    @dl.custom_vjp
    def unused(x):
        return x

    @lambda make: dl.custom_vjp(make, nondiff_argnums=(0,))
    def applied(function, x):
        return function(x)

    applied.defvjp(lambda function, x: (function(x), x), lambda function, x, g: (g * function(x),))
    assert close(dl.grad(lambda x: applied(np.cos, x).sum())(X), np.cos(X), 1e-12)
    with pytest.raises(TypeError, match="defvjp"):
        unused(X)


def test_rules_do_not_disturb_other_programs():
    compiled = dl.compile(lambda x: tripled(x, x) + halved(x), fullgraph=True)
    assert close(compiled(X), np.sin(X) * X + np.exp(X), 1e-12)


def layer(x):
    return np.tanh(np.sin(x) * x)


def test_values_that_are_computed_again():
    again = dl.checkpoint(layer)
    assert again.__name__ == "layer" and np.array_equal(again(X), layer(X))
    plain = dl.grad(lambda x: layer(layer(x)).sum())(X)
    assert close(dl.grad(lambda x: again(again(x)).sum())(X), plain, 1e-13)
    assert close(dl.hessian(lambda x: again(x).sum())(X), dl.hessian(lambda x: layer(x).sum())(X),
                 1e-12)


def tangents_in(function):
    """How often the joint graph computes np.tanh."""
    graphs = []

    def keep(graph, inputs):
        graphs.append(graph)
        return graph

    dl.compile(dl.grad(function), backend=keep, fullgraph=True)(X)
    return sum(node.target is np.tanh for node in graphs[0])


def test_what_is_computed_again_is_not_kept():
    assert tangents_in(lambda x: layer(x).sum()) == 1
    assert tangents_in(lambda x: dl.checkpoint(layer)(x).sum()) == 2
