"""Slices of a fixed length at places that a loop computes: read, written, cut off at the ends."""
import numpy as np
import pytest

import dynamo_lite as dl

from ..oracle import check

VECTOR = np.cos(np.arange(300.0))
MATRIX = np.sin(np.arange(900.0)).reshape(30, 30)


def correlated(x, y):
    for i in range(len(x) - 4):
        y[i // 30, i % 30] = (x[i:i + 4] * x[:4]).sum()
    return y


def overlapping_sums(x, y):
    for i in range(len(y)):
        x[i * 5:i * 5 + 30] += y[i]
    return x


def shifted_along_itself(x, y):
    for i in range(len(x) - 8):
        x[i + 1:i + 4] = x[i:i + 3] * 0.5
        x[i:i + 3] = x[i + 1:i + 4][::-1]
    return x


def patches(x, y):
    out = np.zeros((10, 10))
    for i in range(10):
        for j in range(10):
            out[i, j] = y[3 * i:3 * i + 3, 3 * j:3 * j + 3].max()
            y[i:i + 2, j + 1] = x[j:j + 2]
            y[j, i:i + 3] = [1, 2, 3]
    return out


def columns(x, y):
    for j in range(27):
        y[1:, j:j + 2] = y[:-1, j + 1:j + 3] * x[j]
    return y


def standing_back(x, y, width=12):
    out = np.zeros(len(x))
    for t in range(width, len(x)):
        past = x[t - width:t]
        out[t] = past[-1] - past.mean()
    return out


def places_from_an_array(x, y):
    places = (np.abs(y[0]) * 200).astype(int)
    total = 0.0
    for place in places:
        x[place:place + 3] = total
        total += x[place + 2:place + 7].sum()
    return total, x


def views_that_are_changed(x, y):
    for i in range(200):
        part = x[i:i + 6]
        part[1] += part[0]
        part *= 0.5
    return x


@pytest.mark.parametrize("function", [
    correlated, overlapping_sums, shifted_along_itself, patches, columns, standing_back,
    places_from_an_array,
], ids=lambda f: f.__name__)
@pytest.mark.parametrize("order", "CF")
def test_one_graph(function, order):
    given = VECTOR.copy(), np.array(MATRIX, order=order)
    compiled = dl.compile(function, fullgraph=True)
    check(compiled, function, *given, calls=1)
    longer = np.r_[VECTOR, VECTOR], given[1]
    check(compiled, function, *longer, calls=1)
    assert not any(entry.bailouts for entry in compiled.entries())


def cut_off_at_the_end(x, y):
    ends = range(len(x) - 8, len(x))
    return np.array([x[i:i + 5].sum() for i in ends]), x[len(x) - 2:len(x) + 2]


def cut_off_in_a_loop(x, y):
    out = np.zeros(len(x))
    for i in range(len(x)):
        out[i] = x[i:i + 5].sum()
    return out


def counted_from_the_end(x, y):
    out = np.zeros(len(x))
    for i in range(len(x)):
        out[i] = x[i - 2:i].sum()
        y[0, i - 3:i] = i
    return out


def of_no_length(x, y):
    for i in range(len(x)):
        x[i:i] = 3.0
        y[i % 30:i % 30 - 1] = 2.0
    return x


def longer_than_the_array(x, y):
    total = 0.0
    for i in range(200):
        total += y[i % 2:i % 2 + 40].sum()
    return total


@pytest.mark.parametrize("function", [
    cut_off_at_the_end, cut_off_in_a_loop, counted_from_the_end, of_no_length,
    longer_than_the_array, views_that_are_changed,
], ids=lambda f: f.__name__)
def test_what_python_does_otherwise_is_left_to_it(function):
    compiled = dl.compile(function)
    for vector in VECTOR[:100], VECTOR:
        check(compiled, function, vector, MATRIX, calls=1)


def test_arrays_that_are_read_only_are_refused():
    frozen = VECTOR.copy()
    frozen.flags.writeable = False
    with pytest.raises(ValueError, match="read-only"):
        dl.compile(shifted_along_itself)(frozen, MATRIX)
    assert np.array_equal(frozen, VECTOR)
