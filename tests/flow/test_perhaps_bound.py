"""Variables of which data decides whether they have a value: loops over them are native, and who
reads one without a value gets Python's own exception from his line."""
import traceback

import numpy as np
import pytest

import dynamo_lite as dl

from ..oracle import check


def last_place(x):
    total = 0.0
    for i in range(len(x)):
        if x[i] > 0.5:
            last = i
        total += x[i]
    return total, last


def bound_and_read_in_arms(x):
    total = 0.0
    for i in range(len(x)):
        if x[i] > 0.5:
            v = x[i] * 2
        if x[i] > 0.5:
            total += v
    return total


def bound_before_in_one_arm(x):
    if x[0] > 0:
        v = x[1]
    total = 0.0
    for i in range(len(x)):
        if x[i] > 0.7:
            v = x[i]
        if i > 3:
            total += v
    return total


def gaps(x):
    n = 0
    for i in range(len(x)):
        if x[i] > 0.5:
            if n:
                n += i - last  # noqa: F821
            last = i  # noqa: F841
            n += 1
    return n


def of_an_inner_loop(x):
    total = 0.0
    for i in range(len(x)):
        for j in range(i % 4):
            w = x[j] + i
        if i > 4:
            total += w
    return total


def greatest(x):
    best = -np.inf
    for i in range(len(x)):
        if x[i] > best:
            best = x[i]
            where = i
    return best, where


def found_or_not(x):
    found = False
    for i in range(len(x)):
        if x[i] > 0.9:
            found, where, value = True, i, x[i]
    if found:
        return float(where), value
    return -1.0, x[0]


def while_loop(x):
    i = 0
    while i < len(x):
        if x[i] > 0.9:
            place = i
        i += 1
    return place


def left_by_a_break(x):
    for i in range(len(x)):
        if x[i] > 0.9:
            place, value = i, x[i]
            break
    return place, value


def deleted(x):
    total = 0.0
    for i in range(len(x)):
        if x[i] > 0.5:
            v = x[i]
        if x[i] > 0.8:
            total += v
            del v
    return total


def two_types(x):
    total = 0.0
    for i in range(len(x)):
        if x[i] > 0.9:
            v = i
        elif x[i] > 0.5:
            v = x[i]
        if x[i] > 0.5:
            total += v
    return total


def without_a_loop(x):
    if x.sum() > 3:
        v = x[0]
    y = x * 2
    if x.sum() > 3:
        y = y + v
    return y


def inlined(x):
    return last_place(x)[1] + greatest(x)[1]


def added(x):
    x[0] += 1.0
    for i in range(len(x)):
        if x[i] > 5.0:
            v = i
    x[1] += 1.0
    return v


NATIVE = [
    last_place, bound_and_read_in_arms, bound_before_in_one_arm, gaps, of_an_inner_loop, greatest,
    found_or_not, while_loop, left_by_a_break, without_a_loop, inlined, added,
]


def inputs():
    r = np.random.default_rng(0)
    return [r.random(70), np.full(70, 0.6), np.zeros(70), np.full(70, np.nan), np.full(70, 6.0),
            np.sort(r.random(70)), np.concatenate([np.zeros(69), [0.95]])]


@pytest.mark.parametrize("program", [*NATIVE, deleted, two_types])
@pytest.mark.parametrize("backend", ["eager", "llvm"])
def test_they_have_the_value_that_python_gives_them(program, backend):
    compiled = dl.compile(program, backend=backend)
    for x in inputs():
        check(compiled, program, x)


@pytest.mark.parametrize("program", NATIVE)
def test_these_are_one_graph(program):
    compiled = dl.compile(program, fullgraph=True)
    check(compiled, program, inputs()[0] + 0.5)
    assert (dl.stats().bailouts > 0) == (program is added)  # which finds none above 5


def test_the_exception_is_python_s_from_the_line_that_reads():
    compiled = dl.compile(added, fullgraph=True)
    x, told = np.zeros(70), []
    for function in (added, compiled):
        with pytest.raises(UnboundLocalError) as found:
            function(x)
        frames = traceback.extract_tb(found.value.__traceback__)
        told.append((str(found.value), frames[-1].lineno, frames[-1].name))
    assert told[0] == told[1]
    assert x[0] == x[1] == 2.0


def printed_between(x):
    if x[0] > 0.5:
        v = x[1]
    print(x[2])
    if x[0] > 0.5:
        print(v)
    return x + 1


def printed_in_a_loop(x):
    total = 0.0
    for i in range(len(x)):
        if x[i] > 0.8:
            v = x[i]
        if i % 30 == 29:
            print(total)
        if x[i] > 0.8:
            total += v
    return total


def all_locals(x):
    if x[0] > 0.5:
        v = x[1]
    return sorted(locals())


def comprehended(x):
    if x[0] > 0.5:
        v = x[1]
    y = [v * 2 for v in (1, 2)]
    if x[0] > 0.5:
        y.append(v)
    return y


def left_in_three_ways(x):
    i = 0
    while True:
        i += 1
        if i >= len(x):
            break
        if x[i] > 0.5:
            hit = i
            continue
        if x[i] < 0.05:
            low = x[i]
    return hit, low


IN_PARTS = [printed_between, printed_in_a_loop, all_locals, comprehended, left_in_three_ways]


@pytest.mark.parametrize("program", IN_PARTS)
def test_what_python_runs_finds_them_as_they_are(program):
    compiled = dl.compile(program)
    for x in inputs():
        check(compiled, program, x)


def counted_down(x):
    n = 3
    while n:
        if x[n] > 0.5:
            v = n
        n -= 1
    return v


def test_short_loops():
    compiled = dl.compile(counted_down, fullgraph=True)
    for x in inputs():
        check(compiled, counted_down, x)
