"""Arrays that iterations pass on and write into, under whatever names they have."""
import numpy as np
import pytest

import dynamo_lite as dl

from ..oracle import check


def part_of_an_argument(m):
    v = np.zeros(8)
    for i in range(48):
        v += m[2]
        v = m[(i % 8) // 2 % 5]
    return v.sum()


def part_of_another(m):
    v, w = np.zeros(8), np.ones((5, 8))
    for i in range(48):
        v += m[2]
        v = w[i % 5]
    return v.sum(), w


def by_two_names(m):
    u, v = np.zeros(8), np.ones(8)
    for i in range(48):
        v += m[2]
        u[0] += 1
        u = v
    return u, v


def new_ones_by_two_names(m):
    u, v = np.zeros(8), np.ones(8)
    for i in range(48):
        v += m[2]
        u[0] += 1
        u = v = m[3] * i
    return u, v, u is v


def taking_turns(m):
    u, v = np.zeros(8), np.ones(8)
    for i in range(48):
        u[1:] = v[:-1] + m[i % 5, 1:]
        u, v = v, u
    return u, v


def turned_round(m):
    v = np.zeros(8)
    for i in range(48):
        v += m[i % 5]
        v = v[::-1]
    return v.copy()


@pytest.mark.parametrize("backend", ["eager", "llvm"])
@pytest.mark.parametrize("program", [
    part_of_an_argument, part_of_another, by_two_names, new_ones_by_two_names, taking_turns,
    turned_round,
])
def test_writes_reach_all_who_have_the_array(program, backend):
    check(dl.compile(program, backend=backend), program, np.arange(40.0).reshape(5, 8) / 7)


def an_argument(x, y, first):
    v, a = x.copy(), 0.0
    for i in range(first[0] % 9, 8):
        v = y
        a = v[i]
    return a, v


def a_part_of_an_argument(x, y, first):
    v, a = x[0], 0.0
    for i in range(first[0] % 9, 8):
        v = y[1:]
        a = v[i - 1]
    return a, v


def another_that_is_returned(x, y, first):
    v, w = x.copy(), y + 1
    for _ in range(first[0] % 9, 8):
        v = w
    return v, w


def an_argument_or_a_new_one(x, y, first):
    v = x * 2
    for i in range(first[0] % 9, 8):
        v = y if y[i] > 0.7 else x + v
    return v


def a_new_one_by_numbers_of_another_branch(x, y, first):
    v, t = x * 2, 3
    for i in range(first[0] % 9, 8):
        if y[i] > 0.5:
            t = 1
            x[0] = 7.0
        if x[2] > 0:
            v = x + v * t
    return v, t


def a_new_one_by_a_number_that_stays(x, y, first):
    v, t = x * 2, 0.5
    for i in range(first[0] % 9, 8):
        v, t = v + y[i], t
        if x[2] > 0:
            v = x + v * t
    return v, t


def another_that_is_written_behind(x, y, first):
    v, w = x.copy(), y + 1
    for _ in range(first[0] % 9, 8):
        v = w
    w[0] = 99.0
    return v


def a_part_or_what_a_loop_made(x, y, first):
    """The inner loop's array is one of several; the branches around it may leave the part."""
    p, j, a, v = x[:2], np.arange(2), 0.0, np.zeros(8)
    for _ in range(len(x) * 6):
        for _ in range(len(p)):
            if x[2] > 0 and a < 10:
                while v.sum() > 3:
                    if v[0]:
                        a = 0.25
                        break
                    p = x[j]
    return p, v


@pytest.mark.parametrize("backend", ["eager", "llvm"])
@pytest.mark.parametrize("first", [0, 3, 8])
@pytest.mark.parametrize("program", [
    an_argument, a_part_of_an_argument, another_that_is_returned, an_argument_or_a_new_one,
    a_new_one_by_numbers_of_another_branch, a_new_one_by_a_number_that_stays,
    another_that_is_written_behind, a_part_or_what_a_loop_made,
])
def test_a_result_is_the_array_that_iterations_found(program, first, backend):
    """`check` compares who shares memory."""
    x, y = np.arange(8.0), np.arange(8.0) / 7
    check(dl.compile(program, backend=backend), program, x, y, np.array([first]))
