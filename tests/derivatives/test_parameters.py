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
