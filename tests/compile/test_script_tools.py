"""Debuggers, profilers, processes, threads and signals work under `python -m dynamo_lite`."""
import re
import sys

import pytest
from scripts import PREFIX, run, same_as_python

if sys.version_info >= (3, 14):
    pytest.skip("regions are not available", allow_module_level=True)

FUNCTIONS = """
import numpy as np
def f(x, k=2):
    y = x * k
    return y + 1
"""


def test_debugger(script):
    path = script(FUNCTIONS + "for i in range(4):\n    r = f(np.ones(2))\nprint(r)\n")
    commands = "b 5\nc\np x\nn\np y\nup\np i\ncl 1\nc\nq\n"
    code, out, _ = same_as_python("-m", "pdb", path, input=commands)
    assert code == 0 and "array([2., 2.])" in out


def test_breakpoint_in_a_function(script):
    text = FUNCTIONS.replace("    return", "    breakpoint()\n    return")
    path = script(text + "for i in range(2): print(f(np.ones(2)))")
    same_as_python(path, input="p y\nc\np y\nc\n")


def test_profilers_count_calls(script):
    text = FUNCTIONS + (
        "import cProfile, pstats, io\n"
        "for i in range(3): f(np.ones(2))\n"
        "p = cProfile.Profile()\np.enable()\nfor i in range(5): f(np.ones(2))\np.disable()\n"
        "print([(c.code.co_name, c.callcount) for c in p.getstats() if c.code is f.__code__])\n")
    assert "('f', 5)" in same_as_python(script(text))[1]
    code, out, _ = run(*PREFIX, "-m", "cProfile", script(text.split("import cProfile")[0]))
    assert code == 0 and re.search("function calls", out)


LINES = FUNCTIONS + """
import sys
seen = set()
for i in range(3): f(np.ones(2))
{start}
for i in range(3): f(np.ones(2))
{stop}
print(sorted(seen))
"""
TRACE = ("def trace(frame, event, arg):\n    if frame.f_code is f.__code__:\n"
         "        seen.add((event, frame.f_lineno))\n    return trace\nsys.settrace(trace)")
MONITOR = ("m = sys.monitoring\nm.use_tool_id(m.COVERAGE_ID, 'lines')\n"
           "m.register_callback(m.COVERAGE_ID, m.events.LINE,\n"
           "    lambda code, line: seen.add(line) if code is f.__code__ else None)\n"
           "m.set_events(m.COVERAGE_ID, m.events.LINE)")


def test_coverage_sees_every_line(script):
    traced = LINES.format(start=TRACE, stop="sys.settrace(None)")
    assert "'line', 4" in same_as_python(script(traced))[1]
    if sys.version_info >= (3, 12):
        watched = LINES.format(start=MONITOR, stop="m.set_events(m.COVERAGE_ID, 0)")
        assert "4" in same_as_python(script(watched))[1]


@pytest.mark.parametrize("method", ["fork", "spawn", "forkserver"])
def test_processes(script, method):
    path = script(FUNCTIONS + (
        "import multiprocessing, warnings\nwarnings.simplefilter('ignore')\n"
        "if __name__ == '__main__':\n"
        "    for i in range(3): f(np.ones(2))\n"
        f"    with multiprocessing.get_context({method!r}).Pool(2) as pool:\n"
        "        print(pool.map(f, [np.full(3, i) for i in range(6)]))\n"))
    assert "array([11, 11, 11])" in same_as_python(path)[1]


def test_threads_are_exact(script):
    same_as_python(script(FUNCTIONS + (
        "import sys, threading\nsys.setswitchinterval(1e-5)\n"
        "wrong, barrier = [], threading.Barrier(32)\n"
        "def work(n):\n"
        "    barrier.wait()\n"
        "    for i in range(40):\n"
        "        x = np.arange(1.0, n % 7 + i % 3 + 2)\n"
        "        if not np.array_equal(f(x, n), np.multiply(x, n) + 1): wrong.append((n, i))\n"
        "threads = [threading.Thread(target=work, args=(n,)) for n in range(32)]\n"
        "for t in threads: t.start()\n"
        "for t in threads: t.join()\n"
        "print(wrong)\n")))


def test_functions_compile_in_threads(script):
    path = script(FUNCTIONS + (
        "import threading\n"
        "def work():\n    for i in range(5): f(np.ones(3))\n"
        "t = threading.Thread(target=work)\nt.start()\nt.join()\n"))
    assert " f (" in run(*PREFIX, "--explain", path)[2]


def test_signals_finalizers_and_collections_compile(script):
    same_as_python(script(FUNCTIONS + (
        "import gc, signal\n"
        "made = []\n"
        "def handler(number, frame): made.append(f(np.ones(4), 3).sum())\n"
        "signal.signal(signal.SIGALRM, handler)\n"
        "class Last:\n    def __del__(self): made.append(f(np.ones(2), 5).sum())\n"
        "found = set()\n"
        "gc.callbacks.append(lambda phase, info: found.add(f(np.ones((2, 2)), 4).sum()))\n"
        "def g(x):\n    a = Last()\n    del a\n    signal.raise_signal(signal.SIGALRM)\n"
        "    gc.collect()\n    return f(x).sum()\n"
        "print([g(np.ones(n)) for n in range(1, 6)], made, found)\n")))


def test_recursion_is_as_deep(script):
    same_as_python(script(FUNCTIONS + (
        "def depth(n, x):\n    return n if n == 0 else 1 + depth(n - 1, x)\n"
        "x = np.zeros(2)\n"
        "for i in range(3): print(depth(900, x))\n"
        "def end(x): return end(x + 1)\n"
        "for i in range(2):\n    try: end(x)\n    except RecursionError as e: print(e)\n")))


def test_recursion_goes_as_deep_as_the_program_allows(script):
    """In the main thread, and in one with a small stack: Python's own calls take nothing of it."""
    same_as_python(script(
        "import sys, threading\nimport numpy as np\n"
        "def itself(n, x): return x if n == 0 else itself(n - 1, x + 0)\n"
        "def even(n, x): return x if n == 0 else odd(n - 1, x)\n"
        "def odd(n, x): return x + 1 if n == 0 else even(n - 1, x)\n"
        "class A:\n    def down(self, n, x): return x if n == 0 else self.down(n - 1, x + 1)\n"
        "def run(*depths):\n"
        "    for i in range(3):\n"
        "        for n in depths: print(itself(n, x), even(n, x), A().down(n, x))\n"
        "x = np.ones(2)\n"
        "threading.stack_size(65536)\n"
        "thread = threading.Thread(target=run, args=(10, 900))\nthread.start()\nthread.join()\n"
        "sys.setrecursionlimit(30_000)\nrun(900, 20_000)\n"))


def test_atexit_and_uncaught_errors(script):
    code, out, err = same_as_python(script(FUNCTIONS + (
        "import atexit\natexit.register(lambda: print('bye', f(np.ones(2))))\n"
        "for i in range(3): f(np.ones(2))\n"
        "f(np.ones(2), np.ones(3))\n")))
    assert code == 1 and "bye [3. 3.]" in out and "y = x * k" in err
