"""Arms that compute a few ints: both are computed, and the one that is not taken has no effect."""
import numpy as np
import pytest

import dynamo_lite as dl

from ..oracle import check

N = np.arange(60)
HUGE = 2**62


def collatz(n, k):
    steps = 0
    while n != 1:
        n = n // 2 if n % 2 == 0 else 3 * n + 1
        steps += 1
    return steps, n


def overflows_where_it_is_taken(n, k):
    total = 0
    for i in range(60):
        if i == k:
            n = n * 3
        else:
            total = total + 1
    return n, total


def overflows_where_it_is_not(n, k):
    for i in range(60):
        if i < 0 or k > 100:
            n = n + 5 * 10**18
        else:
            n = n - 1
    return n


def one_arm_alone(n, k):
    for i in range(60):
        if (n + i) % 3 == k:
            n = n - 2 * i
    return n


def flags(n, k):
    seen, odd = False, 0
    for i in range(60):
        if i * k % 7 == 3:
            seen = not seen
        else:
            odd = odd ^ i
    return seen, odd


def shifted(n, k):
    for i in range(60):
        if n & 1:
            n = n >> 1 ^ 40961
        else:
            n >>= 1
        n = n | (i << 3)
    return n


def chained(n, k):
    a, b = n % 1000, k
    for i in range(60):
        if a > b:
            a = a - b
        elif b > 0:
            b = b - a
        a = a + 1
    return a, b


def by_subtraction(n, k):
    a, b = n % 1000 + 1, k + 2
    while a != b:
        if a > b:
            a = a - b
        else:
            b = b - a
    return a


def divided_by_what_it_asks(n, k):
    total = 0
    for i in range(-30, 30):
        if i != 0:
            total = total + 100 // i
        else:
            total = total - 1
    return total


def of_elements(n, k):
    total = 0
    for i in range(61):
        if i < len(N):
            total = total + int(N[i])
        else:
            total = total - 1
    return total


def largest_and_smallest(n, k):
    found, signs = [], []
    for i in range(60):
        found.append((i * n) % 17 - 8)
        signs.append(-0.0 if i % 2 else 0.0)
    return max(found), min(found), max(signs), min(signs)


PROGRAMS = (
    collatz, overflows_where_it_is_taken, overflows_where_it_is_not, one_arm_alone, flags, shifted,
    chained, by_subtraction, divided_by_what_it_asks, of_elements, largest_and_smallest,
)


def named(function):
    return function.__name__


@pytest.mark.parametrize("n", [27, 97, 1, HUGE - 7, 2**63 - 1, 3 * 2**60])
@pytest.mark.parametrize("backend", ["eager", "llvm"])
@pytest.mark.parametrize("program", PROGRAMS, ids=named)
def test_results_are_those_of_python(program, backend, n):
    compiled = dl.compile(program, backend=backend)
    with dl.config.patch(strict=True):
        for k in (1, 2, 0):
            check(compiled, program, n, k, calls=1)


@pytest.mark.parametrize(("program", "chooses"), [
    (collatz, True), (by_subtraction, True), (one_arm_alone, False), (flags, False),
    (divided_by_what_it_asks, False), (of_elements, False),
], ids=lambda value: getattr(value, "__name__", str(value)))  # fmt: skip
def test_which_branches_are_choices(program, chooses, caplog):
    with caplog.at_level("DEBUG", logger="dynamo_lite.output_code"), dl.config.patch(cache=False):
        dl.compile(program)(97, 2)
    assert ("if n" not in caplog.text) == chooses


def nothing_to_choose_from(n, k):
    found = []
    for i in range(60):
        if i * n > 10**6:
            found.append(i)
    return max(found)


def test_of_no_items():
    compiled = dl.compile(nothing_to_choose_from)
    assert compiled(10**6, 0) == nothing_to_choose_from(10**6, 0)
    for _ in range(2):
        with pytest.raises(ValueError, match="empty"):
            compiled(1, 0)


def not_a_number(x):
    found, all_ = [], []
    for v in x:
        if v == v:
            found.append(float(v))
        all_.append(v)
    return max(found), min(found), max(all_), min(all_)


def test_floats_are_compared_as_python_does():
    compiled = dl.compile(not_a_number)
    for x in (np.array([1.0, np.nan, 3.0, -2.0] * 20), np.array([np.nan, 1.0, -1.0] * 20),
              np.array([0.0, -0.0] * 30)):
        check(compiled, not_a_number, x, calls=1)


def test_what_is_not_taken_does_not_bail_out():
    dl.reset()
    compiled = dl.compile(overflows_where_it_is_not)
    for n in (HUGE, HUGE + 7):
        assert compiled(n, 2) == overflows_where_it_is_not(n, 2)
    assert dl.stats().bailouts == 0


def best_and_where(x):
    best, where, places = -np.inf, -1, []
    for i, v in enumerate(x):
        if v > best:
            best, where = v, i
        places.append(where)
    return best, where, places


def in_order(x):
    low, high = x[0], x[1]
    for v in x:
        if high < low:
            low, high = high, low
        if v <= low:
            low = v
        elif v >= high:
            high = v
    return low, high


def by_what_was_before(x):
    last, change = x[0], 0.0
    for v in x:
        rises = v > last
        last = v * 0.5
        if rises:
            change = last
    return last, change


@pytest.mark.parametrize("dtype", ["f4", "f8"])
@pytest.mark.parametrize("program", [best_and_where, in_order, by_what_was_before], ids=named)
def test_floats_that_a_comparison_chooses(program, dtype):
    compiled = dl.compile(program)
    inputs = np.random.default_rng(0).normal(size=60), np.array([0.0, -0.0, np.nan] * 20)
    for x in (*inputs, -inputs[1], np.array([np.nan, np.inf, -np.inf, 1.0, -1.0] * 12)):
        check(compiled, program, x.astype(dtype), calls=1)


def test_a_comparison_of_floats_chooses_without_a_branch(caplog):
    with caplog.at_level("DEBUG", logger="dynamo_lite.output_code"), dl.config.patch(cache=False):
        dl.compile(best_and_where)(np.arange(60.0))
    assert "if n" not in caplog.text
