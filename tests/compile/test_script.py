"""`python -m dynamo_lite`: a program runs as under `python`, with its arrays compiled."""
import sys

import pytest
from scripts import PREFIX, WARMING, run, same_as_python

if sys.version_info >= (3, 14):
    pytest.skip("regions are not available", allow_module_level=True)

FACTS = """
import sys, traceback, atexit, warnings, threading
atexit.register(lambda: print('bye', __name__))
print([*globals()], __file__, __spec__, __loader__.__class__, sys.argv, sys.path[0])
print(sys.modules['__main__'].__dict__ is globals(), sys._getframe().f_back, sys.stdin.read())
traceback.print_stack(file=sys.stdout)
warnings.warn('x', stacklevel=2)
def depth(n):
    try:
        return depth(n + 1)
    except RecursionError:
        return n
print(depth(0))
thread = threading.Thread(target=depth, args=('x',), name='t')
thread.start()
thread.join()
def fail(x):
    raise ValueError(x)
try:
    1 / 0
except Exception:
    fail(3)
"""


def test_what_a_program_sees_of_itself(script):
    code, out, err = same_as_python(script(FACTS), "a", "-b", "--stats", input="text")
    assert code == 1 and "in fail" in err and "bye" in out


@pytest.mark.parametrize("text", [
    "import sys; sys.exit(3)", "raise SystemExit('bye')", "raise KeyboardInterrupt", "def f(:",
    "import sys\ndef hook(kind, value, tb):\n  while tb: print(tb.tb_lineno); tb = tb.tb_next\n"
    "  print(sys.last_value)\nsys.excepthook = hook\n1/0",
])
def test_how_a_program_ends(script, text):
    same_as_python("-c", text)


def test_modules_folders_and_standard_input(script, tmp_path):
    text = "import sys\nprint(sys.argv[1:], sys.path[0], __name__, __file__)\n1/0"
    same_as_python(script(text, "__main__.py").removesuffix("/__main__.py"), "x")
    same_as_python("-", "x", input=text)
    same_as_python("-m", "this_module_is_missing")
    same_as_python("-m", "timeit", "-h")
    same_as_python("-c", text, "y", "-m")
    code, _, err = run(*PREFIX, str(tmp_path / "nothing.py"))
    assert code == 2 and "can't open file" in err
    assert "did you mean '--explain'?" in run(*PREFIX, "--explan", "-c", "")[2]
    assert run(*PREFIX)[0] == 2 and run(*PREFIX, "--backend", "none", "-c", "")[0] == 2


ARRAYS = """
import sys, traceback, weakref
import numpy as np

def kinds(x, y=2.0, *rest, k, z=1, **more):
    return x * y + len(rest) + k * z + len(more)

for i in range(4):
    print(kinds(np.ones(3), *range(i), k=i, a=1), kinds(np.ones(2), 3.0, k=1))

class Base:
    def step(self, x):
        return x + self.v

class Model(Base):
    def __init__(self):
        self.v = np.zeros(3)

    def step(self, x):
        self.v = super().step(x) * 2
        return self.v

model = Model()
for i in range(4):
    print(model.step(np.ones(3)))

def scaled(k):
    def inner(x):
        return x * k
    return inner

functions = [scaled(k) for k in range(12)]
print([f(np.ones(1)).item() for _ in range(3) for f in functions])

def callers(x):
    frame, names = sys._getframe(), []
    while frame:
        names.append(frame.f_code.co_name)
        frame = frame.f_back
    return names

def calls(x):
    y = x + 1
    return callers(y)

def deep(n, x):
    try:
        return deep(n + 1, x)
    except RecursionError:
        return n

for i in range(3):
    print(calls(np.ones(3)), deep(0, np.ones(3)) > 990)

def fails(x, n):
    y = x + n
    print('reached', y)
    return np.linalg.inv(y.reshape(2, 2))

fails(np.arange(4.0), 1)
try:
    fails(np.zeros(4), 1)
except np.linalg.LinAlgError:
    traceback.print_exc()
print(np.ones(3) / 0)
fails(np.zeros(4), 0)
"""


def test_programs_over_arrays(script):
    path = script(ARRAYS)
    code, out, _ = same_as_python(path)
    assert code == 1 and "reached" in out
    for flags in (["--backend", "eager"], ["--disable"]):
        assert run(*PREFIX, *flags, path)[1] == out


def test_functions_are_compiled(script):
    text = ("import numpy as np\n"
            "def f(x):\n    return np.sin(x) * 2 + x\n"
            "def g(n):\n    return f(np.ones(n)).sum()\n"
            "def plain(n):\n    return n + 1\n"
            "for n in range(50):\n    g(7); plain(n)\n")
    code, out, err = run(*PREFIX, "--explain", script(text))
    assert (code, out) == (0, "") and " f (" in err and " g (" in err and "plain" not in err
    assert "compiling took" in run(*PREFIX, "--stats", script(text))[2]
    assert "0 graphs in 0 frames" in run(*PREFIX, "--stats", "--disable", script(text))[2]


def test_tracers_and_profilers_see_every_call():
    text = ("import numpy as np, sys, cProfile\n"
            "def f(x):\n    y = x + 1\n    return y\n"
            "for i in range(3): f(np.ones(2))\n"
            "def trace(frame, event, arg):\n    print(event, frame.f_lineno)\n    return trace\n"
            "sys.settrace(trace); f(np.ones(2)); f(1); sys.settrace(None)\n"
            "profile = cProfile.Profile()\n"
            "profile.enable(); f(np.ones(2)); f(1); profile.disable()\n"
            "print([s.callcount for s in profile.getstats() if s.code is f.__code__])\n")
    same_as_python("-c", text)


def test_generators_and_coroutines_are_left_alone():
    same_as_python("-c", (
        "import asyncio, numpy as np\n"
        "def numbers(x):\n    for i in range(3):\n        yield x + i\n"
        "async def wait(x):\n    await asyncio.sleep(0)\n    return x * 2\n"
        "async def main():\n    return [await wait(x) for x in numbers(np.ones(2))]\n"
        "for i in range(3): print(asyncio.run(main()))\n"))


WARNED = """
import numpy as np, warnings
def ratio(x):
    return 1 / x
def refused(x):
    try:
        return x @ np.ones(99)
    except ValueError:
        return x + 1
for n in range(4):
    ratio(np.zeros(2))
    refused(np.ones(n + 3))
    warnings.warn("once")
"""


def test_what_was_warned_of_is_not_repeated(script):
    assert same_as_python(script(WARNED))[2].count("divide by zero") == 1


def test_nothing_is_compiled_where_references_are_counted():
    same_as_python("-c", (
        "import sys, numpy as np\n"
        "def cast(x, dtype):\n    return x.astype(dtype) + x.dtype.type(1)\n"
        "def counts():\n"
        "    x, dtype, before = np.ones(3), np.dtype('i4'), sys.getrefcount(np.dtype('i4'))\n"
        "    for i in range(5): cast(x, dtype)\n"
        "    return before - sys.getrefcount(np.dtype('i4')), sys.getrefcount(x)\n"
        "for i in range(3): print(counts())\n"))


def test_compiled_closures_keep_nothing_alive():
    same_as_python("-c", (
        "import gc, weakref, numpy as np\n"
        "class O: pass\n"
        "def make():\n    o, b = O(), np.ones(3)\n"
        "    def inner(x):\n        return x + b, o\n"
        "    for i in range(4): inner(b)\n"
        "    return weakref.ref(o)\n"
        "r = make()\ngc.collect()\nprint(r())\n"))


def test_what_the_compiler_writes_is_no_function_of_the_program(script):
    text = ("import numpy as np\n"
            "def f(x):\n    x[np.array([0, 1])] = 3.0\n    return np.sort(x) + 1\n"
            "for i in range(5): f(np.arange(4.0))\n")
    for backend in ("llvm", "eager"):
        _, _, err = run(*PREFIX, "--explain", "--backend", backend, script(text))
        assert "] f (" in err and "1 graph in 1 frame" in err


TEMPORARIES = """
import resource
import numpy as np
x = np.ones(10000)
def faults(): return resource.getrusage(resource.RUSAGE_SELF).ru_minflt
for i in range(10): y = (x + 1) * (x + 2) - (x + 3)
before = faults()
for i in range(2000): y = (x + 1) * (x + 2) - (x + 3)
print(faults() - before < 2000)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="other systems count page faults otherwise")
def test_memory_of_temporary_arrays_is_kept(script):
    assert run(*WARMING, script(TEMPORARIES)) == (0, "True\n", "")


CALLS = """
import resource
def leaf(): pass
def faults(): return resource.getrusage(resource.RUSAGE_SELF).ru_minflt
def called(depth):
    if depth: return called(depth - 1)
    before = faults()
    for _ in range(1000): leaf()
    return faults() - before
print(max(called(depth) for depth in range(300)) < 500)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="other systems count page faults otherwise")
def test_calls_need_no_new_memory_however_deep_they_are(script):
    assert run(*WARMING, script(CALLS)) == (0, "True\n", "")


def test_disabled_functions_are_left_to_python(script):
    text = ("import numpy as np\nimport dynamo_lite as dl\n"
            "@dl.disable\ndef f(x):\n    y = np.zeros(3)\n"
            "    for i in range(30000): y[i % 3] += x\n"
            "    return y, dl.is_compiling()\n"
            "for _ in range(4): print(f(2.0))\n"
            "@dl.disable\ndef g(x):\n    return np.exp(x) * 2\n"
            "for _ in range(4): print(g(np.zeros(2)))\n")
    for prefix in (PREFIX, WARMING):
        code, _, err = run(*prefix, "--explain", script(text))
        assert code == 0 and "0 graphs in 0 frames" in err, err
    same_as_python(script(text))


GROWING = """
import numpy as np
def last(items, x): return x * items[-1] + items[0]
x, items = np.linspace(0.0, 1.0, 2000), [{items}]
for k in range(30):
    x = last(items, x)
    x /= x.sum()
    {then}
print(x.sum().hex())
"""


@pytest.mark.parametrize(("items", "then", "variants"), [
    ("1.0", "items.append(0.5)", 3), ("1.0", "items = [1.0] * (1 + k // 5)", 6),
])
def test_a_list_that_grows_from_call_to_call_has_no_variant_for_each_length(
    script, items, then, variants
):
    """The last one serves all lengths. What is used again is worth a variant."""
    program = script(GROWING.format(items=items, then=then))
    same_as_python(program)
    err = run(*PREFIX, "--explain", program)[2]
    assert err.count("recompiled: items:") == variants - 1, err


BROKEN_INSIDE = """
import dynamo_lite.script.regions as regions, dynamo_lite.script.watching as watching
import numpy as np, time
def broken(*args): raise KeyError('inside')
{broken} = broken
def f(x): return x + 1
x, end = np.zeros(3), time.perf_counter() + 0.3
while time.perf_counter() < end: x = f(x)
print(x[0] > 0)
"""


@pytest.mark.parametrize("broken", [
    "regions.touch_arrays", "regions.nanoseconds", "watching.CallWatch.sample",
])
def test_an_error_of_our_own_is_told_once_and_the_program_goes_on(broken):
    code, out, err = run(*WARMING, "-c", BROKEN_INSIDE.format(broken=broken))
    assert (code, out) == (0, "True\n")
    assert err.count("This is a defect of dynamo_lite: KeyError. Please report it") == 1
