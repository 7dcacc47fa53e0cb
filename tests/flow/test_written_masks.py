"""What is selected, counted and found follows the array, whoever wrote into it since."""
import numpy as np
import pytest

import dynamo_lite as dl
from tests.oracle import check, differences, outcome

N = 100


def by_loops(d):
    a = np.zeros(N)
    for i in range(N):
        a[i] = d[i] > 10
    first = d[a == 0]
    b = np.zeros(N)
    for i in range(N):
        b[i] = d[i] > 50
    return first, d[b == 0]


def by_loops_into_one(d):
    a = np.zeros(N, bool)
    for i in range(N):
        a[i] = d[i] > 10
    first = d[a]
    for i in range(N):
        a[i] = d[i] > 50
    return first, d[a]


def by_one_loop_into_two(d):
    a, b = np.zeros(N), np.zeros(N)
    for i in range(N):
        a[i] = d[i] > 10
        b[i] = d[i] > 50
    return d[a == 0], d[b == 0]


def by_one_loop_into_views(d):
    a, b = np.zeros(N), np.zeros(N)
    v, w = a[:50], b[:50]
    for i in range(50):
        a[i] = d[i] > 10
        b[i] = d[i] > 30
    return d[:50][v == 0], d[:50][w == 0]


def by_while(d):
    a, i = np.zeros(N), 0
    while d[i] < 10:
        a[i] = 1
        i += 1
    first, i = d[a == 0], 0
    while d[i] < 50:
        a[i] = 1
        i += 1
    return first, d[a == 0]


def by_branches(d):
    a = np.zeros(N)
    first = d[a == 0]
    if d[0] < 1:
        a[:10] = 1
    else:
        a[:20] = 1
    second = d[a == 0]
    if d[0] > 1:
        a[:50] = 1
    else:
        a[60:] = 1
    return first, second, d[a == 0]


def by_a_loop_in_a_branch_in_a_loop(d):
    a = np.zeros(N)
    first = d[a == 0]
    for i in range(10):
        if d[i] > 3:
            for j in range(10):
                a[i * 10 + j] = 1
    return first, d[a == 0]


def in_memory_of_the_caller(d):
    first = d[d > 50]
    for i in range(N):
        d[i] = N - d[i] * 2
    return first, d[d > 50]


def through_a_view(d):
    a = np.zeros(N)
    v = a[:50]
    first = d[:50][v == 0]
    for i in range(40):
        a[i] = 1
    w, second = a[:50], d[:50][v == 0]
    for i in range(45):
        v[i] = 1
    return first, second, d[:50][w == 0], d[a == 0]


def places(d):
    a = np.zeros(N)
    first = np.where(a)[0], np.unique(a), np.flatnonzero(a == 0)
    for i in range(N):
        a[i] = d[i] % 3
    return first, np.where(a)[0], np.unique(a), np.flatnonzero(a == 0)


def counts(d):
    a = np.zeros(N)
    n = int(a.sum())
    for i in range(50):
        a[i] = 1
    m, k = int(a.sum()), np.count_nonzero(a)
    for i in range(70):
        a[i] = 1
    return d[n:], d[m:], np.zeros(k), d[: int(a.sum())], np.ones(np.count_nonzero(a))


def a_count_used_later(d):
    """The count is of the mask as it was, not as it is where the count is used."""
    m = d > 50
    n = m.sum()
    m[:70] = False
    few = m.sum()
    for i in range(30):
        m[i] = True
    return d[:n], d[:few], d[: m.sum()], np.arange(few), d[m]


def a_position_used_later(d):
    a = np.zeros(N)
    first = int(np.argmax(a))
    for i in range(N):
        a[i] = d[i] % 50
    return d[first:], d[int(np.argmax(a)) :], d[int(np.argmin(a)) :]


def selected_in_place(d):
    out, a = np.zeros(N), np.zeros(N)
    for i in range(N):
        a[i] = d[i] > 10
    out[a == 0] += 1
    for i in range(N):
        a[i] = d[i] > 50
    out[a == 0] += 1
    return out, np.unique(out)


def in_every_round(d):
    mask, total = d > 10, 0.0
    first = d[mask].sum()
    for i in range(N):
        mask[i] = False
        total += d[mask].sum()
    return first, total


def of_a_list(d):
    a, b = d > 5, d > 8
    first = len(np.nonzero([a, b])[0]), len(np.unique([d, -d]))
    a[:] = False
    d[3] = 77
    return first, len(np.nonzero([a, b])[0]), len(np.unique([d, -d]))


def two_outputs_of_one_call(d):
    a, b = np.zeros(N), np.zeros(N)
    first = d[a == 0]
    np.divmod(d, 7, out=(a, b))
    second = d[a == 0], d[b == 0]
    np.modf(d / 2, a, b)
    return first, second, d[a == 0], d[b == 0]


def by_numpy(d):
    a, k = np.zeros(N), np.array([1, 2, 3])
    found = [d[a == 0]]
    for i in range(30):
        np.add.at(a, k + i, 1)
    found.append(d[a == 0])
    np.copyto(dst=a, src=d, where=d > 50)
    found.append(d[a == 0])
    np.put(a, k, 0)
    found.append(d[a == 0])
    a.sort()
    found.append(d[a == 0])
    np.random.default_rng(3).random(out=a)
    return found, d[a < 0.5]


def by_functions_that_may(d):
    a, b = d[::-1].copy(), d[::-1].copy()
    first = d[a > 20], d[b > 20]
    np.median(a, overwrite_input=True)
    np.percentile(b, 30, None, None, True)
    np.nan_to_num(a, False)
    return first, d[a > 20], d[b > 20], a, b


@pytest.mark.parametrize("function", [
    by_loops, by_loops_into_one, by_one_loop_into_two, by_one_loop_into_views, by_while,
    by_branches, by_a_loop_in_a_branch_in_a_loop, in_memory_of_the_caller, through_a_view, places,
    counts, a_count_used_later, a_position_used_later, selected_in_place, in_every_round, of_a_list,
    two_outputs_of_one_call, by_numpy, by_functions_that_may,
], ids=lambda function: function.__name__)
@pytest.mark.parametrize("backend", ["eager", "llvm"])
def test_the_newest_contents_are_looked_at(function, backend):
    compiled = dl.compile(function, backend=backend)
    for _ in range(2):
        found, expected = (
            outcome(each, (np.arange(float(N)),)) for each in (compiled, function)
        )
        assert not differences(found, expected)


def grows(x, k):
    mask, total = x > 0, 0.0
    for i in range(45):
        total += x[mask].sum()
        mask[i % len(x)] = True
    return total


def shrinks(x, k):
    mask, found = x > 0, x[x > 0]
    found = x[mask]
    for i in range(45):
        found = x[mask] + 1
        mask[(i + k) % len(x)] = False
    return found


def written_before(x, k):
    mask, less = x > 0, x < k
    found = x[mask]
    mask[less] = False
    for _ in range(45):
        found = x[mask] * 2
    return found


def written_between(x, k):
    mask, less, total = x > 0, x < k, 0.0
    for i in range(45):
        first = x[mask]
        mask[less] = False
        total += x[mask].sum() + first.sum()
        mask[i % len(x)] = True
    return total


@pytest.mark.parametrize("program", [grows, shrinks, written_before, written_between])
def test_a_mask_that_was_counted_before_a_loop_is_counted_again(program):
    compiled = dl.compile(program)
    for k in (2, 100):
        check(compiled, program, np.arange(-4.0, 4.0), k)
