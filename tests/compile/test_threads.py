"""Threads, signals, finalizers and forks do not disturb compiling."""
import gc
import os
import signal
import subprocess
import sys
import threading
import weakref

import numpy as np
import pytest
from dynamo_lite.backends.loop_ir.loops import Scalar

import dynamo_lite as dl
from tests.at_once import at_once
from tests.oracle import same


def f(x, k=1.0):
    y = x * x * k + x  # sums of these are exact
    return y.sum(axis=-1), y[..., ::2]


def test_concurrent_first_calls_compile_once():
    compiled, x = dl.compile(f), np.arange(12.0).reshape(3, 4)
    for result in at_once(16, lambda i: compiled(x)):
        assert same(result, f(x))
    assert len(compiled.entries()) == 1 and dl.stats().graphs == 1


def test_many_threads_with_different_shapes():
    compiled = dl.compile(f)
    cases = [np.arange(float(n * m)).reshape(n, m).astype(kind)
             for n in (1, 2, 5, 7) for m in (2, 3, 40, 65) for kind in ("f8", "f4")]

    def run(i):
        return [compiled(cases[(i + k) % len(cases)]) for k in range(len(cases))]

    for i, results in enumerate(at_once(32, run)):
        for k, result in enumerate(results):
            assert same(result, f(cases[(i + k) % len(cases)]))


def test_breaks_in_many_threads():
    def broken(x):
        y = x * 2
        dl.graph_break()
        return y + 1 if y.sum() > 4 else y - 1

    compiled = dl.compile(broken)
    for i, result in enumerate(at_once(16, lambda i: [compiled(np.full(i + 2, 1.0 * s))
                                                      for s in range(4)])):
        assert all(same(r, broken(np.full(i + 2, 1.0 * s))) for s, r in enumerate(result))


def test_compiling_in_finalizers_and_gc_callbacks():
    inner, outer = dl.compile(f), dl.compile(lambda x: np.sqrt(x) - x)
    x, results = np.arange(6.0), []

    class Cyclic:
        def __del__(self):
            results.append(inner(np.arange(2.0 + len(results) % 3)))

    def collected(phase, info):
        results.append(outer(x[: 1 + len(results) % 5]))

    before = gc.get_threshold()
    gc.callbacks.append(collected)
    try:
        gc.set_threshold(50)
        for _ in range(3):
            item = Cyclic()
            item.self = item
            del item
            compiled = dl.compile(lambda x: np.sqrt(x) * x + 1)
            assert same(compiled(x), np.sqrt(x) * x + 1)
            gc.collect()
    finally:
        gc.callbacks.remove(collected)
        gc.set_threshold(*before)
    assert results and same(inner(x), f(x)) and same(outer(x), np.sqrt(x) - x)


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="needs interval timers")
def test_compiling_in_signal_handlers():
    compiled, calls = dl.compile(f), []

    def handler(number, frame):
        x = np.arange(2.0 + len(calls) % 4)
        calls.append(same(compiled(x), f(x)))

    before = signal.signal(signal.SIGALRM, handler)
    signal.setitimer(signal.ITIMER_REAL, 0.002, 0.002)
    try:
        for n in range(2, 8):
            x = np.arange(float(n))
            own = dl.compile(lambda x, n=n: np.sin(x) * n)
            assert same(own(x), np.sin(x) * n) and same(compiled(x), f(x))
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    assert calls and all(calls)


def test_signals_wait_for_the_compiler():
    """Their handlers run, and raise, in the program's own frames."""

    class Late(Exception):
        pass

    def handler(number, frame):
        frames.append(frame.f_code.co_name)
        raise Late

    def backend(graph, inputs):
        signal.raise_signal(signal.SIGINT)
        return graph

    frames, x = [], np.arange(3.0)
    compiled = dl.compile(f, backend=backend)
    before = signal.signal(signal.SIGINT, handler)
    try:
        with pytest.raises(Late) as raised:
            compiled(x)
    finally:
        signal.signal(signal.SIGINT, before)
    here = "test_signals_wait_for_the_compiler"
    assert [entry.name for entry in raised.traceback] == [here, "f", "handler"] and frames == ["f"]
    assert same(compiled(x), f(x)) and dl.stats().errors == 0 and dl.stats().graphs == 1


def test_garbage_is_collected_when_the_compiler_is_done():
    """Unless the program asks for it."""

    class Cycle:
        def __init__(self):
            self.own = self

    def backend(graph, inputs):
        first = weakref.ref(Cycle())
        many = [Cycle() for _ in range(2 * gc.get_threshold()[0])]
        waiting.append(first() is not None and gc.isenabled() and len(many))
        gc.collect()
        waiting.append(first() is not None)
        return graph

    waiting, x = [], np.arange(3.0)
    assert same(dl.compile(f, backend=backend)(x), f(x)) and dl.stats().errors == 0
    later = weakref.ref(Cycle())
    many = [[] for _ in range(2 * gc.get_threshold()[0])]
    assert waiting == [2 * gc.get_threshold()[0], False] and later() is None and many


def test_expressions_may_be_made_while_one_is_made():
    class Name(str):
        """Hashing it, as anything may that runs in between, makes an expression."""

        def __hash__(self):
            Scalar("other", np.dtype(float))
            return str.__hash__(self)

    maker = threading.Thread(target=Scalar, args=(Name("x"), np.dtype(float)), daemon=True)
    maker.start()
    maker.join(60)
    assert not maker.is_alive()


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
@pytest.mark.filterwarnings("ignore:This process:DeprecationWarning")
def test_fork_after_compile():
    compiled, x = dl.compile(f), np.arange(400_000.0).reshape(4, -1)
    expected = f(x)
    assert same(compiled(x)[1], expected[1])
    child = os.fork()
    if child == 0:
        y = x[:, :7]
        good = same(compiled(x)[1], expected[1]) and same(compiled(y)[1], f(y)[1])
        os._exit(0 if good else 1)
    assert os.waitpid(child, 0)[1] == 0


FORKING = """
import os, threading, time
import numpy as np
import dynamo_lite as dl

def maker(k):
    return dl.compile(lambda x: (np.exp(x) * k).sum() + x[:k].mean())

functions = [maker(k) for k in range(1, 5)]
threads = [threading.Thread(target=f, args=(np.ones(50),)) for f in functions]
for thread in threads:
    thread.start()
time.sleep(0.02)
child = os.fork()
if child == 0:
    good = all(abs(f(np.ones(k)) - (k * np.e * k + 1)) < 1e-9 for k, f in enumerate(functions, 1))
    os._exit(0 if good else 1)
assert os.waitpid(child, 0)[1] == 0
for thread in threads:
    thread.join()
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_fork_while_other_threads_compile_for_the_first_time(tmp_path):
    """The child finds no module half imported, and no function half compiled."""
    for attempt in range(3):
        environment = {**os.environ, "DYNAMO_CACHE_DIR": str(tmp_path / str(attempt))}
        command = [sys.executable, "-W", "ignore::DeprecationWarning", "-c", FORKING]
        assert subprocess.run(command, env=environment, timeout=60).returncode == 0


def test_compiled_functions_die():
    compiled = dl.compile(lambda x: x + 1)
    compiled(np.ones(2))
    reference = weakref.ref(compiled)
    del compiled
    gc.collect()
    assert reference() is None
