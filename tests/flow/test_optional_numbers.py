"""Numbers that are None until data gives one, or where a function has no answer."""
import numpy as np
import pytest

import dynamo_lite as dl

from ..graphs import graph_of
from ..oracle import check


def between(x, t):
    if t < x[0]:
        return None
    if t > x[-1]:
        return None
    i = 0
    while i < len(x) - 1 and x[i + 1] < t:
        i += 1
    return x[i] + (t - x[i]) * 0.5


def handed_out(x, n):
    return between(x, n * 0.1)


def replaced(x, n):
    found = between(x, n * 0.1)
    if found is None:
        return -1.0
    return found * 2


def left_out(x, n):
    total, missing = 0.0, 0
    for i in range(n):
        found = between(x, i * 0.1)
        if found is None:
            missing += 1
            continue
        total += found
    return total, missing


def greatest(x, n):
    best = None
    for i in range(n):
        far = abs(x[i % 3] - 2.2) * (i % 7)
        if best is None or far > best:
            best = far
    return best


def greatest_of_pairs(x, n):
    best, where = None, None
    for i in range(n):
        for j in range(i):
            far = abs(x[i % 3] - x[j % 3]) * (j % 5)
            if best is None or far > best:
                best, where = far, i * j
    return best, where


def last_place(x, n):
    last = None
    for i in range(n):
        if x[i % 3] > 3:
            last = i
    if last is not None:
        last += 1
    return last, last is None, last is not None


def comes_and_goes(x, n):
    last, total = None, 0.0
    for i in range(n):
        if last is not None and x[i % 3] > 2:
            total += last
        last = x[i % 3] * i if i % 4 else None
    return total, last


def extremes(x, n):
    low = high = None
    for i in range(n):
        value = x[i % 3] * (i % 5)
        if low is None or value < low:
            low = value
        if high is None or value > high:
            high = value
    return low, high


def answers_sometimes(x, n):
    def inner(value):
        if value > 2:
            return value

    total = 0
    for i in range(n):
        found = inner(x[i % 3])
        if found is not None:
            total += found
    return total


def with_default(x, n, best=None):
    for i in range(n):
        if best is None:
            best = x[i % 3]
        else:
            best = max(best, x[i % 3])
    return best


def differences(x, n):
    before, found = None, np.zeros(n)
    for i in range(n):
        value = x[i % 3] * (i % 5)
        found[i] = 0.0 if before is None else value - before
        before = value
    return found


def rising(x, n):
    before, count = None, 0
    for i in range(n):
        value = x[i % 3] * (i % 5)
        if before is not None and value > before:
            count += 1
        before = value
    return count, before


def in_a_tuple(x, n):
    pair = None, 1
    for i in range(n):
        if x[i % 3] > 3:
            pair = i, 2
    return pair


def of_inner_loop(x, n):
    found = None
    for value in x:
        for i in range(n):
            if value > i:
                found = i
                break
    return found


def until_true(x, n):
    last, count = None, 0
    while not last and count < n:
        if x[count % 3] * count > 30:
            last = count
        count += 1
    return last, count


def where_true(x, n):
    last, count = None, 0
    for i in range(n):
        if last and x[i % 3] > last:
            count += 1
        last = x[i % 3] if i % 2 else None
    return count, last, not last


def compared(x, n):
    """Numbers of all kinds are unequal to None; what is None already is not."""
    best, last, known = None, None, 0.5 * n
    for i in range(n):
        far = x[i % 3] * (i % 7)
        if best == None or far > best:  # noqa: E711
            best = far
        if None != last and far < 5:  # noqa: E711
            last = None
        elif far != None and i % 5 != None and known != None:  # noqa: E711
            last = i
    return best, last, best != None, last == None, None == known  # noqa: E711


LOOPS = [compared, until_true, where_true, left_out, greatest, greatest_of_pairs, last_place,
         comes_and_goes, extremes, answers_sometimes, with_default, differences, rising]


def in_containers(x, n):
    value = None if x[0] > n else x[1]
    return [value], (value, 1), {"a": value}, value is None, not value is None  # noqa: E714


def in_sums(x, n):
    value = None if x[0] > n else x[1]
    return value + 1


def negative(x, n):
    value = None if x[0] > n else 5
    return -value if n else abs(value)


def compared(x, n):
    value = x[1] if x[0] > n else None
    return value == None, value != 2.0  # noqa: E711


def as_truth(x, n):
    value = None if x[0] > n else x[1]
    return 1 if value else 2


def truths(x, n):
    one = None if x[0] > n else True
    two = None if x[0] > n else 0
    three = None if x[0] > n else x[2] > 3
    return 1 if one else 2, not one, 1 if two else 3, not three


def or_another(x, n):
    last = None
    for i in range(n):
        if x[i % 3] * i > 20:
            last = x[i % 3]
    return last or 0.5, last and 2


def array_or_none(x, n):
    return None if x.sum() > n else x


def two_of_them(x, n):
    one = None if x.sum() > n else n
    other = None if x.sum() < n else n * 2
    return one, other, one is other


def begins_as_number(x, n):
    value = 1.5
    for i in range(n):
        if value is not None:
            value = value + x[i % 3]
            if value > 40:
                value = None
        else:
            value = 0.5
    return value


def in_functions(x, n):
    last = None
    for i in range(n):
        if x[i % 3] > 2:
            last = x[i % 3] * i
    return max(last, 3.0) if last is not None else 0, f"{last}", np.sqrt(last)


def stored(x, n):
    last = None
    for i in range(n):
        if x[i % 3] > 2:
            last = x[i % 3] * i
    x[0] = last
    return [1, 2, 3][-1 if last is None else 1]


def as_key(x, n):
    last, found = None, {}
    for i in range(n):
        if x[i % 3] > 2:
            last = i
    found[last] = 1
    rows = [last]
    rows.append(last)
    return found, rows, isinstance(last, int), str(last), last in (None, 3)


class Holder:
    def __init__(self):
        self.best = None


def in_a_field(x, n):
    holder = Holder()
    for i in range(n):
        value = x[i % 3] * (i % 5)
        if holder.best is None or value < holder.best:
            holder.best = value
    return holder.best


def ends_a_loop(x, n):
    i = None
    while i is None or i < n:
        i = 0 if i is None else i + 1
    return i


def collected(x, n):
    found = []
    for i in range(n):
        value = between(x, i * 0.1)
        if value is None:
            break
        found.append(value)
    return found


OTHERS = [handed_out, replaced, in_a_tuple, of_inner_loop, in_containers, in_sums, negative,
          compared, as_truth, truths, or_another, array_or_none, two_of_them, begins_as_number,
          in_functions, stored, as_key, in_a_field, ends_a_loop, collected]
X = np.array([1.0, 2.0, 3.5])


@pytest.mark.parametrize("function", [*LOOPS, *OTHERS])
def test_values_types_and_errors(function):
    compiled = dl.compile(function)
    for n in (45, 0, 1, 2, 60, 3):
        check(compiled, function, X, n)
    for x in ([0.0, -0.0, np.nan], [1e300, np.inf, -1e308], [0.5, 0.25, 0.125]):
        check(compiled, function, np.array(x), 43)
    check(compiled, function, np.array([1, 2, 3]), 44)


@pytest.mark.parametrize("function", LOOPS)
def test_they_are_loops_of_the_graph(function):
    assert len(graph_of(function, X, 60).nodes) < 40


def test_the_number_is_the_object_that_was_given():
    def function(x, value):
        return None if x.sum() > 10 else value

    compiled, value = dl.compile(function), 1234.5678
    assert compiled(X, value) is value
    assert compiled(X * 9, value) is None
