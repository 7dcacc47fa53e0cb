"""Random numbers drawn inside loops and branches of the graph: the same stream as in Python."""
import copy
import os
import subprocess
import sys

import numpy as np
import pytest

import dynamo_lite as dl
from tests.oracle import check


def walk(rng, n):
    x = 0.0
    for _ in range(n):
        if rng.uniform() < 0.5:
            x += 1
        else:
            x -= rng.normal(0.5, 2)
    return x


def path(rng, n):
    p = np.zeros((n, 2))
    for i in range(1, n):
        p[i] = p[i - 1] + rng.standard_normal(2)
    return p


def metropolis(rng, n):
    x, out, accepted = 0.0, np.zeros(n), 0
    for i in range(n):
        y = x + rng.normal(0, 0.5)
        if rng.uniform() < np.exp(-0.5 * (y * y - x * x)):
            x = y
            accepted += 1
        out[i] = x
    return out, accepted


def samples(rng, n):
    x, found = 0.0, []
    for _ in range(n):
        y = x + rng.uniform(-1, 1)
        if np.log(rng.uniform()) < -0.5 * (y * y - x * x):
            x = y
        found.append(x)
    return np.array(found)


def filtered(rng, n):
    x, w, found = rng.normal(size=60), np.ones(60) / 60, []
    for t in range(n // 10):
        x = x + rng.normal(0, 0.1, 60)
        w = w * np.exp(-0.5 * (0.1 * t - x) ** 2)
        w /= w.sum()
        if 1 / np.sum(w**2) < 50:
            x = x[rng.choice(60, 60, p=w)]
            w = np.ones(60) / 60
        found.append(np.sum(w * x))
    return np.array(found)


def events(rng, n):
    t, a, b, steps = 0.0, 50, 0, 0
    while t < n / 50.0:
        rates = a * 1.0, b * 0.5
        t += rng.exponential(1 / (rates[0] + rates[1]))
        if rng.uniform() * (rates[0] + rates[1]) < rates[0]:
            a, b = a - 1, b + 1
        else:
            a, b = a + 1, b - 1
        steps += 1
    return t, a, b, steps


def unread(rng, n):
    """Numbers that nobody reads, and two calls that look alike."""
    s = 0.0
    for _ in range(n):
        rng.uniform()
        a, b = rng.uniform(), rng.uniform()
        s += a - b
        if s > 1:
            rng.normal()
    return s


def until(rng, n):
    """Whose iteration raises or reports late, if at all."""
    x = np.zeros(n)
    for i in range(n):
        x[i] = np.log(rng.uniform() - 0.01)
    return x


def nested(rng, n):
    v = np.zeros((n // 20, 5))
    for i in range(n // 20):
        for j in range(5):
            if j % 2 and rng.uniform() < 0.3:
                continue
            v[i, j] = rng.normal(j) + v[i - 1, j]
    return v, rng.permutation(5)


def chosen(rng, n):
    steps, x, s = np.array([-1.0, 0.5, 2.0]), np.zeros(n), 0
    for i in range(1, n):
        x[i] = x[i - 1] + rng.choice(steps) + rng.choice([-1, 1]) * rng.choice(4)
        s += int(rng.choice((1, 2), size=3).sum())
    return x, s, rng.choice(x), rng.choice(x, (2, 3)), rng.choice(5, 4), type(rng.choice([1, 2]))


PROGRAMS = [walk, chosen, path, metropolis, samples, filtered, events, unread, until, nested]
STATES = {
    "RandomState": lambda: np.random.RandomState(3), "PCG64": lambda: np.random.default_rng(3),
    "MT19937": lambda: np.random.Generator(np.random.MT19937(3)),
    "RandomState of PCG64": lambda: np.random.RandomState(np.random.PCG64(3)),
}


def drawn(function, state, n):
    with np.errstate(all="ignore"):
        return function(state, n), copy.deepcopy(state).bytes(9), state.normal(size=3)


def same(found, expected):
    if isinstance(expected, tuple):
        assert len(found) == len(expected)
        for got, want in zip(found, expected):
            same(got, want)
    else:
        assert type(found) is type(expected) and np.shape(found) == np.shape(expected)
        if isinstance(expected, np.ndarray):  # logarithms of compiled code are its own
            np.testing.assert_allclose(found, expected, rtol=1e-12)
        else:
            assert found == expected


@pytest.mark.parametrize("state", STATES)
@pytest.mark.parametrize("program", PROGRAMS)
def test_the_stream_is_pythons(program, state):
    compiled = dl.compile(program)
    for n in (200, 300, 200):
        same(drawn(compiled, STATES[state](), n), drawn(program, STATES[state](), n))


@pytest.mark.parametrize("program", [walk, chosen, metropolis, path, unread, events, nested])
def test_the_loop_stays_in_the_graph(program):
    dl.compile(program, fullgraph=True)(np.random.default_rng(3), 200)


@pytest.mark.parametrize("program", PROGRAMS)
def test_functions_of_the_module(program):
    """The program's own state, which is one for all."""
    compiled = dl.compile(program)
    for n in (200, 300):
        found, expected = [], []
        for into, call in ((found, compiled), (expected, program)):
            np.random.seed(5)
            np.random.randn()
            with np.errstate(all="ignore"):
                into += [call(np.random, n), np.random.rand(3), np.random.randn(3)]
        same(tuple(found), tuple(expected))


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("state", STATES)
def test_a_call_that_bails_out_late_draws_once(state):
    """A report in the last iteration: Python runs the call from the first number on."""
    def late(rng, n):
        x, s = np.zeros(n), 0.0
        for i in range(n):
            s += rng.normal()
            x[i] = np.log(rng.uniform() * (n - 1 - i))
        return x, s

    compiled, one, two = dl.compile(late), STATES[state](), STATES[state]()
    for _ in range(3):
        same(compiled(one, 200), late(two, 200))
    assert one.bytes(9) == two.bytes(9)


@pytest.mark.parametrize("wrong", ["normal(0, -1.0)", "uniform(0, np.inf)", "exponential(-s)"])
@pytest.mark.parametrize("state", STATES)
def test_an_exception_leaves_the_state_that_python_leaves(state, wrong):
    names = {"np": np}
    exec(f"""def refused(rng, n):
    s = 0.0
    for i in range(n):
        s += rng.uniform()
        if i > 150:
            s += rng.{wrong}
    return s""", names)
    states, told = [STATES[state](), STATES[state]()], []
    for rng, call in zip(states, (dl.compile(names["refused"]), names["refused"])):
        with pytest.raises((ValueError, OverflowError)) as error:
            call(rng, 200)
        told.append((error.type, str(error.value), rng.bytes(9)))
    assert told[0] == told[1]


PROCESS = """
import numpy as np, dynamo_lite as dl
@dl.compile
def draw(seed, n):
    rng, s, k = np.random.default_rng(3), 0.0, 0
    for i in range(n):
        s += rng.normal() * rng.standard_exponential() + np.random.normal(0, 2)
        k += rng.integers(0, 5)
    return s, k
np.random.seed(3)
print(*draw(3, 300), *draw(3, 300))
"""


def test_a_second_process_with_the_code_of_the_first(tmp_path):
    settings = {**os.environ, "DYNAMO_CACHE_DIR": str(tmp_path)}
    first, second = (
        subprocess.run([sys.executable, "-c", PROCESS], env=settings, check=True,
                       capture_output=True, text=True).stdout for _ in range(2)
    )
    assert first == second != ""


def of_given_parameters(n, place, scale):
    rng = np.random.default_rng(3)
    total = np.zeros(5)
    for _ in range(n):
        total[0] += rng.normal(place, scale)
        total[1] += rng.exponential(scale)
        total[2] += rng.standard_normal() + rng.standard_exponential()
        total[3] += rng.normal(total[0] * 0.5, 0.8)
        total[4] += rng.normal(scale=scale)
    return total, rng.random()


def test_parameters_that_raise_flags_or_errors():
    """NumPy looks at neither the flags of what it computes with a number, nor at its size."""
    compiled = dl.compile(of_given_parameters)
    for place in (0.0, -0.0, 2.5, 1e-310, 1.7e308, np.inf, np.nan):
        for scale in (1.0, 0.0, -0.0, 1e-310, 1e308, np.inf, np.nan, -1.0):
            check(compiled, of_given_parameters, 40, place, scale, calls=2)
