"""Elements that one iteration stores and the next one reads, which stay in a register between; and
integers whose overflow the processor tells."""
import re

import numpy as np
import pytest

import dynamo_lite as dl

from ..oracle import check

VECTOR = np.cos(np.arange(200.0))
MATRIX = np.sin(np.arange(600.0)).reshape(20, 30)


def recurrence(x, m):
    y = np.empty_like(x)
    y[0] = x[0]
    for i in range(1, len(x)):
        y[i] = 0.3 * x[i] + 0.7 * y[i - 1]
    return y


def backwards(x, m):
    y = np.zeros(len(x) + 1)
    for i in range(len(x) - 1, -1, -1):
        y[i] = x[i] - 0.5 * y[i + 1]
    return y


def two_apart(x, m):
    y = np.ones(len(x))
    for i in range(2, len(x), 2):
        y[i] = y[i - 2] * 0.5 + x[i - 1]
    return y


def along_rows(x, m):
    d = m.copy()
    for i in range(1, d.shape[0]):
        for j in range(1, d.shape[1]):
            d[i, j] = abs(x[i] - x[j]) + min(d[i - 1, j], d[i, j - 1], d[i - 1, j - 1])
    return d


def in_both_arms(x, m):
    n = len(x)
    table = np.zeros((n + 1, n + 1), dtype=np.int32)
    for i in range(n):
        for j in range(n):
            if x[i] < x[n - 1 - j]:
                table[i + 1, j + 1] = table[i, j] + 1
            else:
                table[i + 1, j + 1] = max(table[i, j + 1], table[i + 1, j])
    return table


def until_large(x, m):
    y = np.ones(len(x) + 1)
    for i in range(len(x)):
        y[i + 1] = y[i] * 1.1 + abs(x[i])
        if y[i + 1] > 40:
            break
    return y, i


def not_in_the_first_iteration(x, m):
    y = np.zeros(len(x))
    for i in range(len(x)):
        if i > 0:
            y[i] = y[i - 1] + x[i]
        else:
            y[i] = x[i]
    return y


def sums_of_rows(x, m):
    y = np.zeros(m.shape[0])
    for i in range(m.shape[0]):
        for j in range(i, m.shape[1]):
            y[i] += m[i, j] * x[int(abs(x[j]) * 20)]
    return y


def of_those_above(x, m):
    y = np.zeros((2, 3))
    for v in x:
        y[1, 2] += 1
        if v > 0.5:
            y[1, 2] *= v
            continue
        y[1, 2] -= y[0, 0] + v
    return y


def halved_until_small(x, m):
    y = np.array([x[0] + 100.0, 0.5])
    while y[0] > x[1]:
        y[0] = y[0] * y[1]
    return y


def read_at_other_places(x, m):
    y = np.zeros(3)
    total = 0.0
    for i in range(len(x)):
        y[1] = y[1] * 0.5 + x[i]
        total += y[i % 3]
    return y, total


CARRIED = (
    recurrence, backwards, two_apart, along_rows, in_both_arms, until_large, sums_of_rows,
    of_those_above, halved_until_small, read_at_other_places,
)  # fmt: skip


def read_behind_the_store(x, m):
    y = np.zeros(len(x) + 1)
    total = 0.0
    for i in range(len(x)):
        y[i + 1] = x[i] * 2
        total += y[i]
    return total, y


def stored_in_one_arm(x, m):
    y = np.ones(len(x) + 1)
    for i in range(len(x)):
        before = y[i]
        if x[i] > 0:
            y[i + 1] = before + x[i]
    return y


def stored_twice(x, m):
    y = np.ones(len(x) + 2)
    for i in range(len(x)):
        y[i + 1] = y[i] + x[i]
        y[i + 2] = y[i + 1] * 0.5
    return y


def of_bools(x, m):
    odd = np.zeros(len(x), dtype=bool)
    for i in range(1, len(x)):
        odd[i] = odd[i - 1] != (x[i] > 0)
    return odd


def at_a_place_of_data(x, m):
    y = np.zeros((4, len(x) + 1))
    for i in range(len(x)):
        row = int(abs(x[i]) * 3.9)
        y[row, i + 1] = y[row, i] + 1
    return y


OTHERS = (
    not_in_the_first_iteration, read_behind_the_store, stored_in_one_arm, stored_twice, of_bools,
    at_a_place_of_data,
)  # fmt: skip


@pytest.mark.parametrize("program", [*CARRIED, *OTHERS])
def test_elements_are_those_of_python(program):
    compiled = dl.compile(program)
    with dl.config.patch(strict=True):
        for n in (200, 200, 31, 47, 30):
            check(compiled, program, VECTOR[:n].copy(), MATRIX.copy())


@pytest.mark.parametrize("program", CARRIED)
def test_they_are_carried(program, caplog):
    with caplog.at_level("DEBUG", logger="dynamo_lite.output_code"):
        dl.compile(program)(VECTOR.copy(), MATRIX.copy())
    assert re.search(r"carried0:\w\[0\] = ", caplog.text)


def test_arguments_may_lie_on_each_other():
    def shifted(a, b):
        for i in range(1, len(a)):
            a[i] = a[i - 1] * 0.5 + b[i]
        return a

    compiled = dl.compile(shifted)
    for first, second in ((0, 0), (0, 1), (1, 0), (3, 2)):
        mine, theirs = VECTOR.copy(), VECTOR.copy()
        compiled(mine[first:first + 80], mine[second:second + 80])
        shifted(theirs[first:first + 80], theirs[second:second + 80])
        assert mine.tobytes() == theirs.tobytes()


NUMBERS = [
    (2**31, 2**32), (2**31, 2**32 - 1), (-(2**31), 2**32), (3037000500, 3037000500),
    (3037000499, 3037000499), (-(2**63), 1), (2**62, -2), (2**62, 2), (-1, 2**63 - 1),
]  # fmt: skip


@pytest.mark.parametrize("of_numpy", [False, True])
@pytest.mark.parametrize("pair", NUMBERS)
def test_products_that_just_fit_and_those_that_do_not(pair, of_numpy):
    def program(a, b, n):
        total = a * b
        for i in range(n):
            total = total ^ (a * b - i)
        return total

    kind = np.int64 if of_numpy else int
    check(dl.compile(program), program, *map(kind, pair), 50)


@pytest.mark.parametrize("dtype", ["i1", "u1", "i2", "u2", "i4", "u4", "u8"])
def test_products_sums_and_differences_of_small_integers(dtype):
    def program(x, operation):
        out = np.zeros(len(x) ** 2, dtype=x.dtype)
        for i in range(len(x)):
            for j in range(len(x)):
                if operation == 0:
                    out[i * len(x) + j] = x[i] * x[j]
                elif operation == 1:
                    out[i * len(x) + j] = x[i] + x[j]
                else:
                    out[i * len(x) + j] = x[i] - x[j]
        return out

    limits, compiled = np.iinfo(dtype), dl.compile(program)
    root = int(limits.max**0.5)
    small = [0, 1, 2, 3, root - 1, root] + ([-1, -2, -root] if limits.min else [])
    large = [*small, root + 1, limits.max, limits.min]
    for numbers in (small, large):
        for operation in range(3):
            check(compiled, program, np.array(numbers, dtype), operation)
