"""Functions with a part that Python must run, wherever it stands; the rest is compiled."""
# ruff: noqa
import contextlib

import numpy as np

import dynamo_lite as dl

from .programs import V, X, program

ASKED = "the program asks for it"


@dl.disable
def python(value=None): return value


@program(X, breaks=ASKED)
def in_expression(x): return (x + 1) * python(2) + (x - 1) * python(3)


@program(X, breaks=ASKED)
def in_display(x): return [x * 2, python(1), {"k": python(2), "v": x + 1}, (*[python(3)], x)]


@program(X, breaks=ASKED)
def in_arguments(x): return np.clip(x, *[python(2)], python(5)), dict(a=x + 1, **{"b": python(1)})


@program(X, breaks=ASKED)
def in_condition(x): return x * 2 if python(True) else x, python(0) or x + 1, python(1) and x - 1


@program(X, breaks=ASKED)
def in_chained_comparison(x): return 1 < python(2) < 3, x * 2


@program(X, breaks=ASKED)
def in_loop(x):
    for i in range(4):
        x = x + i
        if python(i) == 2: continue
        x = x * 2
    else: x = x - python(1)
    return x


@program(X, breaks=ASKED)
def in_comprehension(x):
    i = "outer"
    return [x * python(i) for i in range(3)], {python(k): x + k for k in "12" and (1, 2)}, i


@program(X, breaks=ASKED)
def in_generator_expression(x): return sum(x * python(i) for i in range(3))


@program(X, breaks=ASKED)
def in_with(x):
    log = []
    class C:
        def __enter__(self): log.append("in"); return 2
        def __exit__(self, *details): log.append("out"); return True
    with C() as k:
        x = x * k
        python()
        x = x + 1
        raise KeyError("k")
    return x * 2, log


@contextlib.contextmanager
def scope(log):
    log.append("in")
    try: yield 3
    finally: log.append("out")


@program(X, breaks=ASKED)
def in_generator_context(x):
    log = []
    with scope(log) as k:
        x = x * k
        python()
        x = x + 1
    return x, log


@program(X, breaks=ASKED)
def in_try(x):
    try:
        x = x * 2
        python()
        x = x + 1
        {}["k"]
    except KeyError as error: x = x * 3
    finally: x = x - 1
    return x


@program(X, breaks=ASKED)
def in_except(x):
    try: {}["k"]
    except KeyError as error:
        x = x * 2
        python(str(error))
        x = x + 1
    return x * 2


@program(X, breaks=ASKED)
def in_finally(x):
    try: x = x + 1
    finally:
        x = x * 2
        python()
        x = x + 3
    return x


@program(X, breaks=ASKED)
def in_finally_while_raising(x):
    log = []
    def f(v):
        try: raise KeyError("k")
        finally:
            log.append(v * 2)
            python()
    try: f(x)
    except KeyError as error: return x, log, str(error), error.__context__


def breaking(v, k=2):
    v = v + k
    python()
    return v * k


@program(X, breaks=ASKED)
def in_callee(x): return breaking(x) + breaking(x * 2, k=3)


@program(X, breaks=ASKED)
def in_closure(x):
    k, calls = 3, 0
    def f(v):
        nonlocal calls
        calls += 1
        v = v * k
        python()
        return v + k
    return f(x) + f(x * 2), calls


@program(X, breaks=ASKED)
def in_nested_closure(x):
    total = x * 0
    def outer(v):
        def inner(w):
            nonlocal total
            total = total + w
            python()
            return total * v
        return inner(v) + inner(v + 1)
    return outer(2), total


@program(X, breaks=ASKED)
def in_lambda(x): return (lambda v, k=2: v * python(k))(x + 1)


@program(X, breaks=ASKED)
def in_callback(x): return list(map(lambda i: x * python(i), range(3))), sorted([3, 1, 2], key=python)


@program(X, breaks=ASKED)
def in_method(x):
    class Model:
        def __init__(self, k): self.k = python(k)
        def __call__(self, v): return v * self.k + python(1)
    return Model(3)(x)


@program(X, breaks=ASKED)
def in_generator(x):
    def gen():
        for i in range(3):
            python()
            yield x * i
    return list(gen())


@program(X, breaks=ASKED)
def in_recursion(x):
    def f(n): return x if n == 0 else f(n - 1) + python(n)
    return f(4)


@program(X, breaks=ASKED)
def in_match(x):
    match {"k": python(3), "x": x + 1}:
        case {"k": k, "x": v} if python(k) > 2: return v * k
        case _: return x


@program(X, breaks=ASKED)
def in_augmented(x):
    l = [1, 2]
    l[python(0)] += python(5)
    x = x * 1
    x += python(1)
    x[python(0)] *= 2
    return x, l


@program(X, breaks=ASKED)
def in_fstring(x): return f"{x.shape} {python(3):>4} {python('q')!r}", x * 2


@program(X, breaks=ASKED)
def in_while(x):
    n = 0
    while python(n) < 3:
        x = x + n
        n += 1
    return x


@program(X, breaks=ASKED)
def in_unpacking(x):
    a, (b, *c) = python((1, (2, 3, 4)))
    return x * a + b, c


@program(X, breaks=ASKED)
def in_assert(x):
    assert python(True), "fine"
    try: assert python(False), f"not {python('fine')}"
    except AssertionError as error: return x * 2, str(error)


@program(X, breaks=ASKED)
def in_nested_loops(x):
    for i in range(3):
        for j in range(3):
            if python(j) > i: break
            x = x + i * j
        else: continue
        x = x * 2
    return x


@program(X, breaks=ASKED)
def in_try_in_loop(x):
    log = []
    for i in range(4):
        try:
            x = x + 1
            if i == 1: continue
            if i == 3: break
            python()
            1 // i
        except ZeroDivisionError: log.append(("zero", i))
        else: log.append(("fine", i))
        finally: log.append(("finally", python(i)))
    return x, log


@program(X, breaks=ASKED)
def raises_out_of_python(x):
    @dl.disable
    def fail(): raise KeyError("from python")
    try:
        x = x * 2
        fail()
    except KeyError as error:
        return x + 1, str(error), error.__context__


@program(X, breaks=ASKED)
def deleted_locals(x):
    y = x + 1
    del x
    python()
    try: return x
    except UnboundLocalError: return y * 2


@program(X, breaks="a branch on data")
def branch_in_loop(x):
    out = []
    for row in x:
        if row.sum() > 12: out.append(row * 2)
        else: out.append(row)
    return out


@program(X)
def branch_in_closure(x):
    def clip(v, top): return v if v.max() < top else v * 0 + top
    return clip(x, 5) + clip(x, 50)


@program(X, breaks="a branch on data")
def branch_in_comprehension(x): return [(row * 2, 1) for row in x if row[0] > 2]


@program(X, breaks="a branch on data")
def branch_raises(x):
    try:
        if x.sum() > 3: raise ValueError(f"sum is {x.sum():.1f}")
    except ValueError as error: return x * 2, str(error)
    return x


@program(X)
def newton(x):
    g = x / 2
    for step in range(20):
        following = (g + x / g) / 2
        if np.abs(following - g).max() < 1e-6: break
        g = following
    return g, step


@program(X, breaks="coroutines run in Python")
def runs_coroutine(x):
    async def scale(v, k): return v * k
    async def main(): return await scale(x, 2) + await scale(x, 3)
    c = main()
    try: c.send(None)
    except StopIteration as stop: return stop.value


@program(X)
def branch_without_truth(x):
    try:
        if x > 2: x = x * 2
    except ValueError as error: return x * 3, str(error)
    return x


@program(X)
def branch_without_truth_in_with(x):
    with contextlib.suppress(ValueError):
        if x.ndim and x > 2: x = x * 2
    return x * 3


@program(X, breaks=ASKED)
def in_closure_of_every_shape(x):
    k, log = 3, []
    def f(v, a=2, *rest, b=x + 1, **named):
        log.append(python(len(rest)))
        return v * k + a + b, sorted(named)
    return f(x), f(x * 2, 4, 5, 6, z=1), f(v=x, b=0), f(*[x, 1]), log


@program(X, breaks=ASKED)
def in_closure_that_fails(x):
    k = 2
    def f(v):
        v = v * k
        python()
        raise KeyError(k)
    try: f(x)
    except KeyError as error: return x + 1, error.args, error.__context__


@program(X, breaks=ASKED)
def in_closure_that_deletes(x):
    k = 2
    def f():
        nonlocal k
        python()
        del k
        try: return k
        except NameError as error: return str(error)
    return f(), x


@program(X, breaks=ASKED)
def in_recursive_closure(x):
    calls = 0
    def f(n):
        nonlocal calls
        calls += 1
        python()
        return x * n if n == 0 else f(n - 1) + n
    return f(3), calls


class Doubling:
    def __init__(self, k): self.k = k
    def __call__(self, v): python(); return v * self.k


class Shifting(Doubling):
    def __call__(self, v): return super().__call__(v) + python(1)


@program(X, Shifting(2), breaks=ASKED)
def in_method_with_super(x, model): return model(x + 1)
