"""How often special methods of the program's classes are called: as often as in Python."""
# ruff: noqa: E704
from collections import Counter, OrderedDict, defaultdict

import numpy as np
import pytest

import dynamo_lite as dl

CALLS: list[str] = []


def noting(name, kind):
    plain = getattr(kind, name)

    def method(self, *args):
        CALLS.append(name)
        return plain(self, *args)

    return method


class Key:
    def __init__(self, value): self.value = value
    def __hash__(self): CALLS.append("__hash__"); return self.value
    def __eq__(self, other): CALLS.append("__eq__"); return self.value == other.value


class Sequence:
    def __len__(self): CALLS.append("__len__"); return 3
    def __getitem__(self, index): CALLS.append("__getitem__"); return index


class Items(list):
    __len__, __getitem__ = noting("__len__", list), noting("__getitem__", list)
    def __hash__(self): CALLS.append("__hash__"); return 7


KEYS = """
    {c, d}
    {c, e, d}
    {c: 1, d: 2}
    {c: 1, e: 2}[d]
    {c: 1}.get(d)
    {c: 1, e: 2}.pop(d)
    {c: 1}.setdefault(d, 2)
    {c: 1}.update({d: 2})
    {**{c: 1}}
    {c: 1} == {d: 1}
    {c: 1, e: 2} == {d: 1, e: 3}
    dict([(c, 1), (d, 2)])
    dict.fromkeys([c, d])
    frozenset([c, d]) & {e}
    {c, e}.isdisjoint([d])
    c in {e: 1, d: 2}
    defaultdict(list, {c: 1})[d]
    OrderedDict([(c, 1), (e, 2)])
    Counter({c: 1, e: 1})
""".strip().splitlines()


@pytest.mark.parametrize("expression", KEYS, ids=str.strip)
def test_keys(expression):
    scope = dict(globals())
    exec(f"def found(x, c, d, e):\n    {expression.strip()}\n    return x + 1", scope)
    compiled = dl.compile(scope["found"], backend="eager", fullgraph=True)
    told = []
    for function in (scope["found"], compiled, compiled):
        CALLS.clear()
        function(np.ones(2), Key(1), Key(1), Key(2))
        told.append(CALLS.copy())
    assert told[1:] == told[:1] * 2


SEQUENCES = """
    reversed(s) and 1
    next(reversed(s))
    next(iter(l))
    list(enumerate(l))
    list(zip(l, l))
    {1: l}
    len({l})
    OrderedDict([(l, 1)])
""".strip().splitlines()


@pytest.mark.parametrize("expression", SEQUENCES, ids=str.strip)
def test_sequences(expression):
    """Also where an iterator over a list of a class of its own goes from one graph to the next."""
    scope = dict(globals())
    exec(f"def found(x, s, l):\n    it = {expression.strip()}\n    return x + 1, it", scope)
    compiled = dl.compile(scope["found"], backend="eager")
    told = []
    for function in (scope["found"], compiled, compiled):
        CALLS.clear()
        function(np.ones(2), Sequence(), Items([1, 2]))
        told.append(CALLS.copy())
    assert told[1:] == told[:1] * 2
