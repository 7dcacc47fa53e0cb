"""`sum` of numbers: bit for bit what this Python gives, and no graph break."""
import itertools

import numpy as np
import pytest

import dynamo_lite as dl
from dynamo_lite.base.config import config
from tests.oracle import same

VALUES = (1e100, 1.0, -1e100, 0.1, 0.2, 0.3, -0.0, 0.0, 1e-300, float("inf"), float("nan"), 1.7e308)
X = np.array([1e100, 1.0, -1e100, 0.1])


def of_dict(x): return sum({"a": float(x[0]), "b": float(x[1]), "c": float(x[2])}.values())
def of_list(x): return sum([float(v) for v in x]), sum([float(v) for v in x], 0.5)
def mixed(x): return sum([1, True, float(x[0]), 2, float(x[1]), False, float(x[2]), 3])
def from_minus_zero(x): return sum([float(x[0] * 0), -0.0], -0.0), sum([-0.0, float(x[3] * 0)])
def of_scalars(x): return sum(x), sum([x[0], x[1], float(x[2])]), sum([float(x[0]), x[1], x[2]])
def of_arrays(x): return sum([x, x * 2, 1]), sum([x], x)
def started(x): return sum([0.5, float(x[3])], 7), sum([True, float(x[3])], True)
def of_none(x): return sum([]), sum((), 2.5), x
def of_constants(x): return x, sum([1e100, 1.0, -1e100]), sum([0.1] * 10), sum([2**62] * 4 + [0.5])
def growing(x):
    found = []
    for i in range(60):
        found.append(i * 0.1 + float(x[1]))
    return sum(found), sum(found) / len(found), sum(found, 1.5)
def growing_ints(x):
    found = []
    for i in range(60):
        if i % 3:
            found.append(i)
    return sum(found), sum(found, 2.5), x
def each_round(x):
    found, means = [], []
    for i in range(60):
        found.append(i * 0.1)
        means.append(sum(found) / len(found))
    return means, x


ONE_GRAPH = (of_dict, of_list, mixed, from_minus_zero, of_scalars, of_arrays, started, of_none,
             of_constants, growing, growing_ints, each_round)


@pytest.mark.parametrize("backend", ["eager", "llvm"])
@pytest.mark.parametrize("function", ONE_GRAPH)
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_in_one_graph(function, backend):
    compiled = dl.compile(function, backend=backend, fullgraph=True)
    with config.patch(strict=True):
        for x in (X, X[[1, 0, 3, 2]], X * 1e300):
            assert same(compiled(x), function(x))


def test_every_order_of_special_numbers():
    def total(x):
        a, b, c, d = x
        return sum([float(a), float(b), float(c), float(d)])

    compiled = dl.compile(total, fullgraph=True, options={"compile_unprofitable": True})
    for values in itertools.islice(itertools.permutations(VALUES, 4), 0, None, 37):
        x = np.array(values)
        assert same(compiled(x), total(x)), values


def outside(x, table, numbers):
    return x * sum(table.values()), sum(numbers), sum(numbers, 2)


def test_numbers_from_outside_may_be_others():
    """No value is one that code was compiled for."""
    compiled = dl.compile(outside, fullgraph=True)
    for k in range(6):
        table, numbers = {"a": 0.1 * k, "b": 1e100, "c": -1e100}, [0.1 * k] * (40 + k)
        assert same(compiled(X, table, numbers), outside(X, table, numbers))
        assert same(compiled(X, table, numbers[:-1] + [1e50]),
                    outside(X, table, numbers[:-1] + [1e50]))
    assert len(compiled.entries()) <= 2


class Own:
    def __init__(self):
        self.added = 0

    def __add__(self, other):
        self.added += 1
        return 1.5

    __radd__ = __add__


def test_objects_among_the_numbers_add_as_they_like():
    compiled = dl.compile(outside)
    numbers = [0.5] * 50
    assert same(compiled(X, {}, numbers), outside(X, {}, numbers))
    for place in (0, 20, 49):
        seen = Own(), Own()
        lists = [[*numbers[:place], own, *numbers[place:]] for own in seen]
        assert same(compiled(X, {}, lists[0]), outside(X, {}, lists[1]))
        assert seen[0].added == seen[1].added == 2


def test_an_empty_list_of_a_loop_gives_an_int():
    def positive(x):
        found = []
        for i in range(len(x)):
            if x[i] > 0:
                found.append(float(x[i]))
        return sum(found)

    compiled = dl.compile(positive)
    for x in (np.arange(60.0), -np.arange(60.0), np.arange(60.0) - 30):
        assert same(compiled(x), positive(x))


def test_what_cannot_be_added_raises_as_in_python():
    for start in ("", b"", bytearray()):
        with pytest.raises(TypeError, match="can't sum"):
            dl.compile(lambda x: (x, sum([], start)))(X)
    with pytest.raises(TypeError, match="unsupported operand"):
        dl.compile(lambda x: sum([float(x[0]), "a"]))(X)
