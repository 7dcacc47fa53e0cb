"""Tuples, lists, dicts and objects in loops and branches on data: carried, merged, made inside."""
from collections import OrderedDict, namedtuple

import numpy as np
import pytest

import dynamo_lite as dl

from ..oracle import same

Point = namedtuple("Point", "at speed")
VECTOR = np.arange(1.0, 31.0) / 7


class Pair:
    def __init__(self, first, second):
        self.first, self.second = first, second

    def plus(self, other):
        return Pair(self.first + other.first, self.second + other.second)


def tuple_carried(x):
    state = x, 0.0
    for _ in range(60):
        state = state[0] * 0.5, state[1] + x[0]
    return state


def named_tuple_carried(x):
    p, n = Point(x, 0.0), 0
    while n < 50:
        p, n = Point(p.at * 0.5, p.speed + p.at[1]), n + 1
    return p


def nested_tuple_carried(x):
    state = x + 1, (0.0, 1)
    while state[1][0] < x.sum():
        a, (b, c) = state
        state = a * 0.5, (b + 2.0, c + 1)
    return state


def number_and_place(x):
    best = 0.0, -1
    for i in range(len(x)):
        if x[i] > best[0]:
            best = x[i], i
    return best


def name_that_stays(x):
    state = x, "mean"
    for _ in range(50):
        state = state[0] * 0.5, "mean"
    return state


def items_that_take_turns(x):
    state = x + 1, x + 2
    for _ in range(51):
        state = state[1], state[0] * 0.5
    return state


def last_tuple(x):
    for i in range(50):
        last = x * i, 2, (i, "text")
    return last


def last_dict(x):
    for i in range(50):
        last = {"a": x * i, "b": [i, {"c": x[0] + i}]}
    return last


def list_inside(x):
    y = x
    for i in range(50):
        parts = [x[0] * i]
        parts.append(x[1])
        y = y + sum(parts)
    return y


def comprehension_inside(x):
    total = 0.0
    for i in range(50):
        total += sum([x[k] for k in range(3)]) * i
    return total


def objects_inside(x):
    s = t = 0.0
    for i in range(50):
        pair = Pair(x[i % 8], x[0]).plus(Pair(s, t))
        s, t = pair.first, pair.second
    return s, t


def dict_of_both_ways(x):
    if x.sum() > 30:
        d = {"a": x + 1, "b": [x.sum(), 2.0]}
    else:
        d = {"a": x - 1, "b": [x.max(), 3.0]}
    d["c"] = d["a"]
    return d, d["a"] is d["c"]


def returned_from_both_ways(x):
    if x.sum() > 30:
        return OrderedDict(r=x + 1, p=Point(1, x[0]))
    return OrderedDict(r=x * 2, p=Point(2, x[1]))


def one_list_with_two_names(x):
    if x.sum() > 30:
        d = [x + 1]
    else:
        d = [x - 1]
        d.append(d.pop())
    e = d
    e.append(1)
    return d, e, d is e


def two_lists_both_ways(x):
    if x.sum() > 30:
        d = [x + 1]
        e = d
    else:
        d = [x - 1]
        e = d
    return d, e, d is e


ONE_GRAPH = [
    tuple_carried, named_tuple_carried, nested_tuple_carried, number_and_place, name_that_stays,
    items_that_take_turns, last_tuple, last_dict, list_inside, comprehension_inside,
    objects_inside, dict_of_both_ways, returned_from_both_ways, one_list_with_two_names,
    two_lists_both_ways,
]


def grown_tuple(x):
    state = ()
    for i in range(50):
        state = (*state, x[0] * i) if i < 2 else (state[0], x[1] + i)
    return state


def name_that_changes(x):
    state = x, "mean"
    for i in range(50):
        state = state[0] * 0.5, "mean" if i == 0 else "sum"
    return state


def dict_carried(x):
    state = {"a": x, "b": 0.0}
    while state["b"] < x.sum():
        state = {"a": state["a"] * 0.5, "b": state["b"] + 2.0}
    return state


def dict_changed_in_place(x):
    state = {"a": x}
    same = state
    for _ in range(50):
        state["a"] = state["a"] * 0.5
    return state, same is state


def two_names_one_way(x):
    if x.sum() > 30:
        d = [x + 1]
        e = d
    else:
        d, e = [x - 1], [x * 3]
    return d, e, d is e


def other_keys(x):
    if x.sum() > 30:
        d = {"a": x}
    else:
        d = {"b": x}
    return d


def generator_that_stays(x):
    for i in range(50):
        later = (v * i for v in [x[0], x[1]])
    return list(later)


def function_that_stays(x):
    for i in range(50):
        times = lambda v: v * i  # noqa: E731
    return times(x)


def tuple_of_the_caller(x, state=(1.0, 2.0)):
    while state[0] < x[5]:
        state = state[1], state[0] + 1
    return state


ALL = [*ONE_GRAPH, grown_tuple, name_that_changes, dict_carried, dict_changed_in_place,
       two_names_one_way, other_keys, generator_that_stays, function_that_stays,
       tuple_of_the_caller]


@pytest.mark.parametrize("function", ALL, ids=lambda f: f.__name__)
@pytest.mark.parametrize("backend", ["eager", "llvm"])
def test_equals_python(function, backend):
    with dl.config.patch(strict=True):
        compiled = dl.compile(function, backend=backend, fullgraph=function in ONE_GRAPH)
        for x in VECTOR, VECTOR[::-1].copy(), VECTOR / 100, VECTOR:
            assert same(compiled(x.copy()), function(x.copy()))


@pytest.mark.parametrize("function", ONE_GRAPH[:11], ids=lambda f: f.__name__)
def test_is_not_unrolled(function):
    assert len(dl.explain(function)(np.tile(VECTOR, 2)).graphs[0].calls) <= 20
