"""Lists of lists of numbers in native loops: exactly Python's."""
import numpy as np
import pytest

import dynamo_lite as dl
from benchmarks.list_programs import edit_distance

from ..oracle import check

X = np.arange(60) * 7 % 11


def whole(x):
    d = [[0.5] * 6 for _ in range(5)]
    for i in range(len(x)):
        row = d[x[i] % 5]
        row[int(x[i]) % 6 - 6] += i
        if len(row) != 6 or len(d) != 5:
            return None
    return d


def whole_by_ints(x):
    d = [[0.5] * 6 for _ in range(5)]
    for i in range(len(x)):
        row = d[i % 5]
        row[i % 6 - 6] += i * x[i]
    return d, d[0] is d[0], d[1][2]


def whole_and_row(x):
    d = [[k, k + 1, 7] for k in range(5)]
    for i in range(len(x)):
        d[i % 5][2] += i
        d[-1][i % 2] = 3
    row = d[2]
    return d, row


def pascal(n):
    c = [[1, 0, 0, 0, 0, 0, 0, 0], [1, 1, 0, 0, 0, 0, 0, 0]] + [[1] + [0] * 7 for _ in range(6)]
    for i in range(2, 8):
        for j in range(1, i + 1):
            c[i][j] = c[i - 1][j - 1] + c[i - 1][j]
    total = 0
    for i in range(n):
        total += c[i % 8][i * 3 % 8]
    return total


def flags(x):
    seen = [[False] * 8 for _ in range(8)]
    found = 0
    for i in range(len(x)):
        if not seen[i % 8][i * i % 8]:
            seen[i % 8][i * i % 8] = True
            found += 1
    return found, seen


NATIVE = [
    (edit_distance, "kitten sitting on the mat" * 2, "sitting kittens at the mats" * 2),
    (whole_by_ints, X), (whole_and_row, X), (pascal, 90), (flags, X),
]


@pytest.mark.parametrize("backend", ["eager", "llvm"])
@pytest.mark.parametrize(("function", "arguments"), [(one[0], one[1:]) for one in NATIVE])
def test_rows_are_native(function, arguments, backend):
    check(dl.compile(function, backend=backend), function, *arguments)
    assert dl.stats().graph_breaks == 0


def shared(x):
    row = [0] * 4
    d = [row] * 4
    for i in range(len(x)):
        d[i % 4][i % 3] += 1
    return d


def with_a_name(x):
    d = [[0] * 4 for _ in range(4)]
    row = d[1]
    for i in range(len(x)):
        d[i % 4][i % 3] += 1
        row[0] += 2
    return d, row


def other_types(x):
    d = [[0] * 4 for _ in range(4)]
    for i in range(len(x)):
        d[i % 4][i % 3] = i / 2
    return d


def unequal(x):
    d = [[0] * (k + 3) for k in range(4)]
    for i in range(len(x)):
        d[i % 4][i % 3] += 1
    return d


def rows_replaced(x):
    d = [[0] * 3 for _ in range(4)]
    for i in range(len(x)):
        d[i % 4] = [i, i + 1, i + 2]
        d[i % 3][0] += 1
    return d


def rows_compared(x):
    d = [[0] * 3 for _ in range(4)]
    same = 0
    for i in range(len(x)):
        d[i % 4][i % 3] += 1
        same += (d[i % 4] is d[i % 3]) + (d[i % 4] == d[0]) + ([1, 2, 3] in d)
    return d, same


def too_far(x):
    d = [[0] * 3 for _ in range(4)]
    for i in range(len(x)):
        d[i % 5][i % 3] += 1
    return d


def too_far_in_a_row(x):
    d = [[0] * 3 for _ in range(4)]
    for i in range(len(x)):
        d[i % 4][-(i % 5)] += 1
    return d


def long_ints(x):
    d = [[1] * 3 for _ in range(4)]
    for i in range(len(x)):
        d[i % 4][i % 3] *= 1000
    return d


def by_bools(x):
    d = [[1] * 3 for _ in range(4)]
    for i in range(len(x)):
        d[i % 2 == 0][i % 3 == 0] += i
    return d


@pytest.mark.parametrize("function", [
    whole, shared, with_a_name, other_types, unequal, rows_replaced, rows_compared, too_far,
    too_far_in_a_row, long_ints, by_bools,
])
def test_other_uses_of_rows_are_pythons(function):
    check(dl.compile(function), function, X)
