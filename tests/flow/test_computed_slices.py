"""Slices in loops with bounds that the loop computes: any length, on any axis, read and written."""
import numpy as np
import pytest

import dynamo_lite as dl

from ..oracle import check

VECTOR = np.cos(np.arange(90.0))
MATRIX = np.sin(np.arange(8100.0)).reshape(90, 90)


def cholesky(x, m):
    a = m @ m.T + 90 * np.eye(90)
    for i in range(90):
        for j in range(i):
            a[i, j] = (a[i, j] - np.dot(a[i, :j], a[j, :j])) / a[j, j]
        a[i, i] = np.sqrt(a[i, i] - a[i, :i] @ a[i, :i])
    return a


def columns(x, m):
    for i in range(len(x)):
        for j in range(i, 90):
            m[i, j] -= m[i, :i] @ m[:i, j] * 0.01
    return m


def reversed_parts(x, m):
    y = np.zeros_like(x)
    for k in range(1, len(x)):
        y[k] = np.dot(np.flip(x[:k]), y[:k]) + x[k]
        y[:k] += 0.1 * np.flip(y[:k])
    return y


def rows_of_a_sparse_matrix(x, m):
    starts = np.minimum(np.arange(60) ** 2 // 30, 90)
    places = np.argsort(x)
    y = np.zeros(59)
    for i in range(59):
        low, high = starts[i], starts[i + 1]
        y[i] = x[starts[i]:starts[i + 1]] @ m[0][places[low:high]]
    return y


def clipped_at_both_ends(x, m):
    out = np.zeros((90, 3))
    for i in range(90):
        part = x[max(0, i - 4):i + 5]
        out[i, 0] = part.max() - part.min()
        out[i, 1] = x[i - 3:i + 60].sum() + len(x[i - 3:i])
        out[i, 2] = m[max(i - 2, 0):i + 3, max(i - 3, 0):i + 2].max()
    return out


def of_no_length(x, m):
    for i in range(90):
        x[i:i] = 3.0
        m[i:i - 1, :i] = 2.0
        x[i % 7] += x[i:0].sum() + np.dot(x[:0], x[i:i]) + x[i + 200:].size
    return x, m


def one_element(x, m):
    out = np.zeros(90)
    zeros = -np.zeros(90)
    for i in range(90):
        out[i] = np.dot(zeros[:i], np.ones(90)[:i])
    return np.copysign(1, out)


def halves(x, m):
    while len(x) > 0 and x[0] < 2:
        half = len(x) // 2
        x[:half] += x[half:2 * half]
        x[0] += 0.5
    return x


def searched(x, m):
    x = np.sort(x)
    low, high, total = 0, len(x), 0.0
    while low < high:
        middle = (low + high) // 2
        total += x[low:middle].sum()
        low, high = (low, middle) if x[middle] > 0.3 else (middle + 1, high)
    return total


def every_third(x, m):
    for i in range(90):
        x[i::3] += 1.0
        m[i, :i:2] = x[:i:2]
    return x, m


def in_one_arm(x, m):
    total, count = 0.0, 0
    for i in range(90):
        if x[i] > 0:
            part = x[:i]
            total += part.sum()
            count = len(part)
        else:
            count += len(x[i:i + 3])
            m[i, i:] = count
    return total, count, m


def handed_on(x, m):
    for i in range(90):
        y = x[:i].copy()
        for j in range(len(y)):
            y[j] *= 2
        m[i, :i] = y
    return m


def between_two_distances(x, m):
    total = 0.0
    for i in range(90):
        part = slice(8 - i, max(0, i - 2))
        total += np.inner(x[part] - 1, m[1, part] * 2)
    return total


def swapped(x, m):
    for i in range(89):
        for j in range(89 - i):
            if x[j] > x[j + 1]:
                x[j], x[j + 1] = x[j + 1], x[j]
    return x


PROGRAMS = [
    cholesky, columns, reversed_parts, rows_of_a_sparse_matrix, clipped_at_both_ends, of_no_length,
    one_element, searched, every_third, in_one_arm, handed_on,
    between_two_distances, swapped,
]


@pytest.mark.parametrize("function", PROGRAMS, ids=lambda f: f.__name__)
@pytest.mark.parametrize("backend", ["eager", "llvm"])
@pytest.mark.parametrize("order", "CF")
def test_one_graph(function, backend, order):
    given = VECTOR.copy(), np.array(MATRIX, order=order)
    compiled = dl.compile(function, fullgraph=True, backend=backend)
    with dl.config.patch(strict=True):
        check(compiled, function, *given, calls=2)
    assert not any(entry.bailouts for entry in compiled.entries())


def that_leaves_the_loop(x, m):
    for i in range(1, 90):
        part = x[:i] * 2
        rest = x[i:]
    return part, rest, len(rest)


def maximum_of_nothing(x, m):
    for i in range(90):
        m[i, 0] = x[:60 - i].max()


def lengths_that_differ(x, m):
    for i in range(90):
        x[:i] = m[0, :2 * i]


def one_that_is_repeated(x, m):
    for i in range(1, 90):
        x[:i] += m[0, :i // 2 + 1][:1]
    return x


def index_out_of_bounds(x, m):
    for i in range(90):
        m[i + 1, :i] = x[:i]


def overflow(x, m):
    x = x * 1e200
    for i in range(2, 90):
        m[0, i] = x[:i] @ x[:i]
    return m


@pytest.mark.parametrize("function", [
    that_leaves_the_loop, maximum_of_nothing, lengths_that_differ, one_that_is_repeated,
    index_out_of_bounds, overflow, halves,
], ids=lambda f: f.__name__)
def test_what_numpy_says(function):
    check(dl.compile(function), function, VECTOR.copy(), MATRIX.copy(), calls=2)


def column_products(x, m):
    for i in range(90):
        x[i] = np.dot(m[:, i], m[:, i]) + m[:, i] @ m[:, -i] + np.inner(m[i], m[:, i])
    return x


def windows(x, m):
    small = m.astype(np.float32)
    for i in range(90):
        j = 90 - i
        x[i] += m[max(i - 3, 0):i + 4, max(j - 9, 0):j].mean() + m[i:, :i + 1].sum()
        x[i] += small[i // 2:i, ::2].sum() + m[i:, i // 30].sum() - m[::-1, :i][i:].sum()
    return x


@pytest.mark.parametrize("order", "CF")
def test_sums_of_windows_are_native_and_have_the_bits_of_numpy(order):
    function = dl.compile(windows, fullgraph=True)
    check(function, windows, VECTOR.copy(), np.array(MATRIX, order=order), calls=2)
    large = np.sin(np.arange(40000.0)).reshape(200, 200)  # more than NumPy has in a buffer
    check(function, windows, VECTOR.copy(), np.array(large, order=order), calls=2)


def test_products_of_columns_have_the_bits_of_numpy():
    compiled = dl.compile(column_products, fullgraph=True)
    check(compiled, column_products, VECTOR.copy(), MATRIX.copy(), calls=2)
