"""Loops without an iteration leave the arrays from before: the very objects, and their memory."""
import numpy as np
import pytest

import dynamo_lite as dl

from ..oracle import differences, outcome

X = np.arange(11.0)


def passed_on(x, k):
    for i in range(k):
        x = x + i
    return x


def written_after(x, k):
    y = x
    for i in range(k % 12):
        y = y * 2
    y[:2] = -1
    return x, y


def view(x, k):
    y = x[1:]
    for v in x[k:]:
        y = y + v
    y += 1
    return y, x


def downwards(x, k):
    y = x
    for i in range(k, 0, -1):
        y = y + i
    return y


def counted_by_data(x, k):
    y = x
    for _ in range(int((x > 11 - k).sum())):
        y = y * 2
    y += 1
    return x.sum(), y


def inner(x, k):
    y = x
    for _ in range(9):
        for j in range(k):
            y = y + j
    return y


def inner_by_the_outer(x, k):
    y = x
    for i in range(9):
        for j in range(i - 9 + k):
            y = y + j
    return y, x


def two_names(x, k):
    r = x - 1
    p = r
    for _ in range(k):
        r = r * 2
        p = p + r
    p += 1
    return r, p


def in_a_callee(x, k):
    a = x * 2
    b = passed_on(a, k)
    b += 1
    return a, b


def in_a_list(x, k):
    a = x * 2
    kept = [a]
    for i in range(k):
        a = a + i
    return a, kept


PROGRAMS = [passed_on, written_after, view, downwards, counted_by_data, inner, inner_by_the_outer,
            two_names, in_a_callee, in_a_list]


@pytest.mark.parametrize("counts", [(9, 4, 0, 1, 12, -3), (0, 9, 11, 1), (3, 0, 5)])
@pytest.mark.parametrize("program", PROGRAMS)
def test_results_are_the_same_objects(program, counts):
    for dynamic in (None, True):
        compiled = dl.compile(program, dynamic=dynamic)
        for k in counts:
            found, expected = (outcome(f, (X.copy(), k)) for f in (compiled, program))
            assert not differences(found, expected), (k, differences(found, expected))


def of_its_own(x):
    total = np.zeros(3)
    for v in x:
        total = total + v
    return total


def test_an_array_with_one_name_needs_no_other_compilation():
    compiled = dl.compile(of_its_own, fullgraph=True)
    for n in (5, 1, 0, 2, 10**4):
        assert np.array_equal(compiled(np.arange(float(n))), of_its_own(np.arange(float(n))))
    assert len(compiled.entries()) == 2
