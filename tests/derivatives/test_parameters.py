"""Gradients with respect to what objects hold."""
from __future__ import annotations

import numpy as np
import pytest

import dynamo_lite as dl

from .checking import central, close

RNG = np.random.default_rng(4)
INPUTS, TARGETS = RNG.standard_normal((6, 3)), RNG.standard_normal(6)


class Layer:
    def __init__(self, rows, columns):
        self.weight = RNG.standard_normal((rows, columns))
        self.bias = np.zeros(columns)


class Model:
    def __init__(self):
        self.layers = [Layer(3, 4), Layer(4, 1)]
        self.scale = {"last": np.ones(1)}

    def loss(self, inputs, targets):
        h = inputs
        for layer in self.layers:
            h = np.tanh(h @ layer.weight + layer.bias)
        return ((h[:, 0] * self.scale["last"] - targets) ** 2).mean()

    def parameters(self):
        weights = [layer.weight for layer in self.layers]
        return {"weights": weights, "scale": self.scale["last"]}


def test_parameters_of_an_object():
    model = Model()
    before = model.layers[0].weight
    value, gradient = dl.value_and_grad(model.loss, wrt=model.parameters)(INPUTS, TARGETS)
    assert close(value, model.loss(INPUTS, TARGETS), 1e-12) and model.layers[0].weight is before
    v = RNG.standard_normal((3, 4))

    def along(weight):
        model.layers[0].weight = weight
        found = model.loss(INPUTS, TARGETS)
        model.layers[0].weight = before
        return found

    assert close((gradient["weights"][0] * v).sum(), central(along, before, v))
    assert gradient["scale"].shape == (1,)


def test_training_an_object():
    model = Model()
    gradient = dl.grad(model.loss, wrt=model.parameters)
    first = model.loss(INPUTS, TARGETS)
    for step in range(30):
        found = gradient(INPUTS, TARGETS)
        for layer, change in zip(model.layers, found["weights"]):
            layer.weight = layer.weight - 0.1 * change
    assert model.loss(INPUTS, TARGETS) < 0.9 * first


def test_arrays_that_the_object_does_not_hold():
    model = Model()
    with pytest.raises(ValueError, match="no attribute of Model"):
        dl.grad(model.loss, wrt=[np.zeros(3)])(INPUTS, TARGETS)
    with pytest.raises(TypeError, match="for methods"):
        dl.grad(np.sum, wrt=[np.zeros(3)])


@pytest.mark.parametrize("transform", [dl.grad, dl.value_and_grad])
@pytest.mark.parametrize("places", [0, 1, (0, 1)])
def test_arguments_and_parameters_at_once_are_refused(transform, places):
    model = Model()
    with pytest.raises(TypeError, match="argnums and wrt cannot both be given"):
        transform(model.loss, argnums=places, wrt=model.parameters)


class Holder:
    def __init__(self, **held):
        self.__dict__.update(held)

    def square(self, x):
        return (self.a * self.a * x).sum()

    def product(self, x):
        return (self.a * self.b["of"][0] * x).sum()

    def pair(self, x):
        return self.square(x), "aux"

    def whole(self, x):
        return self.a * x


def test_holomorphic_functions_of_parameters():
    holder = Holder(a=np.array([1 + 2j, 3.0]))
    gradient = dl.grad(holder.square, holomorphic=True, wrt=lambda: holder.a)
    assert np.allclose(gradient(np.ones(2)), 2 * holder.a, rtol=1e-15)
    with pytest.raises(TypeError, match="real-valued outputs"):
        dl.grad(holder.square, wrt=lambda: holder.a)(np.ones(2))
    with pytest.raises(TypeError, match="holomorphic=True requires outputs with complex dtype"):
        real = Holder(a=np.ones(2))
        dl.grad(real.square, holomorphic=True, wrt=lambda: real.a)(np.ones(2))


def test_values_of_methods_are_numbers_and_pairs():
    holder, x = Holder(a=np.array([2.0, 3.0])), np.ones(2)
    gradient, aux = dl.grad(holder.pair, has_aux=True, wrt=lambda: [holder.a])(x)
    assert gradient[0].tolist() == [4.0, 6.0] and aux == "aux"
    with pytest.raises(TypeError, match="gives a pair"):
        dl.grad(holder.square, has_aux=True, wrt=lambda: holder.a)(x)
    with pytest.raises(TypeError, match="of type tuple"):
        dl.grad(holder.pair, wrt=lambda: holder.a)(x)
    with pytest.raises(TypeError, match="scalar-output"):
        dl.grad(holder.whole, wrt=lambda: holder.a)(x)


def test_an_array_in_several_places_is_one_parameter():
    shared = np.array([2.0, 3.0])
    holder = Holder(a=shared, b={"of": [shared]})
    holder.itself = holder
    gradient = dl.grad(holder.product, wrt=lambda: shared)
    assert gradient(np.ones(2)).tolist() == [4.0, 6.0]
    assert holder.a is shared and holder.b["of"][0] is shared
    apart = Holder(a=shared, b={"of": [shared.copy()]})
    assert dl.grad(apart.product, wrt=lambda: apart.a)(np.ones(2)).tolist() == [2.0, 3.0]


def test_a_number_in_several_places_is_refused():
    number = 2.0
    holder, x = Holder(a=number, b={"of": [number]}), np.ones(2)
    with pytest.raises(ValueError, match="several places.*\n.*make arrays"):
        dl.grad(holder.product, wrt=lambda: holder.a)(x)
    single = Holder(a=float("2.5"), b={"of": [number]})
    assert dl.grad(single.product, wrt=lambda: single.a)(x) == 4.0
