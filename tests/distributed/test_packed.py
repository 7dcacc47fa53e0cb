"""Graphs that travel: the same text again, and nothing of them is interpreted."""
import pickle

import numpy as np
import pytest

from dynamo_lite.base import work
from dynamo_lite.tracer.frame.printed_graphs import PRINTED, Printed
from dynamo_lite.tracer.frame.speculation import translate

from ..graphs import graph_of

pytest.importorskip("dask.array")

from dynamo_lite.distributed.tasks.packed import packed, unpacked


def chain(x):
    for _ in range(600):
        x = x + 1
    return x


def loop(x, n):
    for _ in range(n):
        x = x * 0.5 + 1
    return x


@pytest.mark.parametrize("function, arguments", [
    (chain, (np.ones(3),)), (loop, (np.ones(3), 40)),
    (lambda x: np.linalg.inv(x + 1), (np.eye(2),))])
def test_graphs_of_any_length_and_with_bodies_come_back(function, arguments):
    graph = graph_of(function, *arguments)
    again = unpacked(pickle.loads(pickle.dumps(packed(graph))))
    assert again.code == graph.code


def test_a_printed_graph_is_recorded():
    x = np.ones((3, 2))
    graph = graph_of(lambda x: np.exp(x - x.max(axis=0)), x)
    function = graph.source.compile()
    PRINTED[function] = Printed(graph, {})
    work.done.clear()
    trace = translate(function, (x,))
    assert work.done.traced == 0
    assert [node.target for node in trace.graph.calls] == [node.target for node in graph.calls]


def test_what_cannot_be_recorded_is_interpreted():
    x = np.ones(3)
    graph = graph_of(loop, x, 40)
    function = graph.source.compile()
    PRINTED[function] = Printed(graph, {})
    work.done.clear()
    translate(function, (x, 40))
    assert work.done.traced >= 1
