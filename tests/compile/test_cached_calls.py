"""Calls of functions that `functools.lru_cache` wraps outside: results and records as in Python."""
import functools
import math

import numpy as np
import pytest

import dynamo_lite as dl

X = np.arange(4.0)


class Program:
    """A cached function, and how often it ran; each way of running has one of its own."""

    def __init__(self, **settings):
        self.runs = []

        @functools.lru_cache(**settings)
        def cached(*args, **kwargs):
            self.runs.append((args, kwargs))
            return len(self.runs), args

        self.cached = cached


def twice(cached, x):
    return x + cached(1, "a")[0], cached(1, "a") is cached(1, "a")


def kinds(cached, x):
    return [(cached(n)[0], x * 2) for n in (1, True, 1.0, "1", None, (1, "a"), math, int, len)]


def keywords(cached, x):
    return cached(a=1, b=2), cached(b=2, a=1), cached(1, a=1), x + 1


def in_a_loop(cached, x):
    for i in range(6):
        x = x + cached(i % 2)[0]
    return x


def until_data_says(cached, x):
    while x.sum() < 100:
        x = x * 2 + cached(7)[0]
    return x


def on_a_branch(cached, x):
    return x + cached(1)[0] if x[0] > 0.5 else x + cached(2)[0]


def before_an_error(cached, x):
    y = x * cached(3)[0]
    return np.linalg.inv(y.reshape(2, 2))


def with_effects(cached, x):
    found = [cached(4), cached(5)]
    return found, x.tolist(), cached(4), x - 1


FUNCTIONS = [twice, kinds, keywords, in_a_loop, until_data_says, on_a_branch, before_an_error,
             with_effects]
SETTINGS = [{"maxsize": None}, {"maxsize": 0}, {"maxsize": 1}, {"maxsize": 3}, {"maxsize": 128},
            {"maxsize": None, "typed": True}, {"maxsize": 16, "typed": True}]


def outcome(call):
    try:
        return repr(call())
    except np.linalg.LinAlgError as error:
        return str(error)


def play(function, program, run):
    """A call again and again, with the cache as it is, cleared, and filled with other things."""
    found = []
    for x in (X, X, X + 1, X, np.zeros(4), np.zeros(4), X + 1):
        found.append(outcome(lambda: run(function)(program.cached, x)))
        found.append(program.cached.cache_info())
    for disturb in (program.cached.cache_clear, lambda: [program.cached(n) for n in range(40, 45)]):
        disturb()
        for _ in range(3):
            found.append(outcome(lambda: run(function)(program.cached, X)))
            found.append(program.cached.cache_info())
    order = []
    for n in range(5):  # the results that are kept go in the order of their last use
        program.cached("new", n)
        order.append(list(program.runs))
        before = len(program.runs)
        program.cached(1, "a"), program.cached(4)
        order.append(len(program.runs) - before)
    return found, order, program.runs


@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda f: f.__name__)
@pytest.mark.parametrize("settings", SETTINGS, ids=str)
def test_as_in_python(function, settings):
    compiled = dl.compile(function)
    expected = play(function, Program(**settings), lambda function: function)
    assert play(function, Program(**settings), lambda function: compiled) == expected


def test_what_is_no_longer_in_the_cache_is_told_in_words():
    program = Program()

    def scaled(x):
        return x * program.cached("k")[0] + 1

    compiled = dl.compile(scaled)
    compiled(X), compiled(X)
    program.cached.cache_clear()
    compiled(X)
    told = [cost.reason for cost in dl.why(compiled).costs if cost.kind == "recompile"]
    assert any("cached was without a result for 'k' when compiled" in reason for reason in told)
    assert not any(" at 0x" in reason for reason in told)


def test_what_the_cache_holds_is_used_in_one_graph():
    program = Program()
    compiled = dl.compile(lambda x: x * program.cached("k")[0] + 1)
    assert [compiled(X).tolist() for _ in range(3)] == [(X + 1).tolist()] * 3
    assert dl.stats().break_reasons == {
        "calling Program.__init__.<locals>.cached: its cache has no result for these arguments; "
        "dl.assume_constant_result says that its results may be constants": 1}
    assert dl.stats().recompiles == 1
    assert program.cached.cache_info()[:2] == (2, 1)


def test_a_new_result_is_seen():
    program = Program(maxsize=1)
    compiled = dl.compile(lambda x: x * program.cached("k")[0])
    for expected in (1, 3, 5):
        assert [compiled(X)[1] for _ in range(3)] == [expected] * 3
        program.cached("other")  # drives the result out; the cache uses its place again
    assert program.cached.cache_info() == (6, 6, 1, 1)


def test_caches_around_caches():
    """The outer one seems to have the settings of the inner one."""
    for settings in ({"typed": True}, {"typed": False}):
        inner = Program(**settings).cached
        outer = functools.lru_cache(typed=not settings["typed"])(inner)
        compiled = dl.compile(lambda x, outer=outer: [x * outer(n)[0] for n in (1, True, 1)])
        for _ in range(3):
            expected = [[X * n for n in ((1, 2, 1) if outer(1) != outer(True) else (1, 1, 1))]]
            assert repr([compiled(X)]) == repr(expected)


def test_arguments_whose_hash_is_the_programs_own_are_left_alone():
    class Key:
        def __hash__(self):
            asked.append(1)
            return 1

        def __eq__(self, other):
            return True

    asked, program, key = [], Program(), Key()
    compiled = dl.compile(lambda x: x * program.cached(key)[0])
    for n in range(4):
        compiled(X)
        assert len(asked) == n + 1
    assert program.cached.cache_info()[:2] == (3, 1)


def test_numbers_that_change_are_not_compiled_in():
    program = Program()
    compiled = dl.compile(lambda x, n: x * program.cached(n)[0])
    for n in range(12):
        assert compiled(X, n).tolist() == (X * (n + 1)).tolist()
    assert program.cached.cache_info()[:2] == (0, 12)
    assert dl.stats().recompiles <= 3
