"""Programs that look at how they are run: by tools, signals, processes, threads and at their end.

Each is run by Python and in whole-script mode; what it prints must be the same. Functions named
`bad` end with an error behind an array operation.
"""

FUNCTIONS = """
import numpy as np
def f(x, k=2):
    y = x * k
    return y + 1
def g(x):
    y = np.sin(x) + f(x)
    return y.sum()
def bad(x):
    y = x + 1
    return y.reshape(2, 5)
def names(error):
    found, tb = [], error.__traceback__
    while tb: found.append(tb.tb_frame.f_code.co_name); tb = tb.tb_next
    return found
for _ in range(4): g(np.ones(3)); f(np.ones(3))
"""

PROGRAMS = {
    "post mortem": """
import pdb, sys
for i in range(3):
    try: bad(np.ones(3))
    except ValueError: tb = sys.exc_info()[2]
pdb.post_mortem(tb)
""",
    "a profiler": """
import sys
seen = []
def profile(frame, event, arg):
    if frame.f_code.co_filename == __file__: seen.append((event, frame.f_lineno))
sys.setprofile(profile); g(np.ones(3)); sys.setprofile(None)
print(seen)
""",
    "a tracer of threads, and one from the middle of a function": """
import sys, threading
seen = []
def trace(frame, event, arg):
    if frame.f_code.co_filename == __file__: seen.append((event, frame.f_lineno))
    return trace
threading.settrace(trace)
thread = threading.Thread(target=g, args=(np.ones(3),)); thread.start(); thread.join()
threading.settrace(None)
def traced(x):
    y = x + 1
    sys._getframe().f_trace = trace
    sys.settrace(trace)
    z = f(y)
    sys.settrace(None)
    return z
for i in range(3): traced(np.ones(2))
print(seen)
""",
    "a tool of sys.monitoring": """
import sys
seen = []
if hasattr(sys, "monitoring"):
    m, E = sys.monitoring, sys.monitoring.events
    m.use_tool_id(2, "profiler")
    for name in ("PY_START", "PY_RETURN", "LINE", "CALL", "RAISE"):
        def note(code, *args, name=name):
            at = args[0] if name == "LINE" else None
            if code.co_filename == __file__: seen.append((name, code.co_name, at))
        m.register_callback(2, getattr(E, name), note)
    m.set_events(2, E.PY_START | E.PY_RETURN | E.LINE | E.CALL | E.RAISE)
    g(np.ones(3))
    try: bad(np.ones(4))
    except ValueError: pass
    m.set_events(2, 0); m.free_tool_id(2)
    g(np.ones(3))
print(seen)
""",
    "a tool that watches one function": """
import sys
seen = []
if hasattr(sys, "monitoring"):
    m = sys.monitoring
    m.use_tool_id(4, "watcher")
    m.register_callback(4, m.events.LINE, lambda code, line: seen.append(line))
    m.set_local_events(4, f.__code__, m.events.LINE)
    g(np.ones(3)); f(np.ones(2))
    m.set_local_events(4, f.__code__, 0); m.free_tool_id(4)
print(seen)
""",
    "a dump of the stack": """
import faulthandler, tempfile
def dump(x):
    y = f(x)
    with tempfile.TemporaryFile("w+") as out:
        faulthandler.dump_traceback(out)
        out.seek(0)
        print(out.read())
    return y
for i in range(3): dump(np.ones(3))
""",
    "interrupts of loops": """
import os, signal, threading
def python_loop(x, rounds):
    for i in range(rounds):
        try: x = np.sin(x) + int(str(i % 3))
        finally: pass
    return x
def native_loop(x, rounds):
    total = 0.0
    for i in range(rounds): total += i * 0.5
    return x * total
def kernels(x, rounds):
    for i in range(rounds): y = np.sin(x) * np.cos(x)
    return y
for function, n in ((python_loop, 5), (native_loop, 5), (kernels, 100_000)):
    x = np.ones(n)
    for rounds in (5000, 6000, 7000): function(x[:5], rounds), function(x, 10)
    timer = threading.Timer(0.7, lambda: os.kill(os.getpid(), signal.SIGINT))
    timer.start()
    try: function(x, 10**11)
    except KeyboardInterrupt as error: print(names(error)[:2])
""",
    "a handler that raises": """
import signal
class Late(Exception): pass
def handler(number, frame): raise Late
signal.signal(signal.SIGALRM, handler)
def work(x):
    while True: x = np.sin(x) + 1
for i in range(2):  # the first may come while the function is compiled
    signal.setitimer(signal.ITIMER_REAL, 0.05 + i)
    try: work(np.ones(3))
    except Late as error: print(names(error)[0], names(error)[-1])
""",
    "an interrupt that ends it": """
import signal
def work(x):
    y = np.sin(x)
    signal.raise_signal(signal.SIGINT)
    return y + 1
work(np.ones(3))
""",
    "an exit from a function": """
import sys, threading
thread = threading.Thread(target=lambda: sys.exit(3)); thread.start(); thread.join()
def leave(x):
    y = x + 1
    sys.exit(int(y.sum()))
leave(np.ones(3))
""",
    "errors in threads and finalizers": """
import threading
def in_thread():
    thread = threading.Thread(target=bad, args=(np.ones(3),), name="t")
    thread.start()
    thread.join()
for i in range(3): in_thread()
threading.excepthook = lambda args: print(args.exc_type, args.exc_value, args.thread.name)
in_thread()
class Last:
    def __del__(self): bad(np.ones(3))
for i in range(3): Last()
""",
    "what runs at the end": """
import atexit, sys, traceback, weakref
class Thing: pass
thing = Thing()
weakref.finalize(thing, lambda: print("finalized", f(np.ones(2))))
atexit.register(lambda: print("exit", g(np.ones(3))))
atexit.register(bad, np.ones(3))
class Last:
    def __init__(self, n): self.n = n
    def __del__(self): print("deleted", self.n, f is not None)
last, _last = Last(1), Last(2)
sys.excepthook = lambda kind, value, tb: print(kind, value, names(value))
bad(np.ones(3))
""",
    "coroutines": """
import asyncio, traceback
async def one(x):
    await asyncio.sleep(0)
    return g(x)
async def fails(x):
    await asyncio.sleep(0)
    return bad(x)
async def main():
    print(await asyncio.gather(*[one(np.full(3, i)) for i in range(4)]))
    [error] = await asyncio.gather(fails(np.ones(3)), return_exceptions=True)
    traceback.print_exception(error)
    print(await asyncio.get_running_loop().run_in_executor(None, g, np.ones(3)))
    asyncio.get_running_loop().call_soon(bad, np.ones(3))
    await asyncio.sleep(0)
    await fails(np.ones(3))
asyncio.run(main())
""",
    "child processes": """
import multiprocessing, os, subprocess, sys, warnings
from concurrent.futures import ProcessPoolExecutor
warnings.simplefilter("ignore")
if __name__ == "__main__":
    code = "import sys; print(sys.argv, 'dynamo_lite' in sys.modules)"
    print(subprocess.run([sys.executable, "-c", code], capture_output=True, text=True))
    with ProcessPoolExecutor(1, multiprocessing.get_context("spawn")) as pool:
        print(list(pool.map(g, [np.full(3, i) for i in range(4)])))
        try: pool.submit(bad, np.ones(3)).result()
        except ValueError as error: print(error, "bad" in str(error.__cause__))
    context = multiprocessing.get_context("fork")
    for target, args in ((bad, (np.ones(3),)), (sys.exit, (5,)), (g, (np.ones(3),))):
        process = context.Process(target=target, args=args, name="P")
        process.start(); process.join(); print(process.exitcode)
    sys.stdout.flush()
    child = os.fork()
    if child == 0:
        print(g(np.ones(3)), f(np.arange(4))); sys.stdout.flush(); os._exit(3)
    print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
""",
    "pickles of what __main__ defines": """
import copy, pickle
class P:
    def __init__(self, x): self.x = x
    def m(self): return f(self.x)
p = P(np.ones(3))
for i in range(3): p.m()
print(pickle.loads(pickle.dumps(p)).m(), pickle.loads(pickle.dumps(p.m))(), pickle.dumps(P))
print(pickle.loads(pickle.dumps(f)) is f, copy.deepcopy(f) is f)
""",
    "what frames say": """
import inspect, logging, sys, traceback, warnings
logging.basicConfig(stream=sys.stdout, format="%(lineno)d %(funcName)s %(message)s", level=0)
def h(x):
    y = x + 1
    logging.info("sum %s", y.sum(), stack_info=True)
    print([(s.function, s.lineno) for s in inspect.stack()], traceback.format_stack())
    warnings.warn("mine", stacklevel=2)
    return np.log(y - 2) / 0
def caller(x):
    z = h(x)
    return z + h(z)
for i in range(4): caller(np.ones(3))
print(inspect.getsource(h), inspect.signature(f), f.__globals__ is globals(), f.__qualname__)
warnings.simplefilter("error")
caller(np.ones(3))
""",
    "tracebacks": """
import traceback
def inner(x, n):
    y = x + n
    if n == 3: raise KeyError("three")
    return y.reshape(2, n)
def middle(x, n):
    try:
        return inner(x * 2, n)
    except ValueError as e:
        raise RuntimeError("middle") from e
    finally:
        x = x + 1
class C:
    def __init__(self, x): self.x = x
    def __call__(self, n): return middle(self.x, n)
    @property
    def prop(self): return middle(self.x, 5)
    def __add__(self, other): return middle(other, 5)
    def gen(self):
        for i in range(3): yield middle(self.x, 2 + i)
def group(x):
    y = x + 1
    try: raise ExceptionGroup("g", [ValueError(1), KeyError(y.sum())])
    except* ValueError as e: y = y * 2
    return y
def outer(x):
    c = C(x)
    for call in (lambda: c(2), lambda: c(3), lambda: c(5), lambda: c.prop, lambda: c + x,
                 lambda: list(c.gen()), lambda: sorted([1, 2], key=lambda v: middle(x, v + 3)),
                 lambda: [middle(x, k) for k in (2, 4, 3)], lambda: group(x)):
        try: call()
        except Exception: traceback.print_exc()
for i in range(4): outer(np.ones(4))
middle(np.ones(4), 5)
""",
    "unittest, doctest and subtests": '''
import doctest, sys, unittest
class T(unittest.TestCase):
    def test_a(self): np.testing.assert_array_equal(f(np.ones(3)), np.full(3, 3.0))
    def test_b(self): np.testing.assert_array_equal(f(np.ones(3)), np.zeros(3))
    def test_c(self):
        for i in range(4):
            with self.subTest(i=i): self.assertEqual(f(np.full(1, i)).item(), 2 * i + 1)
    @unittest.expectedFailure
    def test_d(self): bad(np.ones(3))
def d(x):
    """
    >>> d(np.ones(3))
    array([3., 3., 3.])
    >>> d(np.ones(2)).reshape(9)
    Traceback (most recent call last):
    ValueError: cannot reshape array of size 2 into shape (9,)
    """
    return x * 2 + 1
print(doctest.testmod())
suite = unittest.defaultTestLoader.loadTestsFromTestCase(T)
print(unittest.TextTestRunner(stream=sys.stdout).run(suite))
''',
    "standard input and an interactive loop": """
import code, sys
print(input(), input("? "), sys.stdin.readline())
code.interact(banner="", local={"f": f, "np": np})
""",
    "context variables": """
import contextvars
v = contextvars.ContextVar("v", default=1)
def h(x):
    y = x * v.get()
    v.set(v.get() + 1)
    return y + v.get()
context = contextvars.copy_context()
for i in range(4): print(h(np.ones(2)), context.run(h, np.ones(2)), context[v])
""",
}
"""Behind FUNCTIONS; by what they are about."""

INPUTS = {
    "post mortem": "p y\nw\nup\nl\nq\n",
    "standard input and an interactive loop":
        "a\nb\nc\nf(np.ones(2))\nfor i in range(3): print(f(np.ones(2)))\n\n1/0\n",
}
