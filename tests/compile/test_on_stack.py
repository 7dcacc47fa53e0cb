"""On-stack replacement: a loop of a running frame goes on in a function of its own.

`switch()` in the body of a loop has its next iteration, and all that follow, run there. In these
tests it does so where the test says, not where it pays.
"""
import contextlib
import os
import random
import subprocess
import sys
import traceback
import types

import numpy as np
import pytest
from scripts import WARMING, run, same_as_python

import dynamo_lite as dl
from dynamo_lite.bytecode.loop_functions import loop_function, loop_sites
from dynamo_lite.bytecode.reading import read
from dynamo_lite.native import value_in_frame
from dynamo_lite.runtime.compile_frame import Options, compiled_function
from dynamo_lite.script import running_loops
from dynamo_lite.script.iterators import RANGE_ITERATOR, items_left
from dynamo_lite.script.on_stack import Switch
from dynamo_lite.script.timed_loops import Look, Moment
from dynamo_lite.tiering.account import open_account
from dynamo_lite.tiering.lender import Lender
from tests.flow.random_loops import PrintingWriter, Writer, program
from tests.fuzz.seeds import chunks
from tests.oracle import differences, outcome, outcome_of_copy

ENDED = []
STATE = types.SimpleNamespace(at=None, calls=0, compile=None, as_whole=False, depth=0)


def switch():
    """At the call that `STATE` names: replaces the loop that the caller is in."""
    STATE.calls += 1
    if STATE.calls != STATE.at:
        return
    frame = sys._getframe(1)
    around = [site for site in loop_sites(frame.f_code) if frame.f_lasti in site.offsets]
    if around:
        site = around[min(STATE.depth, len(around) - 1)]
        ENDED.append("begun")
        iterator = value_in_frame(frame, site.slot, None)
        as_whole = STATE.as_whole and type(iterator) is RANGE_ITERATOR
        Switch(frame, site, as_whole, STATE.compile, lambda: ENDED.append("ended"))


def in_python(function, args):
    return function


def compiled(function, args):
    made = compiled_function(function, Options(warn=False))
    made.miss(made, args)
    return made


@contextlib.contextmanager
def switching(compile, at, as_whole=False, depth=0):
    ENDED.clear()
    STATE.at, STATE.calls, STATE.compile = at, 0, compile
    STATE.as_whole, STATE.depth = as_whole, depth
    yield
    STATE.at = None


def seen(k):
    frame = sys._getframe(1)
    return k, frame.f_code.co_name, frame.f_lineno, frame.f_back.f_code.co_name


def test_what_iterations_took_before_something_was_compiled_says_nothing():
    """They may call it, and take a tenth of that by now."""
    look = Look(Moment(0.0), 1000).again(Moment(0.1), 990, 0.0).again(Moment(0.2), 980, 0.0)
    assert (look.timed, look.mean, look.done) == (2, 0.01, 20)
    look = look.again(Moment(0.3), 970, spent := 0.2)
    assert (look.timed, look.done) == (0, 30)
    look = look.again(Moment(0.4), 870, spent)
    assert (look.timed, look.done) == (1, 130) and abs(look.mean - 0.001) < 1e-9


def test_an_iteration_takes_the_mean_of_what_all_took_but_for_the_longest_look():
    """Later ones may take longer than the first; and one may import something."""
    look, at = Look(Moment(0.0), 1000), 0.0
    for number, took in enumerate((0.1, 5.0, 0.2, 0.3), 1):
        at += took
        look = look.again(Moment(at), 1000 - 10 * number, 0.0)
    assert look.timed == 4 and abs(look.mean - 0.02) < 1e-9
    assert look.own == 1.0


def test_the_part_of_an_iteration_that_is_not_in_compiled_code_is_a_mean_as_well():
    look, ended, compiled = Look(Moment(0.0), 1000), 0, 0
    for took, inside in (100, 0), (100, 30), (300, 300):
        ended, compiled = ended + took, compiled + inside
        look = look.again(Moment(1e-3 * ended, ended, compiled), look.left - 10, 0.0)
    assert abs(look.mean - 0.01) < 1e-9 and abs(look.own - 0.85) < 1e-9


def plain(x):
    total, last = 0.0, None
    for i in range(9):
        switch()
        x = np.sin(x) + i
        total += x.sum()
        last = i
    return x, total, last, i


def left_early(x):
    for i in range(20):
        switch()
        x = x + i
        if i == 7:
            break
    return x, i


def returned_at_once(x):
    for i in range(20):
        switch()
        x = x + i
        if i == 7:
            break
        for j in range(3):
            if j == i:
                break
    return x


def nothing_returned(x):
    for i in range(20):
        switch()
        x += i
        if i == 7:
            break


def nested(x):
    found = []
    for i in range(4):
        for j in range(5):
            switch()
            if j == 3 and i % 2:
                break
            x = x * 0.5 + j
            if i == 2:
                continue
            found.append(j)
        x[0] = i
    return x, found, i, j


def inside_blocks(x):
    with np.errstate(divide="ignore"):
        try:
            for i in range(8):
                switch()
                try:
                    if i == 3:
                        raise KeyError(i)
                    x = x / (i - 5)
                except KeyError as error:
                    x = x + error.args[0]
                finally:
                    x = x + 1
        finally:
            x = x - 1
    return x, i


def cells(x):
    count = 0

    def more():
        nonlocal count
        count += 1
        return count

    for i in range(6):
        switch()
        x = x + more() * i
        later = lambda: x + i  # noqa: E731
    return x, count, later()


def bound_in_the_loop(x):
    for i in range(6):
        if i > 1:
            y = x * i
            x = y + 1
        switch()
    return x, y


def bound_later(x):
    for i in range(6):
        switch()
        if i == 4:
            late = i
    return x, late


def unbound(x):
    for i in range(6):
        switch()
        if i == 4:
            del x
    return i, x


def deleted(x):
    for i in range(6):
        y = x * i
        switch()
        x = x + y
        del y
    return x


def looked_at(x):
    found = []
    for i in range(6):
        switch()
        found.append(seen(i))
        x = x + 1
    return found, x


def a_global(x):
    global last
    for i in range(6):
        switch()
        last = i * 2
        x = x + last
    return x, last


def three_that_end_together(x):
    for i in range(2):
        rows = [x, x + i]
        for j in range(len(rows)):
            for k in iter(range(4)):
                switch()
                step = seen(k)[0] + rows[j].sum()
                x[j] += step
    return x, i, j, k


FUNCTIONS = [plain, left_early, returned_at_once, nothing_returned, nested, inside_blocks, cells,
             bound_in_the_loop, bound_later, unbound, deleted, looked_at, a_global,
             three_that_end_together]


@pytest.mark.parametrize("compile", [in_python, compiled])
@pytest.mark.parametrize("function", FUNCTIONS)
def test_as_in_python(function, compile):
    x = np.arange(1.0, 5.0)
    with switching(None, None):
        expected = outcome_of_copy(function, (x,))
    for at in (1, 2, 3, 5):
        for as_whole, depth in ((False, 0), (True, 0), (False, 1)):
            with switching(compile, at, as_whole, depth):
                got = outcome_of_copy(function, (x,))
            assert not (wrong := differences(got, expected)), (at, as_whole, depth, wrong)


def test_the_loop_is_replaced():
    with switching(compiled, 3):
        plain(np.ones(3))
    assert ENDED == ["begun", "ended"]
    with switching(compiled, 3):
        returned_at_once(np.ones(3))
    assert ENDED == ["begun", "ended"]
    with switching(compiled, 3):
        inside_blocks(np.ones(3))
    assert ENDED == ["begun", "ended"]


def without_compiling(function, args):
    return None


def test_a_loop_that_is_not_compiled_goes_on():
    x = np.arange(3.0)
    with switching(None, None):
        expected = outcome_of_copy(plain, (x,))
    with switching(without_compiling, 3):
        assert not differences(outcome_of_copy(plain, (x,)), expected)
    assert ENDED == ["begun", "ended"]


def test_a_loop_that_is_stopped_goes_on_in_the_frame():
    x = np.arange(3.0)
    with switching(None, None):
        expected = outcome_of_copy(plain, (x,))

    def stopped(function, args):
        def run(*args):
            steps = args[-1]
            rest = iter(range(8))

            class Some:  # stops after two items
                def __iter__(self): return self

                def __next__(self):
                    if next(rest) == 2:
                        steps.is_stopped = True
                    return next(steps)

            return function(*args[:-1], Some())
        return run

    with switching(stopped, 3):
        assert not differences(outcome_of_copy(plain, (x,)), expected)
    assert ENDED == ["begun", "ended"]


def raising(x, kind):
    before = 5
    for i in range(9):
        switch()
        before = i
        x = x + 1
        if i == 6:
            raise kind(i)
    return before


def dividing(x, kind):
    for i in range(9):
        switch()
        y = [1 / (6 - i)
             for _ in "ab"]
    return y


def caught(x, kind):
    try:
        for i in range(9):
            switch()
            x = x + 1
            if i == 6:
                raise kind(i)
    except kind as error:
        return x, i, str(error), error.__traceback__.tb_lineno - caught.__code__.co_firstlineno


@pytest.mark.parametrize("compile", [in_python, compiled])
@pytest.mark.parametrize("kind", [ValueError, KeyError])
@pytest.mark.parametrize("function", [raising, dividing, caught])
def test_exceptions_come_from_the_frame(function, kind, compile):
    told = []
    for how, at in ((None, None), (compile, 2), (compile, 5)):
        with switching(how, at):
            got = outcome(function, (np.ones(2), kind))
        text, variables = "", ()
        if got.error is not None:
            text = "".join(traceback.format_exception(got.error))
            variables = tb_lasti(got.error, function.__name__)
        told.append((str(got.value), text, variables, sys.exc_info()))
    assert told[0] == told[1] == told[2]


def tb_lasti(error, name):
    found = error.__traceback__
    while found is not None:
        if found.tb_frame.f_code.co_name == name:
            return found.tb_lasti
        found = found.tb_next


def test_stop_iteration_does_not_end_the_loop_quietly():
    def stopping(x):
        for i in range(9):
            switch()
            if i == 6:
                raise StopIteration("in the body")
        for _ in range(10**6):
            pass
        return "ended"

    with switching(in_python, 3), pytest.raises(StopIteration, match="in the body"):
        stopping(1)


def look(loops):
    loops(sys._getframe(1))


OVER_ARRAYS = """
def program(x, frame):
    get = loops.__call__
    for i in range(9):
        x = {function}(x) + i
        if i == 5:
            get(frame())
    return x
"""


class Known:
    """What is kept from run to run."""

    def __init__(self):
        self.known = {}

    def about(self, code, loop):
        return self.known.get((code, loop))

    def note(self, code, decision, loop):
        self.known[code, loop] = decision


class Counted:
    """It says itself how many items it has."""

    def __len__(self):
        raise AssertionError("nobody has to know")

    def __getitem__(self, place):
        if place == 300:
            raise IndexError
        return place


def test_how_many_items_are_left():
    items = iter(np.arange(5))
    next(items)
    assert items_left(items) == 4
    assert items_left(zip(items, range(9), strict=True)) == 4
    assert items_left(enumerate(items, 10)) == 4
    assert items_left(zip()) is None
    assert items_left(iter(Counted())) is None
    assert [*items] == [1, 2, 3, 4] and items_left(items) is None  # it has let go of the array


class TestLongLoops:
    """What is found by looking at the frames that run."""

    @pytest.fixture
    def loops(self, monkeypatch):
        monkeypatch.setattr(running_loops, "SHORTEST", 1e-9)
        with dl.config.patch(warm_seconds=0.0):
            self.compiled = []
            yield running_loops.RunningLoops(
                lambda function: True, lambda function: True, self.compile,
                lambda code: open_account(code, Lender()), None)

    def compile(self, function, args, as_whole, account):
        self.compiled.append((function.__name__, account.rest))
        return function

    def test_a_loop_that_goes_on_for_long(self, loops):
        def program(x):
            for i in range(30):
                x = np.sin(x) + i
                if i % 3 == 0:
                    look(loops)
            return x, i

        expected = np.ones(4000)
        for i in range(30):
            expected = np.sin(expected) + i
        got, last = program(np.ones(4000))
        assert last == 29 and got.tobytes() == expected.tobytes()
        assert [name for name, *_ in self.compiled] == ["program"]
        assert loops.replaced is None

    @pytest.mark.parametrize("is_refused", [True, False])
    def test_a_loop_that_waits_for_what_was_tried_in_vain(self, loops, is_refused):
        def callee():
            look(loops)

        def program():
            for i in range(30):
                callee()

        loops.is_refused = lambda code: is_refused and code is callee.__code__
        program()
        assert [name for name, *_ in self.compiled] == ([] if is_refused else ["program"])

    @pytest.fixture
    def tick(self, loops, monkeypatch):
        """An iteration takes a second, or a hundredth where the loop runs compiled, unless others
        are its `seconds`."""
        clock = [0.0]
        monkeypatch.setattr(running_loops.Moment, "now", lambda: running_loops.Moment(clock[0]))

        def compile(function, args, as_whole, account):
            account.operations = 1
            return self.compile(function, args, as_whole, account)

        def tick():
            is_compiled = loops.replaced is not None and loops.replaced.switch.is_entered
            clock[0] += tick.seconds[is_compiled]
            look(loops)
            return clock[0]

        loops.compile, tick.seconds = compile, (1.0, 0.01)
        return tick

    def test_a_loop_that_paid_is_entered_again_as_it_is(self, loops, tick):
        def program():
            entered, last = 0, []
            while entered < 4:
                for i in range(300):
                    now = tick()
                last.append(i)
                entered += 1
            return now, last

        now, last = program()
        assert [name for name, _ in self.compiled] == ["program"] and last == [299] * 4
        assert now < 50

    @pytest.mark.parametrize(("items", "is_known"), [
        (lambda: [*range(300)], True), (lambda: tuple(range(300)), True),
        (lambda: np.arange(300) * 1.0, True), (lambda: enumerate([*range(300)]), True),
        (lambda: zip(range(300), np.ones((400, 2))), True), (lambda: {*range(300)}, False),
        (lambda: dict.fromkeys(range(300)).items(), True), (lambda: reversed([*range(300)]), True),
        (lambda: (item for item in range(300)), False), (lambda: zip(Counted(), [1] * 400), False),
    ])
    def test_loops_over_other_things_than_ranges(self, loops, tick, items, is_known):
        def program():
            seen = []
            for item in items():
                seen.append(item)
                now = tick()
            return seen, now

        seen, now = program()
        assert [*map(str, seen)] == [*map(str, items())] and len(seen) == 300
        assert [name for name, _ in self.compiled] == ["program"] * is_known
        assert (now < 50) is is_known

    def test_loops_over_other_things_are_left_where_iterations_are_short(self, loops, tick):
        def program():
            for _ in [*range(300)]:
                now = tick()
            return now

        tick.seconds = 1e-5, 1e-7
        program()
        assert self.compiled == []

    @pytest.mark.parametrize(("compiled", "is_hot"), [(0.01, True), (2.0, False)])
    def test_a_loop_that_was_compiled_as_a_whole_says_what_that_saved(
        self, loops, tick, compiled, is_hot
    ):
        tick.seconds = 1e-5, compiled * 1e-5  # too short to enter compiled code for each
        loops.decisions = Known()

        def program():
            for _ in range(300):
                now = tick()
            return now

        program()
        ((_, decision),) = loops.decisions.known.items()
        assert decision.is_hot is is_hot
        if is_hot:
            assert decision.saved == pytest.approx(0.99e-5 * 300, rel=0.1)

    def test_a_loop_that_ended_before_it_was_looked_at_again_says_what_that_saved(
        self, loops, tick, monkeypatch
    ):
        monkeypatch.setattr(running_loops.Replaced, "review", lambda replaced, now: None)
        loops.decisions = Known()

        def program():
            for _ in range(300):
                now = tick()
            return now

        program()
        ((_, decision),) = loops.decisions.known.items()
        assert decision.is_hot and decision.saved == pytest.approx(0.99 * 300, rel=0.1)

    @pytest.mark.parametrize(("operations", "is_stopped"), [(0, True), (5, False)])
    def test_python_goes_on_with_a_loop_of_which_nothing_became_a_graph(
        self, loops, tick, operations, is_stopped
    ):
        def compile(function, args, as_whole, account):
            account.operations = operations
            account.spend(0.01, in_vain=True)
            return self.compile(function, args, as_whole, account)

        def program():
            for i in range(300):
                tick()
            return i

        loops.compile, seen = compile, []
        end = loops.ended

        def ended():
            seen.append(loops.replaced.switch.items.was_stopped)
            end()

        loops.ended = ended
        assert program() == 299
        assert seen == [is_stopped]

    @pytest.mark.parametrize(("outer", "names"), [(3, ["program"]), (1, [])])
    def test_a_loop_counts_as_often_as_it_is_to_be_entered_again(
        self, loops, tick, monkeypatch, outer, names
    ):
        monkeypatch.setattr(running_loops, "SHORTEST", 150.0)  # one time through takes less

        def program():
            for _ in range(outer):
                for i in range(100):
                    now = tick()
            return now, i

        with dl.config.patch(warm_seconds=10.0):
            now, last = program()
        assert [name for name, _ in self.compiled] == names and last == 99
        assert now < 60 or outer == 1

    def test_what_a_frame_does_not_read_again_it_is_not_given(self, loops, tick):
        def names():
            return {*sys._getframe(1).f_locals}

        def program():
            total = 0
            for i in range(300):
                square = i * i
                now = tick()
                total += square
            return total, now, names()

        total, now, known = program()
        assert total == sum(i * i for i in range(300)) and now < 50
        assert {"total", "now"} <= known and not {"i", "square"} & known

    def test_the_outermost_of_them(self, loops):
        def inner(x):
            for _ in range(4):
                x = x + 1
                look(loops)
            return x

        def outer(x):
            for _ in range(9):
                x = inner(x)
            return x

        assert outer(np.zeros(2))[0] == 36
        assert [name for name, _ in self.compiled] == ["outer"]

    def test_loops_that_are_entered_anew_are_not_taken_for_one(self, loops):
        def program():
            total = 0
            places = (0, 99, 10, 99, 20, 99, 30, 99, 40)  # each other one lies there again
            for seen_at in (place for place in places):
                for i in range(50):
                    total += i
                    if i == seen_at:
                        look(loops)
            return total

        assert program() == 9 * sum(range(50))
        assert self.compiled == []

    def test_time_in_compiled_code_is_not_to_be_saved(self, loops, monkeypatch):
        seconds = iter(range(0, 1000, 4))  # of four seconds, three are in compiled code

        def now():
            at = next(seconds)
            return running_loops.Moment(float(at), at * 10**9, at * 3 * 10**9 // 4)

        monkeypatch.setattr(running_loops.Moment, "now", now)

        def program():
            for i in range(30):
                if i % 2 == 0:
                    look(loops)
            return i

        assert program() == 29
        assert self.compiled == [("program", 0.25 * 2.0 * 25)]

    def test_a_loop_that_may_break_is_expected_to_end_soon(self, loops):
        def all_of_it(x):
            for _ in range(10**5):
                x = np.sin(x) + 1
                look(loops)
                if loops.replaced is not None:
                    raise KeyError

        def until_a_break(x):
            for _ in range(10**5):
                x = np.sin(x) + 1
                look(loops)
                if loops.replaced is not None:
                    raise KeyError
                if x[0] > 1e9:
                    break

        expected = []
        for function in (all_of_it, until_a_break):
            with pytest.raises(KeyError):
                function(np.zeros(50_000))
            expected.append(loops.replaced.account.rest)
        assert expected[1] < expected[0] / 100

    @pytest.mark.parametrize("function, is_plain", [
        ("np.sin", True), ("np.random.random() + ", True), ("print_of", False)])
    def test_a_loop_of_nothing_but_what_is_mostly_compiled_waits_for_less(
        self, loops, function, is_plain
    ):
        names = {"np": np, "look": look, "loops": loops, "print_of": lambda x: print(end="") or x}
        exec(OVER_ARRAYS.format(function=function), names)
        with dl.config.patch(warm_seconds=0.05):
            loops.open_account = lambda code: open_account(code, lender)
            lender = Lender()
            lender.costs.is_loaded = lender.costs.reads_entries = False
            lender.costs.has_generator = False
            names["program"](np.ones(3), sys._getframe)
            (account,) = (found for (code, _), found in loops.accounts.items()
                          if code is names["program"].__code__)
            other = open_account(look.__code__, lender)
            assert (account.plain > 0) is is_plain
            assert (account.price < 0.75 * other.price) is is_plain

    def test_what_could_not_be_compiled_is_not_tried_by_the_next_run(self, loops):
        def program(x):
            for i in range(30):
                x = np.sin(x) + i
                look(loops)
            return x

        def refuse(function, args, as_whole, account):
            self.compiled.append(function.__name__)

        loops.decisions, loops.compile = Known(), refuse
        program(np.ones(4000))
        assert self.compiled == ["program"]
        ((_, decision),) = loops.decisions.known.items()
        assert not decision.is_hot and "could not be compiled" in decision.reason
        loops.tried.clear()
        program(np.ones(4000))
        assert self.compiled == ["program"]

    def test_a_loop_of_which_no_part_became_a_graph_is_not_tried_either(self, loops):
        def program(x):
            for i in range(30):
                x = np.sin(x) + i
                look(loops)
            return x

        loops.decisions = Known()
        program(np.ones(4000))  # its compiled form is the function itself
        ((_, decision),) = loops.decisions.known.items()
        assert not decision.is_hot and "could not be compiled" in decision.reason

    def test_a_loop_of_a_program_that_is_run_again_will_be_run_some_more_times(self, loops):
        account = open_account(look.__code__, Lender())
        assert running_loops.times(account) == 1.0
        account.lender.is_repeated = True
        assert running_loops.times(account) > 2.0

    def test_a_loop_that_is_left_before(self, loops):
        def program(x):
            for i in range(30):
                x = x + i
                look(loops)
                if loops.replaced is not None:
                    break
            return x

        program(np.ones(3))
        look(loops)
        assert loops.replaced is None and self.compiled == []


LONG = """
import time
import numpy as np
x = np.linspace(0, 1, 2000)
for step in range(10**6):
    y = np.sin(x) * 2 + x * x
    x = y / y.max()
    if time.process_time() > 3:
        break
print("done", x.shape, step > 100)
"""


def test_loops_of_whole_programs(script, monkeypatch):
    monkeypatch.setenv("DYNAMO_LOGS", "perf")
    for _ in range(3):  # whether there is time to compile it is decided by a clock
        code, out, err = run(*WARMING, script(LONG))
        assert (code, out) == (0, "done (2000,) True\n")
        if "script.py:5 is compiled" in err:
            return
    pytest.fail("the loop was never compiled")


REPEATED = """
TEXT = '''
import numpy as np

def loop(x, n):
    total = 0.0
    for i in range(n):
        for j in range(len(x)):
            total += x[j] * 0.5 + i
        if i % 200 == 7:
            print(i, total)
    return total

def f(x, k):
    return (x * k + 1).sum() / (x @ x)

x = np.linspace(0, 1, 50)
print(loop(x, 12000), sum(f(x, k) for k in range(20000)))
for k in range(3000):
    x = np.sqrt(x) * 0.9 + k / (1 + x.sum())
print(x)
'''
for _ in range(5):
    exec(compile(TEXT, "text.py", "exec"), {"__name__": "__main__"})
"""


def test_programs_that_run_themselves_again(script):
    assert same_as_python(script(REPEATED))[0] == 0


MODULE = """
total, seen = 0.0, []
for i in range(9):
    switch()
    x = np.sqrt(x) + i
    total += float(x[0])
    if i % 4 == 0:
        print(i, total)
    for k in seen[:2]:
        x = x + k
    seen.append(i)
    def inner(): return total
    seen[-1] += int(inner() * 0)
    if i == 7: del k
"""


@pytest.mark.parametrize("compile", [in_python, compiled])
@pytest.mark.parametrize("as_whole", [False, True])
def test_code_of_modules(as_whole, compile):
    def run(at):
        names = {"np": np, "switch": switch, "x": np.arange(3.0), "__name__": "program"}
        with switching(compile, at, as_whole):
            exec(compile_text(MODULE), names)
        return {name: names.get(name) for name in ("total", "seen", "i", "x", "k")}

    expected = outcome(lambda: run(None))
    assert expected.error is None
    for at in (1, 2, 4):
        assert not differences(outcome(lambda: run(at)), expected)


def compile_text(text):
    return compile(text, "<module>", "exec")


@pytest.mark.parametrize("body", [
    "for i in range(3): return i",
    "for i in range(3): yield i",
    "for i in range(3):\n  if i: break\n else: i = 9\n return i",
    "for i in range(3): locals()",
])
def test_loops_that_are_left_in_other_ways_stay(body):
    names = {}
    exec("def f():\n " + body, names)
    assert loop_sites(names["f"].__code__) == []


def test_nothing_is_left_of_a_long_jump_behind_the_loop():
    names = {}
    exec("def f(n, more):\n for i in range(n): pass\n if more:\n  n = [" + "n + n, " * 400 + "]",
         names)
    (site,) = loop_sites(names["f"].__code__)
    loop = loop_function(names["f"], site, frozenset({"n", "more"}), True)
    instructions = read(loop.function.__code__)
    tests = [each for each in instructions if each.opname == "POP_JUMP_IF_FALSE"]
    assert all(instructions[each.target].opname == "LOAD_CONST" for each in tests)


# -- random programs


def with_switches(text):
    """A call of `switch` at the beginning of the body of each loop over a range."""
    lines = []
    for line in text.splitlines():
        lines.append(line)
        if line.lstrip().startswith("for ") and " in range(" in line and line.endswith(":"):
            lines.append(" " * (len(line) - len(line.lstrip()) + 4) + "switch()")
    return "\n".join(lines)


@pytest.mark.parametrize("seeds", chunks(120, 20, daily=20))
@pytest.mark.parametrize("compile", [in_python, compiled])
@pytest.mark.parametrize("writer", [Writer, PrintingWriter])
def test_random_loops(writer, compile, seeds):
    with dl.config.patch(strict=True, recompile_limit=64):
        for seed in seeds:
            function, text, arguments = program(seed, writer)
            names = dict(function.__globals__, switch=switch)
            exec(compile_text(with_switches(text)), names)
            function = names[function.__name__]
            with switching(None, None):
                expected = outcome_of_copy(function, arguments)
                calls = STATE.calls
            choose = random.Random(seed)
            for _ in range(2 if calls else 0):
                with switching(compile, choose.randint(1, calls), choose.random() < 0.4,
                               choose.choice([0, 0, 1])):
                    got = outcome_of_copy(function, arguments)
                if wrong := differences(got, expected):
                    pytest.fail(f"seed {seed}\n{with_switches(text)}\n{wrong}")
            dl.reset()


def test_numbers_that_code_is_specialised_for_are_left_to_python():
    begun = []

    def note(function, args):
        begun.append(args[-3:])

    with switching(note, 1, as_whole=True):
        plain(np.ones(3))
    assert begun == [(2, 9, 1)]


def test_a_part_that_does_not_pay_is_analysed_once(tmp_path):
    """Not in each of the iterations that are left."""
    script = tmp_path / "long.py"
    script.write_text("\n".join([
        "import numpy as np", "x = np.ones(3)", "for i in range(3500):",
        "    print(i)", *["    x = x * 1.0"] * 800]))
    environment = {**os.environ, "DYNAMO_LOGS": "dynamo,perf"}
    done = subprocess.run([*WARMING, script], capture_output=True, text=True, env=environment,
                          timeout=120)
    assert done.returncode == 0 and done.stdout.endswith("3499\n")
    assert done.stderr.count("takes too long") <= 1, done.stderr
