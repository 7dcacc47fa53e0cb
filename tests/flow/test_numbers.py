"""Python's max and min, and variables whose type depends on data: value, sign of zero and type."""
import numpy as np
import pytest

import dynamo_lite as dl

from ..oracle import check

SPECIAL = [0.0, -0.0, np.nan, np.inf, -np.inf, 1.0, 3.0]


def largest(x):
    m = x[0]
    for v in x:
        m = max(m, v)
    return m


def smallest_of_three(x):
    m = x[0]
    for i in range(len(x)):
        m = min(x[i], m, 3.0)
    return m


def largest_change(x):
    change = 0.0
    for i in range(1, len(x)):
        change = max(change, abs(x[i] - x[i - 1]))
    return change


def from_an_int(x):
    best = 0
    for i in range(1, len(x)):
        best = max(best, x[i] - x[i - 1])
    return best, min(best, 5), best * 2.0, best > 3


def with_its_place(x):
    best, where = -np.inf, 0
    for i, v in enumerate(x):
        if v > best:
            best, where = v, i
    return best, where, best + 1, -best


def sometimes_assigned(x):
    total = 0
    for i in range(50):
        part = 0.0
        if x[i] > 0.5:
            part = x[i]
        total = total + part
    return total, part


def after_a_branch(x):
    if x[0] + x[1] > 1:
        a = 1.0
    else:
        a = x[2]
    return a, a + 1, -a, abs(a), a < 2, a == 1


def of_three_types(x):
    a = 1 if x[1] > 2 else 0.5 % x[0]
    if x[7] < 1:
        if 1 > a:
            a = 0.5 % (1 / a)
    return a


def of_a_few(x):
    return (max(x[0], x[1], x[2]), min(x[0], x[1]), max(float(x[0]), 1), min(1.0, x[3]),
            max(x[:3]), min([x[0], x[4]]), max(x[0], 0))


PROGRAMS = [largest, smallest_of_three, largest_change, from_an_int, with_its_place,
            sometimes_assigned, after_a_branch, of_three_types, of_a_few]


def arrays():
    r = np.random.default_rng(0)
    for n in (50, 60, 45):
        for _ in range(3):
            yield r.random(50) * 10 - 4
            yield r.choice(SPECIAL, max(n, 50))
            yield r.choice([0.0, -0.0, np.nan, 2.0], 50)
            yield np.concatenate([r.choice([0.0, -0.0], 50), [0.6]])


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda f: f.__name__)
@pytest.mark.parametrize("backend", ["eager", "llvm"])
def test_values_and_types(program, backend):
    with dl.config.patch(strict=True):
        compiled = dl.compile(program, backend=backend)
        for x in arrays():
            check(compiled, program, x, calls=1)


def largest_integer(k):
    best = 0
    for v in k:
        if v > best:
            best = v
    return best, best + 1, best * 2 // 3


def overflowing(k):
    total = 1
    for v in k:
        total = max(total * 3, v)
    return total


def a_size_at_first(k):
    found = len(k[:3])
    for i in range(len(k)):
        for j in range(len(k)):
            if k[-1] == 0:
                continue
            found = found + (k[i] == k[j])
    return found


def flags(k):
    is_sorted, has_pairs, is_odd, last = True, False, False, -(2**62)
    for v in k:
        value = int(v)
        is_sorted &= last <= value
        has_pairs |= last == value
        is_odd = is_odd ^ (value % 2 == 1) ^ (value > 3)
        last = value
    return is_sorted, has_pairs, is_odd, is_sorted & (last > 3) | is_odd


INTEGERS = [largest_integer, overflowing, a_size_at_first, flags]


def test_flags_are_compiled():
    dl.compile(flags, fullgraph=True)(np.arange(60))


@pytest.mark.parametrize("program", INTEGERS, ids=lambda f: f.__name__)
def test_integers(program):
    with dl.config.patch(strict=True):
        compiled = dl.compile(program)
        for k in (np.arange(60), np.arange(-70, 0), np.full(50, 2**62)):
            check(compiled, program, k, calls=1)


def elements(x):
    t = 0
    for v in x:
        t += v
    for i, v in enumerate(x, 3):
        t += i * v
    for a, b in zip(x, x[1:]):  # noqa: RUF007
        t += a * b
    for a, b, k in zip(x, range(3, 1000, 2), range(7, 8000)):
        t += a * b - k
    return t


def rows(x):
    d = x[: len(x) // 2 * 2].reshape(-1, 2)
    t = 0.0
    for row in d:
        t = t * 0.5 + row[0] - row[1]
    return t


def changed_while_iterated(x):
    x = x.copy()
    t = 0.0
    for i, v in enumerate(x):
        x[(i + 1) % len(x)] += 0.5 * v
        t += v
    return t, x


def pairs(x):
    it = iter(x)
    t = 0.0
    for a, b in zip(it, it):
        t += a * b
    return t


def left_in_the_middle(x):
    it = iter(x)
    for v in it:
        if v > 5:
            break
    rest = 0
    for _ in it:
        rest += 1
    return rest


@pytest.mark.parametrize(
    "program", [elements, rows, changed_while_iterated, pairs, left_in_the_middle],
    ids=lambda f: f.__name__,
)
@pytest.mark.parametrize("backend", ["eager", "llvm"])
def test_loops_over_values(program, backend):
    with dl.config.patch(strict=True):
        compiled = dl.compile(program, backend=backend)
        for n in (100, 80, 300, 1, 2, 0, 41):
            x = np.arange(float(n)) % 7
            check(compiled, program, x, calls=1)


def test_loops_over_values_are_compiled_once_for_all_lengths():
    dl.reset()
    compiled = dl.compile(elements, fullgraph=True)
    for n in (100, 80, 300, 41, 70):
        compiled(np.arange(float(n)))
    assert dl.stats().graphs == 2


def one_round(x, u):
    while True:
        u += x
        if u[0] > 0:
            u *= 2
        else:
            u -= 1
        if len(x):
            break
    return u


def only_one_round(x, u):
    for _ in range(60):
        if x.sum() > 3:
            u += x
        elif u[0] == 1:
            break
        if len(x):
            break
    return u


@pytest.mark.parametrize("program", [one_round, only_one_round], ids=lambda f: f.__name__)
def test_loops_that_always_end_in_their_first_round(program):
    for x in (np.ones(8), np.zeros(8)):
        check(dl.compile(program), program, x, x.copy(), calls=1)


def known_numbers_shifted(x, first):
    total = 0
    for k in range(first, first + len(x)):
        total ^= (1 << k) ^ (5 << k) ^ (-3 << k) ^ (0 << k)
    return total


@pytest.mark.parametrize("first", [0, 1, 20, 21, 22, 23, 60, 70, -1])
def test_shifts_to_the_left(first):
    compiled = dl.compile(known_numbers_shifted)
    for _ in range(2):
        check(compiled, known_numbers_shifted, np.zeros(40), first, calls=1)


def test_shifts_that_fit_run_compiled():
    compiled = dl.compile(known_numbers_shifted)
    for first in (0, 20):
        assert compiled(np.zeros(40), first) == known_numbers_shifted(np.zeros(40), first)
    assert dl.stats().bailouts == 0
