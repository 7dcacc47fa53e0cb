"""Where watching calls costs each of them, it stops as long as it does not pay."""
import sys
import time
from types import FunctionType

import numpy as np
import pytest
from scripts import WARMING, run

import dynamo_lite as dl
from dynamo_lite.native import (
    CompiledFunction,
    calls_of_code,
    calls_seen,
    enter_region,
    leave_region,
    sample_with,
    watch_calls,
)
from dynamo_lite.script import comparisons, regions, watching
from dynamo_lite.script import samples as samples_of
from dynamo_lite.script.program import Program as ProgramOfCode
from dynamo_lite.script.repeated import former_of
from dynamo_lite.script.samples import Samples
from dynamo_lite.script.watching import CALL, FIRST_LOOK, LONGEST, SHORTEST, CallWatch, running

if sys.version_info >= (3, 14):
    pytest.skip("regions are not available", allow_module_level=True)

INTERVAL = 0.05


class Program:
    """A program that makes so many calls between two samples."""

    def __init__(self, monkeypatch):
        self.now, self.calls, self.saved, self.spent = 0.0, 0, 0.0, 0.0
        self.on = True
        monkeypatch.setattr(watching.time, "thread_time", lambda: self.now)
        monkeypatch.setattr(watching, "calls_seen", lambda: (self.calls, 0))
        monkeypatch.setattr(watching, "watch_calls", lambda is_on: setattr(self, "on", is_on))
        self.watch = CallWatch(lambda: self.saved, lambda: self.spent, is_hooked=True)

    def run(self, seconds, share, saves=0.0):
        """Run for so long, of which watching takes a share; how long nobody watched."""
        unwatched = 0.0
        for _ in range(round(seconds / INTERVAL)):
            self.now += INTERVAL
            if self.on:
                self.calls += int(share * INTERVAL / CALL)
                self.saved += saves * INTERVAL
            unwatched += self.watch.sample()
        return unwatched


@pytest.fixture
def program(monkeypatch):
    return Program(monkeypatch)


def test_few_calls_are_always_watched(program):
    assert program.run(20, 0.008) == 0.0


def test_calls_while_modules_are_imported_do_not_count(program):
    """Nothing is sampled meanwhile; a program has yet to show what compiled code saves it."""
    program.calls, program.now = 10**6, 2.0
    program.watch.sample()
    assert program.run(FIRST_LOOK, 0.2, saves=0.3) == 0.0 and program.on


def test_many_calls_are_watched_now_and_then(program):
    assert program.run(FIRST_LOOK, 0.02) == 0.0
    program.run(60, 0.2)
    assert program.watch.pause == LONGEST


def test_all_looks_together_take_a_small_share_of_the_time(program):
    program.run(60, 0.4)
    assert program.calls * CALL < 0.02 * 60


def test_what_saves_more_than_watching_costs_is_watched(program):
    assert program.run(20, 0.2, saves=0.3) == 0.0
    assert program.run(20, 0.2) > 10  # no more


def test_what_compiled_calls_save_is_no_reason_where_they_need_no_watching(program):
    program.watch = CallWatch(lambda: program.saved, lambda: program.spent, is_hooked=False)
    assert program.run(20, 0.2, saves=0.3) > 10


def test_what_was_just_compiled_may_show_what_it_saves(program):
    program.run(30, 0.2)
    while not program.on:
        program.run(INTERVAL, 0.2)
    program.spent += 0.02
    assert program.run(FIRST_LOOK, 0.2) == 0.0
    program.run(2 * INTERVAL, 0.2)
    assert not program.on and program.watch.pause == SHORTEST


def test_what_waits_for_no_longer_ends_a_pause(program):
    program.run(30, 0.2)
    assert program.watch.pause == LONGEST
    while program.on:
        program.run(INTERVAL, 0.2)
    program.watch.resume()
    assert program.on and program.run(FIRST_LOOK / 2, 0.2) == 0.0


def test_code_that_ran_unseen_for_as_long_as_it_waits_is_noticed():
    def f(x):
        return samples.credit(sys._getframe(), 0.5)

    whole = ProgramOfCode()
    samples = Samples(whole, compile_loop=lambda *given: None)
    history = whole.history_of(f.__code__)
    with dl.config.patch(warm_seconds=0.9):
        whole.lender.costs.is_loaded = True
        assert not f(1) and history.account.ran == 0.5  # no arrays were seen there
        history.names_arrays = True
        assert f(1)
        assert not f(1)  # it is waited for no longer, as it may never be called again
        history.given_up = "it is slower"
        assert not f(1)


def test_a_program_that_is_run_again_is_seen_once_by_its_code():
    def f():
        return samples.is_repeated(sys._getframe())

    whole = ProgramOfCode()
    samples = Samples(whole, compile_loop=lambda *given: None)
    history = whole.history_of(f.__code__)
    history.account.ran = 0.3
    whole.keep(f.__code__, history)
    again = FunctionType(f.__code__.replace(), globals(), closure=f.__closure__)
    assert not f() and again() and not again()
    assert whole.known(again.__code__).account.ran > 0.3 and whole.lender.is_repeated


def test_loops_that_are_called_once_are_known_when_the_program_is_run_again():
    def loop(x):
        for i in range(9):
            x = x + i
        return x

    candidates = regions.Candidates()
    with dl.config.patch(warm_seconds=0.9):
        for f in (loop, lambda x: x + 1):
            assert candidates.answer(f, (np.ones(3),), sys._getframe()) > 0
            found = former_of(candidates.program, f.__code__.replace())
            assert (found is not None) == (f is loop)


@pytest.mark.parametrize(("call", "is_given_up", "has_loops", "below"), [
    (0, False, True, 0.0), (1_000, False, True, 0.0), (100_000, False, True, 0.5),
    (1_000, True, False, 0.5), (100_000, False, False, 0.0),
])
def test_what_is_compiled_by_itself_is_no_reason_to_compile_loops_around_it(
    monkeypatch, call, is_given_up, has_loops, below
):
    """Nor what was tried in vain; short calls are better compiled along with what makes them."""
    def callee():
        samples.note_callees(sys._getframe())

    def caller():
        callee()

    times = {callee.__code__: (1, call, 0, 0, 0, 0)}
    monkeypatch.setattr(comparisons, "calls_of_code", times.__getitem__)
    monkeypatch.setattr(samples_of.time, "thread_time", iter([0.0, 0.0, 0.5]).__next__)
    whole = ProgramOfCode()
    samples = Samples(whole, compile_loop=lambda *given: None)
    inner, outer = (whole.history_of(each.__code__) for each in (callee, caller))
    outer.account.has_loops = has_loops
    inner.names_arrays, inner.given_up = True, "in vain" if is_given_up else ""
    caller()
    assert inner.account.below == 0.0 and outer.account.below == below
    outer.account.ran = 2.0
    assert outer.account.own == 2.0 - below
    outer.account.discount(0.75)  # the callee is compiled now
    assert outer.account.own == 1.25


@pytest.mark.parametrize("is_tried", [True, False])
def test_what_code_calls_that_has_entries_on_disk_is_not_compiled_before_they_fit(is_tried):
    """They may have it inlined."""
    def callee(x):
        return x * 2

    def caller():
        return candidates.answer(callee, (np.ones(3),), sys._getframe())

    candidates = regions.Candidates()
    outer, inner = (candidates.program.history_of(f.__code__) for f in (caller, callee))
    outer.compiled, outer.account.is_tried = 1, is_tried
    inner.account.is_promised, inner.account.expected = True, 1.0
    if is_tried:
        assert caller() > 0 and inner.account.expected == 0.0
    else:
        assert isinstance(caller(), CompiledFunction)


def log(codes):
    codes.append(sys._getframe(1).f_code)


def test_code_that_was_compiled_can_be_a_key():
    """Its constants are any objects."""
    def f(x, sums, codes):
        sums.insert(0, x.sum())
        log(codes)
        return x + 1.0

    compiled, codes, sums = dl.compile(f), [], [0.0]
    for _ in range(3):
        compiled(np.arange(4.0), sums, codes)
    assert len({*codes}) <= 3 and f.__code__ not in codes


def test_the_frames_that_run_are_seen_once():
    def recursive(depth):
        return recursive(depth - 1) if depth else [*running(sys._getframe())]

    codes = recursive(3)
    assert codes[:2] == [
        recursive.__code__, test_the_frames_that_run_are_seen_once.__code__,
    ]  # fmt: skip


@pytest.fixture
def look_seconds():
    return 0.0


@pytest.fixture
def region(look_seconds):
    seen = []

    def look(frame):
        seen.append(frame.f_locals.get("x"))
        time.sleep(look_seconds)

    sample_with(look, 1e-3)
    enter_region(lambda function, values: 10**15)  # each waits for long
    np.empty(3)
    yield seen
    leave_region()
    sample_with(None, 0.0)


def test_samples_come_while_plain_python_runs(region):
    """Before 3.13 the interpreter does not look for what another thread asks for by itself."""
    x, end = 0, time.perf_counter() + 0.2
    while time.perf_counter() < end:
        x += 1
    assert len(region) > 20


@pytest.mark.parametrize("look_seconds", [5e-3])
def test_the_program_goes_on_between_two_samples_that_take_long(region):
    x, end = 0, time.perf_counter() + 0.3
    while time.perf_counter() < end:
        x += 1
    assert len(region) > 10 and len({*region}) > 0.8 * len(region)


def test_pauses(region):
    def f():
        return None

    def call_often():  # so that the interpreter learns what the call site calls
        before = calls_seen()[0]
        for _ in range(300):
            f()
        return calls_seen()[0] - before

    assert call_often() >= 300
    watch_calls(False)
    assert call_often() <= 1  # the call at which a function is given back is none of ours any more
    watch_calls(True)
    assert call_often() >= 300


def test_functions_that_are_made_or_end_in_a_pause(region):
    def made():
        return lambda x: x

    first = made()
    first(1)
    watch_calls(False)
    first(1)
    second, third = made(), made()
    second(1)
    third(1)
    del first, third
    watch_calls(True)
    before = calls_seen()[0]
    assert second(2) == 2 and calls_seen()[0] > before


@pytest.fixture
def asked():
    """What is called with arrays runs compiled; the functions that were asked about."""
    functions = []

    def answer(function, values):
        if not any(isinstance(value, np.ndarray) for value in values or ()):
            return 10**15
        functions.append(function.__name__)
        time.sleep(5e-3)  # a sample is due meanwhile
        return dl.compile(function)

    sample_with(lambda frame: None, 1e-3)
    enter_region(answer)
    np.zeros(1)
    yield functions
    watch_calls(True)
    leave_region()
    sample_with(None, 0.0)


def test_loops_do_not_bail_out_for_samples_that_were_due_while_they_were_compiled(asked):
    def steps(u, n):
        for _ in range(n):
            u = u + 0.1 * (u[::-1] - u)
        return u

    u, before = np.arange(40.0), dl.stats().bailouts
    steps(u, 30000)
    assert asked == ["steps"] and dl.stats().bailouts == before


def test_compiled_code_needs_no_watching_from_python_3_12_on(asked):
    def f(x):
        return x * 2.0 + 1.0

    x = np.arange(3.0)
    f(x)
    assert asked == ["f"]
    watch_calls(False)
    before = calls_of_code(f.__code__)[3]
    assert f(x).tolist() == [1.0, 3.0, 5.0]
    compiled_calls = calls_of_code(f.__code__)[3] - before
    assert compiled_calls == (sys.version_info >= (3, 12)) and asked == ["f"]


MANY_CALLS = """
import numpy as np
import dynamo_lite as dl
from dynamo_lite.native import calls_seen
x = np.zeros(3)
class Point:
    def __init__(self, x): self.x = x
    def __eq__(self, other): return self.x == other.x
points, calls = [Point(i) for i in range(100)], 0
import time
end = time.perf_counter() + 1.5
while time.perf_counter() < end:
    for point in points:
        calls += point == points[0] or 1
print(calls_seen()[0] < calls / 2)
"""


def test_a_code_of_programof_many_small_functions_is_not_watched_all_the_time():
    assert run(*WARMING, "-c", MANY_CALLS)[1] == "True\n"


HOT_LATER = """
import sys, time
import numpy as np
import dynamo_lite as dl
def f(x):
    total = 0.0
    for i in range(len(x)): total += x[i] * x[i]
    return total
def g(x): return x
x = np.arange(50.0)
end = time.perf_counter() + 1.0
while time.perf_counter() < end: g(1)
end = time.perf_counter() + 20.0
while time.perf_counter() < end and not dl.stats().graphs: f(x)
print(dl.stats().graphs)
"""


def test_what_becomes_hot_is_found_all_the_same():
    assert run(*WARMING, "-c", HOT_LATER)[1] == "1\n"
