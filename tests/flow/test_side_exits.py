"""Loops that need Python now and then run natively up to there, and natively again behind."""
import io
from contextlib import redirect_stdout

import numpy as np
import pytest

import dynamo_lite as dl
from dynamo_lite.native import Balance
from dynamo_lite.runtime import family
from dynamo_lite.tracer.frame.speculation import translate
from dynamo_lite.tracer.state.trace import Stopped, TraceOptions

from ..oracle import check, differences, outcome, outcome_of_copy

X = np.random.default_rng(0).normal(size=400)


def at_the_end(x):
    total = 0.0
    for i in range(len(x)):
        total += x[i] * x[i]
        if i % 100 == 99:
            print(i, total)
    return total, i


def at_the_start(x):
    total = 0
    for i in range(0, len(x), 3):
        if i % 50 == 0:
            print("at", i, total)
        total = total + x[i]
    return total


def two_exits(x):
    a = b = 0.0
    for i in range(len(x)):
        if i == 30:
            print("thirty", a)
        a = a * 0.5 + x[i]
        if a > 2.5:
            print("large", i, a, b)
            b = a
        elif a < -2.5:
            print("small")
    return a, b


def breaks_there(x):
    found = None
    for i in range(300, 0, -1):
        x[i] = x[i - 1] * 2
        if i % 90 == 0:
            print("break?", i)
            if i == 90:
                found = i
                break
    else:
        print("else")
    return found, i, x


def breaks_elsewhere(x):
    a = 0.0
    for i in range(len(x)):
        if i == 70:
            print(a)
        a += x[i]
        if a > 25:
            break
    else:
        a = -a
    return a, i


def objects(x):
    log, a = [], 0.0
    for i in range(len(x)):
        a = 0.9 * a + x[i]
        if abs(a) > 4:
            log.append({"at": i, "text": str(round(a, 3))})
            continue
        a += 0.1
    return log, a


def raises(x):
    a, seen = 0.0, []
    try:
        for i in range(len(x)):
            a += x[i]
            if i % 60 == 59:
                seen.append(str(i))
                if i > 200:
                    raise ValueError(f"{i} {a}")
    except ValueError as error:
        print(error, i, a)
    return a, seen


def nested(x):
    a = 0.0
    for k in range(50):
        for i in range(60):
            a = 0.5 * a + x[i] * k
        if k % 20 == 7:
            print(k, i, a)
    return a


def in_the_inner_one(x):
    a = 0.0
    for k in range(50):
        for i in range(60):
            a = 0.5 * a + x[i] * k
            if i == k:
                print(k, i, a)
        a += 1
    return a


def of_two_types(x):
    t = 0.0
    for i in range(len(x) * 3):
        if i % 100 == 0:
            print("at", i)
        t = t * 0.5 + x[i % 400]
        if t > 2.5:
            print("large", i, t)
            t = 0.0
    return t


def temporaries(x):
    for i in range(len(x)):
        y = x[i] * 2
        if y > 2:
            z = y - 2
            if i % 7 == 0:
                print(y, z)
            x[i] = z
    return x, i


def while_it_runs(x):
    t, n = 0.0, 0
    while t < 30 and n < 390:
        t += abs(x[n])
        n += 1
        if n % 100 == 0:
            print(n, t)
    return t, n


class Box:
    def __init__(self): self.total, self.count = 0.0, 0


def fields(x, box):
    for i in range(len(x)):
        box.total += x[i]
        if i % 150 == 149:
            print(box.total, box.count)
            box.count += 1
    return box.total


PROGRAMS = [
    at_the_end, at_the_start, two_exits, breaks_there, breaks_elsewhere, objects, raises, nested,
    in_the_inner_one, of_two_types, temporaries, while_it_runs,
]


@pytest.mark.parametrize("backend", ["eager", "llvm"])
@pytest.mark.parametrize("program", PROGRAMS)
def test_effects_come_in_order_and_values_are_the_same(program, backend):
    check(dl.compile(program, backend=backend), program, X)


def test_fields_are_up_to_date_at_exits():
    check(dl.compile(fields), fields, X, Box())


@pytest.mark.parametrize("program", [one for one in PROGRAMS if one is not in_the_inner_one])
def test_loops_end_the_trace_where_they_can_be_left(program):
    end = translate(program, (X.copy(),), TraceOptions(leaves_loops=True)).end
    assert isinstance(end, Stopped) and end.others


def test_one_graph_that_is_asked_for_has_no_side_exits():
    with pytest.raises(dl.errors.FullGraphRequired, match="print"):
        dl.compile(at_the_end, fullgraph=True)(X)


def test_another_length_is_no_reason_to_compile_the_loop_again():
    dl.reset()
    compiled = dl.compile(at_the_end)
    with redirect_stdout(io.StringIO()):
        for size in (400, 399, 398):
            compiled(X[:size].copy())
        known = dl.stats().graphs
        for size in (300, 250, 397):
            compiled(X[:size].copy())
    assert dl.stats().graphs == known


def summed(x, every):
    total = 0.0
    for i in range(len(x)):
        total += x[i]
        if i % every == 0:
            print(end="")
    return total


def test_loops_that_are_left_all_the_time_run_in_python_and_come_back():
    compiled = dl.compile(summed)
    for every in (1, 1, 1, 1000, 1000, 1, 1000):
        check(compiled, summed, X, every, calls=1)
    assert all(not entry.bailouts for entry in compiled.entries())


def test_long_loops_are_left_rather_than_abandoned():
    compiled = dl.compile(of_two_types)
    for _ in range(5):
        check(compiled, of_two_types, X, calls=1)
    assert not any(entry.bailouts for entry in compiled.entries())


def test_what_runs_to_the_end_of_the_loop_counts():
    balance = Balance()
    while balance.pays(0, 0.0):
        pass
    lost = balance.credit
    balance.earned(10, 500.0)
    assert balance.credit == lost + 5000 < 0
    balance.earned(1000, 500.0)
    assert balance.credit > 0 and balance.pays(0, 0.0)


def test_a_balance_gives_up_and_tries_again():
    balance = Balance()
    told = [balance.pays(0, 100.0) for _ in range(200)]
    assert all(told[:19]) and not all(told)
    assert told.count(True) > 40
    assert balance.pause == 64
    while not balance.pays(10_000, 100.0):
        pass
    assert balance.pays(0, 100.0) and balance.pause == 1


def left_where(x, where):
    total = 0.0
    for i in range(len(x)):
        total = total * 0.5 + x[i]
        if where[i]:
            print(i, end=" ")
    return total


LONG = np.tile(X, 50)


def test_the_loop_is_native_again_in_the_same_call(monkeypatch):
    """Python runs but a part of it behind an exit that does not pay."""
    native = []

    class Watched(Balance):
        def pays(self, iterations, saves):
            native.append((iterations, super().pays(iterations, saves)))
            return native[-1][1]

    monkeypatch.setattr(family, "Balance", Watched)
    where = np.zeros(len(LONG), bool)
    where[:4000], where[9000::2000] = True, True
    compiled = dl.compile(left_where)
    check(compiled, left_where, LONG, where, calls=2)
    assert not all(is_worth_it for _, is_worth_it in native)
    assert sum(iterations for iterations, _ in native) > 2 * 10_000


def test_flips_of_a_branch_with_effects_need_two_graphs():
    dl.reset()
    where = np.arange(len(LONG)) % 5 < 1
    compiled = dl.compile(left_where)
    for shift in (0, 3, 7):
        check(compiled, left_where, LONG[:9000], np.roll(where[:9000], shift), calls=1)
    assert dl.stats().graphs <= 3


def test_bad_data_does_not_retire_the_loop():
    """After a thousand exits each good call is one run of the first graph."""
    compiled = dl.compile(left_where)
    nowhere, everywhere = np.zeros(len(LONG), bool), np.ones(len(LONG), bool)
    check(compiled, left_where, LONG, nowhere, calls=1)
    check(compiled, left_where, LONG, everywhere, calls=2)
    (entry,) = compiled.entries()
    before = entry.hits
    check(compiled, left_where, LONG, nowhere, calls=2)
    assert entry.hits == before + 2 and not entry.bailouts


def gone_through(values, x, limit):
    a = 0.0
    for i in values:
        a += x[i]
        if a > limit:
            break
    return a, i, next(values, "end"), list(values)


@pytest.mark.parametrize("limit", [5.0, 1e9, -1e9])
@pytest.mark.parametrize("over", [
    range(100), range(90, 3, -2), range(7, 300, 5), range(1),
])
def test_loops_go_through_what_is_left_of_an_iterator_from_outside(over, limit):
    compiled = dl.compile(gone_through)
    for taken in (0, 3, 20):
        arguments = []
        for _ in range(2):
            values = iter(over)
            for _ in range(taken):
                next(values, None)
            arguments.append((values, X, limit))
        expected = outcome(gone_through, arguments[0])
        assert not differences(outcome(compiled, arguments[1]), expected)


def uses_it_in_the_loop(values, x):
    a = 0.0
    for i in values:
        a += x[i]
        if i % 20 == 0:
            a += next(values, 0)
    return a, list(values)


def named(x, n):
    values, a = iter(range(n)), 0.0
    for i in values:
        a += x[i]
        if i == 50:
            print(a)
            break
    for i in values:
        a -= x[i]
        if i == 70:
            print(a)
    return a, list(values)


def test_iterators_that_the_program_has_names_for():
    compiled = dl.compile(uses_it_in_the_loop)
    for _ in range(3):
        expected = outcome(uses_it_in_the_loop, (iter(range(90)), X))
        assert not differences(outcome(compiled, (iter(range(90)), X)), expected)
    compiled = dl.compile(named)
    for n in (90, 51, 80):
        assert not differences(outcome_of_copy(compiled, (X, n)), outcome_of_copy(named, (X, n)))


def keeps_what_it_saw(start, count, x):
    seen, total = [], np.float64(0.0)
    for i in range(start, start + count * 1000, 1000):
        total = total * 0.5 + x[i % 400]
        if i % 3000 == start % 3000:
            seen.append((str(i), i, total))
    return seen, total


@pytest.mark.parametrize("start", [0, -200_000, 2**30 - 200_000, 2**31, -(2**30) - 100_000])
def test_numbers_kept_at_exits_stay_what_they_are(start):
    compiled = dl.compile(keeps_what_it_saw)
    for _ in range(3):
        expected, found = keeps_what_it_saw(start, 400, X), compiled(start, 400, X)
        assert found == expected
        assert [[*map(type, row)] for row in found[0]] == [[*map(type, row)] for row in expected[0]]
        assert len({id(i) for _, i, _ in found[0]}) == len(found[0])
