"""Exceptions raised, caught, chained, grouped and inspected; `with` and its context managers.

The asserts are Python's own, whatever other plugins are there: PYTEST_DONT_REWRITE.
"""
# ruff: noqa
import contextlib

import numpy as np

from .programs import V, X, program


class ShapeError(ValueError):
    """The usual way: a message built from arguments, which are kept."""

    def __init__(self, got, wanted):
        super().__init__(f"got {got}, wanted {wanted}")
        self.got, self.wanted = got, wanted


class Located(Exception):
    line = 7

    def __str__(self): return f"{self.args[0]} at {self.line}"


class Step(Exception): pass


class SmallStep(Step): pass


def require(x, ndim):
    if x.ndim != ndim: raise ShapeError(x.ndim, ndim)
    return x


@program(X)
def caught_by_attribute(x):
    try: require(x, 3)
    except ShapeError as error: return x + error.got, error.wanted, str(error), error.args


@program(X)
def own_text(x):
    try: raise Located("stopped")
    except Located as error: return x, str(error), f"{error}", repr(error), error.line


@program(X)
def attribute_set_later(x):
    error = Step("a")
    error.code = 3
    try: raise error
    except Step as caught: return x * caught.code, caught is error


@program(X)
def caught_by_base(x):
    try: raise SmallStep(1, 2)
    except Step as error: return x, error.args, isinstance(error, SmallStep), type(error) is Step


@program(X)
def handlers_in_order(x):
    log = []
    for kind in (SmallStep, Step, KeyError):
        try: raise kind("k")
        except SmallStep: log.append("small")
        except (Step, ValueError): log.append("step")
        except Exception as error: log.append(str(error))
    return x, log


@program(X)
def classes_from_variable(x):
    expected = (KeyError, IndexError)
    try: return [x][4]
    except expected as error: return x, str(error)


@program(X)
def index_errors(x):
    texts = []
    for attempt in (lambda: [1][3], lambda: (1,)[2], lambda: "ab"[5], lambda: {}["q"], lambda: [].pop()):
        try: attempt()
        except LookupError as error: texts.append((type(error).__name__, str(error)))
    return x, texts


@program(X)
def type_errors(x):
    texts, nothing, three = [], None, 3
    for attempt in (lambda: 1 + "a", lambda: "a" + 1, lambda: [] + (), lambda: () + [], lambda: "a" + [x], lambda: [x] * "a", lambda: len(3), lambda: nothing[0], lambda: three(), lambda: -"a", lambda: [1] < [""], lambda: {[]: 1}, lambda: iter(4)):
        try: attempt()
        except TypeError as error: texts.append(str(error))
    return x, texts


@program(X)
def value_errors(x):
    texts = []
    def unpack(v): a, b = v
    for attempt in (lambda: int("x"), lambda: [1].index(2), lambda: [].remove(1), lambda: unpack([1]), lambda: unpack((1, 2, 3)), lambda: "abc".index("z"), lambda: max([]), lambda: float("q")):
        try: attempt()
        except ValueError as error: texts.append(str(error))
    return x, texts


@program(X)
def attribute_and_name_errors(x):
    texts = []
    class Empty: pass
    for attempt in (lambda: Empty().nothing, lambda: [].nothing, lambda: (1).nothing, lambda: undefined_name):
        try: attempt()
        except (AttributeError, NameError) as error: texts.append((str(error), error.name))
    return x, texts


@program(X)
def division_errors(x):
    texts = []
    for attempt in (lambda: 1 / 0, lambda: 1 // 0, lambda: 1 % 0, lambda: 0.0 ** -1, lambda: divmod(1, 0), lambda: 1 << -1):
        try: attempt()
        except (ArithmeticError, ValueError) as error: texts.append((type(error).__name__, str(error)))
    return x, texts


@program(X)
def raised_from_none(x):
    try:
        try: {}["a"]
        except KeyError: raise Step("b") from None
    except Step as error:
        return x, error.__cause__, error.__suppress_context__, type(error.__context__).__name__


@program(X)
def chain_of_three(x):
    try:
        try:
            try: raise KeyError("a")
            except KeyError: raise IndexError("b")
        except IndexError as error: raise Step("c") from error
    except Step as error:
        chain = []
        while error is not None:
            chain.append((type(error).__name__, str(error)))
            error = error.__cause__ or error.__context__
        return x, chain


@program(X)
def context_from_finally(x):
    try:
        try: raise KeyError("a")
        finally: raise Step("b")
    except Step as error: return x, str(error.__context__)


@program(X)
def no_context_outside(x):
    try: raise KeyError("a")
    except KeyError: pass
    try: raise Step("b")
    except Step as error: return x, error.__context__


@program(X)
def context_in_callee(x):
    def fail(): raise Step("inner")
    try:
        try: 1 / 0
        except ZeroDivisionError: fail()
    except Step as error: return x, repr(error.__context__)


@program(X)
def re_raised_by_name(x):
    try:
        try: raise Step("a")
        except Step as error: raise error
    except Step as error: return x, error.__context__, str(error)


@program(X)
def re_raised_in_callee(x):
    def again(): raise
    try:
        try: raise Step("a")
        except Step: again()
    except Step as error: return x, str(error)


@program(X)
def notes(x):
    try:
        try: raise Step("a")
        except Step as error:
            error.add_note("first")
            error.add_note("second")
            raise
    except Step as error: return x, error.__notes__


@program(X)
def name_gone_after_handler(x):
    error = 1
    try: raise Step
    except Step as error: pass
    try: error
    except UnboundLocalError as unbound: return x, str(unbound)


@program(X)
def return_overrides(x):
    def f():
        try: raise Step("lost")
        finally: return 1
    def g():
        for i in range(3):
            try: continue
            finally:
                if i == 1: break
        return i
    return x * f(), g()


@program(X)
def finally_order(x):
    log = []
    def f(n):
        try:
            log.append("try")
            if n: raise Step(n)
            return log.append("returning")
        except Step: log.append("except")
        else: log.append("else")
        finally: log.append("finally")
        log.append("after")
    f(0), f(1)
    return x, log


@program(X)
def nested_finally(x):
    log = []
    try:
        try:
            try: raise KeyError("k")
            finally: log.append(1)
        finally: log.append(2)
    except KeyError as error: log.append(str(error))
    return x, log


@program(X)
def loop_until_success(x):
    tried = []
    for limit in (1, 2, 4, 8):
        try:
            if x.shape[0] > limit: raise Step(limit)
        except Step as error: tried.append(error.args[0])
        else: break
    return x * limit, tried


@program(X)
def exception_as_value(x):
    errors = [ValueError("a"), KeyError("b", 2)]
    return x, [str(e) for e in errors], [repr(e) for e in errors], [e.args for e in errors], errors[0] == errors[0]


@program(X)
def asserted(x):
    try: assert x.ndim == 1, f"ndim is {x.ndim}"
    except AssertionError as error: return x, str(error), error.args


@program(X)
def assert_without_text(x):
    try: assert not x.shape
    except AssertionError as error: return x, str(error), error.args


@program(X)
def not_an_exception(x):
    texts = []
    for bad in (3, int, "text"):
        try: raise bad
        except TypeError as error: texts.append(str(error))
    return x, texts


@program(X)
def catching_nonsense(x):
    try:
        try: raise Step
        except 3: pass
    except TypeError as error: return x, str(error), type(error.__context__).__name__


@program(X)
def bare_except(x):
    try: raise SystemExit(2)
    except: return x


@program(X)
def base_exceptions(x):
    log = []
    for kind in (KeyboardInterrupt, SystemExit, GeneratorExit):
        try:
            try: raise kind("why")
            except Exception: log.append("caught")
        except BaseException as error: log.append(type(error).__name__)
    return x, log


@program(X)
def array_error_caught(x):
    try: return x + np.ones(7)
    except ValueError as error: return x, str(error)


@program(X)
def array_index_error(x):
    try: return x[9]
    except IndexError as error: return x, str(error)


@program(X)
def linalg_error_class(x):
    try: raise np.linalg.LinAlgError("Singular matrix")
    except np.linalg.LinAlgError as error: return x, str(error)


@program(X)
def os_error(x):
    try: raise FileNotFoundError(2, "No such file", "a.txt")
    except OSError as error: return x, error.errno, error.strerror, error.filename, str(error)


@program(X)
def key_error_text(x):
    try: raise KeyError("a b")
    except KeyError as error: return x, str(error), repr(error), error.args[0]


@program(X)
def stop_iteration_value(x):
    try: raise StopIteration(5)
    except StopIteration as stop: return x * stop.value


@program(X)
def system_exit_code(x):
    try: raise SystemExit(3)
    except SystemExit as stop: return x * stop.code


@program(X)
def group_split(x):
    group = ExceptionGroup("g", [ValueError("a"), KeyError("k"), ExceptionGroup("h", [ValueError("b")])])
    matching, rest = group.split(ValueError)
    return x, len(matching.exceptions), len(rest.exceptions), str(group), group.subgroup(OSError)


@program(X)
def group_caught_whole(x):
    try: raise ExceptionGroup("two", [Step("a"), KeyError("b")])
    except ExceptionGroup as group: return x, [str(e) for e in group.exceptions], group.message


@program(X)
def group_by_parts(x):
    log = []
    try: raise ExceptionGroup("g", [ValueError("a"), TypeError("b"), ValueError("c")])
    except* ValueError as group: log.append([str(e) for e in group.exceptions])
    except* (TypeError, KeyError) as group: log.append(len(group.exceptions))
    return x, log


@program(X)
def group_rest_raised(x):
    log = []
    try:
        try: raise ExceptionGroup("g", [ValueError("a"), OSError("b")])
        except* ValueError: log.append("value")
    except ExceptionGroup as rest: return x, log, rest.message, [str(e) for e in rest.exceptions]


@program(X)
def group_raised_in_handler(x):
    try:
        try: raise ExceptionGroup("g", [ValueError("a")])
        except* ValueError: raise KeyError("new")
    except ExceptionGroup as group: return x, [repr(e) for e in group.exceptions]


@program(X)
def group_of_plain_exception(x):
    try: raise ValueError("alone")
    except* ValueError as group: return_value = type(group).__name__, group.message, len(group.exceptions)
    return x, return_value


@program(X)
def suppressed(x):
    with contextlib.suppress(KeyError, IndexError):
        x = x + 1
        {}["a"]
        x = x * 100
    return x


@program(X)
def null_context(x):
    with contextlib.nullcontext(3) as k, contextlib.nullcontext() as nothing: return x * k, nothing


class Resource:
    def __init__(self, log): self.log = log
    def close(self): self.log.append("closed")


@program(X)
def closing(x):
    log = []
    with contextlib.closing(Resource(log)) as r: r.log.append("used")
    return x, log


@program(X)
def generator_context(x):
    log = []
    @contextlib.contextmanager
    def scope(name):
        log.append(name + " in")
        try: yield name.upper()
        finally: log.append(name + " out")
    with scope("a") as a, scope("b") as b: log.append(a + b)
    return x, log


@contextlib.contextmanager
def scaled(log, k):
    log.append(k)
    yield k * 2
    log.append(-k)


@program(X)
def outside_generator_context(x):
    log = []
    with scaled(log, 3) as k: x = x * k
    return x, log


@program(X)
def generator_context_swallows(x):
    @contextlib.contextmanager
    def ignoring(kind):
        try: yield
        except kind as error: log.append(str(error))
    log = []
    with ignoring(Step): raise Step("a")
    return x, log


@program(X)
def generator_context_raises(x):
    @contextlib.contextmanager
    def translating():
        try: yield
        except KeyError as error: raise Step("translated") from error
    try:
        with translating(): {}["k"]
    except Step as error: return x, str(error), repr(error.__cause__)


@program(X)
def context_as_decorator(x):
    log = []
    class Logged(contextlib.ContextDecorator):
        def __enter__(self): log.append("in")
        def __exit__(self, *details): log.append("out")
    @Logged()
    def f(v): return v * 2
    return f(x), log


@program(X)
def exit_stack(x):
    log = []
    with contextlib.ExitStack() as stack:
        k = stack.enter_context(contextlib.nullcontext(4))
        stack.callback(log.append, "first")
        stack.callback(log.append, "second")
        log.append("body")
    return x * k, log


@program(X)
def exit_stack_error(x):
    log = []
    def note(kind, error, trace):
        log.append(kind and kind.__name__)
        return True
    with contextlib.ExitStack() as stack:
        stack.push(note)
        raise Step("a")
    return x, log


@program(X)
def context_exit_arguments(x):
    log = []
    class C:
        def __enter__(self): return self
        def __exit__(self, kind, error, trace):
            log.append((kind, error and str(error), trace is None))
    with C(): pass
    try:
        with C(): raise Step("s")
    except Step: pass
    return x, log


@program(X)
def context_exit_raises(x):
    class C:
        def __enter__(self): return self
        def __exit__(self, *details): raise Step("from exit")
    try:
        with C(): raise KeyError("body")
    except Step as error: return x, str(error), repr(error.__context__)


@program(X)
def context_enter_raises(x):
    log = []
    class C:
        def __enter__(self): raise Step("enter")
        def __exit__(self, *details): log.append("never")
    try:
        with C(): log.append("never")
    except Step as error: return x, log, str(error)


@program(X)
def loop_control_in_with(x):
    log = []
    class C:
        def __enter__(self): log.append("in")
        def __exit__(self, *details): log.append("out")
    for i in range(4):
        with C():
            if i == 1: continue
            if i == 2: break
            log.append(i)
    return x, log


@program(X)
def not_a_context(x):
    try:
        with 3: pass
    except TypeError as error: return x, str(error)


@program(X, breaks="the exception leaves the function")
def raised_to_the_caller(x):
    y = x + 1
    if y.ndim == 2: raise ShapeError(2, 1)
    return y


@program(X, breaks="the exception leaves the function")
def chained_to_the_caller(x):
    try:
        x = x * 2
        {}["a"]
    except KeyError as error: raise Step("why") from error


@program(X, breaks="the exception leaves the function")
def wrong_call_to_the_caller(x):
    def f(a, b): return a + b
    return f(x * 2)
