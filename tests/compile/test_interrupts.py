"""Interrupts: Ctrl-C, or a timer, at any moment of a compiled call.

A frame that handles them finds its variables as they are between two of its instructions, and
leaves nothing open.
"""
import contextlib
import inspect
import random
import signal
import sys
import threading
import traceback

import numpy as np
import pytest
from dynamo_lite.backends.registry import lookup_backend
from test_on_stack import STATE, compiled, in_python, switch, switching

import dynamo_lite as dl
from dynamo_lite.bytecode.interrupts import interrupt_handlers
from dynamo_lite.bytecode.loop_functions import loop_sites
from dynamo_lite.bytecode.reading import read
from dynamo_lite.script.on_stack import Switch

X = np.ones(300)
LOCK = threading.Lock()
OPENED = []


class Interrupted(KeyboardInterrupt):
    pass


def in_a_native_loop(x, n):
    k, total = -1, 0.0
    try:
        for k in range(n):
            x = np.sin(x) * 1.5
            total = total + 1.0
    except KeyboardInterrupt:
        return "caught", k, total
    return "ended", k, total


def in_a_loop_with_breaks(x, n):
    k, total = -1, 0.0
    try:
        for k in range(n):
            x = np.sin(x) * 1.5
            total = total + 1.0
            hash(object())
    except KeyboardInterrupt:
        return "caught", k, total
    return "ended", k, total


def in_a_loop_without_calls(x, n):
    k, total = -1, 0.0
    try:
        while k < n:
            k = k + 1
            x = np.sin(x) * 1.5
            total = total + 1.0
            x = x @ Left()
    except (ValueError, KeyboardInterrupt):
        return "caught", k, total
    return "ended", k, total


class Left:
    __array_ufunc__ = None

    def __rmatmul__(self, other):
        return other


def in_a_callee(x, n):
    return in_a_native_loop(x, n)


def with_a_bare_except(x, n):
    k, total = -1, 0.0
    try:
        for k in range(n):
            x = np.sin(x) * 1.5
            total = total + 1.0
    except:  # noqa: E722
        return "caught", k, total
    return "ended", k, total


def with_a_lock(x, n):
    for k in range(n):
        with LOCK:
            x = np.sin(x) * 1.5
            hash(object())
            x = x + 1
    return "ended", n - 1, n


def with_finally(x, n):
    OPENED.append(1)
    try:
        for k in range(n):
            x = np.sin(x) * 1.5
            hash(object())
    finally:
        OPENED.pop()
    return "ended", n - 1, n


def interrupt(*_):
    raise Interrupted


@contextlib.contextmanager
def interrupts(interrupt=interrupt):
    before = signal.signal(signal.SIGALRM, interrupt)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def lines_without_handler(function):
    """Those of which CPython runs something outside of the `try`: 3.13 the jump of a `while`.

    The call in `in_a_callee` is over when that function is asked for signals.
    """
    code = inspect.unwrap(function).__code__
    return {(inst.line or 0) - code.co_firstlineno for inst in read(code) if inst.handler is None
            and inst.opname.startswith(("JUMP", "CALL"))}


def interrupted(function, n, after):
    """What a call gives that is interrupted after some seconds, if it takes that long."""
    try:
        signal.setitimer(signal.ITIMER_REAL, after)
        result = function(X, n)
        signal.setitimer(signal.ITIMER_REAL, 0)
    except Interrupted as error:
        # Python 3.11 gives the jump behind a `with` in a loop no line.
        lines = [(frame.f_code.co_name, (line or 0) - frame.f_code.co_firstlineno)
                 for frame, line in traceback.walk_tb(error.__traceback__)
                 if frame.f_code.co_name in (function.__name__, in_a_native_loop.__name__)]
        if lines and lines[-1][1] == 0:
            return "early", 0, 0
        is_late = not lines or lines[-1][1] in lines_without_handler(globals()[lines[-1][0]])
        return "late" if is_late else "escaped", 0, 0
    return result


def is_between_two_instructions(result):
    """`total` counts the iterations, of which `k` is the last: it may be in its first half."""
    what, k, total = result
    return what in ("early", "late") or total in (k, k + 1)


@pytest.mark.parametrize("function", [
    in_a_native_loop, in_a_loop_with_breaks, in_a_loop_without_calls, in_a_callee,
    with_a_bare_except,
])
def test_they_reach_the_handler(function):
    f = dl.compile(function)
    f(X, 2000)
    f(X, 2000)
    chance = random.Random(function.__name__)
    with interrupts():
        found = [interrupted(f, 6000, chance.uniform(1e-3, 4e-3)) for _ in range(20)]
    assert all(map(is_between_two_instructions, found))
    outcomes = [what for what, *_ in found]
    assert outcomes.count("early") <= outcomes.count("caught") > 0
    assert "escaped" not in outcomes


@pytest.mark.parametrize("function", [with_a_lock, with_finally])
def test_nothing_is_left_open(function):
    f = dl.compile(function)
    f(X, 300)
    chance = random.Random(function.__name__)
    with interrupts():
        for _ in range(50):
            interrupted(f, 1000, chance.uniform(1e-3, 4e-3))
            assert not LOCK.locked() and not OPENED


def test_those_that_arrive_while_compiling_are_raised_in_the_try():
    def backend(graph, inputs):
        signal.raise_signal(signal.SIGALRM)
        return lookup_backend("llvm")(graph, inputs)

    f = dl.compile(in_a_native_loop, backend=backend)
    with interrupts():
        result = f(X, 30)
    assert result[0] == "caught" and is_between_two_instructions(result)


def test_with_fullgraph_they_are_raised_before_or_after():
    f = dl.compile(in_a_native_loop, fullgraph=True)
    assert f(X, 20) == ("ended", 19, 20.0)
    with interrupts():
        found = [interrupted(f, 6000, 1e-3) for _ in range(5)]
    assert all(map(is_between_two_instructions, found))


def replaced(x, n):
    k, total = -1, 0.0
    try:
        for k in range(n):
            switch()
            x = np.sin(x) * 1.5
            total = total + 1.0
    except KeyboardInterrupt:
        return "caught", k, total
    return "ended", k, total


@pytest.mark.parametrize("compile", [in_python, compiled])
@pytest.mark.parametrize("as_whole", [False, True])
def test_of_a_loop_that_was_replaced(compile, as_whole):
    chance = random.Random(int(as_whole))
    found = []
    with interrupts():
        for _ in range(20):
            with switching(compile, 3, as_whole):
                found.append(interrupted(replaced, 2000, chance.uniform(1e-3, 4e-3)))
    STATE.at = None
    assert all(map(is_between_two_instructions, found))
    assert "escaped" not in {what for what, *_ in found}


@pytest.mark.parametrize("as_whole", [False, True])
def test_their_handlers_are_given_the_frame_of_the_loop(as_whole):
    found = []

    def soon():
        signal.setitimer(signal.ITIMER_REAL, 1e-3 + len(found) * 1e-4)

    def note(_, frame):
        if frame is not None and frame.f_code is switch.__code__:
            return soon()  # it has not begun yet
        found.append(frame.f_code.co_name if frame is not None else None)

    def armed(*args):
        loop = compiled(*args)
        soon()
        return loop

    with interrupts(note):
        for _ in range(10):
            with switching(armed, 3, as_whole):
                replaced(X, 4000)
    STATE.at = None
    assert None not in found and "replaced" in found


def handlers(function):
    code = function.__code__
    found = interrupt_handlers(code)
    return [[each.target for each in found.get(i.index, ())] for i in read(code)]


def test_which_handlers_are_for_interrupts():
    def second_clause(x):
        try:
            x = x + 1
        except ValueError:
            pass
        except BaseException:
            pass

    def another(x):
        try:
            x = x + 1
        except (ValueError, TypeError):
            pass
        finally:
            x = 1

    def no_loop(x):
        try:
            x = x + 1
        except:  # noqa: E722
            pass

    assert any(handlers(second_clause))
    assert not any(handlers(another))
    assert not any(handlers(no_loop))
    assert any(handlers(with_a_bare_except))


def test_a_loop_in_an_inner_try_counts():
    def inner(x):
        try:
            for _ in range(3):
                try:
                    x = x + 1
                except ValueError:
                    pass
        except:  # noqa: E722
            pass

    assert any(handlers(inner))


def left_with_its_loop(x, n):
    for k in range(n):
        try:
            x = np.sqrt(x) + k
            hash(object())
            if k == 3:
                break
        except KeyboardInterrupt:
            return "caught"
    return x, k


def test_a_try_that_is_left_together_with_a_loop():
    f = dl.compile(left_with_its_loop)
    expected = left_with_its_loop(X, 9)
    for _ in range(3):
        x, k = f(X, 9)
        assert k == expected[1] and np.array_equal(x, expected[0])


def test_an_interrupt_when_a_replaced_loop_is_over():
    ended, made = [], []

    def replace_here():
        frame = sys._getframe(1)
        (site,) = loop_sites(frame.f_code)
        made.append(Switch(frame, site, False, in_python, lambda: ended.append(1)))

    def program(n):
        for k in range(n):
            if k == 2:
                replace_here()
        return k

    assert program(5) == 4 and ended == [1]
    made[0].failed(KeyboardInterrupt())
    assert ended == [1]
