"""Python's own `sum`, `max`, `min` and `map` of arrays: by a loop of the graph, however long."""
import numpy as np
import pytest

import dynamo_lite as dl
from dynamo_lite.tracer.frame.speculation import translate
from dynamo_lite.tracer.state.trace import Returned
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


def power(x): return sum(v * v for v in x)
def product(x): return sum(a * b for a, b in zip(x, x[::-1]))
def by_index(x): return sum((x[i] - x[i - 1]) ** 2 for i in range(1, len(x)))
def weighted(x): return sum(i * v for i, v in enumerate(x, 2)) / len(x)
def how_many(x): return sum(1 for v in x if v > 0.5)
def of_some(x): return sum(v for v in x if v > 0.5)
def of_none(x): return sum(v for v in x if v > 1e6)
def of_python_floats(x): return sum(float(v) for v in x)
def of_truths(x): return sum(v > 0 for v in x)
def of_pairs(x): return sum(a * b for a in x for b in x[:3])
def of_rows(x): return sum(v.sum() for v in np.outer(x, x))
def largest_magnitude(x): return max(abs(v) for v in x), min(v * v for v in x)
def place_of_largest(x): return max((v, i) for i, v in enumerate(x))
def as_a_list(x): return list(v + 1 for v in x)[3:6]  # noqa: C400
def of_a_closure(x, by=2.5): return sum(v * by for v in x)
def with_a_walrus(x): return sum((y := v) * 2 for v in x), y
def division_by_zero(x): return sum(1 / int(v) for v in x)
def of_two_types(x): return sum(v if v > 0 else 1 for v in x)
def begins_elsewhere(x): return sum((v for v in x), 3.5)
def nested(x): return sum(max(a * b for b in x[:20]) for a in x)


def from_the_second_on(x):
    items = (v * 2 for v in x)
    first = next(items)
    return first, sum(items), sum(items)


def taken_by_two(x):
    items = (v * 2 for v in x)
    return sum(items), list(items)


def that_notes(x):
    seen = []
    return sum(seen.append(v) or v for v in x), seen[:3], len(seen)


class Noting:
    log = []

    def __init__(self, value):
        self.value = value
        self.log.append(("made", value))

    def __radd__(self, other):
        self.log.append(("added", self.value))
        return Noting(self.value + (other if isinstance(other, int) else other.value))

    __add__ = __radd__


def of_objects(x):
    Noting.log.clear()
    total = sum(Noting(v) for v in x[:20])
    return total.value, list(Noting.log)


def of_objects_by_map(x):
    Noting.log.clear()
    total = sum(map(Noting, x[:20]))
    return total.value, list(Noting.log)


def filled(buffer, k):
    buffer[:] = k
    return buffer


def of_one_buffer(x):
    buffer = np.zeros(3)
    return sum(filled(buffer, k) for k in range(30)), max(filled(buffer, k)[0] for k in range(30))


def of_one_buffer_by_map(x):
    buffer = np.zeros(3)
    return sum(map(lambda v: filled(buffer, v), x))  # noqa: C417


def series(x):
    return sum(k * x * x / (k + 1) for k in range(30))


def rows(x):
    return sum(row * 2 for row in np.outer(x, x)), sum(row.sum() for row in np.outer(x, x))


EXPRESSIONS = [
    of_one_buffer, of_one_buffer_by_map, series, rows,
    power, product, by_index, weighted, how_many, of_some, of_none, of_python_floats, of_truths,
    of_pairs, of_rows, largest_magnitude, place_of_largest, as_a_list, of_a_closure, with_a_walrus,
    division_by_zero, of_two_types, begins_elsewhere, nested, from_the_second_on, taken_by_two,
    that_notes, of_objects, of_objects_by_map,
]


@pytest.mark.parametrize("kind", ["f8", "f4", "i8", "?"])
@pytest.mark.parametrize("function", EXPRESSIONS, ids=lambda f: f.__name__)
def test_generator_expressions(function, kind):
    for x in (RANDOM.standard_normal(40) * 3, np.zeros(30), np.arange(5.0), np.zeros(0)):
        check(dl.compile(function), function, x.astype(kind))


@pytest.mark.parametrize("function", [
    power, product, by_index, weighted, how_many, of_some, of_python_floats, largest_magnitude,
], ids=lambda f: f.__name__)  # fmt: skip
def test_their_graphs_do_not_grow_with_the_length(function):
    trace = translate(function, (np.arange(40_000.0),))
    assert len(trace.graph.nodes) < 40 and isinstance(trace.end, Returned)


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
