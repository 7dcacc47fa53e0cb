"""Long lists of numbers where NumPy takes one for an array: each call has its own."""
import numpy as np
import pytest

import dynamo_lite as dl
from tests.oracle import check

X = np.random.default_rng(0).normal(size=(500, 3))
R = np.random.default_rng(1)


def rows(items, x):
    return x[items].mean(axis=0)


def columns(items, x):
    return x[items, 1] - x[:3, 0].sum()


def summed(items, x):
    return np.sum(items) + x[0], np.mean(items) * x


def added(items, x):
    return x[: len(x) // 10, 0].sum() + np.array(items) * 2


def filled(items, x):
    made = np.array(items)
    made[0] = 7
    return made, np.asarray(items)


def stored(items, x):
    made = np.zeros_like(x)
    made[items] = x[items] * 2
    return made


def scattered(items, x):
    made = np.zeros_like(x)
    np.add.at(made[:, 0], items, x[items, 1])
    np.subtract.at(made, items, x[items])
    return made


def changed_between(items, x):
    first = x[items]
    items[0] = 1
    return first + x[items]


def appended(items, x):
    items.append(1)
    return x[items].sum()


def twice(items, x):
    return x[items].sum() + np.sqrt(np.abs(items))


FUNCTIONS = [
    rows, columns, summed, added, filled, stored, appended, twice, scattered, changed_between,
]


def positions(count):
    return R.integers(-500, 500, count).tolist()


LISTS = {
    "positions": positions(100), "more": positions(333), "few": positions(5), "none": [],
    "mask": (R.random(500) < 0.3).tolist(), "floats": R.random(64).tolist(), "mixed":
    [True, 2] * 40, "a tuple": tuple(positions(90)), "out of range": [*positions(60), 500],
    "large": [2**63, *positions(50)], "larger": [2**70] * 40, "text": ["a"] * 50,
    "arrays": [np.int8(3)] * 50, "nested": [[1, 2]] * 50,
}  # fmt: skip


@pytest.mark.parametrize("function", FUNCTIONS)
def test_as_in_python_whatever_the_list_holds(function):
    compiled = dl.compile(function)
    for name in [*LISTS, *reversed(LISTS)]:
        items = LISTS[name]
        check(compiled, function, items if type(items) is tuple else [*items], X, calls=1)


@pytest.mark.parametrize("function", [rows, columns, added, stored, twice])
def test_other_numbers_need_no_other_variant(function):
    compiled = dl.compile(function, fullgraph=True)
    for count in 100, 90, 80, 333, 32, 1000:
        items = positions(count)
        np.testing.assert_equal(compiled(items, X), function(items, X))
    assert len(compiled.entries()) <= 2


class Number:
    def __index__(self):
        raise AssertionError("guards run no code of the program")


def test_guards_run_no_code_of_the_program():
    compiled = dl.compile(lambda items: len(np.atleast_1d(0)) + np.array(items).size)
    assert compiled([1] * 50) == 51
    assert compiled([Number()] * 50) == 51
