"""Attributes of objects and variables of closures that loops and branches change: results of the
graph, and in the objects what Python would leave there."""
import copy
from types import SimpleNamespace

import numpy as np
import pytest

import dynamo_lite as dl
from benchmarks.part_programs import Vector

from ..oracle import check, difference
from .records import Part, Record


class Oscillator:
    def __init__(self):
        self.x, self.v = 1.0, 0.0
        self.count = 0
        self.last = None

    def step(self, dt):
        self.v -= self.x * dt
        self.x += self.v * dt
        self.count += 1
        return self.x


def methods(oscillator, n):
    total = 0.0
    for _ in range(n):
        total += oscillator.step(0.01)
    return total


def made_by_the_frame(n):
    oscillator = Oscillator()
    for i in range(n):
        if oscillator.step(0.01) < 0.5:
            oscillator.count -= i
    return oscillator.x, oscillator.count


def of_many(oscillators, n):
    for i in range(n):
        for j, oscillator in enumerate(oscillators):
            oscillator.step(0.01 * (i + j))


def in_slots(part, x):
    for v in x:
        part.a = part.a * 0.5 + v
        if part.a > 1:
            part.n += 1
    return part.twice


def of_parts(record, x):
    for v in x:
        record.step(v)
    return record.total


def inner_loops(record, x, n):
    for i in range(n):
        record.gather(x, i % 8)
    return record.n


def two_names(n):
    first = Part(0.5, 0)
    second = first
    for i in range(n):
        first.a += 1
        second.n += int(second.a) + i
    return first.a, second.n, first is second


def arrays(record, x, n):
    for i in range(n):
        record.v = record.v * 0.5 + x[i % 8]
        record.v[i % 8] += 1
    return record.v.sum()


def set_in_the_loop(oscillator, n):
    for i in range(n):
        oscillator.last = oscillator.step(0.1)
        oscillator.more = i
    return oscillator.last, oscillator.more


def while_it_lasts(oscillator, n):
    while oscillator.x > 0.1 and oscillator.count < n:
        oscillator.step(0.001)
    return oscillator.count


def counter(x):
    count, total = 0, 0.0

    def add(value):
        nonlocal count, total
        if value > 0:
            count += 1
            total = total + value

    for v in x:
        add(v)
    return count, total


def temporaries(n):
    total = 0.0
    for i in range(n):
        w = Vector(i * 0.5, 1.0) + Vector(1.0, i) * 2.0
        w.x += total * 0.125
        total += w.x - w.y
    return total, w.x


def replaced(x):
    place = Vector(0.0, 1.0)
    for v in x:
        place = place + Vector(v, 0.5) * 0.1
        if place.x > 1:
            place = place * 0.5
        else:
            place = place + Vector(0.25, 0.0)
    return place


def namespace(x):
    seen = SimpleNamespace(low=np.inf, high=-np.inf)
    for v in x:
        seen.low = min(seen.low, v)
        seen.high = max(seen.high, v)
    return seen.low, seen.high


def on_a_branch(oscillator, x):
    if x.sum() > 0:
        oscillator.x = x[0]
        oscillator.count += 1
    else:
        oscillator.v = x.max()
    return oscillator.x


X = np.round(np.sin(np.arange(64.0) * 3) * 64) / 64


@pytest.mark.parametrize("backend", ["eager", "llvm"])
@pytest.mark.parametrize("function, args", [
    (methods, (Oscillator(), 300)), (made_by_the_frame, (300,)),
    (of_many, ([Oscillator(), Oscillator()], 300)), (in_slots, (Part(0.5, 1), X)),
    (of_parts, (Record(0.5, Part(1.0, 0)), X)), (inner_loops, (Record(0.0, None), X, 80)),
    (two_names, (200,)), (arrays, (Record(0.0, None), X, 200)),
    (set_in_the_loop, (Oscillator(), 300)), (while_it_lasts, (Oscillator(), 300)), (counter, (X,)),
    (temporaries, (300,)), (replaced, (X,)), (namespace, (X,)), (on_a_branch, (Oscillator(), X)),
    (on_a_branch, (Oscillator(), X - 1)),
], ids=lambda value: getattr(value, "__name__", ""))  # fmt: skip
def test_fields_are_variables(function, args, backend):
    compiled = dl.compile(function, backend=backend, fullgraph=True)
    check(compiled, function, *args)


def raising(oscillator, n):
    for _ in range(n):
        oscillator.step(0.1)
        if oscillator.count == 70:
            raise ValueError("seventy")


def dividing(oscillator, x):
    for v in x:
        oscillator.count += 1
        oscillator.x = 1 // int(v)


@pytest.mark.parametrize("function, arg", [(raising, 100), (dividing, np.arange(60, -1, -1))])
def test_what_leaves_a_loop_finds_the_state_of_python(function, arg):
    check(dl.compile(function), function, Oscillator(), arg)


def aliases(first, second, x):
    for v in x:
        first.a += v
        second.a = second.a * 0.5
    return first.a


def test_objects_that_may_be_one():
    compiled = dl.compile(aliases)
    for _ in range(2):
        check(compiled, aliases, Part(1.0, 0), Part(2.0, 0), X)
        ours, theirs = Part(1.0, 0), Part(1.0, 0)
        assert compiled(ours, ours, X) == aliases(theirs, theirs, X)
        assert ours.a == theirs.a


def kept(x):
    place, first = Vector(0.0, 1.0), None
    for v in x:
        if first is None:
            first = place
        place = place + Vector(v, 0.0)
    return place.x, first.x


def shared(x):
    place = Vector(0.0, 1.0)
    everyone = [place]
    for v in x:
        place = place + Vector(v, 0.0)
    everyone[0].x = 5.0
    return place.x, everyone[0] is place


@pytest.mark.parametrize("function", [kept, shared])
def test_objects_with_other_names_are_not_taken_apart(function):
    check(dl.compile(function), function, X)


def test_counters_are_compiled_twice():
    compiled, ours, theirs = dl.compile(methods), Oscillator(), Oscillator()
    for _ in range(6):
        assert compiled(ours, 60) == methods(theirs, 60)
        assert not difference(ours, theirs)
    assert dl.stats().recompiles <= 1


class Watched:
    def __init__(self):
        object.__setattr__(self, "log", [])
        object.__setattr__(self, "a", 0.0)

    def __setattr__(self, name, value):
        self.log.append(value)
        object.__setattr__(self, name, value)


def hooked(watched, n):
    for i in range(n):
        watched.a = i * 0.5
    return watched.a


def test_hooks_of_classes_run():
    check(dl.compile(hooked), hooked, Watched(), 60)


def test_copies_are_other_objects():
    def program(part, x):
        own = copy.copy(part)
        for v in x:
            own.a += v
        return own.a, part.a

    check(dl.compile(program, fullgraph=True), program, Part(0.5, 1), X)


def changed_or_replaced(x):
    place = Vector(0.5, 1.0)
    for v in x:
        if v > 0:
            place.x += v
        else:
            place = place * 0.5
    return place


def test_objects_that_one_arm_changes_and_the_other_replaces():
    check(dl.compile(changed_or_replaced), changed_or_replaced, X)
