"""Loops over arrays that need Python now and then: natively up to there, and on behind."""
import numpy as np
import pytest

import dynamo_lite as dl
from dynamo_lite.tracer.frame.speculation import translate
from dynamo_lite.tracer.state.trace import Stopped, TraceOptions

from ..oracle import check, differences, outcome

X = np.random.default_rng(0).normal(size=400)
Y = np.arange(400) % 7 * 0.5


def values(x, y):
    total = 0.0
    for v in x:
        total = total * 0.5 + v
        if total > 2.5:
            print(v, total)
    return total, v


def rows(x, y):
    total = 0.0
    for row in x.reshape(-1, 4):
        total = total * 0.5 + row[1]
        if total > 2.2:
            print(row, total)
            row[1] = 0.0
    return total, x


def numbered(x, y):
    total = 0.0
    for i, v in enumerate(x, 3):
        total += v * i
        if i % 60 == 7:
            print(i, v, total)
        elif v > 2.5:
            total = 0.0
            break
    return total, i


def side_by_side(x, y):
    total, seen = 0.0, []
    for a, b in zip(x[5:], y):
        total += a * b
        if b > 2.9:
            if a > 1:
                seen.append(str(a))
            total -= 1
    return total, seen


def changed(x, y):
    for i, v in enumerate(x):
        if v > 1.5:
            print(i, v)
        if i + 1 < len(x):
            x[i + 1] += v * 0.25
    return x


PROGRAMS = [values, rows, numbered, side_by_side, changed]


@pytest.mark.parametrize("backend", ["eager", "llvm"])
@pytest.mark.parametrize("program", PROGRAMS)
def test_effects_come_in_order_and_values_are_the_same(program, backend):
    compiled = dl.compile(program, backend=backend)
    check(compiled, program, X, Y)
    assert not any(entry.bailouts for entry in compiled.entries())


@pytest.mark.parametrize("program", [values, numbered, side_by_side, changed])
def test_loops_end_the_trace_where_they_can_be_left(program):
    end = translate(program, (X.copy(), Y), TraceOptions(leaves_loops=True)).end
    assert isinstance(end, Stopped) and end.others


@pytest.mark.parametrize("program", PROGRAMS)
def test_what_is_left_is_compiled_once(program):
    dl.reset()
    compiled = dl.compile(program)
    for size in (400, 396, 300, 360, 200):
        check(compiled, program, X[:size].copy(), Y[:size].copy(), calls=1)
    assert dl.stats().graphs <= 6


def gone_through(values, limit):
    total = 0.0
    for v in values:
        total += v
        if total > limit:
            break
    return total, v, next(values, "end"), list(values)


@pytest.mark.parametrize("limit", [3.0, 1e9, -1e9])
def test_loops_go_through_what_is_left_of_an_iterator_from_outside(limit):
    compiled = dl.compile(gone_through)
    for taken in (0, 3, 20):
        arguments = []
        for _ in range(2):
            values = iter(np.abs(X[:100]))
            for _ in range(taken):
                next(values)
            arguments.append((values, limit))
        expected = outcome(gone_through, arguments[0])
        assert not differences(outcome(compiled, arguments[1]), expected)


class Box:
    pass


def in_an_attribute(x):
    box, total = Box(), 0.0
    box.values = iter(range(100))
    for i in box.values:
        total += x[i]
        if total > 5.0:
            break
    return total, next(box.values, "end")


def in_a_list(x):
    values, total = [iter(range(100))], 0.0
    for i in values[0]:
        total += x[i]
        if total > 5.0:
            break
    return total, next(values[0], "end")


def in_a_cell(x):
    values, total = iter(range(100)), 0.0

    def following():
        return next(values, "end")

    for i in values:
        total += x[i]
        if total > 5.0:
            break
    return total, following()


def of_the_caller(x):
    values = iter(range(100))

    def first_large(given):
        for i in given:
            if x[i] > 2.0:
                return i
        return None

    return first_large(values), next(values, "end")


def of_a_comprehension(x):
    values = iter(range(100))
    found = [x[i] * 2 for i in values]
    return found, next(values, "end"), [sum([x[i] for i in range(n)]) for n in range(50, 60)]


@pytest.mark.parametrize("program", [
    in_an_attribute, in_a_list, in_a_cell, of_the_caller, of_a_comprehension,
])
def test_iterators_that_the_program_gets_at_by_other_ways_stand_where_they_do(program):
    x = np.random.default_rng(0).normal(size=200)
    check(dl.compile(program), program, x)
