"""Of a dict of which single keys are looked up, only these are guarded."""
from collections import OrderedDict, defaultdict

import numpy as np
import pytest

import dynamo_lite as dl

from ..oracle import differences, outcome

X = np.arange(3.0)


def looked_up(d, x):
    return x * d["a"] + d.get("b", 3)


def asked_for(d, x):
    return (x + 1 if "b" in d else x - 1), "a" in d, "c" not in d.keys()


def missing(d, x):
    try:
        return x + d["b"]
    except KeyError as error:
        return x - 1, repr(error), d.setdefault("a", 4)


def then_all(d, x):
    first = d["a"]
    return x * first, list(d), len(d), sum(d.values()), d["a"] is first


def changed(d, x):
    d["n"] = d["n"] + 1
    return x * d["n"] + d["a"], d


def shared(d, x):
    d["l"].append(x.sum())
    return d["l"], d["l"] is d.get("l"), x + 1


FUNCTIONS = [looked_up, asked_for, missing, then_all, changed, shared]
KINDS = [dict, OrderedDict, lambda *args: defaultdict(lambda: 7, *args)]
CONTENTS = [
    {"a": 2, "n": 1, "l": []}, {"a": 2, "n": 1, "l": [], "z": 5}, {"z": 5, "n": 3, "l": [1], "a": 2},
    {"a": 4, "b": 5, "n": 1, "l": []}, {"n": 1, "l": [], "b": 2}, {"a": 2.0, "n": True, "l": []},
]


@pytest.mark.parametrize("kind", KINDS, ids=["dict", "OrderedDict", "defaultdict"])
@pytest.mark.parametrize("function", FUNCTIONS)
def test_it_is_what_python_gives(function, kind):
    compiled = dl.compile(function)
    for _ in range(2):
        for content in CONTENTS:
            given = [{k: list(v) if k == "l" else v for k, v in content.items()} for _ in "ab"]
            found = outcome(compiled, (kind(given[0]), X))
            expected = outcome(function, (kind(given[1]), X))
            assert not differences(found, expected)


@pytest.mark.parametrize("function", [looked_up, asked_for])
def test_other_keys_may_come_and_go(function):
    compiled = dl.compile(function, fullgraph=True)
    d = {"a": 2}
    for k in range(20):
        compiled(d, X)
        d[k], d[str(k)], d[object()] = k, k, k
        d.pop(k - 3, None)
    assert len(compiled.entries()) == 1


def test_numbers_and_other_plain_keys():
    def read(d, x):
        return x * d[5] + d[True] - d[b"k"] + d[None] + d[10**30], 6 in d, d.get(0.5)

    compiled, d = dl.compile(read), {5: 1, 1: 2, b"k": 3, None: 4, 10**30: 5}
    for other in range(5):
        d[f"other {other}"] = other
        assert not differences(outcome(compiled, (d, X)), outcome(read, (d, X)))
    d[5] = 9.5
    assert not differences(outcome(compiled, (d, X)), outcome(read, (d, X)))


def test_a_dict_that_is_known_by_two_names():
    def alias(d, e, x):
        first = d["n"]
        e["n"] = 5
        return x * first, d["n"], "m" in d, len(e)

    compiled = dl.compile(alias)
    for together in (False, True, False, True):
        given = [(a, a if together else {"n": 2, "m": 3}, X) for a in ({"n": 1}, {"n": 1})]
        assert not differences(outcome(compiled, given[0]), outcome(alias, given[1]))
