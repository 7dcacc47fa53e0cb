"""`any`, `all` and `next` of generator expressions and lists whose items data decides: exactly
Python's, which goes no further than the first item that settles it."""
import numpy as np
import pytest

import dynamo_lite as dl

from ..oracle import check

X = np.linspace(-3.0, 3.0, 60)
FEW = np.array([0.5, -1.0, 2.0, 0.0])
INTS = np.arange(40) % 7
ROWS = np.arange(60.0).reshape(12, 5) % 13
NANS = np.array([1.0, np.nan, 3.0, np.inf] * 6)
NUMBERS = X.tolist()


def any_and_all(x):
    limit = x.max() / 2
    return any(v > limit for v in x), all(v < limit for v in x), any(v > 99 for v in x)


def all_true(x):
    return all(v < 99 for v in x), any(v for v in x), all(v for v in x)


def of_pairs(x):
    found = any(a > b + 2 for a, b in zip(x, x[1:]))  # noqa: RUF007
    return found, all(i >= 0 for i, _ in enumerate(x))


def by_index(x):
    n = len(x)
    ascends = all(x[i] <= x[i + 1] for i in range(n - 1))
    return ascends, any(x[i] > 2 for i in range(n)), next((i for i in range(n) if x[i] > 1), n)


def by_known_index(x):
    found = any(i == 70 for i in range(100))
    return "yes" if found else "no", all(i < 3 for i in range(3)), next(i for i in range(99) if i)


def with_conditions(x):
    return any(v > 1 for v in x if v < 0), all(v > 0 for v in x if v > 0 if v < 2)


def with_effects(x):
    seen = []
    found = any(seen.append(v) or v > 1 for v in x)
    return found, seen


def printed(x):
    return any(print(round(float(v), 3)) or v > -2 for v in x)


def warned_too_late(x):
    return any(v > -2.5 or np.log(v) > 9 for v in x), all(1 / (v + 1) < 5 for v in x)


def raised(x):
    try:
        return any(x[int(i)] > 1 for i in range(100))
    except IndexError as error:
        return str(error)


def raised_in_the_end(x):
    return any(x[i] > 9 for i in range(100))


def divided(x):
    return any(1 // int(v) > 3 for v in x)


def ambiguous(x):
    return any(np.stack([x, x]).T > 1 for _ in x)


def bound_outside(x):
    found = any((hit := v) > 1 for v in x)
    return found, hit if found else None


def kept_and_gone_on_with(x):
    later = (v > 0 for v in x)
    return any(later), len(list(later)), any(later)


def kept_and_closed_over(x):
    limit = 1
    later = (v > limit for v in x)
    limit = x[-1]
    return any(later), limit


def given_away(x):
    later = (v > 0 for v in x)
    holder = {"later": later}
    return any(later), sum(holder["later"])


def nested(x):
    return any(a + b > 5 for a in x for b in x), any(all(a >= b for b in x) for a in x)


def of_a_list(x):
    doubled = [v * 2 for v in x]
    return any(doubled), all(doubled), any([v > 9 for v in doubled]), all([v < 9 for v in x])  # noqa: C419


def of_a_short_list(x):
    d = [x[i] * 2 for i in range(4)]
    found = any([v > 3 for v in d])  # noqa: C419
    return found, all(v < 3 for v in d), any(v > 3 for v in d), any((d[0], d[1]))


def of_numbers_from_outside(x):
    return any(v > 2.5 for v in NUMBERS), all(v > x[0] for v in NUMBERS), any(NUMBERS)


def first(x):
    return next(v for v in x if v > 1), next(i for i, v in enumerate(x) if v > 1)


def first_or(x):
    return next((i for i, v in enumerate(x) if v > 99), -1), next((v for v in x if v > 9), 0.5)


def first_or_none(x):
    return next((v for v in x if v > 99), None)


def nothing_found(x):
    return next(v for v in x if v > 99)


def nothing_found_and_handled(x):
    try:
        return next(i for i, v in enumerate(x) if v > 99)
    except StopIteration:
        return "none"


def first_two(x):
    later = (v for v in x if v > 0)
    return next(later), next(later)


def first_of_all(x):
    return next(v * 2 for v in x), next(iter(x))


def in_a_loop(x):
    count = 0
    for k in range(30):
        if any(v > 3 - k / 10 for v in x) and not all(v > k for v in x):
            count += next((i for i, v in enumerate(x) if v > 0.5), 7)
    return count


def on_a_branch(x):
    if x[0] > 0:
        return any(v > 1 for v in x)
    return all(v > -9 for v in x)


def of_rows(m):
    return any(row.sum() > 30 for row in m), next(i for i, row in enumerate(m) if row[0] > 5)


FUNCTIONS = [
    any_and_all, all_true, of_pairs, by_index, by_known_index, with_conditions, with_effects,
    printed, warned_too_late, raised, raised_in_the_end, divided, ambiguous, bound_outside,
    kept_and_gone_on_with, kept_and_closed_over, given_away, nested, of_a_list, of_a_short_list,
    of_numbers_from_outside, first, first_or, first_or_none, nothing_found,
    nothing_found_and_handled, first_two, first_of_all, in_a_loop, on_a_branch,
]


@pytest.mark.parametrize("function", FUNCTIONS)
def test_searches_end_where_pythons_do(function):
    compiled = dl.compile(function)
    for x in (X, FEW, INTS, NANS, X[:0], X > 0, X[::-2], X.astype("f4")):
        check(compiled, function, x)


def test_rows_are_searched():
    check(dl.compile(of_rows), of_rows, ROWS)


@pytest.mark.parametrize("function", [
    any_and_all, all_true, of_pairs, by_index, with_conditions, of_a_list, of_a_short_list,
    first_or, in_a_loop,
])
def test_searches_are_part_of_the_graph(function):
    dl.compile(function)(X)
    assert dl.stats().graph_breaks == 0
