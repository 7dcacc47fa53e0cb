"""Whole functions on the host device: plans as for a GPU, kernels in Triton's interpreter."""
from __future__ import annotations

import functools
import re
import signal

import numpy as np
import pytest
from dynamo_lite.backends.triton.backend import compile_for
from dynamo_lite.backends.triton.devices.host import HostDevice
from dynamo_lite.backends.triton.devices.turns import Turn, Unready
from dynamo_lite.backends.triton.plans import plan

import dynamo_lite as dl
from benchmarks import gpu
from dynamo_lite.native import why_no_cuda

pytest.importorskip("triton")
compiled = functools.partial(
    dl.compile, backend="triton", fullgraph=True, options={"interpret": True})
X = np.linspace(-2.0, 3.0, 12).reshape(3, 4)


@pytest.fixture(autouse=True)
def bail_outs(monkeypatch):
    """What was said when a graph bailed out: nothing, unless a test asks for it."""
    said = []
    monkeypatch.setattr(plan, "say", said.append)
    yield said
    assert not said


def rounds(x, n):
    for i in range(n):
        x = np.sin(x) + i
    return x


def until_small(x):
    n = 0
    while np.abs(x).max() > 0.1:
        x = x / 2
        n += 1
    return x, n


def on_data(x):
    if x.sum() > 0:
        return x * 2
    return x - 1


def written(x):
    x[1:] += 1
    x[0, ::2] = x[1, 1]
    return x.T


def masked(x):
    x[x < 0] = 0
    return x[x > 1], np.nonzero(x), np.where(x > 0, np.sqrt(np.abs(x)), -x)


def scans(x):
    return np.cumsum(x, axis=1), np.cumprod(x), np.maximum.accumulate(x, axis=0)


def running(x):
    y = np.cumsum(x, axis=0)
    return y * 2, np.cumprod(x, axis=1) / (1 + x * x), np.cumsum(x.T, axis=0, dtype=x.dtype)


def positions(x):
    order = np.argsort(x[0])
    x[1, [0, 2, 0]] = [5.0, 6.0, 7.0]
    return x[:, order], np.take(x, [2, 0], axis=1)


def complex_numbers(x):
    z = x + 1j * x[::-1]
    return np.abs(z), z.conj() @ z.T, z.real.sum()


def complex_parts(x):
    z = x[0] + 1j * x[1]
    z[1:] = z[:-1] * 2
    z[0] = 1j
    for _ in range(3):
        z[::2] += z[-1]
    return z


def sizes_of_a_loop(x):
    """An array in a loop has another size in each round."""
    total = 0.0
    for i in range(1, x.shape[1]):
        total += np.sort(x[0, :i] * 2)[-1]
    return total


def products(x):
    return x @ x.T + 1, np.sort(x, axis=0), np.concatenate([x, x], axis=1)


def numbers(x):
    total = x.sum()
    return total, float(total) * 2, x.shape[0] + 1, x * total


def sorted_in_rounds(x):
    """A counter and an element of an array are changed side by side, and the counter is read."""
    for _ in range(7):
        x = np.sort(x)
        x[0, 0] += 1
    return x


def windows(x):
    """Parts at computed places are written, and sums are added in NumPy's order."""
    x = x.reshape(-1)
    out = np.zeros_like(x)
    for i in range(len(x) - 5):
        out[i] = x[i:i + 5].mean()
        x[i:i + 3] = x[i + 1:i + 4] * 0.5
    return out, x


FUNCTIONS = (
    sorted_in_rounds, windows, until_small, on_data, written, masked, scans, running, positions,
    complex_numbers, complex_parts, sizes_of_a_loop, products, numbers,
    functools.partial(rounds, n=4),
)


@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda f: getattr(f, "__name__", "rounds"))
@pytest.mark.parametrize("dtype", ["f8", "f4"])
def test_functions_equal_numpy(function, dtype):
    f = compiled(function)
    for x in (X, X - 1, np.vstack([X, X])):
        ours, theirs = x.astype(dtype), x.astype(dtype)
        found, expected = f(ours), function(theirs)
        np.testing.assert_array_equal(ours, theirs)
        for got, want in zip(*map(listed, (found, expected)), strict=True):
            assert type(got) is type(want)
            np.testing.assert_allclose(got, want, rtol=2e-6 if dtype == "f4" else 1e-14)


def listed(tree):
    if not isinstance(tree, tuple):
        return [tree]
    return [leaf for item in tree for leaf in listed(item)]


def test_counters_and_conditions_on_numbers_need_no_kernel():
    seen = []

    def backend(graph, inputs):
        seen.append(compile_for(graph, HostDevice()))
        return seen[-1]

    dl.compile(rounds, backend=backend, dynamic=True)(X, 40)
    (made,) = seen
    inside = made.text.split("while ")[1].split("b_t0, b_t1")[0]
    assert inside.count("(stream, ") == 1


def test_what_numpy_reports_is_reported(bail_outs):
    f = compiled(lambda x: 1 / x)
    with pytest.warns(RuntimeWarning, match="divide by zero"):
        assert f(np.zeros(2)).tolist() == [np.inf] * 2
    assert [type(reason).__name__ for reason in bail_outs] == ["FloatingPointError"]
    bail_outs.clear()
    f(np.ones(300))


@pytest.mark.skipif(why_no_cuda() is None, reason="it records graphs of a GPU that is there")
def test_the_benchmark_of_gpus_checks_its_programs():
    found = gpu.main(["--host"])
    assert [row["name"] for row in found["results"]] == [one.name for one in gpu.PROGRAMS]


def test_a_signal_ends_a_loop_that_does_not_end():
    class Stop(Exception):
        pass

    def stop(number, frame):
        raise Stop

    def forever(x):
        while x.sum() > 0:
            x[0] += 0.0
        return x

    f, x = compiled(forever), np.ones(3)
    f(np.zeros(3))
    before = signal.signal(signal.SIGALRM, stop)
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.05)
        with pytest.raises(Stop):
            f(x)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def test_single_elements_in_loops_need_no_kernel():
    """Of any dtype, at computed places."""
    def exchanged(x, order):
        for i in range(len(x) - 1):
            x[order[i]], x[i] = x[i] + x[order[i + 1]], x[order[i]]
        return x

    for dtype in "f2", "f4", "f8", "i1", "u4", "i8", "?":
        x, order = np.arange(8).astype(dtype), np.array([3, 1, 6, 0, 2, 7, 4, 5])
        with np.errstate(all="ignore"):
            expected = exchanged(x.copy(), order)
            found = compiled(exchanged, dynamic=True)(x.copy(), order)
        np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize("n", [1, 255, 256, 1025, 300_000])
def test_any_number_of_points(n):
    f, x = compiled(lambda x: x * 2 + x[::-1], dynamic=True), np.arange(float(n))
    np.testing.assert_array_equal(f(x), x + n - 1)


def test_a_turn_ends_with_the_outermost_plan():
    turn, done = Turn(), []
    with turn.kept():
        with turn.kept():
            turn.take(lambda: lambda: done.append("put back"))
        turn.take(lambda: done.append("a second time"))
        assert done == []
    assert done == ["put back"]
    with pytest.raises(ZeroDivisionError), turn.kept():
        turn.take(lambda: 1 // 0)
    with turn.kept():
        turn.take(lambda: lambda: done.append("again"))
    assert done == ["put back", "again"]


def test_what_interrupts_the_change_of_turns_does_not_wait_for_it():
    """As finalizers do that call compiled code."""
    turn, done = Turn(), []

    def interrupted():
        with pytest.raises(Unready), turn.kept():
            turn.take(lambda: done.append("never"))
        done.append("interrupted")

    with turn.kept():
        turn.take(lambda: interrupted() or interrupted)
    assert done == ["interrupted"] * 2


def test_products_have_the_bits_of_numpy():
    def f(x, v):
        return x @ x.T, x @ v, v @ x.T, np.dot(v, v), (x[:, None] @ x.T)[0], x[1:, ::2] @ x[:4, :2]

    x, v = np.sin(np.arange(96.0)).reshape(8, 12), np.cos(np.arange(12.0))
    for found, expected in zip(compiled(f)(x[:, :8], v[:8]), f(x[:, :8], v[:8])):
        np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize("far", [10**11, -10**11, 3, -4])
def test_nothing_is_read_or_written_at_positions_that_are_none(far, bail_outs):
    def f(x, i):
        y = x * 2
        y[i] = 1
        return x[i] + 1, y

    g = compiled(f)
    for count in 1, 2, 300:
        i = np.zeros(count, np.int64)
        np.testing.assert_array_equal(g(X[:, 0], i)[0], f(X[:, 0], i)[0])
        i[-1] = far
        with pytest.raises(IndexError, match="out of bounds"):
            g(X[:, 0], i)
    bail_outs.clear()


def test_explain_tells_what_memory_a_call_allocates():
    x = np.ones((50, 30))
    told = dl.explain(lambda a: np.exp(a) / a.sum(), backend="triton", options={"interpret": True})
    found = re.search(r"memory: a call allocates at most ([\d,]+) bytes", str(told(x)))
    assert found is not None and x.nbytes <= int(found[1].replace(",", "")) <= 2 * x.nbytes
