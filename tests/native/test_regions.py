"""Regions: functions that a program makes may run compiled, with nothing of it to be seen."""
import contextlib
import gc
import sys
import threading
import time
import types
import weakref

import numpy as np
import pytest

from dynamo_lite.native import (
    BAILOUT,
    CompiledFunction,
    GuardProgram,
    calls_of_code,
    enter_region,
    forget_code,
    leave_region,
    review_after,
    sample_with,
    time_in_compiled,
)

if sys.version_info >= (3, 14):
    pytest.skip("regions are not available", allow_module_level=True)


@contextlib.contextmanager
def region(callback):
    enter_region(callback)
    np.empty(3)  # from the first array on functions are candidates
    try:
        yield
    finally:
        leave_region()


def make(source, **names):
    """The function `f` of a program."""
    namespace = {"__name__": "program", **names}
    exec(source, namespace)
    return namespace["f"]


def compiled(function, target, *guards):
    """A compiled form whose only entry runs `target` over the flat arguments."""
    clone = types.FunctionType(function.__code__, function.__globals__, "f", None,
                              function.__closure__)
    form = CompiledFunction(clone, lambda *_: None)
    form.retire_after = 0
    code = function.__code__
    count = code.co_argcount + code.co_kwonlyargcount + bool(code.co_flags & 4) + bool(
        code.co_flags & 8)
    form.add_entry(GuardProgram(count, guards), target)
    return form


class Answers:
    """A callback that answers for functions called `f`, and notes what it was asked."""

    def __init__(self, answer):
        self.answer = answer
        self.asked = []

    def __call__(self, function, values):
        if function.__name__ != "f":
            return None
        self.asked.append(values)
        return self.answer(function)


def outcome(call):
    try:
        return call()
    except TypeError as error:
        return str(error)


CALLS = [
    ("a, b=2, *args, k=3, **kw", "(1)", (1, 2, 3, (), {})),
    ("a, b=2, *args, k=3, **kw", "(1, 2, 3, 4, k=5, z=6)", (1, 2, 5, (3, 4), {"z": 6})),
    ("a, b=2, *args, k=3, **kw", "(*(1,), **{'k': 2})", (1, 2, 2, (), {})),
    ("a, b=2, *args, k=3, **kw", "()", "f() missing 1 required positional argument: 'a'"),
    ("a, /, b, *, c=1", "(1, b=2, c=3)", (1, 2, 3)),
    ("a, /, b, *, c=1", "(1, 2, c=3, b=4)", "f() got multiple values for argument 'b'"),
    ("", "()", ()),
    ("", "(1)", "f() takes 0 positional arguments but 1 was given"),
]


@pytest.mark.parametrize("parameters, call, expected", CALLS)
def test_the_compiled_form_gets_flat_arguments(parameters, call, expected):
    answers = Answers(lambda function: compiled(function, lambda *flat: flat))
    with region(answers):
        f = make(f"def f({parameters}): return 'plain'")
        for _ in range(3):
            assert outcome(lambda: eval(f"f{call}", {"f": f})) == expected
    plain = outcome(lambda: eval(f"f{call}", {"f": f}))
    assert plain == ("plain" if isinstance(expected, tuple) else expected)


def test_none_holds_for_the_code_and_not_implemented_for_one_call():
    answers = Answers(lambda function: NotImplemented if len(answers.asked) < 3 else None)
    with region(answers):
        f = make("def f(a): return 'plain'")
        assert [f(1) for _ in range(6)] == ["plain"] * 6
        assert answers.asked == [(1,)] * 3
        assert types.FunctionType(f.__code__, {})(1) == "plain"
        assert len(answers.asked) == 3
        forget_code(f.__code__)
        assert types.FunctionType(f.__code__, {}, "f")(2) == "plain"
        assert answers.asked[3:] == [(2,)]


def test_a_number_is_how_long_functions_of_the_code_run_before_the_next_question():
    answers = Answers(lambda function: 1 if len(answers.asked) < 3 else 10 ** 15)
    with region(answers):
        f = make("def f(a): return 'plain'")
        g = types.FunctionType(f.__code__, {}, "f")
        assert {function(i) for i in range(20) for function in (f, g)} == {"plain"}
        assert answers.asked == [(0,), (0,), (1,)]
        assert 0 < calls_of_code(f.__code__)[1] < 10 ** 12
        answers.answer = lambda function: 10 ** 20
        h = make("def f(a): return 'other'")
        with pytest.raises(OverflowError):
            h(1)
    assert calls_of_code(f.__code__)[1] == 0
    with pytest.raises(TypeError):
        calls_of_code(3)


def test_the_time_of_calls_inside_of_a_call_of_the_same_code_counts_once():
    with region(Answers(lambda function: 10 ** 15)):
        f = make("def f(a): return f(a - 1) if a else [i for i in range(10 ** 5)]")
        f.__globals__["f"] = f
        f(0)
        before, began = calls_of_code(f.__code__)[1], time.perf_counter_ns()
        f(100)
        took = time.perf_counter_ns() - began
        assert 0 < calls_of_code(f.__code__)[1] - before <= took


def test_time_in_compiled_forms_and_in_the_compiler_is_told_apart():
    def answer(function):
        time.sleep(0.01)
        return compiled(function, lambda: time.sleep(0.01)) if function is g else 10**9

    with region(Answers(answer)):
        g = make("def f(): return 'Python'")
        f = make("def f(): g(), g()", g=g)
        f(), f()
        calls, ran, nested, *compiled_counts = calls_of_code(f.__code__)
        assert calls == 2 and compiled_counts == [0, 0, 0]
        assert ran >= nested >= 40_000_000  # four calls
        assert ran < nested + 10_000_000  # the question is none of its time
        assert calls_of_code(g.__code__)[1:4] == (0, 0, 4)
        assert calls_of_code(g.__code__)[5] == 4
    now, apart = time_in_compiled()
    assert now >= apart >= nested + 10_000_000


@pytest.mark.parametrize("arguments", [(1,), (), (1, 2, 3)])
def test_calls_that_no_entry_fits_count_as_calls_in_python(arguments):
    """A compiled form that waits for its first entry is not slower than Python: it is Python."""
    forms = []

    def answer(function):
        forms.append(CompiledFunction(function, lambda form, arguments: None))
        return forms[0]

    with region(Answers(answer)):
        f = make("def f(a=0, *rest): return 'Python'")
        assert [f(*arguments) for _ in range(20)] == ["Python"] * 20
        assert len(forms) == 1
        assert calls_of_code(f.__code__)[0] == 20 and calls_of_code(f.__code__)[3:] == (0, 0, 0)
        with pytest.raises(TypeError, match="unexpected keyword argument 'b'"):
            f(b=1)


def test_new_functions_are_seen_at_busy_call_sites():
    answers = Answers(lambda function: compiled(function, lambda a: "compiled"))
    with region(answers):
        functions = [make("def f(a): return 'plain'") for _ in range(40)]
        assert {f(1) for f in functions for _ in range(3)} == {"compiled"}


def test_functions_made_before_the_first_array():
    """They are left alone until then, and compiled from then on, at busy call sites too."""
    answers = Answers(lambda function: compiled(function, lambda a: "compiled"))
    enter_region(answers)
    f = make("def f(a): return 'plain'")
    found = []
    for i in range(60):
        found.append(f(i))
        if i == 29:
            assert answers.asked == []
            np.empty(3)
    leave_region()
    assert found == ["plain"] * 30 + ["compiled"] * 30


def test_decisions_are_forgotten_with_the_code():
    answers = Answers(lambda function: compiled(function, lambda a: "compiled"))
    with region(answers):
        f = make("def f(a): return 'plain'")
        assert f(1) == f(2) == "compiled" and len(answers.asked) == 1
        forget_code(f.__code__)
        assert f(1) == "compiled" and len(answers.asked) == 2
        f.__code__ = make("def f(a): return 'other'").__code__
        answers.answer = lambda function: None
        assert f(1) == f(1) == "other" and len(answers.asked) == 3


def test_another_callback_is_asked_anew():
    first = Answers(lambda function: compiled(function, lambda a: "first"))
    second = Answers(lambda function: NotImplemented)
    with region(first):
        f = make("def f(a): return 'plain'")
        assert f(1) == "first"
        with region(second):
            assert f(1) == "plain" and len(second.asked) == 1
        assert f(1) == "first"
    assert f(1) == "plain"


def test_nothing_of_it_is_seen():
    answers = Answers(lambda function: compiled(function, lambda a, b: (a, b)))
    with region(answers):
        f = make("def f(a, b=1): return 'plain'")
        code, before = f.__code__, dir(f)
        assert f(3) == (3, 1)
        assert f.__code__ is code and dir(f) == before and vars(f) == {}
        f.__defaults__ = (5,)
        assert f(3) == (3, 5)
        f.__kwdefaults__ = {"b": 7}
        assert f(3) == (3, 5)


def test_calls_that_are_given_up_run_the_function_itself():
    answers = Answers(lambda function: compiled(function, lambda a: BAILOUT, ("TYPE", 0, int)))
    with region(answers):
        f = make("def f(a): return sys._getframe().f_code, a", sys=sys)
        for value in (1, "x", 2):
            assert f(value) == (f.__code__, value)


def test_the_callback_runs_outside_of_all_regions():
    def callback(function, values):
        if function.__name__ in "fg":
            asked.append(function.__name__)
        inner = make("def f(): return 1")
        assert inner() == 1
        return None

    asked = []
    with region(callback):
        f, g = make("def f(): return 1"), make("def g(): return 2\nf = g")
        assert (f(), g()) == (1, 2)
    assert asked == ["f", "g"]


def test_errors_of_the_callback_are_raised_by_the_call():
    for error in (LookupError, KeyboardInterrupt):
        def fail(function):
            raise error("from the callback")

        with region(Answers(fail)):
            f = make("def f(): return 1")
            for _ in range(2):
                with pytest.raises(error, match="from the callback"):
                    f()
        assert f() == 1


@pytest.mark.parametrize("answer", [3.5, "x", lambda a: a, test_nothing_of_it_is_seen.__code__])
def test_answers_of_another_kind_are_refused(answer):
    with region(Answers(lambda function: answer)):
        f = make("def f(a): return a")
        with pytest.raises(TypeError, match="is not the compiled form"):
            f(1)
    assert f(1) == 1


def test_generators_and_coroutines_run_as_they_are():
    answers = Answers(lambda function: compiled(function, lambda n: "compiled"))
    with region(answers):
        assert list(make("def f(n): yield from range(n)")(3)) == [0, 1, 2]
        with pytest.raises(StopIteration) as stop:
            make("async def f(n): return n")(4).send(None)
        assert stop.value.value == 4
        assert sum(i for i in range(4)) == 6
        exec("class f:\n    x = 1")
    assert answers.asked == []


def test_leaving_without_entering():
    with pytest.raises(RuntimeError):
        leave_region()
    for call in (enter_region, forget_code):
        with pytest.raises(TypeError):
            call(3)


def test_tracers_see_the_function_and_not_the_callback():
    for install in (sys.settrace, sys.setprofile):
        events = []

        def tracer(frame, event, arg, events=events):
            if frame.f_code.co_filename in (__file__, "<string>"):
                events.append((frame.f_code.co_name, event))
            return tracer

        answers = Answers(lambda function: compiled(function, lambda n: "compiled"))
        enter_region(answers)
        f = make("def f(n): return 'plain'")
        np.empty(3)
        install(tracer)
        result = f(1)
        install(None)
        leave_region()
        assert result == "plain" and answers.asked == []
        assert events[0] == ("f", "call") and ("f", "return") in events


# -- threads

def test_functions_are_candidates_in_every_thread():
    answers = Answers(lambda function: compiled(function, lambda n: ("compiled", n)))
    results = []
    with region(answers):
        f = make("def f(n): return 'plain'")
        thread = threading.Thread(target=lambda: results.append(f(2)))
        thread.start()
        thread.join()
        results.append(f(3))
    assert results == [("compiled", 2), ("compiled", 3)] and len(answers.asked) == 1


def test_many_threads_call_and_make_functions():
    def answer(function):
        kind = function.__code__.co_consts[1] % 3
        target = function.__closure__[0].cell_contents
        return (None, NotImplemented, compiled(function, lambda n: n + target))[kind]

    source = "def make(k):\n  def f(n):\n    kind = {0}\n    return n + k\n  return f\nf = make"

    def work(i):
        barrier.wait()
        for n in range(60):
            makers = shared if n % 2 else [make(source.format(n))]
            for maker in makers:
                f = maker(i)
                if [f(n), f(n + 1), f(n)] != [n + i, n + 1 + i, n + i]:
                    wrong.append((i, n))

    wrong, barrier = [], threading.Barrier(32)
    old = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)
    with region(Answers(answer)):
        shared = [make(source.format(kind)) for kind in range(3)]
        threads = [threading.Thread(target=work, args=(i,)) for i in range(32)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(60)
    sys.setswitchinterval(old)
    assert not wrong


# -- recursion

DEPTH = "def f(n): return 0 if n == 0 else 1 + f(n - 1)"
ENDLESS = "def f(n): return f(n + 1)"


def frames_left():
    left, frame = sys.getrecursionlimit(), sys._getframe()
    while frame:
        left, frame = left - 1, frame.f_back
    return left


@pytest.mark.parametrize("answer", [
    lambda function: None, lambda function: NotImplemented,
    lambda function: compiled(function, lambda n: BAILOUT),
])
def test_recursion_is_as_deep_as_without_a_region(answer):
    n = frames_left() - 60
    with region(Answers(answer)):
        assert make(DEPTH)(n) == n
        with pytest.raises(RecursionError):
            make(ENDLESS)(0)
        assert make(DEPTH)(5) == 5
    limit = sys.getrecursionlimit()
    sys.setrecursionlimit(60_000)
    try:
        with region(Answers(answer)):
            assert make(DEPTH)(50_000) == 50_000
    finally:
        sys.setrecursionlimit(limit)


def test_compiled_forms_serve_after_deep_recursion():
    answers = Answers(lambda function: compiled(function, lambda n: "compiled"))
    with region(answers):
        f = make("def f(n): return 'plain'")
        assert f(0) == "compiled"
        make(DEPTH.replace("f(", "g(") + "\nf = g")(700)
        assert f(1) == "compiled"


def test_a_target_may_call_its_function():
    def target(n):
        return 0 if n == 0 else 1 + f(n - 1)

    with region(Answers(lambda function: compiled(function, target))):
        f = make("def f(n): return 'plain'")
        assert f(100) == 100


# -- memory

def test_nothing_leaks():
    class Value:
        pass

    value, answers = Value(), Answers(lambda function: compiled(function, lambda a, rest: a))
    with region(answers):
        f = make("def f(a, *rest): return a")
        f(value)
    answers.asked.clear()
    count = lambda: [sys.getrefcount(x) for x in (value, f, f.__code__)]  # noqa: E731
    before = count()
    for _ in range(50):
        with region(answers):
            assert f(value, value) is value
    assert count() == before


def test_functions_live_as_long_as_without_a_region():
    class Value:
        pass

    def form(function):
        made.append(compiled(function, lambda *flat: "compiled"))
        return made[-1]

    made = []
    with region(Answers(form)):
        f = make("def f(): return 'plain'")
        assert f() == "compiled"
        gone = [weakref.ref(f), weakref.ref(made.pop())]
        f.__globals__.clear()
        del f
        assert [reference() for reference in gone] == [None, None]

        value = Value()
        source = "def outer(value):\n  def f(n): return f, value\n  return f\nf = outer"
        recursive = make(source)(value)
        recursive(1)
        gone = [weakref.ref(recursive), weakref.ref(value), weakref.ref(made.pop())]
        del recursive, value
        made.clear()
        gc.collect()
        assert [reference() for reference in gone] == [None] * 3


# -- with the callable that `compile` returns

def test_a_compiled_function_runs_its_own_function_outside_of_the_region():
    answers = Answers(lambda function: compiled(function, lambda a: "region"))
    with region(answers):
        f = make("def f(a): return 'plain'")
        own = CompiledFunction(f, lambda *_: None)
        assert own(1) == "plain" and answers.asked == []
        own.add_entry(GuardProgram(1, (("TYPE", 0, int),)), lambda a: "compiled")
        assert own(1) == "compiled" and own("x") == "plain" and answers.asked == []
        assert f(1) == f("x") == "region"


def reviewed(answers, calls):
    """What calls of a function gave that was compiled at once, and looked at again after two."""
    def answer(function):
        given = answers.pop(0) if len(asked.asked) > 1 else compiled(function, lambda: "compiled")
        if type(given) is not int:
            review_after(function.__code__, 2)
        return given

    asked = Answers(answer)
    with region(asked):
        f = make("def f(): return 'Python'")
        return [f() for _ in range(calls)], asked.asked, calls_of_code(f.__code__)


def test_compiled_code_is_looked_at_again():
    found, asked, (calls, ran, _, compiled_calls, took, _) = reviewed([True, True], 6)
    assert found == ["compiled"] * 6 and asked == [(), None, None]
    assert (calls, ran, compiled_calls) == (0, 0, 6) and took > 0


def test_compiled_code_gives_way_to_python_for_a_while():
    found, asked, counts = reviewed([1, True], 5)
    assert found == ["compiled", "compiled", "Python", "compiled", "compiled"]
    assert asked == [(), None, None] and (counts[0], counts[3]) == (1, 4)


def test_compiled_code_gives_way_to_python_for_good():
    found, asked, _ = reviewed([None], 20)
    assert found == ["compiled"] * 2 + ["Python"] * 18 and asked == [(), None]


def test_all_functions_of_code_that_is_left_alone_run_in_python():
    forms = [True, True, False]
    answers = Answers(lambda f: compiled(f, lambda: "compiled") if forms.pop(0) else None)
    with region(answers):
        first = make("def f(): return 'Python'")
        second = types.FunctionType(first.__code__, {}, "f")
        assert first() == second() == "compiled"
        review_after(first.__code__, 1)
        assert [first(), first(), second()] == ["compiled", "Python", "Python"]
        assert types.FunctionType(first.__code__, {}, "f")() == "Python" and not forms


def test_what_is_no_number_of_calls_is_refused():
    with pytest.raises(TypeError):
        review_after("code", 3)
    review_after(make("def f(): pass").__code__, 3)  # outside of all regions: nothing happens


def test_no_samples_while_a_module_is_imported(tmp_path, monkeypatch):
    """What looks at running frames loads modules itself."""
    source = "import time\nend = time.monotonic() + 0.1\nwhile time.monotonic() < end: pass\n"
    (tmp_path / "slow_to_import.py").write_text(source)
    monkeypatch.syspath_prepend(tmp_path)
    seen = []

    def look(frame):
        names = []
        while (frame := frame.f_back) is not None:
            names.append(frame.f_globals.get("__name__"))
        seen.append(names)

    sample_with(look, 1e-3)
    try:
        with region(lambda function, values: None):
            import slow_to_import

            end = time.monotonic() + 0.1
            while time.monotonic() < end:
                pass
    finally:
        sample_with(None, 0.0)
    assert seen and slow_to_import.__name__ not in {name for names in seen for name in names}
