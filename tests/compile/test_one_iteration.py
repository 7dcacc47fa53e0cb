"""Parts of a loop that Python runs, between parts that are compiled."""
import random

import numpy as np
import pytest
from test_on_stack import compile_text, with_switches

import dynamo_lite as dl
from dynamo_lite.bytecode.one_iteration import rest_of_iteration
from dynamo_lite.bytecode.reading import read
from dynamo_lite.bytecode.resume import ResumePoint
from dynamo_lite.native import CONTINUATION
from dynamo_lite.runtime.compile_frame import FrameCompiler
from dynamo_lite.runtime.stats import registry
from tests.flow.random_loops import Writer, program
from tests.fuzz.seeds import chunks
from tests.oracle import differences, outcome_of_copy, same

X = np.linspace(0.5, 1.5, 40_000)


@pytest.fixture
def refused(monkeypatch):
    """Continuations for which this says so are not compiled."""
    choice = {"is_refused": lambda compiler: False}
    compile = FrameCompiler.__call__

    def choose(self, compiled, flat_args):
        if not self.is_continuation or not choice["is_refused"](self):
            compile(self, compiled, flat_args)

    monkeypatch.setattr(FrameCompiler, "__call__", choose)
    return choice


def two_parts(x, n, look):
    total = 0.0
    for k in range(n):
        x = np.sqrt(x * 1.5 + k)
        look(k)
        x = np.sqrt(x + 2.0) * x
        look(k)
        total += x.sum()
    return x, total, k


def calls_of_entries():
    return sum(record.counts.hits for record in registry.records if record.operations)


class Seen(list):
    @dl.disable
    def look(self, value):
        self.append(value)


def test_the_other_parts_run_compiled(refused):
    """Python has the second part of each iteration, and no more."""
    first = []
    refused["is_refused"] = lambda compiler: first.append(compiler) or compiler is first[0]
    compiled = dl.compile(two_parts)
    expected, seen = Seen(), Seen()
    wanted = two_parts(X, 6, expected.look)
    for _ in range(2):
        seen.clear()
        assert same(compiled(X, 6, seen.look), wanted)
        assert seen == expected
    before = calls_of_entries()
    compiled(X, 6, seen.look)
    assert calls_of_entries() - before >= 6


def while_loop(x, n, look):
    while n > 0:
        n -= 1
        x = np.sqrt(x * 1.5 + n)
        look(n)
        x = np.sqrt(x + 2.0) * x
    return x, n


def nested(x, n, look):
    found = []
    for i in range(n):
        for j in range(i):
            x = np.sqrt(x * 1.5 + j)
            look(j)
            if j == 2:
                continue
            x = np.sqrt(x + 2.0) * x
        found.append(i + len(found))
        look(i)
        x = x + 1
    else:
        x = x * 2
    return x, found


def with_handlers(x, n, look):
    caught = []
    for i in range(n):
        try:
            x = np.sqrt(x * 1.5 + i)
            look(i)
            if i % 2:
                raise ValueError(i)
            x = np.sqrt(x + 2.0) * x
        except ValueError as error:
            caught.append(str(error))
            continue
        finally:
            look(-i)
        x = x + 1
    return x, caught


def with_cells(x, n, look):
    def seen():
        return i, len(x)

    for i in range(n):
        x = np.sqrt(x * 1.5 + i)
        look(seen())
        x = np.sqrt(x + 2.0) * x
    return x, seen()


def deleted(x, n, look):
    for i in range(n):
        y = np.sqrt(x * 1.5 + i)
        look(i)
        x = np.sqrt(y + 2.0) * x
        del y
    return x


def left_early(x, n, look):
    for i in range(n):
        x = np.sqrt(x * 1.5 + i)
        look(i)
        if i == 3:
            return x, i, "early"
        x = np.sqrt(x + 2.0) * x
    return x, i


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("function", [
    two_parts, while_loop, nested, with_handlers, with_cells, deleted, left_early,
])
def test_any_of_them(refused, function, seed):
    chance = random.Random(seed)
    refused["is_refused"] = lambda compiler: chance.random() < 0.5
    expected, seen = Seen(), Seen()
    wanted = function(X, 6, expected.look)
    compiled = dl.compile(function)
    for _ in range(2):
        seen.clear()
        assert same(compiled(X, 6, seen.look), wanted)
        assert seen == expected


@pytest.mark.parametrize("seeds", chunks(100, 20, daily=20))
def test_random_loops(refused, seeds):
    with dl.config.patch(strict=True, recompile_limit=64, leave_short_loops=False):
        for seed in seeds:
            chance = random.Random(seed)
            refused["is_refused"] = lambda compiler: chance.random() < 0.4
            function, text, arguments = program(seed, Writer)
            names = dict(function.__globals__, switch=dl.graph_break)
            exec(compile_text(with_switches(text)), names)
            function = names[function.__name__]
            expected = outcome_of_copy(function, arguments)
            compiled = dl.compile(function)
            for _ in range(2):
                if wrong := differences(outcome_of_copy(compiled, arguments), expected):
                    pytest.fail(f"seed {seed}\n{text}\n{wrong}")
            dl.reset()


def adds(items):
    total = 0
    try:
        for item in items:
            total += item
    except ZeroDivisionError as error:
        return type(error), total
    return total, "end"


def failing():
    yield from (1, 2)
    raise ZeroDivisionError


@pytest.mark.parametrize("more", [1, 2, 5])
@pytest.mark.parametrize("make", [lambda: iter([1, 2, 3, 4]), failing, lambda: iter((7,))])
def test_some_iterations_end_with_the_continuation_or_as_the_function_does(make, more):
    code = adds.__code__
    head = next(i for i in read(code) if i.opname == "FOR_ITER")
    point = ResumePoint(head.index + 1, (True, True), frozenset({"total"}), frozenset())
    run = rest_of_iteration(adds, point, lambda there: there, more)
    arguments = [0 if name == "total" else None for name in code.co_varnames]
    iterator, items = make(), make()
    result, total = run(*arguments, iterator, next(iterator)), next(items)
    try:
        for _ in range(more):
            total += next(items)
    except (StopIteration, ZeroDivisionError):
        assert result == adds(make())
    else:
        assert result[0] is CONTINUATION and result[-1] is iterator and total in result
