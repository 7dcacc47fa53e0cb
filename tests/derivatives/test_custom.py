"""Rules that programs give, and values that are computed again."""
from __future__ import annotations

import numpy as np
import pytest

import dynamo_lite as dl

from ..graphs import graph_of
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


@dl.custom_vjp
def product(x, y=2.0):
    return np.sin(x) * y


def product_and_kept(x, y):
    return product(x, y), (np.cos(x), np.sin(x), y)


def product_backwards(kept, g):
    cos, sin, y = kept
    return cos * g * y, np.sum(sin * g)


product.defvjp(product_and_kept, product_backwards)


@dl.custom_jvp
def quotient(x, y):
    return x / y


@quotient.defjvp
def quotient_rule(primals, tangents):
    (x, y), (of_x, of_y) = primals, tangents
    value = quotient(x, y)
    return value, (of_x - value * of_y) / y


def test_rules_that_call_their_own_function():
    assert close(dl.grad(lambda x: product(x, 2.0).sum())(X), 2 * np.cos(X), 1e-13)
    assert close(dl.hessian(lambda x: product(x, 2.0).sum())(X), np.diag(-2 * np.sin(X)), 1e-13)
    assert close(dl.grad(lambda y: quotient(1.0, y).sum())(X), -1 / X ** 2, 1e-13)
    assert close(dl.hessian(lambda y: quotient(1.0, y).sum())(X), np.diag(2 / X ** 3), 1e-12)


def test_arguments_of_rules_by_name():
    assert np.array_equal(product(x=X), product(X, y=2.0))
    assert close(dl.grad(lambda x: product(x, y=3.0).sum())(X), 3 * np.cos(X), 1e-13)
    assert close(dl.grad(lambda x: product(x).sum())(X), 2 * np.cos(X), 1e-13)
    with pytest.raises(TypeError, match="no place for the keyword 'z'"):
        product(X, z=1.0)


def test_a_rule_for_each_argument():
    @dl.custom_jvp
    def scaled(x, y):
        return x ** 2 * y

    scaled.defjvps(lambda t, value, x, y: 2 * x * y * t, None)
    first, second = dl.grad(lambda x, y: scaled(x, y).sum(), (0, 1))(X, X)
    assert close(first, 2 * X * X, 1e-13) and not second.any()


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


def test_what_is_computed_again_of_all_kinds_of_arguments():
    again = dl.checkpoint(lambda x, power, scale=1.0: scale * x ** power)
    assert close(dl.grad(lambda x: again(x, 3, scale=2.0).sum())(X), 6 * X ** 2, 1e-13)


def test_numbers_that_would_be_drawn_again():
    noisy = dl.checkpoint(lambda x: (np.sin(x) * np.random.normal(size=4)).sum())
    with pytest.raises(dl.errors.NotDifferentiable, match="normal again"):
        dl.grad(noisy)(X)
    scaled = dl.checkpoint(lambda x, noise: (np.sin(x) * noise).sum())
    np.random.seed(0)
    found = dl.grad(lambda x: scaled(x, np.random.normal(size=4)))(X)
    np.random.seed(0)
    assert close(found, np.cos(X) * np.random.normal(size=4), 1e-13)


def tangents_in(function):
    """How often the joint graph computes np.tanh."""
    return sum(node.target is np.tanh for node in graph_of(dl.grad(function), X))


def test_what_is_computed_again_is_not_kept():
    assert tangents_in(lambda x: layer(x).sum()) == 1
    assert tangents_in(lambda x: dl.checkpoint(layer)(x).sum()) == 2
