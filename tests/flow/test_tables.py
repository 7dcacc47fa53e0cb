"""Dicts and sets in native loops, with keys that data decides: exactly Python's."""
from collections import defaultdict

import numpy as np
import pytest

import dynamo_lite as dl

from ..oracle import check

NUMBERS = np.arange(200) ** 2 % 37
TEXT = "abracadabra, aah" * 9
HALVES = {k: k / 2 for k in range(40)}
PAIRS = {(a, b): a - 2 * b for a in range(40) for b in range(2)}


# -- dicts of the caller's


def weights(x, table):
    total = 0.0
    for k in x:
        total += table[k]
    return total


def weights_or_none(x, table):
    total = 0.0
    for i in range(len(x)):
        if int(x[i]) in table:
            total += table.get(x[i] + 1, 0.25)
    return total


def by_pairs(x, table):
    total = 0
    for i in range(1, len(x)):
        if (x[i], x[i - 1] % 3) in table:
            total += table[x[i], x[i - 1] % 3]
    return total


def complements(x, table):
    same = 0
    for i in range(len(TEXT)):
        if table[x[i]] == x[-i]:
            same += 1
    return same


def absent(x, table):
    count = 0
    for v in x:
        if v not in table:
            count += 1
    return count


OF_THE_CALLER = [
    (weights, NUMBERS, HALVES), (weights, NUMBERS, dict.fromkeys(range(40), 3)),
    (weights, NUMBERS % 3, {0: 0.5, 2: 1.5, 1: -1.0}), (weights, NUMBERS % 1, {0: 2.0}),
    (weights, NUMBERS, dict.fromkeys(range(40), np.float64(0.1))),
    (weights_or_none, NUMBERS, {k: k / 2 for k in range(0, 40, 3)}),
    (weights, NUMBERS / 4, {k / 4: 1.5 for k in range(40)}),
    (by_pairs, NUMBERS, PAIRS), (complements, TEXT, dict(zip("abcdhr ,", "hrdcba, "))),
    (absent, NUMBERS, {-1: 0.5, 4: 1.0, 2**60: 2.0}),
]


@pytest.mark.parametrize(("program", "x", "table"), OF_THE_CALLER)
def test_keys_are_looked_up_in_dicts_of_the_caller(program, x, table):
    compiled = dl.compile(program)
    with dl.config.patch(strict=True):
        check(compiled, program, x, table)
    assert dl.explain(program)(x, table).graph_break_count == 0


def test_other_calls_have_other_keys_and_values():
    compiled = dl.compile(weights)
    for count in (40, 60, 50, 38):
        table = {k: k * count for k in range(count)}
        assert compiled(NUMBERS, table) == weights(NUMBERS, table)
    assert dl.stats().graphs <= 4
    for table in ({k: str(k) for k in range(40)}, {k: [k] for k in range(40)}):
        with pytest.raises(TypeError):
            compiled(NUMBERS, table)


def test_a_missing_key_is_the_error_that_python_raises():
    with pytest.raises(KeyError) as caught:
        dl.compile(weights)(NUMBERS, {0: 1.0, 1: 2.0})
    assert caught.value.args[0] == 4 and type(caught.value.args[0]) is np.int64


# -- dicts and sets that the loop fills


def counts(x):
    found = {}
    for i in range(len(x)):
        found[int(x[i])] = found.get(int(x[i]), 0) + 1
    return found, len(found)


def numpy_keys(x):
    found = {}
    for i, v in enumerate(x):
        if v in found:
            found[v] += i / 2
        else:
            found[v] = i / 2
    return found


def visits(x):
    seen, steps, place = set(), 0, (0, 0)
    while place not in seen:
        seen.add(place)
        steps += 1
        place = (place[0] * 7 + 3) % 31, int(x[steps % 40])
    return seen, steps


def collatz_lengths(x):
    known, best = {1: 1}, 0
    for i in range(2, 90 + int(x[0])):
        steps, n = 0, i
        while n not in known:
            n = n // 2 if n % 2 == 0 else 3 * n + 1
            steps += 1
        known[i] = steps + known[n]
        best = max(best, known[i])
    return best, known


def letters(x):
    found, order = {}, 0
    for c in TEXT:
        found[c] = found.get(c, 0) + 1
        if found[c] == 1:
            order = order * 10 + len(found)
    return found, order


def by_default(x):
    totals, firsts = defaultdict(float), {}
    for i in range(len(x)):
        totals[int(x[i]) - 9] += float(x[i]) / 3
        firsts.setdefault(int(x[i]), i)
    return totals, firsts, totals[-9]


def last_seen(x):
    where, longest = {}, 0
    for i in range(len(x)):
        key = (int(x[i]), i % 2)
        if key in where and i - where[key][0] > longest:
            longest = i - where[key][0]
        where[key] = (i, x[i] > 3)
    return longest, where


def far_apart(x):
    """Keys whose low bits are alike, and negative ones."""
    found = {}
    for i in range(300):
        found[(i - 150) * 2**40] = i
        found[i * 4096] = -i
    total = 0
    for i in range(300):
        total += found[i * 4096] * found.get((i - 150) * 2**40, 7)
    return total, len(found), found


def known_before(x):
    found, old = {3: 1.5, 70: 2.5, 5: -1.0}, {9, 3, 1000}
    for i in range(len(x)):
        k = int(x[i])
        found[k] = found.get(k, 0.0) + 1
        old.add(k * 8)
    return found, old


def by_a_callee(x):
    def note(found, key):
        if key not in found:
            found[key] = 0
        found[key] += 2

    found = {}
    for v in x:
        note(found, int(v))
    return found


def in_rounds(x):
    sizes = np.zeros(4)
    for r in range(4):
        seen = set()
        for v in x:
            seen.add(int(v) % (r + 2))
        sizes[r] = len(seen)
    return sizes


FILLED = [counts, numpy_keys, visits, collatz_lengths, letters, by_default, last_seen, far_apart,
          known_before, by_a_callee, in_rounds]


@pytest.mark.parametrize("program", FILLED, ids=lambda program: program.__name__)
def test_loops_fill_dicts_and_sets(program):
    compiled = dl.compile(program)
    with dl.config.patch(strict=True):
        check(compiled, program, NUMBERS, calls=2)
    assert dl.explain(program)(NUMBERS).graph_break_count == 0


@pytest.mark.parametrize("program", [counts, visits, last_seen])
def test_graphs_with_tables_run_without_kernels(program):
    check(dl.compile(program, backend="eager"), program, NUMBERS, calls=1)


# -- left to Python, where nothing differs either


def other_types(x):
    found = {}
    for i in range(len(x)):
        found[int(x[i])] = i if i % 2 else i / 2
    return found


def keys_of_two_types(x):
    found = {1: 0.5}
    for v in x:
        found[v] = found.get(v, 0.5) * 2
    return found, {type(key) for key in found}


def two_names(x):
    found = {}
    other = found
    for v in x:
        found[int(v)] = 1
    return len(other), other is found, found


def taken_out(x):
    found = {}
    for i in range(len(x)):
        if int(x[i]) in found:
            del found[int(x[i])]
        else:
            found[int(x[i])] = i
    return found


def changed_while_gone_through(x):
    found = {0: 1}
    for k in found:
        found[int(x[k]) + 5] = 1
    return found


def without_the_key(x):
    found, missed = {}, 0
    for i in range(len(x)):
        try:
            missed += found[int(x[i])]
        except KeyError:
            found[int(x[i])] = i
    return missed, found


def gone_through_inside(x):
    found, total = {}, 0
    for i in range(60):
        found[int(x[i])] = i
        for key in found:
            total += key
    return total, found


def raises_in_the_end(x):
    found = {}
    for i in range(len(x)):
        found[int(x[i])] = i
    return found[int(x[1]) + 1000]


@pytest.mark.parametrize("program", [
    other_types, keys_of_two_types, two_names, taken_out, changed_while_gone_through,
    without_the_key, gone_through_inside, raises_in_the_end,
], ids=lambda program: program.__name__)
def test_what_else_happens_is_as_in_python(program):
    check(dl.compile(program), program, NUMBERS, calls=2)


def test_dicts_of_the_caller_are_filled_in_place():
    def noted(x, table):
        for i in range(len(x)):
            table[int(x[i])] = table.get(int(x[i]), 0.5) * 2
        return len(table)

    found, expected = {0: 1.0, 99: 2.0}, {0: 1.0, 99: 2.0}
    assert dl.compile(noted)(NUMBERS, found) == noted(NUMBERS, expected)
    assert [*found.items()] == [*expected.items()]
