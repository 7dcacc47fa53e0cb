"""The compiled callable behaves as the function it stands for, whatever its entries do."""
import asyncio
import copy
import cProfile
import functools
import gc
import inspect
import itertools
import pickle
import pydoc
import random
import subprocess
import sys
import threading
import typing
import weakref

import pytest

from dynamo_lite.native import BAILOUT, CompiledFunction, Entry, GuardProgram


def no_entry(cf, flat):
    """A miss that compiles nothing."""


def always(fn, target, **attributes):
    """A compiled function with one entry that has no guards."""
    cf = CompiledFunction(fn, no_entry)
    cf.add_entry(GuardProgram(n_flat(fn), ()), target)
    for name, value in attributes.items():
        setattr(cf, name, value)
    return cf


def n_flat(fn):
    code = fn.__code__
    stars = bool(code.co_flags & inspect.CO_VARARGS) + bool(code.co_flags & inspect.CO_VARKEYWORDS)
    return code.co_argcount + code.co_kwonlyargcount + stars


def typed(fn, type_, target):
    """A guard program over the type of the first argument."""
    return GuardProgram(n_flat(fn), (("TYPE", 0, type_),)), target


def sample(a: int, b: float = 2.0, *, scale: "int" = 1) -> float:
    """Adds two numbers."""
    return (a + b) * scale


compiled_sample = CompiledFunction(sample, no_entry)
compiled_sample.__qualname__ = compiled_sample.__name__ = "compiled_sample"


# -- binding

SIGNATURES = [
    "", "a", "a, b", "a, b=10", "a=1, b=2", "a, /", "a, /, b", "a, /, b=5", "a=3, /, b=4, *, c=5",
    "*args", "**kw", "*args, **kw", "a, *args", "a, b=7, *args, c, d=8, **kw", "*, c", "*, c=1",
    "a, /, **kw", "a, b, /, c, *, d, **kw", "a, *, b=1, c", ", ".join(f"p{i}=0" for i in range(30)),
]


def outcome(fn, args, kwargs):
    try:
        return fn(*args, **kwargs)
    except TypeError as error:
        return type(error), str(error)


@pytest.mark.parametrize("signature", SIGNATURES)
def test_arguments_bind_as_python_binds_them(signature):
    namespace = {}
    exec(f"def f({signature}):\n    return locals()", namespace)
    f = namespace["f"]
    names = f.__code__.co_varnames[: n_flat(f)]
    cf = always(f, lambda *flat: dict(zip(names, flat)))
    choose = random.Random(signature)
    n_bound = 0
    for _ in range(300):
        args = tuple(range(100, 100 + choose.randrange(4)))
        keywords = choose.sample(["a", "b", "c", "d", "p3", "other"], choose.randrange(4))
        kwargs = {name: f"value of {name}" for name in keywords}
        expected = outcome(f, args, kwargs)
        assert outcome(cf, args, kwargs) == expected
        n_bound += isinstance(expected, dict)
    entry = cf.entries()[0]
    assert entry.hits == n_bound > 0


def test_defaults_are_read_from_the_function_at_each_call():
    def f(a, b=1, *, c=2):
        return a, b, c

    cf = always(f, lambda *flat: flat)
    assert cf(0) == (0, 1, 2)
    f.__defaults__, f.__kwdefaults__ = (10,), {"c": 20}
    assert cf(0) == (0, 10, 20)
    cf.__defaults__ = None
    with pytest.raises(TypeError, match="missing 1 required positional argument: 'b'"):
        cf(0)


def test_keyword_dictionaries_are_fresh():
    def f(**kw):
        return kw

    cf = always(f, lambda kw: kw)
    given = {"x": 1}
    assert cf(**given) == given and cf(**given) is not given


def test_string_subclasses_are_keywords():
    class Text(str):
        pass

    def f(a):
        return a

    assert always(f, lambda a: a)(**{Text("a"): 3}) == 3


def test_replaced_code_drops_the_entries():
    def f(a):
        return "one"

    def g(a, b):
        return "two"

    cf = always(f, lambda a: "compiled")
    assert cf(1) == "compiled"
    cf.__code__ = g.__code__
    assert cf(1, 2) == "two" and cf.entries() == []


# -- it looks like the function

class Point:
    x = 2

    def _method(self, y=1):
        """Adds."""
        return self.x + y

    method = CompiledFunction(_method, no_entry)
    static = staticmethod(CompiledFunction(lambda y: y, no_entry))
    klass = classmethod(CompiledFunction(lambda cls: cls, no_entry))
    prop = property(CompiledFunction(lambda self: self.x, no_entry))


def test_methods():
    p = Point()
    assert p.method() == 3 and p.method(y=5) == 7 and Point.method(p, 2) == 4
    assert p.static(4) == 4 and p.klass() is Point and p.prop == 2
    assert inspect.ismethod(p.method) and p.method.__self__ is p
    assert str(inspect.signature(p.method)) == "(y=1)"
    assert [f(p) for f in [Point.method] * 3] == [3] * 3


def test_metadata():
    cf = compiled_sample
    assert inspect.signature(cf) == inspect.signature(sample)
    assert typing.get_type_hints(cf) == {"a": int, "b": float, "scale": int, "return": float}
    assert cf.__wrapped__ is inspect.unwrap(cf) is sample
    assert cf.__module__ == __name__ and cf.__doc__ == "Adds two numbers."
    assert cf.__defaults__ == (2.0,) and cf.__kwdefaults__ == {"scale": 1}
    assert cf.__globals__ is globals() and cf.__closure__ is None
    assert cf.__code__ is sample.__code__
    assert "Adds two numbers." in pydoc.render_doc(cf, renderer=pydoc.plaintext)
    assert "method(self, y=1)" in pydoc.render_doc(Point, renderer=pydoc.plaintext)
    assert inspect.isroutine(cf) and callable(cf) and not inspect.iscoroutinefunction(cf)
    assert "compiled_sample" in repr(cf)


def test_functools_wraps_in_both_directions():
    @functools.wraps(compiled_sample)
    def outer(*args):
        return compiled_sample(*args)

    assert outer.__wrapped__ is compiled_sample and outer.__doc__ == sample.__doc__
    assert inspect.signature(outer) == inspect.signature(sample)
    cf = CompiledFunction(lambda a: a, no_entry)
    functools.update_wrapper(cf, sample)
    assert cf.__name__ == "sample" and cf.__wrapped__ is sample and cf(4) == 4


def test_attributes():
    def f():
        return None

    f.mark = "of f"
    cf = CompiledFunction(f, no_entry)
    assert cf.mark == "of f"
    cf.mark = 3
    assert cf.mark == 3 and f.mark == "of f" and vars(cf)["mark"] == 3
    del cf.mark
    with pytest.raises(AttributeError):
        cf.mark
    cf.__name__ = "renamed"
    assert cf.__name__ == "renamed" and f.__name__ == "f"
    with pytest.raises(AttributeError):
        cf.__globals__ = {}


def test_wrapped_of_a_wrapper_is_the_wrapper():
    @functools.wraps(sample)
    def f(*args):
        return args

    assert CompiledFunction(f, no_entry).__wrapped__ is f


def test_copies_and_pickles():
    cf = compiled_sample
    assert copy.copy(cf) is cf and copy.deepcopy([cf])[0] is cf
    for protocol in range(pickle.HIGHEST_PROTOCOL + 1):
        assert pickle.loads(pickle.dumps(cf, protocol)) is cf
    assert pickle.loads(pickle.dumps(BAILOUT)) is BAILOUT and repr(BAILOUT) == "BAILOUT"
    with pytest.raises((pickle.PicklingError, AttributeError)):
        pickle.dumps(CompiledFunction(lambda: 0, no_entry))


def test_coroutine_and_generator_functions():
    async def co(x):
        return x

    def gen(n):
        yield from range(n)

    assert asyncio.run(CompiledFunction(co, no_entry)(3)) == 3
    assert list(CompiledFunction(gen, no_entry)(3)) == [0, 1, 2]


@pytest.mark.parametrize("bad", [(), (len, no_entry), (sample,), (sample, no_entry, 1)])
def test_only_python_functions(bad):
    with pytest.raises(TypeError):
        CompiledFunction(*bad)


# -- entries

def test_a_miss_may_add_an_entry_that_is_then_tried():
    asked = []

    def f(a, b=5):
        return "plain"

    def miss(cf, flat):
        asked.append(flat)
        cf.add_entry(*typed(f, type(flat[0]), lambda *flat: ("compiled", flat)), "info")

    cf = CompiledFunction(f, miss)
    assert cf(1) == ("compiled", (1, 5)) and asked == [(1, 5)]
    assert cf(2, b=3) == ("compiled", (2, 3)) and len(asked) == 1
    assert cf(1.0) == ("compiled", (1.0, 5)) and len(asked) == 2
    entry = cf.entries()[-1]
    assert isinstance(entry, Entry)
    assert (entry.hits, entry.bailouts, entry.retired, entry.info) == (2, 0, False, "info")


def test_a_miss_that_adds_nothing_runs_the_function():
    cf = CompiledFunction(sample, no_entry)
    assert cf(1) == 3.0 and cf(1, scale=3) == 9.0


def test_an_entry_that_does_not_fit_is_not_run():
    cf = CompiledFunction(lambda a: "plain", lambda cf, flat: cf.add_entry(*typed(cf, str, str)))
    assert cf(1) == "plain"


def test_errors_of_a_miss_propagate():
    def miss(cf, flat):
        raise LookupError("from the compiler")

    cf = CompiledFunction(lambda: 1, miss)
    for _ in range(2):
        with pytest.raises(LookupError, match="from the compiler"):
            cf()


def test_inner_calls_during_a_miss_run_the_function():
    depth = []

    def miss(cf, flat):
        depth.append(len(depth))
        assert cf(0) == "plain"
        cf.add_entry(GuardProgram(1, ()), lambda a: "compiled")
        assert cf(0) == "plain"

    cf = CompiledFunction(lambda a: "plain", miss)
    assert cf(0) == "compiled" and depth == [0]


def test_entries_move_to_the_front():
    def f(a):
        return None

    cf = CompiledFunction(f, no_entry)
    for type_ in (int, str, float, bytes):
        cf.add_entry(*typed(f, type_, lambda a, type_=type_: type_))
    order = lambda: [entry.program.describe()[0][2] for entry in cf.entries()]  # noqa: E731
    assert order() == [bytes, float, str, int]
    assert cf(1) is int and order() == [int, bytes, float, str]
    assert cf("") is str and order() == [str, int, bytes, float]
    snapshot = cf.entries()
    assert cf(b"") is bytes and snapshot[0].program is not cf.entries()[0].program


def test_calls_that_bail_out_run_the_function_with_the_same_arguments():
    def f(a, /, b, *args, c=3, **kw):
        return a, b, args, c, kw

    cf = always(f, lambda *flat: BAILOUT)
    calls = [((1, 2), {}), ((1, 2, 3, 4), {"c": 5, "d": 6}), ((1,), {"b": 7, "a": 8})]
    for args, kwargs in calls:
        assert cf(*args, **kwargs) == f(*args, **kwargs)
    assert cf.entries()[0].bailouts == 3 and cf.entries()[0].hits == 0


def test_an_entry_that_is_that_always_bails_out_is_retired():
    ran = []

    def target(a):
        ran.append(a)
        return BAILOUT if a else "compiled"

    cf = always(lambda a: "plain", target, retire_after=3)
    entry = cf.entries()[0]
    assert [cf(1), cf(1), cf(0), cf(1), cf(1)] == ["plain", "plain", "compiled", "plain", "plain"]
    assert not entry.retired
    assert cf(1) == "plain" and entry.retired and entry.target is None
    n = len(ran)
    assert cf(0) == "plain" and len(ran) == n and cf.entries() == [entry]
    assert CompiledFunction(sample, no_entry).retire_after == 8


def test_errors_of_a_target_propagate():
    def target():
        raise ZeroDivisionError

    cf = always(lambda: 1, target)
    with pytest.raises(ZeroDivisionError):
        cf()
    assert cf.entries()[0].hits == 0


def test_disable_clear_and_remove():
    asked = []
    cf = CompiledFunction(lambda a: "plain", lambda cf, flat: asked.append(flat))
    first = cf.add_entry(GuardProgram(1, (("TYPE", 0, int),)), lambda a: "compiled")
    cf.disable("too many variants")
    assert cf.disabled == "too many variants"
    assert cf("x") == "plain" and asked == [] and cf(1) == "compiled"
    cf.remove_entry(first)
    assert cf(1) == "plain" and asked == []
    with pytest.raises(ValueError):
        cf.remove_entry(first)
    cf.clear()
    assert cf.disabled is None and cf("x") == "plain" and asked == [("x",)]


def test_why_miss():
    cf = CompiledFunction(lambda a, b: 0, no_entry)
    cf.add_entry(GuardProgram(2, (("TYPE", 0, int), ("EQUALS", 1, 3))), max)
    cf.add_entry(GuardProgram(2, (("TYPE", 0, str),)), max)
    assert cf.why_miss((1, 4)) == [0, 1] and cf.why_miss(("", 3)) == [-1, 0]
    with pytest.raises(ValueError):
        cf.why_miss((1,))


def test_entries_must_fit_the_function():
    cf = CompiledFunction(lambda a: 0, no_entry)
    for program, target in ((GuardProgram(2, ()), max), (GuardProgram(1, ()), 3)):
        with pytest.raises(ValueError):
            cf.add_entry(program, target)


# -- what happens during a call

def test_entries_may_change_while_guards_run():
    def f(a):
        return "plain"

    cf = CompiledFunction(f, no_entry)

    def meddle(value):
        cf.clear()
        gc.collect()
        cf.add_entry(GuardProgram(1, ()), lambda a: "new")
        return value > 0

    cf.add_entry(GuardProgram(1, (("CALL", 0, meddle),)), lambda a: "old")
    assert cf(1) == "old" and cf(1) == "new"
    cf.clear()
    cf.add_entry(GuardProgram(1, (("CALL", 0, meddle),)), lambda a: "old")
    assert cf(-1) == "new"


def test_code_may_change_while_guards_run():
    def f(a):
        return "one"

    def g(a, b, c):
        return "three"

    cf = CompiledFunction(f, no_entry)

    def meddle(value):
        f.__code__ = g.__code__
        with pytest.raises(TypeError):
            cf(1)
        for _ in range(3):
            cf.add_entry(GuardProgram(3, (("IS", 2, None),)), lambda *a: "wrong")
        return False

    cf.add_entry(GuardProgram(1, (("CALL", 0, meddle),)), lambda a: "old")
    with pytest.raises(TypeError, match="missing 2 required"):
        cf(1)


def test_a_target_may_drop_its_own_entry():
    cf = CompiledFunction(lambda: "plain", no_entry)

    def target():
        cf.clear()
        gc.collect()
        return BAILOUT

    cf.add_entry(GuardProgram(0, ()), target)
    del target
    assert cf() == "plain" and cf.entries() == []


def test_recursion_through_the_compiled_function():
    def fact(n):
        return 1 if n == 0 else n * compiled(n - 1)

    compiled = CompiledFunction(fact, no_entry)
    assert compiled(300) == fact(300)
    compiled.add_entry(GuardProgram(1, ()), fact)
    assert compiled(300) == fact(300)

    def forever(n):
        return endless(n + 1)

    endless = CompiledFunction(forever, no_entry)
    with pytest.raises(RecursionError):
        endless(0)
    limit = sys.getrecursionlimit()
    sys.setrecursionlimit(200_000)
    try:
        with pytest.raises(RecursionError):
            endless(0)
    finally:
        sys.setrecursionlimit(limit)


@pytest.mark.parametrize("limit", [1000, 4000])
def test_recursion_is_as_deep_as_the_plain_function_s(limit):
    def depth(n):
        return 0 if n == 0 else 1 + namespace["depth"](n - 1)

    def deepest():
        low, high = 0, limit
        while low < high:
            middle = (low + high + 1) // 2
            try:
                low = namespace["depth"](middle)
            except RecursionError:
                high = middle - 1
        return low

    namespace = {}
    compiled = CompiledFunction(depth, no_entry)
    in_python = always(depth, depth)
    old = sys.getrecursionlimit()
    sys.setrecursionlimit(limit)
    try:
        reached = [deepest() for namespace["depth"] in (depth, compiled, in_python)]
    finally:
        sys.setrecursionlimit(old)
    assert reached[1] == reached[2] == reached[0] > limit * 0.9


def test_endless_recursion_in_a_thread_with_a_small_stack():
    def forever(n):
        return endless(n + 1)

    def work():
        with pytest.raises(RecursionError):
            endless(0)
        done.append(True)

    endless, done = CompiledFunction(forever, no_entry), []
    old, limit = threading.stack_size(512 << 10), sys.getrecursionlimit()
    sys.setrecursionlimit(100_000)
    try:
        thread = threading.Thread(target=work)
        thread.start()
        thread.join()
    finally:
        threading.stack_size(old)
        sys.setrecursionlimit(limit)
    assert done == [True]


def test_interrupts_in_guards_are_not_swallowed():
    def interrupt(value):
        raise KeyboardInterrupt

    def fail(value):
        raise ValueError

    cf = CompiledFunction(lambda a: "plain", no_entry)
    cf.add_entry(GuardProgram(1, (("CALL", 0, fail),)), str)
    assert cf(1) == "plain"
    cf.add_entry(GuardProgram(1, (("CALL", 0, interrupt),)), str)
    with pytest.raises(KeyboardInterrupt):
        cf(1)


def test_what_watches_lines_sees_python_and_what_counts_calls_the_compiled_form():
    cf = always(lambda a: "plain", lambda a: "compiled")
    for install, expected in ((sys.settrace, "plain"), (sys.setprofile, "compiled")):
        install(lambda *event: None)
        try:
            assert cf(1) == expected
        finally:
            install(None)
    profile = cProfile.Profile()
    assert profile.runcall(cf, 1) == cf(1) == "compiled"


@pytest.mark.skipif(sys.version_info < (3, 12), reason="sys.monitoring is of Python 3.12")
def test_tools_that_monitor_lines_see_python():
    cf = always(lambda a: "plain", lambda a: "compiled")
    ids = sys.monitoring
    for tool in (ids.DEBUGGER_ID, ids.COVERAGE_ID, ids.PROFILER_ID):
        sys.monitoring.use_tool_id(tool, "lines")
        assert cf(1) == "plain"
        sys.monitoring.free_tool_id(tool)
    assert cf(1) == "compiled"


# -- threads

def test_concurrent_misses_compile_once():
    n_compiled, inside, go_on = [], threading.Event(), threading.Event()

    def miss(cf, flat):
        n_compiled.append(flat)
        inside.set()
        assert go_on.wait(10)
        cf.add_entry(GuardProgram(1, ()), lambda a: "compiled")

    cf = CompiledFunction(lambda a: "plain", miss)
    results = []
    first = threading.Thread(target=lambda: results.append(cf(1)))
    first.start()
    assert inside.wait(10)
    others = [threading.Thread(target=lambda: results.append(cf(1))) for _ in range(4)]
    for thread in others:
        thread.start()
    for thread in others:
        thread.join(10)
    assert results == ["plain"] * 4
    go_on.set()
    first.join(10)
    assert results[-1] == cf(1) == "compiled" and len(n_compiled) == 1


def test_threads_may_change_the_entries():
    def f(a):
        return type(a)

    cf = CompiledFunction(f, no_entry)
    stop, failures = threading.Event(), []

    def call():
        for value in itertools.cycle((1, "", 2.0, b"", (), [])):
            if stop.is_set():
                return
            if cf(value) is not type(value):
                failures.append(value)

    def change():
        for i, type_ in zip(range(2000), itertools.cycle((int, str, float, bytes, tuple))):
            cf.add_entry(*typed(f, type_, type))
            if i % 16 == 0:
                cf.clear()
        stop.set()

    old = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)
    try:
        threads = [threading.Thread(target=t) for t in (call, call, call, change)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(60)
    finally:
        sys.setswitchinterval(old)
    assert not failures


# -- memory

def test_cycles_are_collected():
    def f(a):
        return f, cf, entry

    cf = CompiledFunction(f, no_entry)
    cf.self = cf
    entry = cf.add_entry(GuardProgram(1, (("IS", 0, cf),)), f, cf)
    reference = weakref.ref(cf)
    cf = f = entry = None
    gc.collect()
    assert reference() is None


def test_calls_do_not_leak_references():
    class Value:
        pass

    def f(a, b=None, *args, c=None, **kw):
        return a

    value = Value()
    cf = always(f, lambda *flat: flat[0])
    gave_up = always(f, lambda *flat: BAILOUT, retire_after=0)
    missed = CompiledFunction(f, no_entry)
    before = sys.getrefcount(value), sys.getrefcount(BAILOUT), sys.getrefcount(f)
    for _ in range(50):
        for function in (cf, gave_up, missed):
            assert function(value, value, value, c=value, d=value) is value
            assert function(b=value, a=value) is value
            with pytest.raises(TypeError):
                function(value, a=value)
    gc.collect()
    assert (sys.getrefcount(value), sys.getrefcount(BAILOUT), sys.getrefcount(f)) == before


def test_replaced_entries_are_freed():
    class Target:
        def __call__(self, a):
            return a

    target = Target()
    reference = weakref.ref(target)
    cf = always(lambda a: a, target)
    del target
    assert reference() is not None
    cf.clear()
    assert reference() is None


def test_the_interpreter_ends_while_a_thread_compiles():
    code = """
import threading
from dynamo_lite.native import CompiledFunction
begun = threading.Event()
def miss(function, values):
    begun.set()
    while True:
        pass
compiled = CompiledFunction(lambda: None, miss)
threading.Thread(target=compiled, daemon=True).start()
begun.wait()
"""
    subprocess.run([sys.executable, "-c", code], check=True)
