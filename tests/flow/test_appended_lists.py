"""Lists from outside that loops append to: in the graph, and exactly Python's lists afterwards."""
from dataclasses import dataclass, field

import numpy as np
import pytest

import dynamo_lite as dl
from dynamo_lite.tracer.control_flow import growing

from ..oracle import check

VECTOR = np.round(np.sin(np.arange(90.0) * 5) * 64) / 64
LOG: list[float] = []


def now_and_then(x, log):
    total = 0.0
    for i in range(len(x)):
        total = total * 0.5 + x[i]
        if i % 20 == 19:
            log.append(i)
    return total


def numpy_numbers(x, log):
    for i in range(len(x)):
        if x[i] > 0:
            log.append(x[i])
    log.append(x[0])


def at_every_step(x, log):
    for v in x:
        log.append(float(v) * 2)
        log.append(-float(v))


def tuples(x, log):
    for i, v in enumerate(x):
        if v > 0.5:
            log.append((i, float(v), v > 0.75))


def before_and_behind(x, log):
    log.append("begin")
    for i in range(len(x)):
        if x[i] > 0:
            log.append(i)
    log.append(-1)
    return log


def two_lists(x, log):
    other, count = log, 0
    for i in range(len(x)):
        if x[i] > 0:
            log.append(i)
            count += 1
        else:
            other.append(-i)
    return count


def kinds_that_settle(x, log):
    total = 0.0
    for i in range(len(x)):
        log.append(total)
        total = total + x[i]
    return total


def mixed(x, log):
    for i in range(len(x)):
        if x[i] > 0:
            log.append(i)
        else:
            log.append(x[i])


def nested(x, log):
    for i in range(60):
        for j in range(i):
            if x[j] > x[i]:
                log.append(i * 100 + j)


def by_a_function(x, log):
    total = 0.0
    for i in range(len(x)):
        total += noted(log, x[i])
    return total


def noted(log, value):
    if value > 0.5:
        log.append(float(value))
    return value


def extended(x, log):
    for i in range(len(x)):
        log.extend([i, i + 1])
        log += [-i]


def its_length_is_read(x, log):
    for i in range(len(x)):
        if x[i] > 0:
            log.append(len(log))


def its_items_are_read(x, log):
    for i in range(len(x)):
        log.append(float(x[i]))
    return log[-1] + log[0] + len(log)


def its_items_are_read_inside(x, log):
    for i in range(len(x)):
        log.append(float(x[i]))
        if i > 2:
            log[0] = log[-2]


def raises_behind(x, log):
    for i in range(len(x) + 1):
        log.append(float(x[i]))


def goes_on_in_python(x, log):
    for i in range(len(x)):
        if x[i] > 0:
            log.append(i)
    print(len(log), log)
    for i in range(len(x)):
        if x[i] < 0:
            log.append(i)


def with_a_print(x, log):
    for i in range(len(x)):
        if x[i] > 0:
            log.append(i)
        if i % 40 == 39:
            print(i, log)


PROGRAMS = [
    now_and_then, numpy_numbers, at_every_step, tuples, before_and_behind, two_lists,
    kinds_that_settle, mixed, nested, by_a_function, extended, its_length_is_read,
    its_items_are_read, its_items_are_read_inside, raises_behind, goes_on_in_python, with_a_print,
]  # fmt: skip


@pytest.mark.parametrize("held", [[], [1.5, "a"], [*range(300)]], ids=["empty", "short", "long"])
@pytest.mark.parametrize("function", PROGRAMS, ids=lambda function: function.__name__)
def test_lists_that_grow(function, held):
    check(dl.compile(function), function, VECTOR, held, calls=3)


@pytest.mark.parametrize("function", [
    now_and_then, numpy_numbers, at_every_step, tuples, before_and_behind, two_lists, nested,
    by_a_function, extended, kinds_that_settle,
], ids=lambda function: function.__name__)  # fmt: skip
def test_one_graph_appends(function):
    dl.reset()
    compiled = dl.compile(function, fullgraph=True)
    check(compiled, function, VECTOR, [2.5], calls=3)
    assert dl.stats().graphs == 1


def walks(x, log):
    for v in log:
        if len(log) < 400:
            log.append(v + 1)


def walks_and_reads(x, log):
    total = 0
    for i in range(len(log)):
        log.append(i)
        total += log[i] + log[-1]
    return total


@pytest.mark.parametrize("function", [walks, walks_and_reads], ids=lambda f: f.__name__)
def test_a_long_list_that_is_gone_through(function):
    check(dl.compile(function), function, VECTOR, [*range(200)], calls=2)


def by_two_loops(x, log, other):
    if x[2] > 5:
        return x[0]
    for i in range(60):
        if x.sum() > 100:
            log.append(i)
    for i in range(50):
        other.append(2)
    return x[1]


def test_loops_behind_a_branch_append_to_lists_of_their_own():
    check(dl.compile(by_two_loops), by_two_loops, VECTOR, [3], [])


def aliased(x, log, other):
    for i in range(len(x)):
        log.append(i)
        if x[i] > 0:
            other.append(-i)


def test_two_arguments_may_be_one_list():
    compiled = dl.compile(aliased)
    for calls in (2, 1):
        check(compiled, aliased, VECTOR, [], [], calls=calls)
        both = [1]
        check(compiled, aliased, VECTOR, both, both, calls=calls)


@dataclass
class Logger:
    level: float
    lines: list = field(default_factory=list)

    def note(self, value):
        if value > self.level:
            self.lines.append(float(value))


def through_an_object(x, logger):
    total = 0.0
    for v in x:
        logger.note(v)
        total += v
    return total


def test_a_list_that_an_object_holds():
    dl.reset()
    check(dl.compile(through_an_object, fullgraph=True), through_an_object, VECTOR, Logger(0.5))
    assert dl.stats().graphs == 1


def to_a_global(x):
    for v in x:
        if v > 0.5:
            LOG.append(float(v))
    return len(x)


def test_a_global_list():
    found = []
    for function in (to_a_global, dl.compile(to_a_global)):
        LOG.clear()
        function(VECTOR)
        function(VECTOR)
        found.append([*LOG])
    assert found[0] == found[1] != []


def test_more_items_than_there_is_room_for(monkeypatch):
    monkeypatch.setattr(growing, "LARGEST", 10)
    check(dl.compile(nested), nested, VECTOR, [], calls=2)
