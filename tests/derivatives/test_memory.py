"""What a call for a value and a gradient makes of memory."""
from __future__ import annotations

import logging
import math
import os

import numpy as np
import pytest
from dynamo_lite.backends.hints import hints_of
from dynamo_lite.backends.lowering.lower import likely, lower
from dynamo_lite.backends.passes.memory import bytes_made

import dynamo_lite as dl
from benchmarks.gradients import peaks
from dynamo_lite.ir.control import all_nodes, for_loop
from dynamo_lite.ir.facts import graph_facts
from dynamo_lite.ir.passes import optimize

from ..graphs import graph_of

ROUNDS = 10_000
ROD = np.linspace(0, 1, 1000)
W = np.random.default_rng(0).standard_normal((200, 200)) / 15


def bytes_for(function, x):
    """The memory of the joint graph of a function, as the backend plans it."""
    graph = graph_of(dl.value_and_grad(function), x)
    functional = optimize(graph, graph_facts(graph))
    program = lower(functional, graph_facts(functional), blas=True)
    return bytes_made(program, hints_of(functional.symbols, likely(functional)))


def burned(u):
    u = u.copy()
    for _ in range(10_000):
        u[1:-1] += 0.1 * (u[2:] - 2 * u[1:-1] + u[:-2]) - 0.01 * u[1:-1] ** 3
    return (u * u).sum()


def spread(u):
    u = u.copy()
    for _ in range(10_000):
        u[1:-1] += 0.1 * (u[2:] - 2 * u[1:-1] + u[:-2])
    return (u * u).sum()


def test_what_is_cheap_is_not_kept_for_the_way_back():
    def squares(x):
        return ((x - 1.0) ** 2).sum()

    assert bytes_for(squares, ROD) < 1.1 * ROD.nbytes  # the gradient


def test_a_gradient_of_norms_is_made_in_place():
    assert bytes_for(lambda x: np.linalg.norm(x, axis=1).sum(), W) < 1.1 * W.nbytes


def test_a_long_loop_keeps_a_few_states():
    assert bytes_for(burned, ROD) <= 4 * math.sqrt(ROUNDS) * ROD.nbytes


def test_a_linear_loop_keeps_none():
    assert bytes_for(spread, ROD) <= 10 * ROD.nbytes


@pytest.mark.skipif(not os.access("/proc/self/clear_refs", os.W_OK), reason="Linux tells the peak")
def test_what_is_resident_grows_as_the_root_of_the_rounds():
    """Of a process that makes gradients through more and more rounds, which are an argument."""
    states = peaks()
    assert sorted(states) == [625, 2500, 10_000]
    for rounds, most in states.items():
        assert 0.5 * math.sqrt(rounds) <= most <= 4 * math.sqrt(rounds)


@pytest.mark.parametrize("ends", [
    (0, 7, 1), (0, 32, 1), (0, 33, 1), (0, 1024, 1), (0, 1025, 1), (3, 4100, 1), (5, 5, 1),
    (9, 3, 1), (2, 3000, 3), (1500, 0, -1), (40, -3, -2)])
def test_rounds_that_are_arguments(ends):
    def grown(u, start, stop):
        for i in range(start, stop, step):
            u = np.tanh(u * (1.0 + 1e-4 * i)) + 1e-3
        return (u * u).sum()

    *ends, step = ends
    u, gradient = np.array([0.9, -0.5, 0.2]), dl.grad(grown)
    for start, stop in ((1, 9 * step), (2, 11 * step), ends):
        expected = dl.grad(lambda u: grown(u, start, stop))(u)
        assert np.allclose(gradient(u, start, stop), expected, rtol=1e-12, atol=0)


def layers(x, layer):
    for _ in range(8):
        x = layer(x)
    return (x * x).sum()


def layer(x):
    return np.tanh(np.tanh(np.tanh(x @ W) @ W) @ W)


def test_what_is_computed_again_is_no_memory():
    again = dl.checkpoint(layer)
    kept = bytes_for(lambda x: layers(x, layer), W)
    assert bytes_for(lambda x: layers(x, again), W) < 0.6 * kept


def test_the_log_of_the_schedule_tells(caplog):
    with caplog.at_level(logging.INFO, logger="dynamo_lite.schedule"):
        dl.grad(lambda x: (np.sin(x) * x).sum())(ROD)
    assert "a call makes at most" in caplog.text and "bytes of memory" in caplog.text


def calls_going_back(function, x):
    """What an iteration backwards computes."""
    graph = graph_of(dl.grad(function), x)
    loops = [node for node in all_nodes(graph) if node.target is for_loop]
    (back,) = [node for node in loops if node.args[2] == -1 and not any(
        inner.target is for_loop for inner in node.args[3])]
    return {node.target for node in back.args[3]}


def relaxed(u):
    for _ in range(1000):
        u = np.tanh(0.5 * u) + 0.1 * u * u
    return u.sum()


def test_what_is_dear_is_kept_and_what_is_cheap_is_computed_again():
    assert np.tanh not in calls_going_back(relaxed, ROD)
    assert {np.square, np.power} & calls_going_back(burned, ROD)
