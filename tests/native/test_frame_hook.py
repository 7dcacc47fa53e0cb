"""Regions run replacement code in place; redirections keep a function's identity."""
import contextlib
import gc
import sys
import threading
import traceback
import weakref

import pytest

from dynamo_lite.native import (
    CompiledFunction,
    GuardProgram,
    enter_region,
    forget_frame,
    leave_region,
    redirect,
    restore,
)

if sys.version_info >= (3, 14):
    pytest.skip("regions are not available", allow_module_level=True)


@contextlib.contextmanager
def region(callback):
    enter_region(callback)
    try:
        yield
    finally:
        leave_region()


OWN = ("calls", "free")  # functions of the tests themselves


def only(name):
    """Restricts a callback to functions of one name; all others run as they are."""
    return lambda answer: (
        lambda function, flat: answer(function, flat) if function.__name__ == name else None)


class Replacing:
    """A callback that replaces the code of some functions and notes what it was asked."""

    def __init__(self, **replacements):
        self.replacements = replacements
        self.asked = []

    def __call__(self, function, flat):
        if function.__code__.co_filename == __file__ and function.__name__ not in OWN:
            self.asked.append((function.__name__, flat))
        new = self.replacements.get(function.__name__)
        return None if new is None else new.__code__


def calls(f, *cases):
    """What each call gives or raises."""
    results = []
    for args, kwargs in cases:
        try:
            results.append(f(*args, **kwargs))
        except Exception as error:
            results.append(repr(error))
    return results


# -- replacing code

def f_args(a, b=2, *args, k=3, **kw):
    return None


def g_args(a, b=2, *args, k=3, **kw):
    x1, x2, x3, x4, x5 = a, b, args, k, kw
    items = list(args)
    return (a, (b, (args, (k, (kw, (x1, (x2, (x3, (x4, (x5, items))))))))))


def f_small(n):
    return n


def g_large(n):
    a0 = a1 = a2 = a3 = a4 = a5 = a6 = a7 = a8 = a9 = b0 = b1 = b2 = b3 = b4 = b5 = b6 = n
    return [a0, a1, a2, [a3, a4, [a5, a6, a7, [a8, [a9, b0, [b1, [b2, [b3, [b4, [b5, b6]]]]]]]]]]


def f_raises(n):
    return 0


def g_raises(n):
    try:
        return 1 / n
    finally:
        log.append(n)


log = []


def closures():
    one, two = 10, 20

    def f(a, b):
        c = a

        def inner():
            return c, one

        return inner(), two

    def g(a, b):
        t = a + 1
        c = t * 100

        def inner():
            return c, one, b

        return inner(), two, sorted(locals())

    return f, g


def plain_pairs():
    yield f_args, g_args, [((1,), {}), ((1, 2, 3, 4), {"k": 5, "z": 6}), ((), {})]
    yield f_small, g_large, [((3,), {}), (("x",), {})]
    yield f_raises, g_raises, [((0,), {}), ((2,), {})]
    yield (*closures(), [((1, 2), {}), ((5,), {"b": 6})])


@pytest.mark.parametrize("f, g, cases", list(plain_pairs()))
def test_replacement_code_runs_in_the_frame(f, g, cases):
    g.__qualname__ = f.__qualname__
    g.__code__ = g.__code__.replace(co_name=f.__name__, co_qualname=f.__qualname__)
    expected, eager = calls(g, *cases), calls(f, *cases)
    callback = Replacing(**{f.__name__: g})
    with region(callback):
        for _ in range(3):
            assert calls(f, *cases) == expected
    assert callback.asked[0][0] == f.__name__
    assert [name for name, _ in callback.asked].count(f.__name__) == 1
    assert calls(f, *cases) == eager


def test_the_callback_sees_flat_arguments():
    callback = Replacing()
    with region(callback):
        f_args(1, 2, 3, k=4, z=5)
    assert callback.asked == [("f_args", (1, 2, 4, (3,), {"z": 5}))]


def test_none_is_remembered_and_not_implemented_is_not():
    asked = []

    def f():
        return "plain"

    @only("f")
    def callback(function, flat):
        asked.append(function.__name__)
        return NotImplemented if len(asked) < 3 else None

    with region(callback):
        assert [f() for _ in range(6)] == ["plain"] * 6
    assert asked == ["f"] * 3
    forget_frame(f.__code__)
    with region(callback):
        f()
    assert asked == ["f"] * 4


def test_another_callback_is_asked_anew():
    first, second = Replacing(f_small=g_large), Replacing()
    large = g_large(1)
    with region(first):
        assert f_small(1) == large
        with region(second):
            assert f_small(1) == 1
    assert len(first.asked) == len(second.asked) == 1
    with region(second):
        assert f_small(1) == 1
    assert len(second.asked) == 1


def test_frames_and_tracebacks_name_the_replacement():
    def f(n):
        return 0

    def g(n):
        y = n * 2
        frame = sys._getframe()
        if n < 0:
            raise ValueError(y)
        return frame

    with region(Replacing(f=g)):
        frame = f(21)
        with pytest.raises(ValueError) as caught:
            f(-1)
    assert frame.f_locals["y"] == 42 and frame.f_code is g.__code__
    names = [entry.name for entry in traceback.extract_tb(caught.value.__traceback__)]
    assert names == ["test_frames_and_tracebacks_name_the_replacement", "g"]


def test_the_hook_is_off_while_the_callback_runs():
    asked = []

    def helper():
        return None

    def callback(function, flat):
        if function.__code__.co_filename == __file__:
            asked.append(function.__name__)
        helper()
        return None

    with region(callback):
        f_small(1)
        helper()
    assert asked == ["f_small", "helper"]


def test_errors_of_the_callback_are_raised_in_the_frame():
    def f():
        return 1

    for error in (LookupError, KeyboardInterrupt):
        @only("f")
        def callback(function, flat):
            raise error("from the callback")

        with region(callback):
            for _ in range(2):
                with pytest.raises(error, match="from the callback"):
                    f()
    assert f() == 1


INCOMPATIBLE = [lambda: 0, lambda a, b: 0, lambda *a: 0, lambda *, a: 0, lambda a, **b: 0]


@pytest.mark.parametrize("other", INCOMPATIBLE)
def test_code_with_other_arguments_is_refused(other):
    def f(a):
        return a

    with region(only("f")(lambda *_: other.__code__)), pytest.raises(TypeError):
        f(1)

    def gen(a):
        yield a

    with region(only("f")(lambda *_: gen.__code__)), pytest.raises(TypeError):
        f(1)
    with region(only("f")(lambda *_: 3)), pytest.raises(TypeError):
        f(1)
    assert f(1) == 1


def test_generators_and_coroutines_run_as_they_are():
    def gen(n):
        yield from range(n)

    async def co(n):
        return n

    callback = Replacing()
    with region(callback):
        assert list(gen(3)) == [0, 1, 2]
        with pytest.raises(StopIteration) as stop:
            co(4).send(None)
        assert stop.value.value == 4
        assert sum(i for i in range(4)) == 6
        exec("class C:\n    x = 1")
    assert callback.asked == []


def test_regions_belong_to_threads():
    callback = Replacing(f_small=g_large)
    results = []
    with region(callback):
        thread = threading.Thread(target=lambda: results.append(f_small(2)))
        thread.start()
        thread.join()
        results.append(f_small(2))
    assert results == [2, g_large(2)]


def test_many_threads_in_regions():
    def work(i):
        mine = Replacing(f_small=g_large) if i % 2 else Replacing()
        for n in range(200):
            with region(mine):
                if f_small(n) != (g_large(n) if i % 2 else n):
                    wrong.append(n)
            if f_small(n) != n:
                wrong.append(n)

    wrong = []
    old = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)
    threads = [threading.Thread(target=work, args=(i,)) for i in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    sys.setswitchinterval(old)
    assert not wrong


def test_leaving_without_entering():
    with pytest.raises(RuntimeError):
        leave_region()
    with pytest.raises(TypeError):
        enter_region(3)
    with pytest.raises(TypeError):
        forget_frame(f_small)


def test_tracers_do_not_see_the_callback():
    def f(n):
        return n

    for install in (sys.settrace, sys.setprofile):
        events = []

        def tracer(frame, event, arg):
            if frame.f_code.co_filename == __file__:
                events.append((frame.f_code.co_name, event))
            return tracer

        enter_region(Replacing())
        install(tracer)
        f(1)
        install(None)
        leave_region()
        assert events[0] == ("f", "call") and ("f", "return") in events
        assert {name for name, _ in events} == {"f", "test_tracers_do_not_see_the_callback"} - (
            {"test_tracers_do_not_see_the_callback"} if install is sys.settrace else set())


# -- recursion

def depth(n):
    return 0 if n == 0 else 1 + depth(n - 1)


def endless(n):
    return endless(n + 1)


def test_recursion_is_as_deep_as_without_a_region():
    def free():
        left = 0
        frame = sys._getframe()
        while frame:
            left, frame = left + 1, frame.f_back
        return sys.getrecursionlimit() - left

    n = free() - 60
    assert depth(n) == n
    with region(Replacing()):
        assert depth(n) == n
        with pytest.raises(RecursionError):
            endless(0)
        assert f_small(1) == 1
    limit = sys.getrecursionlimit()
    sys.setrecursionlimit(60_000)
    try:
        with region(Replacing()):
            assert depth(50_000) == 50_000
    finally:
        sys.setrecursionlimit(limit)


def test_replaced_code_still_works_after_deep_recursion():
    callback = Replacing(f_small=g_large)
    with region(callback):
        depth(700)
        assert f_small(1) == g_large(1)


def test_a_replacement_may_recurse():
    namespace = {}
    exec("def f(n): return 0\ndef g(n): return 0 if n == 0 else 1 + f(n - 1)", namespace)
    with region(Replacing(f=namespace["g"])):
        assert namespace["f"](100) == 100
    assert namespace["f"](100) == 0


# -- memory

def test_nothing_leaks():
    class Value:
        pass

    def f(a, *rest):
        return a

    def g(a, *rest):
        b, c, d = a, rest, (a, rest)
        return [b, [c, [d]]][0]

    value = Value()
    callback = Replacing(f=g)
    with region(callback):
        f(value)
    callback.asked.clear()
    count = lambda: [sys.getrefcount(x) for x in (value, f, g, f.__code__, g.__code__)]  # noqa: E731
    before = count()
    for _ in range(50):
        with region(callback):
            assert f(value, value) is value
    assert count() == before


def test_code_objects_release_their_replacements():
    def make():
        namespace = {}
        exec("def f(): return 1\ndef g(): return 2", namespace)
        return namespace["f"], namespace["g"]

    f, g = make()
    gone = weakref.ref(g.__code__)
    with region(Replacing(f=g)):
        assert f() == 2
    del g
    gc.collect()
    assert gone() is not None
    del f
    gc.collect()
    enter_region(Replacing())
    leave_region()
    gc.collect()
    assert gone() is None


# -- with the compiled callable

def test_a_compiled_function_runs_its_own_function_outside_of_the_region():
    namespace = {}
    exec("def f(a): return 'plain'\ndef stub(a): return cf(a)", namespace)
    f = namespace["f"]
    cf = namespace["cf"] = CompiledFunction(f, lambda cf, flat: None)
    with region(Replacing(f=namespace["stub"])):
        assert f(1) == cf(1) == "plain"
        cf.add_entry(GuardProgram(1, (("TYPE", 0, int),)), lambda a: "compiled")
        for _ in range(3):
            assert f(1) == cf(1) == "compiled" and f("x") == cf("x") == "plain"
            with pytest.raises(TypeError):
                cf()
    assert f(1) == "plain"


# -- redirections

needs_vectorcall = pytest.mark.skipif(
    sys.version_info < (3, 12), reason="CALL on 3.11 does not look at a function's vectorcall")


def test_redirect_says_whether_it_works():
    def f(a):
        return "plain"

    assert redirect(f, lambda a: "other") == (sys.version_info >= (3, 12))
    assert f(1) == ("other" if sys.version_info >= (3, 12) else "plain")
    assert restore(f) == (sys.version_info >= (3, 12)) and f(1) == "plain" and not restore(f)
    for bad in ((len, len), (f, 3), (f,)):
        with pytest.raises(TypeError):
            redirect(*bad)
    with pytest.raises(TypeError):
        restore(len)


@needs_vectorcall
def test_call_sites_that_are_already_specialised_follow():
    def f(a, b=1, **kw):
        return "plain", a, b, kw

    def call(i):
        return f(i, b=2), f(*(i,)), f(i, z=3), list(map(f, [i]))

    for i in range(50):
        assert {result[0] for result in call(i)[:3]} == {"plain"}
    before = call(7)
    redirect(f, lambda *args, **kw: ("other", args, kw))
    assert call(7) == (("other", (7,), {"b": 2}), ("other", (7,), {}), ("other", (7,), {"z": 3}),
                       [("other", (7,), {})])
    redirect(f, lambda *args, **kw: ("third", args, kw))
    assert call(7)[0][0] == "third"
    restore(f)
    assert call(7) == before and "__dynamo_lite_target__" not in vars(f)


@needs_vectorcall
def test_methods_and_compiled_functions_as_targets():
    class C:
        def method(self, a):
            return "plain", a

    cf = CompiledFunction(C.method, lambda cf, flat: None)
    redirect(C.method, cf)
    c = C()
    assert c.method(1) == ("plain", 1)
    cf.add_entry(GuardProgram(2, (("TYPE", 1, int),)), lambda self, a: ("compiled", a))
    assert c.method(1) == ("compiled", 1) and c.method("x") == ("plain", "x")
    with pytest.raises(TypeError, match="missing 1 required"):
        c.method()


@needs_vectorcall
def test_redirected_functions_are_collected():
    def f():
        return 1

    cf = CompiledFunction(f, lambda cf, flat: None)
    redirect(f, cf)
    gone = weakref.ref(f), weakref.ref(cf)
    assert f() == 1
    del f, cf
    gc.collect()
    assert gone[0]() is None and gone[1]() is None
