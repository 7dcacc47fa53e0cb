"""Python's own `sum`, `max`, `min` and `map` of arrays: by a loop of the graph, however long."""
import numpy as np
import pytest

import dynamo_lite as dl
from dynamo_lite.tracer.frame.speculation import translate
from tests.oracle import check

RANDOM = np.random.default_rng(0)
ARRAYS = {
    **{f"{kind}": (RANDOM.standard_normal(50) * 40).astype(kind)
       for kind in ("f8", "f4", "f2", "g", "i8", "i1", "i4", ">i4", ">f8")},
    **{f"{kind}": RANDOM.integers(0, 200, 50).astype(kind) for kind in ("u1", "u8", "?")},
    "overflowing": np.full(50, 2**62),
    "infinite": np.full(50, 3e38, "f4"),
    "nan": np.r_[np.arange(20.0), np.nan, np.arange(30.0)],
    "nan first": np.r_[np.nan, np.arange(30.0)],
    "zeros": np.r_[-0.0, np.zeros(20), -np.zeros(20)],
    "negative zeros": -np.zeros(40),
    "every other": np.arange(90.0)[::-2],
    "complex": np.full(40, 1j),
    "texts": np.full(40, "a"),
    "rows": np.arange(60.0).reshape(20, 3),
    "few": np.arange(3.0),
    "none": np.zeros(0),
}


def total(x):
    return sum(x)


def total_of_floats(x):
    return sum(x, 0.0)


def total_from(x):
    return sum(x, 3)


def largest(x):
    return max(x)


def smallest(x):
    return min(x)


def squares(x):
    return list(map(lambda v: v * v, x))  # noqa: C417


def total_of_magnitudes(x):
    return sum(map(abs, x))


def rounded(x):
    return np.array(list(map(round, x)))


FUNCTIONS = [total, total_of_floats, total_from, largest, smallest, squares, total_of_magnitudes,
             rounded]


@pytest.mark.parametrize("dynamic", [None, True])
@pytest.mark.parametrize("name", ARRAYS)
@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda f: f.__name__)
def test_results_warnings_and_errors_are_those_of_python(function, name, dynamic):
    check(dl.compile(function, dynamic=dynamic), function, ARRAYS[name])


def misclassified(x, limit):
    found = x[x > limit]
    error = sum(found)
    if error > 0.5:
        error = 1 - error
    return error, max(found)


def best_threshold(x, thresholds):
    best = float("inf")
    for threshold in thresholds:
        error = sum(x[x < threshold])
        if error < best:
            best = error
    return best


class Holder:
    def __init__(self):
        self.values = [np.arange(40.0), np.arange(300) % 7]


def of_attributes(holder):
    return max(holder.values[0]), min(holder.values[1]), sum(holder.values[1])


def test_of_what_objects_hold():
    check(dl.compile(of_attributes), of_attributes, Holder())
    assert len(translate(of_attributes, (Holder(),)).graph.nodes) < 40


@pytest.mark.parametrize("limit", [0.0, 0.5, 2.0])
def test_of_what_a_mask_selects(limit):
    """Which may be nothing: the sum is the int 0 then, and there is no largest."""
    x = RANDOM.random(60)
    check(dl.compile(misclassified), misclassified, x, limit)
    check(dl.compile(best_threshold), best_threshold, x, np.array([0.9, limit, 0.2]))


def what_is_left(x):
    items = map(abs, x)
    first, rest = next(items), list(items)
    return first, rest[:3], list(items), len(rest)


def taken_twice(x):
    items = map(abs, x)
    return sum(items), list(items), sum(items)


def of_two(x):
    return list(map(lambda a, b: a - b, x, x[1:]))[:4]


def with_effects(x):
    seen = []
    found = list(map(seen.append, x))
    return len(seen), seen[3], found[:2]


def that_raises(x):
    return list(map(lambda v: 1 / int(v), x))  # noqa: C417


def resumed(x):
    items = map(lambda v: 1 / int(v), x)  # noqa: C417
    try:
        list(items)
    except ZeroDivisionError:
        pass
    return list(items)


@pytest.mark.parametrize("function", [
    what_is_left, taken_twice, of_two, with_effects, that_raises, resumed,
], ids=lambda f: f.__name__)  # fmt: skip
def test_what_is_mapped_is_taken_once(function):
    check(dl.compile(function), function, np.arange(-20.0, 20.0))


@pytest.mark.parametrize("function", [
    total, total_of_floats, largest, smallest, squares, total_of_magnitudes,
], ids=lambda f: f.__name__)  # fmt: skip
def test_graphs_do_not_grow_with_the_length(function):
    graph = translate(function, (np.arange(40_000.0),)).graph
    assert len(graph.nodes) < 24
