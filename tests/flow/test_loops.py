"""Loops and branches on data: one graph, with what Python gives, and who shares memory."""
import os
import signal
import sys
import threading
import time

import numpy as np
import pytest

import dynamo_lite as dl

from ..oracle import check

VECTOR = np.arange(1.0, 31.0) / 7


def recurrence(x, a):
    y = np.zeros_like(x)
    y[0] = x[0]
    for i in range(1, len(x)):
        y[i] = a * y[i - 1] + x[i]
    return y


def heat_in_place(u, _):
    for _ in range(60):
        u[1:-1] = u[1:-1] + 0.1 * (u[2:] - 2 * u[1:-1] + u[:-2])
    return u


def taking_turns(u, _):
    u = u.copy()
    other = np.empty_like(u)
    for _ in range(61):
        other[0], other[-1] = u[0], u[-1]
        other[1:-1] = u[1:-1] + 0.1 * (u[2:] - 2 * u[1:-1] + u[:-2])
        u, other = other, u
    return u


def newton(x, a):
    error, n = 1.0, 0
    while error > 1e-10:
        y = x - (x * x - 2) / (2 * x)
        error = np.abs(y - x).max()
        x, n = y, n + 1
    return x, n


def left_by_break(x, a):
    for k in range(200):
        y = 0.5 * (x + 2 / x)
        if np.abs(y - x).max() < 1e-8:
            break
        x = y
    return x, k


def largest(x, a):
    m, k = x[0], 0
    for i in range(len(x)):
        if x[i] > m:
            m, k = x[i], i
    return m, k


def escape_times(x, a):
    times = np.zeros((len(x), 45), dtype=np.int64)
    for i in range(len(x)):
        for j in range(45):
            u = v = 0.0
            for k in range(50):
                u, v = u * u - v * v + x[i] - 2, 2 * u * v + j / 30
                if u * u + v * v > 4.0:
                    break
            times[i, j] = k
    return times


def branch(x, a):
    if x.sum() > a:
        y = x * 2
    else:
        y = -x
    return y + 1


def perhaps_itself(x, a):
    if x.max() > a:
        x = x / x.max()
    return x


def perhaps_never(x, a):
    while x.max() < 100 * a:
        x = x * 2
    return x


def factorial(x, a):
    r = 1
    for i in range(1, 60):
        r = r * i
    return r


def out_of_bounds(x, a):
    s = 0.0
    for i in range(50):
        s += x[i]
    return s


FUNCTIONS = [recurrence, heat_in_place, taking_turns, newton, left_by_break, largest, escape_times,
             branch, perhaps_itself, perhaps_never, factorial, out_of_bounds]


@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda f: f.__name__)
@pytest.mark.parametrize("backend", ["eager", "llvm"])
def test_equals_python_in_one_graph(function, backend):
    with dl.config.patch(strict=True):
        compiled = dl.compile(function, backend=backend, fullgraph=True)
        for a in 0.5, 2.0, 500.0, 0.5:
            check(compiled, function, VECTOR, a, calls=1)


def test_the_body_is_shown():
    text = str(dl.explain(recurrence)(np.ones(60), 0.5))
    assert "control.for_loop(" in text and "def body" in text


def test_time_to_compile_does_not_grow_with_the_number_of_rounds():
    def loop(x):
        n = 0
        while n < 300_000:
            x = x * 1.0000001
            n += 1
        return x

    found = dl.explain(loop, fullgraph=True)(np.ones(3))
    assert found.op_count < 40


class Stop(Exception):
    pass


def by_an_alarm():
    signal.setitimer(signal.ITIMER_REAL, 0.3)


def by_a_thread_that_had_its_turns():
    def take_turns():
        for _ in range(50):
            time.sleep(0)
        os.kill(os.getpid(), signal.SIGALRM)

    threading.Thread(target=take_turns).start()


@pytest.mark.parametrize("ended", [by_an_alarm, by_a_thread_that_had_its_turns])
def test_a_signal_ends_a_loop_that_does_not_end(ended):
    def forever(x):
        while x.sum() > 0:
            x = x * 1.0
        return x

    def stop(number, frame):
        raise Stop

    compiled = dl.compile(forever, fullgraph=True)
    compiled(np.zeros(3))
    before = signal.signal(signal.SIGALRM, stop)
    try:
        ended()
        with pytest.raises(Stop):
            compiled(np.ones(3))
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def counts_up(x):
    for _ in range(2 * 10**9):
        x[0] += 1.0


def counts_by_twos(x):
    for _ in range(1, 4 * 10**9, 2):
        x[0] += 1.0


def counts_down(x):
    for _ in range(2 * 10**9, 0, -1):
        x[0] += 1.0


def counts_down_by_threes(x):
    for _ in range(6 * 10**9, -1, -3):
        x[0] += 1.0


@pytest.mark.parametrize("count", [counts_up, counts_by_twos, counts_down, counts_down_by_threes])
def test_a_signal_ends_a_loop_of_which_the_end_is_known(count):
    """Not when it has come to its end, which is many seconds away."""
    compiled, x = dl.compile(count), np.zeros(1)

    def stop(number, frame):
        raise Stop

    before = signal.signal(signal.SIGALRM, stop)
    try:
        signal.setitimer(signal.ITIMER_REAL, 1.0)
        with pytest.raises(Stop):
            compiled(x)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    assert x[0] < 2 * 10**9


def test_a_signal_ends_a_loop_while_calls_are_profiled():
    """CPython 3.11 asked again and again for a signal that had come, and waited."""
    compiled, x = dl.compile(counts_up), np.zeros(1)

    def stop(number, frame):
        raise Stop

    before = signal.signal(signal.SIGALRM, stop)
    sys.setprofile(lambda *_: None)
    try:
        signal.setitimer(signal.ITIMER_REAL, 1.0)
        with pytest.raises(Stop):
            compiled(x)
    finally:
        sys.setprofile(None)
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def test_the_first_call_of_a_loop_is_not_run_twice():
    """Signals wait while it is compiled; none has come, so the loop goes on when it looks."""
    def powers(x, y, n):
        total = 0.0
        for _ in range(n):
            total = total + x.dot(y)
            x = x * 0.5
        return total

    compiled = dl.compile(powers)
    assert compiled(np.ones(5), np.ones(5), 400) == powers(np.ones(5), np.ones(5), 400)
    assert [entry.bailouts for entry in compiled.entries()] == [0]


def views_at_computed_positions(x, a):
    m = x[:24].reshape(6, 4).copy()
    k = np.argmax(m[:, 0])
    row = m[k]
    row[:] = 0
    return m, row


def test_rows_at_computed_positions_are_views():
    compiled = dl.compile(views_at_computed_positions)
    m, _ = compiled(VECTOR, 1.0)
    expected, _ = views_at_computed_positions(VECTOR, 1.0)
    np.testing.assert_array_equal(m, expected)


def one_size_is_fixed(x, y):
    z = x - y
    try:
        z[:] = np.repeat(y, 2, axis=-1)
    except ValueError:
        pass
    for _ in range(y.size):
        z = np.exp2(x)
    return -z


def test_a_symbol_that_is_fixed_is_fixed_in_the_bodies_too():
    compiled = dl.compile(one_size_is_fixed)
    for n in (5, 3, 4):
        x, y = np.arange(3.0 * n).reshape(3, n).T, np.ones((n, 6), "f2")[:, ::2]
        np.testing.assert_array_equal(compiled(x, y), one_size_is_fixed(x, y))


VIEWS = (
    lambda y: y[..., ::-2], lambda y: y[:, 1:], lambda y: y.T, lambda y: y[:, 0], lambda y: y[::-1],
    lambda y: y[1:], lambda y: y.reshape(-1), lambda y: np.broadcast_to(y, (2, *y.shape)),
)


@pytest.mark.parametrize("view", VIEWS)
@pytest.mark.parametrize("dynamic", [None, True])
def test_views_that_leave_a_loop_or_branch_lie_as_in_python(view, dynamic):
    def of_a_loop(x):
        for i in range(x.shape[0]):
            y = view(x + i)
        return y

    def of_an_array_before(x):
        y, whole = x, x + 1
        for _ in range(x.shape[0]):
            y = view(whole)
        return y

    def perhaps_of_no_round(x):
        y, total = view(x + 1), x.sum()
        while total < 9:
            y, total = y * 2, total + 1
        return y

    def of_a_branch(x):
        if x.sum() > 3:
            y = view(x + 1)
        else:
            y = view(x * 2)
        return y

    for function in of_a_loop, of_an_array_before, perhaps_of_no_round, of_a_branch:
        compiled = dl.compile(function, backend="llvm", dynamic=dynamic)
        for x in np.zeros((3, 5)), np.ones((4, 5)), np.ones((6, 7)), np.zeros((3, 5)):
            found, expected = compiled(x), function(x)
            assert found.tobytes() == expected.tobytes() and found.strides == expected.strides
            assert repr(found.flags) == repr(expected.flags)
        dl.reset()


def chosen(x, w):
    made = x + 1
    kept = made if (x > 0).any() else w
    return kept is made, kept is w, kept is not x, [v is kept for v in (made, w)]


def of_inputs(x, w):
    kept = x if (x > 0).any() else w
    return kept is x, id(kept) == id(w)


def two_names(x, _):
    if (x > 0).any():
        first = second = x + 1
    else:
        first = second = x - 1
    return first is second, first, second


def swapped(x, _):
    first, second = a, b = x + 1, x + 2
    for _ in range(60):
        first, second = second, first
    return first is a, second is a, first is b


def handed_on(x, _):
    kept, rounds = first, _ = x + 1, 0
    while kept.sum() < 20:
        kept, rounds = kept + 1, rounds + 1
    return kept is first


@pytest.mark.parametrize("function", [chosen, of_inputs, two_names, swapped, handed_on])
@pytest.mark.parametrize("backend", ["eager", "llvm"])
def test_which_array_it_is(function, backend):
    compiled = dl.compile(function, backend=backend)
    for sign in (1, 1, -1, 9):
        x, w = np.full(4, sign * 1.0), np.ones(4)
        check(compiled, function, x, w, calls=1)


def given_what_stays(x, a):
    """`s` has the value of a variable that no iteration changes, from the second one on."""
    s, t, w = 0.0, a, x
    for _ in range(len(x)):
        s, t = t, t
        x, w = w, w
    return s, t, x + 1


@pytest.mark.parametrize("backend", ["eager", "llvm"])
def test_a_variable_that_is_given_one_that_stays(backend):
    with dl.config.patch(strict=True):
        check(dl.compile(given_what_stays, backend=backend), given_what_stays, VECTOR.copy(), 2.0)
