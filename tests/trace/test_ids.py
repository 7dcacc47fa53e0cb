"""Ids as keys of containers from outside: an optimiser's state, the set of what was visited."""
from __future__ import annotations

import numpy as np
import pytest

import dynamo_lite as dl


class Weights:
    def __init__(self, value):
        self.grad = np.full(2, value)


def accumulated(state, weights):
    state[id(weights)] = state.get(id(weights), 0) + weights.grad
    return state[id(weights)]


def in_a_tuple(state, weights):
    key = id(weights), "momentum"
    was = key in state
    state[key] = weights.grad * 2
    return was, len(state)


def in_a_set(state, weights):
    seen = set(state)
    was = id(weights) in seen
    seen.add(id(weights))
    return was, len(seen), weights.grad + 1


def before_numbers(state, weights):
    mixed = {id(weights): weights.grad}
    mixed.update(state)
    return len(mixed), id(weights) in mixed


def compared(state, weights):
    return id(weights) in list(state), [k for k in state if k == id(weights)] == [id(weights)]


def taken(state, weights):
    return state.pop(id(weights), None), len(state), {*state} & {id(weights)}, weights.grad * 2


FUNCTIONS = [accumulated, in_a_tuple, in_a_set, before_numbers, compared, taken]


@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda function: function.__name__)
@pytest.mark.parametrize("known", [(), (0,), (0, 1), (2,)])
def test_ids_are_numbers(function, known):
    objects = [Weights(1.0), Weights(2.0), Weights(3.0)]
    compiled = dl.compile(function)
    for order in ((0, 0, 0), (0, 1, 0), (1, 0, 2, 0)):
        expected = {id(objects[k]): 0 for k in known}
        found = dict(expected)
        for k in order:
            want = function(expected, objects[k])
            assert repr(compiled(found, objects[k])) == repr(want)
            assert repr(found) == repr(expected)
