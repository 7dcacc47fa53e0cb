"""Lists of numbers from outside: Python answers what C answers at once, loops of the graph read
their numbers as an array, and what needs a guard for each item is left to Python."""
import bisect
import collections
import random

import numpy as np
import pytest

import dynamo_lite as dl
from tests.oracle import check

NAN = float("nan")
FLOATS = [random.Random(0).gauss(0.0, 40.0) for _ in range(300)]
LISTS = {
    "floats": FLOATS,
    "ints": [round(value) for value in FLOATS],
    "bools": [value > 0 for value in FLOATS],
    "ints and floats": [*FLOATS[:150], *range(150)],
    "floats and bools": [True, *FLOATS],
    "an int behind floats": [*FLOATS, 7],
    "nan": [*FLOATS[:100], NAN, *FLOATS[100:]],
    "nan first": [NAN, *FLOATS],
    "infinite": [*FLOATS, float("inf"), float("-inf")],
    "zeros": [-0.0, *[0.0] * 40, -0.0],
    "negative zeros": [-0.0] * 40,
    "large ints": [2**62] * 40,
    "huge ints": [10**30] * 40,
    "one huge int": [*range(60), 10**30],
    "numbers of NumPy's": [*np.array(FLOATS)],
    "a float and NumPy's": [0.0, *np.array(FLOATS)],
    "an int and NumPy's": [0, *np.array(FLOATS)],
    "ints among NumPy's": [value if index % 3 else -index
                           for index, value in enumerate(np.array(FLOATS))],
    "NumPy's and ints": [*np.arange(40), *range(40)],
    "bools of both": [value > 0 for value in [*FLOATS[:100], *np.array(FLOATS)]],
    "NumPy's largest": [*np.full(40, 2**62), 1],
    "large ints and floats": [0.5, *[2**52] * 40],
    "too large ints and floats": [0.5, *[2**53 + 1] * 40],
    "many kinds": [0, 0.5, *np.arange(40), *np.arange(40.0)],
    **{f"{dtype}s": [*np.array(FLOATS).astype(dtype)]
       for dtype in ("float32", "float16", "int8", "uint8", "complex128", "longdouble")},
    "two types of NumPy's": [np.float32(3.0), *np.arange(40.0)],
    "dates": [*np.arange(40).astype("M8[D]")],
    "one number of NumPy's": [*FLOATS, np.float64(3.0)],
    "texts": ["a"] * 40,
    "one text": [*FLOATS, "a"],
    "complex": [1j] * 40,
    "one None": [*FLOATS[:50], None],
    "a tuple": tuple(FLOATS),
    "a deque": collections.deque(FLOATS),
    "few": [3.0, 1.0, 2.0],
    "none": [],
}


def total(values):
    return sum(values), sum(values, 0.5), sum(values, 3)


def extremes(values):
    return max(values), min(values)


def whether_in(values):
    return 3.0 in values, 0 in values, 10**40 in values, values[2] in values, NAN in values


def place(values):
    return values.index(values[2]), values.index(0)


def count(values):
    return values.count(0), values.count(values[0]), values.count(True)


def mean(values):
    return sum(values) / len(values)


def variance(values):
    middle = sum(values) / len(values)
    return sum((value - middle) ** 2 for value in values)


def near(values):
    return min(abs(value - 5.5) for value in values), max(value for value in values)


def positive(values):
    return sum(1 for value in values if value > 0), [value * 2 for value in values if value > 0]


def pairs(values):
    return sum(index * value for index, value in enumerate(values))


def as_array(values):
    return np.array(values), np.mean(values), np.asarray(values) * 2


def branches(values):
    if max(values) > 100:
        return "large"
    return "there" if 3.0 in values else values.index(values[-1])


def squares(values):
    found = 0.0
    for value in values:
        found += value * value
    return found, value


def steps(values):
    found, last = [], values[0]
    for index in range(len(values) - 1):
        found.append(values[index + 1] - values[index])
        last = values[index] * 2
    return found, last


def ratios(values):
    return [value / 2 for value in values], [-value for value in values], [
        value // 3 + value % 3 for value in values]


def largest_step(values):
    best = 0
    for one, other in zip(values, values[1:]):  # noqa: RUF007
        if other - one > best:
            best = other - one
    return best


def found_place(values, x=np.array([2.5, 30.0])):
    ordered = sorted(values)
    return bisect.bisect(values, x[0]), bisect.bisect_left(ordered, x[1])


def at_place(values, places=np.array([3, -1, 17])):
    return values[places[0]], values[places[1]] + 1, [values[place] for place in places]


def product(values):
    found = 1
    for value in values:
        found = found * value
    return found


def first_above(values):
    return next((value for value in values if value > 20), None)


def any_above(values):
    return any(value > 90 for value in values), all(value < 90 for value in values)


def ordered(values):
    return sorted(values)[:3], sorted(values, key=lambda value: -value)[:3]


def histogram(values):
    found = collections.defaultdict(int)
    for value in values:
        found[value] += 1
    return dict(found), collections.Counter(values), set(values)


def grown(values):
    values.append(3.5)
    return sum(values), values.count(3.5), max(values)


FUNCTIONS = [
    total, extremes, whether_in, place, count, mean, variance, near, positive, pairs, as_array,
    branches, squares, steps, ratios, largest_step, found_place, at_place, product, first_above,
    any_above, ordered, histogram, grown,
]


@pytest.mark.parametrize(("name", "function"), [
    pytest.param(name, function, id=f"{name}-{function.__name__}")
    for at, name in enumerate(LISTS) for place, function in enumerate(FUNCTIONS)
    if (at + place) % 3 == 0  # each function with a third of the lists, and each list so
])
def test_as_in_python(function, name):
    for _ in range(2):
        check(dl.compile(function), function, LISTS[name])


@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda function: function.__name__)
def test_one_function_of_all_lists(function, monkeypatch):
    """Entries for one list are not used for another one."""
    monkeypatch.setattr(dl.config, "recompile_limit", 100)
    compiled = dl.compile(function)
    for name in random.Random(1).choices([*LISTS], k=60):
        check(compiled, function, LISTS[name])


@pytest.mark.parametrize("function", [total, extremes, mean, variance, near, positive, as_array])
def test_no_guard_for_each_item(function):
    compiled = dl.compile(function)
    for count in (300, 280, 40, 299):
        check(compiled, function, FLOATS[:count])
    assert all(len(entry.info.flat.ops) < 40 for entry in compiled.entries())
    assert len(compiled.entries()) <= 2


def place_above(values):
    for index, value in enumerate(values):
        if value > 1000:
            return index
    return "nowhere"


def test_python_runs_what_needs_each_item(monkeypatch):
    """Guards about thousands of items take longer than Python does."""
    monkeypatch.setattr(dl.config, "compile_unprofitable", False)
    values = FLOATS * 5
    compiled = dl.compile(place_above)
    check(compiled, place_above, values)
    (entry,) = compiled.entries()
    assert len(entry.info.flat.ops) < 10
    assert "guards take longer than Python" in entry.info.record.unprofitable
    assert "np.asarray" in str(dl.why(compiled))


def test_an_item_that_is_its_own_equal():
    """`in` finds NaN where it is the same object."""
    values = [*FLOATS, NAN]

    def function(values, value):
        return value in values, values.count(value), values.index(value) if value in values else -1

    compiled = dl.compile(function)
    for value in (NAN, float("nan"), 3.0, FLOATS[3], NAN, True, 7):
        check(compiled, function, values, value)
