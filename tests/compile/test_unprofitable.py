"""Functions that NumPy alone runs as fast are left to Python."""
import numpy as np
import pytest

import dynamo_lite as dl


@pytest.fixture(autouse=True)
def left_to_python():
    with dl.config.patch(compile_unprofitable=False):
        yield


SMALL, LARGE = np.arange(8.0), np.arange(20_000.0)


def add_in_place(x):
    x += 1


def add_to_part(x):
    x[1:] += x[0]


def maximum_in_place(x):
    np.maximum(x, 0.5, out=x)


def many_instructions(x):
    total = 0
    for i in range(20):
        total += i
    return np.sort(x), total


# function, argument, part of the reason; empty where it is worth compiling
CASES = [
    (lambda x: np.sort(x), SMALL, "calls of NumPy"),
    (lambda x: (np.sort(x), np.argsort(x)[:2]), SMALL, "calls of NumPy"),
    (lambda x: np.linalg.qr(x.reshape(2, 4))[0], SMALL, "calls of NumPy"),
    (lambda x: np.sort(x) + 1, SMALL, ""),
    (lambda x: x.sort(), SMALL.copy(), "one call of NumPy"),
    (lambda x: np.zeros(x.shape), SMALL, ""),
    (lambda x: np.zeros(x.shape), LARGE, "zero"),
    (lambda x: np.zeros(x.shape) + 1, LARGE, ""),
    (lambda x: np.eye(200), SMALL, "zero"),
    (add_in_place, SMALL.copy(), ""),
    (add_in_place, LARGE.copy(), "in place"),
    (add_to_part, LARGE.copy(), ""),
    (maximum_in_place, LARGE.copy(), ""),
    (many_instructions, SMALL, ""),
    (lambda x: np.random.default_rng(0).random(x.size) < x, SMALL, "few random numbers"),
    (lambda x: np.random.default_rng(0).random(x.size) < x, LARGE, ""),
    (lambda x: np.random.default_rng(0).random(8).sum() + np.sqrt(LARGE), SMALL, ""),
    (lambda x: x.argmax(), LARGE > 5, "calls of NumPy"),
    (lambda x: (x * 2).argmax(), LARGE, ""),
    (lambda x: x.argmax(), SMALL, ""),
]


@pytest.mark.parametrize("function, x, reason", CASES)
def test_what_is_left(function, x, reason):
    other = x.copy()
    expected = function(other)
    explained = dl.explain(function)(x)
    np.testing.assert_equal(explained.result, expected)
    assert np.array_equal(x, other)
    (record,) = explained.records
    assert (reason in record.unprofitable) if reason else not record.unprofitable
    assert (f"runs in Python: {record.unprofitable}" in str(explained)) == bool(reason)
    assert explained.graph_count == 1 and explained.coverage == 1


def test_it_stays_left_and_follows_its_guards():
    @dl.compile
    def program(x, twice):
        return np.sort(x) if twice is None else np.sort(x) * twice

    for _ in range(3):
        assert program(SMALL[::-1], None).tolist() == SMALL.tolist()
        assert program(SMALL[::-1], 2).tolist() == (2 * SMALL).tolist()
    assert dl.stats().recompiles == 1
    assert [entry.hits for entry in program.entries()] == [3, 3]


def test_an_operation_in_place_of_any_size_is_left_where_it_is_large():
    compiled = dl.compile(add_in_place)
    for n in (10, 20, 50_000, 30):
        x = np.arange(float(n))
        compiled(x)
        assert np.array_equal(x, np.arange(1.0, n + 1))
    assert dl.stats().recompiles == 1
    assert sum(entry.bailouts for entry in compiled.entries()) == 1


def test_reports_come_from_the_line_of_the_user():
    x = np.full(20_000, 1e308)

    def program(x):
        x *= 100

    with pytest.warns(RuntimeWarning, match="overflow encountered in multiply") as seen:
        dl.compile(program)(x)
    assert seen[0].lineno == program.__code__.co_firstlineno + 1
    assert np.isinf(x).all()
