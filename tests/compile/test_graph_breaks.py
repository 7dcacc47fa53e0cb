"""Functions with parts that cannot be compiled: the same results, effects and exceptions."""
# ruff: noqa: F821
import sys
import traceback

import numpy as np
import pytest

import dynamo_lite as dl
from dynamo_lite import errors
from tests.oracle import EXACT, ROUNDED, check, differences, outcome_of_copy, same

X = np.arange(4.0)
LOG = []


def note(*values):
    """Something that must run in Python, in order."""
    LOG.append(" ".join(repr(v) if not isinstance(v, Model) else "model" for v in values))
    dl.graph_break()
    return values[0] if values else None


class Context:
    def __init__(self, swallow=False):
        self.swallow = swallow

    def __enter__(self):
        note("enter")
        return self

    def __exit__(self, kind, value, trace):
        note("exit", kind)
        return self.swallow


def statement(x):
    a = np.sin(x)
    note("seen", a.shape)
    return a * 2


def several(x):
    a = x + 1
    note(1)
    b = a * 2
    note(2)
    c = b - x
    note(3)
    return a, b, c


def branch_on_data(x):
    if x.sum() > 5:
        y = x + 1
    else:
        y = x - 1
    return y * 2


def branch_or(x):
    return (x.any() or x + 1) is not None and (x * 2).all()


def values_on_the_stack(x):
    return (x + 1, np.exp(x) * note(2.0) + len(note("abc")), {"a": x * 3, "b": note(4)})


def call_with_keywords(x):
    return np.clip(x * note(2), a_min=note(1), a_max=x.max() + note(3))


def loop(x):
    total = x * 0
    for i in range(4):
        total = total + i
        note(i)
        total = total * 2
    return total


def nested_loops(x):
    total = x
    for i in (1, 2):
        for j in [x, x * 2]:
            total = total + j * i
            if note(i) == 2:
                break
        else:
            total = total - 1
    return total


def while_on_data(x):
    n = 0
    while (x * x).sum() < 1000:
        x = x * 2 + 1
        n += 1
    return x, n


def enumerated(x):
    return [note(i) + v for i, v in enumerate([x, x + 1])], [note(a) for a, _ in zip((1, 2), "ab")]


def with_block(x, how="fine", swallow=False):
    a = x + 1
    with Context(swallow) as context:
        a = a * 2
        note(how)
        if how == "raise":
            raise KeyError("in the block")
        a = a + 1
    return a * 3, context.swallow


def try_block(x, how="fine"):
    a = x + 1
    try:
        a = a * 2
        note(how)
        if how == "value":
            raise ValueError("first")
        if how == "key":
            raise KeyError("second")
        a = a + 1
    except ValueError as error:
        note(str(error))
        a = a * 100
    except KeyError:
        a = a * 1000
    finally:
        note("finally")
    return a * 2


def break_in_handler(x):
    try:
        a = x + 1
        raise ValueError("always")
    except ValueError as error:
        note(type(error))
        a = a * 2
    return a


def cells(x):
    count, scale = x + 1, 10

    def inner():
        return count * scale

    def setter(value):
        nonlocal count
        count = value

    note("cells")
    first = inner()
    setter(count + 5)
    note("again")
    return first, inner(), count, scale


def parameter_cells(x, k=3):
    def inner(y):
        return y * k + x

    k = k + 1
    note(k)
    k += 1
    return inner(x)


def deleted(x):
    y = x + 1
    del x
    note("deleted")
    try:
        return x
    except UnboundLocalError as error:
        return y, str(error)


def conditionally_bound(x, flag=False):
    if flag:
        z = x
    note("maybe")
    try:
        return z + 1
    except UnboundLocalError:
        return x


def deleted_by_another(x):
    k = 1

    def inner(y):
        def wipe():
            nonlocal k
            del k

        wipe()
        note("wiped")
        return y + k

    try:
        inner(x)
    except NameError as error:
        free = type(error), str(error), error.name
    try:
        return k
    except NameError as error:
        return free, type(error), str(error), error.name


def generator_alive(x):
    parts = (x * i for i in range(3))
    first = next(parts)
    note("between")
    return first, list(parts)


def callee(x):
    y = x + 1
    note("callee")
    return y * 2


def calls_one_that_breaks(x):
    return callee(x * 3) + callee(x)


class Model:
    def __init__(self):
        self.calls = 0
        self.kept = []

    def __repr__(self):
        return f"{type(self).__name__}()"

    def step(self, x):
        self.calls += 1
        note(self.calls)
        self.kept.append(x + 1)
        return x * self.calls


class Twice(Model):
    def step(self, x):
        """`self` is in a cell."""
        return super().step(x) + sum(self.calls for _ in range(2))


def method_that_breaks(x):
    model = Model()
    for _ in range(3):
        x = model.step(x)
    return x, model


def method_of_what_the_name_was(x, model, other):
    step = model.step
    model = other
    return step(x), model.calls


def effects_before_and_after(x):
    seen = []
    seen.append(x + 1)
    note(len(seen))
    seen.append(x + 2)
    seen[0] = None
    note(len(seen))
    return seen


def in_place_around(x):
    x += 1
    note(x.copy())
    x *= 2
    return x


def text(x):
    return f"{x.sum():.2f} {note('t')!r:>8}", x * 2


def unpacking(x):
    a, *b, c = note([x, 1, 2, x + 1])
    first, second = note((x, x * 2))
    return a + c, b, first - second


def starred(x):
    return np.add(*note((x, x)), **note({"dtype": float})) + 1


def subscripts(x):
    table = note({"k": x})
    table["k"] = table["k"] + 1
    del note([1, 2])[0]
    return table["k"] * 2


def attributes(x):
    model = note(Model())
    model.value = x + 1
    return model.value * 2, model.calls


def variables_are_seen(x):
    y = x + 1
    note("see")
    z = y * 2
    return sorted(locals()), z


def raises_late(x):
    y = x + 1
    note("late")
    return y.reshape(3, 3)


def lambda_and_comprehension(x):
    f = lambda y: note(y.shape) and y * 2  # noqa: E731
    return [f(x + i) for i in range(2)]


def while_true(x):
    n = 0
    while True:
        x = x + 1
        n += 1
        if note(n) > 3:
            break
        if n == 2:
            continue
        x = x * 2
    return x


FUNCTIONS = [value for value in list(globals().values())
             if callable(value) and getattr(value, "__code__", None)
             and value.__code__.co_varnames[:1] == ("x",)
             and value not in (callee, method_of_what_the_name_was)]  # fmt: skip
VARIANTS = [
    *((f, (X,)) for f in FUNCTIONS),
    (branch_on_data, (-X,)),
    (branch_or, (X * 0,)),
    (with_block, (X, "raise")),
    (with_block, (X, "raise", True)),
    (try_block, (X, "value")),
    (try_block, (X, "key")),
    (conditionally_bound, (X, True)),
    (method_of_what_the_name_was, (X, Model(), Twice())),
    (Twice.step, (Twice(), X)),
]


@pytest.mark.parametrize("function, args", VARIANTS,
                         ids=[f"{f.__qualname__}{args[1:] or ''}" for f, args in VARIANTS])
def test_equals_python(function, args, backend):
    LOG.clear()
    expected, seen = outcome_of_copy(function, args), list(LOG)
    compiled = dl.compile(function, backend=backend)
    for _ in range(3):
        LOG.clear()
        found = outcome_of_copy(compiled, args)
        tolerance = EXACT if backend == "eager" else ROUNDED
        assert not differences(found, expected, tolerance)
        assert seen == LOG
    assert dl.stats().errors == 0


def test_code_around_a_break_is_compiled(backend):
    def f(x):
        a = x + 1
        dl.graph_break()
        b = a * 2
        dl.graph_break()
        return a, b - x

    compiled = dl.compile(f, backend=backend)
    compiled(X)
    found = dl.stats()
    assert (found.graphs, found.graph_breaks, found.frames) == (3, 2, 3)
    compiled(X)
    assert dl.stats().graphs == 3


def test_a_long_loop_with_a_break_neither_nests_nor_recompiles():
    def f(x, n):
        for i in range(n):
            x = x + 1
            LOG.append(i)
            dl.graph_break()
            x = x * 0.5
        return x

    LOG.clear()
    compiled = dl.compile(f, backend="eager")
    n = 3 * sys.getrecursionlimit()
    assert same(compiled(X, n), f(X, n))
    assert dl.stats().frames < 8 and dl.stats().recompiles < 6


def test_a_loop_of_pure_python_runs_in_python():
    def f(x, n):
        for i in range(n):
            dl.graph_break()
            LOG.append(i)
        return x

    compiled = dl.compile(f, backend="eager")
    assert compiled(X, 50) is not None
    assert dl.stats().graphs == 0 and dl.stats().frames < 6


def test_traceback_names_the_users_lines():
    def f(x):
        y = x + 1
        dl.graph_break()
        return y.reshape(3, 3)

    compiled = dl.compile(f, backend="eager")
    for _ in range(2):
        with pytest.raises(ValueError, match="cannot reshape") as raised:
            compiled(X)
        last = traceback.extract_tb(raised.value.__traceback__)[-1]
        assert (last.filename, last.name) == (__file__, "f")
        assert last.line == "return y.reshape(3, 3)"


def test_breaking_instruction_keeps_its_line_and_columns():
    def fail(x):
        raise RuntimeError("on purpose")

    fail = dl.disable(fail)

    def f(x):
        y = x + 1
        return [
            y,
            fail(y),
        ]

    with pytest.raises(RuntimeError) as plain:
        f(X)
    with pytest.raises(RuntimeError) as raised:
        dl.compile(f, backend="eager")(X)
    frames = [[(frame.lineno, frame.colno, frame.end_colno)
               for frame in traceback.extract_tb(error.value.__traceback__) if frame.name == "f"]
              for error in (plain, raised)]
    assert frames[0] == frames[1]


def test_full_graph_names_reason_and_line():
    with pytest.raises(errors.FullGraphRequired, match=r"graph break.*\n.*test_graph_breaks"):
        dl.compile(several, backend="eager", fullgraph=True)(X)
    assert same(dl.compile(lambda x: x + 1, backend="eager", fullgraph=True)(X), X + 1)


def test_disabled_functions_run_in_python():
    seen = []

    @dl.disable
    def plain(x):
        seen.append(dl.is_compiling())
        return x + 1

    def f(x):
        return plain(x * 2) * 3, dl.is_compiling()

    compiled = dl.compile(f, backend="eager")
    assert same(compiled(X), ((X * 2 + 1) * 3, True))
    assert seen == [False]
    assert dl.stats().break_reasons
    assert dl.compile(plain) is plain


def test_check_is_part_of_the_program(backend):
    def f(x):
        dl.check(x.shape[0] > 2, lambda: f"too short: {x.shape}")
        return x + 1

    compiled = dl.compile(f, backend=backend)
    check(compiled, f, X)
    check(compiled, f, X[:1])
