"""Deques of numbers that loops change: in the graph, and exactly Python's deques afterwards."""
import heapq
from collections import deque

import numpy as np
import pytest

import dynamo_lite as dl

from ..oracle import check

X = np.round(np.sin(np.arange(80.0) * 5) * 64) / 64


def last_ones(x):
    recent, total, out = deque(maxlen=7), 0.0, []
    for v in x:
        if len(recent) == 7:
            total -= recent[0]
        recent.append(v)
        total += v
        out.append(total / len(recent))
    return out, recent


def in_turn(x):
    queue = deque([0, 1, 2])
    total = 0
    for i in range(len(x)):
        k = queue.popleft()
        total = total * 3 % 1009 + k
        queue.append(k + i)
        if x[i] > 0.5:
            queue.append(i)
    return total, queue


def breadth_first(x):
    distance = np.full((9, 9), -1)
    distance[0, 0] = 0
    queue = deque([(0, 0)])
    while queue:
        i, j = queue.popleft()
        for k in range(4):
            a, b = i + (k == 0) - (k == 1), j + (k == 2) - (k == 3)
            if 0 <= a < 9 and 0 <= b < 9 and distance[a, b] < 0 and x[a * 9 + b - 1] < 0.9:
                distance[a, b] = distance[i, j] + 1
                queue.append((a, b))
    return distance, queue


def at_both_ends(x):
    queue, out = deque(maxlen=5), 0.0
    for i in range(len(x)):
        queue.append(x[i])
        if x[i] > 0.25 and len(queue) > 2:
            out += queue.pop() - queue[-1] * queue[1]
            queue[0] = out
        if len(queue) > 3 and x[i] < -0.5:
            out -= queue.popleft()
    return out, list(queue), queue.maxlen


def taken_from_nothing(x):
    queue = deque([1.0])
    for i in range(len(x)):
        if x[i] > 0:
            queue.append(float(x[i]))
        else:
            queue.popleft()
    return queue


def out_of_range(x):
    queue = deque([1.0])
    for i in range(len(x)):
        queue.append(float(x[i]))
        if i > 70:
            queue[0] = queue[i + 2]
    return queue


def gone_through(x):
    queue, total = deque(maxlen=4), 0.0
    for i in range(len(x)):
        queue.append(float(x[i]))
        for v in queue:
            total = total * 0.5 + v
        total += sum(queue) + max(queue)
    return total, np.array(queue)


def changed_while_gone_through(x):
    queue = deque([1.0])
    for i in range(len(x)):
        queue.append(float(x[i]))
        if i == 60:
            for v in queue:
                queue.append(v)
    return queue


def with_two_names(x):
    queue = other = deque(maxlen=3)
    for i in range(len(x)):
        queue.append(i)
        if x[i] > 0.5:
            other.append(-i)
    return queue, other


def at_the_left(x):
    queue = deque()
    for i in range(len(x)):
        queue.appendleft(i)
        if x[i] > 0:
            queue.rotate(2)
    return queue


def no_heap(x):
    queue = deque([1.0])
    for i in range(len(x)):
        queue.append(float(x[i]))
        if i > 50:
            heapq.heappush(queue, 1.0)
    return queue


def as_arguments(x):
    queue = deque(maxlen=6)
    for i in range(len(x)):
        push(queue, x[i])
    return queue, len(queue), list(queue)[1:], 3 in queue, bool(queue)


def push(queue, v):
    if v < 0.8:
        queue.append(v)


def kinds_that_change(x):
    queue = deque([0])
    for i in range(len(x)):
        queue.append(x[i] if x[i] > 0 else i)
    return queue


def replaced(x):
    queue = deque(maxlen=9)
    for i in range(len(x)):
        queue.append(i)
        if i % 20 == 19:
            queue = deque(maxlen=9)
    return queue


def never_kept(x):
    queue, one = deque(maxlen=0), deque(maxlen=1)
    for i in range(len(x)):
        queue.append(i)
        one.append(i)
    return queue, one


PROGRAMS = [
    last_ones, in_turn, breadth_first, at_both_ends, taken_from_nothing, out_of_range, gone_through,
    changed_while_gone_through, with_two_names, at_the_left, no_heap, as_arguments,
    kinds_that_change, replaced, never_kept,
]  # fmt: skip


@pytest.mark.parametrize("function", PROGRAMS, ids=lambda function: function.__name__)
def test_deques(function):
    check(dl.compile(function), function, X)


@pytest.mark.parametrize(
    "function", [last_ones, in_turn, breadth_first], ids=lambda function: function.__name__
)
def test_one_graph_has_the_deque(function):
    dl.reset()
    check(dl.compile(function, fullgraph=True), function, X)
    assert dl.stats().graphs == 1


def of_the_callers(x, queue):
    for v in x:
        queue.append(v)
    return len(queue)


def test_a_deque_of_the_callers():
    check(dl.compile(of_the_callers), of_the_callers, X, deque([1.0], maxlen=5))
