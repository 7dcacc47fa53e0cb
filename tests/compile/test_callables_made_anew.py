"""Bound methods and partial objects as arguments: each call brings a new one of the same parts."""
import collections
import functools
import io
import random
import re

import numpy as np
import pytest

import dynamo_lite as dl
from tests.oracle import same

X = np.arange(1.0, 4.0)


class Log(list):
    def append(self, item):
        super().append((item, item))

    def plain_append(self):
        return super().append


class Counter:
    def __init__(self, step):
        self.step = step

    def next(self):
        return self.step

    def scaled(self, x, by):
        return x * self.step * by


def drawn(x, draw):
    return x + draw(size=3)


def scaled(x, draw):
    return x * draw()


def told(x, tell):
    tell(x.size)
    return x * 2, tell.__self__


def found(x, find):
    return x + len(find("xaby"))


def folded(x, reduce):
    return x - reduce(x)


def looked_up(x, get):
    return x + get("a", 1)


@pytest.mark.parametrize("function, make", [
    (drawn, lambda k: np.random.default_rng(k).normal),
    (drawn, lambda k: np.random.RandomState(k).normal),
    (scaled, lambda k: random.Random(k).random),
    (scaled, lambda k: random.Random(k).gauss),
    (scaled, lambda k: iter([2.0]).__next__),
    (told, lambda k: [k].append),
    (told, lambda k: Log().append),
    (told, lambda k: collections.deque().append),
    (found, lambda k: re.compile("ab*").findall),
    (looked_up, lambda k: {"b": k}.get),
    (folded, lambda k: np.add.reduce),
])
def test_new_methods_of_new_owners_are_one_compilation(function, make):
    compiled = dl.compile(function, fullgraph=True)
    for k in range(4):
        assert same(compiled(X, make(k)), function(X, make(k)))
    assert len(compiled.entries()) <= 2  # numbers from the methods may become symbols


@pytest.mark.parametrize("first", [True, False])
def test_methods_of_a_class_and_of_its_base_are_told_apart(first):
    compiled = dl.compile(told)
    for own in (first, not first) * 2:
        mine, theirs = (log.append if own else log.plain_append() for log in (Log(), Log()))
        assert compiled(X, mine)[1] == told(X, theirs)[1]


def test_methods_of_c_types_are_called_by_python():
    compiled = dl.compile(lambda x, write: write(str(x.sum())) + x)
    for n in range(5, 9):
        stream = io.StringIO()
        assert same(compiled(np.ones(n), stream.write), np.ones(n) + 3)
        assert stream.getvalue() == str(float(n))
    assert dl.stats().recompiles <= 2


def test_methods_that_cython_made_are_called_by_python():
    def f(x, seed):
        return (x * 2) + seed.generate_state(3)

    compiled = dl.compile(f)
    for k in range(4):
        assert same(compiled(X, np.random.SeedSequence(k)), f(X, np.random.SeedSequence(k)))
    stats = dl.stats()
    assert (stats.graph_breaks, stats.recompiles) == (1, 0)


@pytest.mark.parametrize("make", [lambda: [].append, lambda: Counter(1).next])
def test_one_method_is_itself_and_no_other(make):
    compiled = dl.compile(lambda x, a, b: (x + 1, a is b, a))
    for method in (make(), make()):
        assert compiled(X, method, make())[1:] == (False, method)
        result = compiled(X, method, method)
        assert result[1] and result[2] is method


def scale(x, k, b=0):
    return x * k + b


def applied(x, p):
    return p(x)


@pytest.mark.parametrize("make", [
    lambda k: functools.partial(scale, k=2),
    lambda k: functools.partial(scale, k=k),
    lambda k: functools.partial(scale, k=np.full(3, k), b=k),
    lambda k: functools.partial(functools.partial(scale, b=k), k=3),
    lambda k: functools.partial(Counter(k).scaled, by=2),
    lambda k: functools.partial(lambda x, j: x + j + k, j=2),
])
def test_new_partial_objects_are_one_compilation(make):
    compiled = dl.compile(applied, fullgraph=True)
    for k in range(5):
        assert same(compiled(X, make(k)), applied(X, make(k)))
    assert len(compiled.entries()) <= 2


def changed(x, p):
    p.keywords["k"] += 1
    return p(x), p.keywords, p


def changed_inside(x, k):
    p = functools.partial(scale, k=k)
    p.keywords["b"] = 5
    named = p.keywords
    return p(x), functools.partial(p, k=9)(x), named, p, p.keywords is named


def told_apart(x, p):
    return x + p.tag, getattr(p, "other", None)


def tagged(k):
    made = functools.partial(scale, k=1)
    made.tag = k
    if k % 2:
        made.other = k
    return made


@pytest.mark.parametrize("function, make", [
    (changed, lambda k: functools.partial(scale, k=k)),
    (changed_inside, lambda k: k),
    (told_apart, tagged),
])
def test_parts_of_partial_objects_may_change(function, make):
    compiled = dl.compile(function)
    for k in range(4):
        ours, theirs = make(k), make(k)
        ours, theirs = compiled(X, ours), function(X, theirs)
        assert same(ours[:2], theirs[:2]) and repr(ours[2:]) == repr(theirs[2:])
        if function is not told_apart:
            *_, named, made = ours[:4] if function is changed_inside else ours
            assert made.keywords is named


def test_partial_objects_may_get_other_parts():
    compiled, p = dl.compile(applied), functools.partial(scale, k=2)
    for keywords in ({"k": 5}, {"k": 5, "b": 1}, {"k": 2}):
        assert same(compiled(X, p), p(X))
        p.__setstate__((scale, (), keywords, {}))
        assert same(compiled(X, p), p(X))
