"""Elements of rows, `d[i][j]`, are read and written where they lie."""
import numpy as np
import pytest

import dynamo_lite as dl

from ..oracle import check


def below(d):
    for i in range(1, 50):
        for j in range(1, 50):
            d[i][j] = d[i - 1][j] + 1


def beside(d):
    for i in range(1, 50):
        for j in range(1, 50):
            d[i][j] = d[i][j - 1] + 1


def by_a_name(d):
    for i in range(1, 50):
        row = d[i]
        for j in range(1, 50):
            row[j] = (row[j - 1] + d[i - 1][j]) % 101


def of_a_plane(d):
    cube = d.reshape(50, 5, 10)
    for i in range(50):
        for j in range(5):
            for k in range(9):
                cube[i][j][k + 1] += cube[i][j, k] + cube[i, j][-1]


def by_negative_positions(d):
    for i in range(50):
        for j in range(50):
            d[-i][-j] = d[i - 25][j - 25] + 1


def parts_of_rows(d):
    for i in range(1, 50):
        for j in range(1, 50):
            d[i][j:] = d[i - 1][:-j] + d[i, 0]


def handed_out(m, k):
    return m[k[1]], m[k[0] % 5][1:], m[k[2], ::2].reshape(2, 2)


def written_after_a_break(m, k):
    row = m[k[1]]
    dl.graph_break()
    row[2] = k[0]
    return row


@pytest.mark.parametrize("program", [handed_out, written_after_a_break], ids=lambda f: f.__name__)
@pytest.mark.parametrize("backend", ["eager", "llvm"])
def test_rows_that_leave_the_graph_are_views(program, backend):
    k = np.array([1, 2, 3])
    arguments = [np.random.default_rng(0).random((5, 8)), k]
    with dl.config.patch(strict=True):
        check(dl.compile(program, backend=backend), program, *arguments, calls=1)


@pytest.mark.parametrize(
    "program", [below, beside, by_a_name, of_a_plane, by_negative_positions, parts_of_rows],
    ids=lambda f: f.__name__,
)
@pytest.mark.parametrize("backend", ["eager", "llvm"])
def test_rows(program, backend):
    array = np.arange(2500).reshape(50, 50) * 7919 % 101
    expected, found = array.copy(), array.copy()
    program(expected)
    with dl.config.patch(strict=True):
        dl.compile(program, backend=backend)(found)
    assert np.array_equal(found, expected)
