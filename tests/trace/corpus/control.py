"""Loops, branches, exceptions, match, comprehensions, generators."""
# ruff: noqa
import numpy as np

from .programs import V, X, program


@program(X)
def for_loop(x):
    for i in range(4): x = x + i
    return x


@program(X)
def for_else(x):
    for i in range(3):
        if i == 5: break
    else:
        x = x * 2
    return x


@program(X)
def break_continue(x):
    for i in range(10):
        if i % 2: continue
        if i > 6: break
        x = x + i
    return x, i


@program(X)
def while_loop(x):
    n = 0
    while n < 5:
        x = x * 1.5
        n += 1
    else:
        n = -n
    return x, n


@program(X)
def nested_loops(x): return [[x[i, j] * 2 for j in range(2)] for i in range(3)]


@program(X)
def loop_over_array(x): return [row.sum() for row in x]


@program(X)
def loop_over_shape(x):
    for i in range(x.shape[0]): x = x + i
    return x


@program(X)
def comprehension_scopes(x):
    i = 10
    a = [i * 2 for i in range(3)]
    return a, i, {i: i for i in range(2)}, {i for i in range(2)}, x


@program(X)
def comprehension_conditions(x): return [i + j for i in range(3) if i for j in range(i)], x


@program(X)
def walrus(x):
    if (n := len(x)) > 2: x = x * n
    return x, n, [y for i in range(3) if (y := i * 2) > 1], y


@program(X)
def ternary_bool(x): return x if x.ndim == 2 and x.shape[0] > 1 or False else None


@program(X)
def chained_comparison(x): return 1 < x.shape[0] <= 3 < 10, not x.shape, x


@program(X)
def assertions(x):
    assert x.ndim == 2, "two dims"
    return x


@program(X)
def delete_names(x):
    y = x * 2
    del x
    try:
        return x
    except UnboundLocalError:
        return y


@program(X)
def augmented(x):
    x = x.copy()
    x += 1; x *= 2; x -= 1; x /= 2; x **= 2
    l = [1, 2]
    l[0] += 5
    l += [3]
    d = {"a": 1}
    d["a"] -= 1
    return x, l, d


@program(X)
def augmented_slices(x):
    x = x.copy()
    x[0] += 1
    x[:, 1] *= 2
    x[1:, 2:] = 0
    return x


@program(X)
def swap(x):
    a, b = x, x * 2
    a, b = b, a
    (c, d), e = (1, 2), 3
    return a, b, c, d, e


@program(X)
def unpack_array(x):
    a, b, c = x
    first, *rest = V_list = [a, b, c]
    return a + b + c, len(rest)


@program(X)
def unpack_shape(x):
    n, m = x.shape
    return x.reshape(m, n), n * m


@program(X)
def star_display(x): return [*range(2), *(3,)], {**{"a": 1}, "b": 2}, (*[1], 2), {*[1], 2}, x


@program(X)
def try_except(x):
    try:
        {}["a"]
    except KeyError as e:
        x = x + len(e.args)
    return x


@program(X)
def try_else_finally(x):
    log = []
    try:
        log.append("try")
    except ValueError:
        log.append("no")
    else:
        log.append("else")
    finally:
        log.append("finally")
    return x, log


@program(X)
def finally_return(x):
    def f():
        try:
            return 1
        finally:
            l.append(2)
    l = []
    return f(), l, x


@program(X)
def nested_try(x):
    try:
        try:
            raise ValueError("a")
        finally:
            x = x + 1
    except (TypeError, ValueError) as e:
        return x, str(e), type(e).__name__


@program(X)
def raise_from(x):
    try:
        try:
            1 / 0
        except ZeroDivisionError as e:
            raise ValueError("b") from e
    except ValueError as e:
        return str(e), type(e.__cause__).__name__, x


@program(X)
def implicit_context(x):
    try:
        try:
            1 // 0
        except ZeroDivisionError:
            raise KeyError("k")
    except KeyError as e:
        return type(e.__context__).__name__, x


@program(X)
def re_raise(x):
    try:
        try:
            int("a")
        except ValueError:
            raise
    except ValueError as e:
        return str(e), x


class MyError(Exception):
    def __init__(self, code, text="t"):
        super().__init__(text)
        self.code = code


@program(X)
def custom_exception(x):
    try:
        raise MyError(5)
    except MyError as e:
        return x * e.code, str(e)


@program(X)
def exception_in_callee(x):
    def f(n):
        if n == 0: raise LookupError("deep")
        return f(n - 1)
    try:
        f(3)
    except LookupError as e:
        return str(e), x


@program(X)
def except_star(x):
    try:
        raise ExceptionGroup("g", [ValueError("a"), TypeError("b")])
    except* ValueError as e:
        x = x + len(e.exceptions)
    except* TypeError as e:
        x = x * 2
    return x


@program(X)
def except_star_unraised(x):
    try:
        x = x + 1
    except* ValueError:
        x = x * 100
    return x


@program(X)
def except_star_plain(x):
    try:
        raise ValueError("a")
    except* ValueError as e:
        x = x + len(e.exceptions)
    return x


@program(X)
def exception_group_object(x):
    g = ExceptionGroup("g", [ValueError("a"), KeyError("k")])
    return g.message, len(g.exceptions), x


@program(X)
def match_values(x):
    match x.ndim:
        case 1: return x
        case 2 | 3: return x * 2
        case _: return None


@program(X)
def match_sequence(x):
    match [1, 2, 3]:
        case [a, *rest] if a == 1: return x * a, rest
        case []: return 0


@program(X)
def match_mapping(x):
    match {"op": "add", "v": 3, "z": 1}:
        case {"op": "mul"}: return 0
        case {"op": "add", "v": v, **rest}: return x + v, rest


class P:
    __match_args__ = ("a", "b")
    def __init__(self, a, b): self.a, self.b = a, b


@program(X)
def match_class(x):
    match P(1, "q"):
        case P(a=2): return 0
        case P(1, str() as s): return x, s


@program(X)
def match_capture(x):
    match (1, (2, 3)):
        case (a, (b, c)) as whole: return a + b + c, whole, x


@program(X)
def match_constants(x):
    match None:
        case True: return 1
        case None: return x


@program(X)
def generator_loop(x):
    def gen():
        for i in range(3): yield x * i
    return list(gen())


@program(X)
def generator_expression(x): return sum(x * i for i in range(3)), max(i * i for i in range(4))


@program(X)
def generator_send(x):
    def gen():
        got = yield 1
        got2 = yield got * 2
        return got2
    g = gen()
    a = next(g)
    b = g.send(x)
    try:
        g.send(7)
    except StopIteration as e:
        return a, b, e.value


@program(X)
def generator_throw(x):
    log = []
    def gen():
        try:
            yield 1
        except ValueError as e:
            log.append(str(e))
            yield 2
    g = gen()
    next(g)
    r = g.throw(ValueError("t"))
    g.close()
    return r, log, x


@program(X)
def generator_close(x):
    log = []
    def gen():
        try:
            yield 1
        finally:
            log.append("closed")
    g = gen()
    next(g)
    g.close()
    return log, x


@program(X)
def yield_from(x):
    def inner():
        yield x
        return 5
    def outer():
        r = yield from inner()
        yield r
    return list(outer())


@program(X)
def generator_state(x):
    def count():
        n = 0
        while True:
            n += 1
            yield n
    c = count()
    return [next(c) for _ in range(3)], x


@program(X)
def iterator_class(x):
    class It:
        def __init__(self, n): self.n = n
        def __iter__(self): return self
        def __next__(self):
            if self.n == 0: raise StopIteration
            self.n -= 1
            return self.n
    return [x * i for i in It(3)]


counter = 0


@program(X)
def global_store(x):
    global counter
    counter = 5
    return x * counter


@program(X)
def global_read(x): return x * len(X)


@program(X, [1, 2], {"a": 1})
def mutate_arguments(x, l, d):
    l.append(x * 2)
    d["b"] = len(l)
    d.pop("a")
    return l[0]


@program(X, [1])
def identity_of_arguments(x, l): return l, l is l, [l, l], x


@program(X, np.zeros(4))
def write_array_argument(x, out):
    out[:] = x[0]
    out += 1
    return out is out


@program(X, breaks="output")
def printing(x):
    print("before")
    y = x + 1
    print("after", len(y))
    return y * 2


@program(X)
def data_branch(x):
    if x.sum() > 0: return x * 2
    return x - 1


@program(X)
def data_while(x):
    while x.max() < 100: x = x * 2
    return x


@program(X)
def with_user_class(x):
    log = []
    class C:
        def __enter__(self): log.append("in"); return 3
        def __exit__(self, t, v, tb): log.append(t and t.__name__); return True
    with C() as k:
        x = x * k
        raise ValueError
    return x, log


@program(X)
def early_return_in_with(x):
    log = []
    class C:
        def __enter__(self): return self
        def __exit__(self, *a): log.append(1)
    def f():
        with C():
            return x * 2
    return f(), log


@program(X)
def loop_with_try(x):
    for i in [1, 0, 2]:
        try:
            x = x + 6 // i
        except ZeroDivisionError:
            continue
        finally:
            x = x + 1
    return x


@program(X)
def lambda_default_capture(x): return (lambda a, *, k=x: a + k)(1)


@program(X)
def multiple_assignment(x):
    a = b = x * 2
    a += 0
    return a is b, a


@program(X)
def ellipsis_none(x): return x[..., 0], x[None].shape, ..., None


@program(X)
def annotated(x):
    n: int = 3
    y: "np.ndarray" = x * n
    return y


@program(X)
def import_inside(x):
    import math
    from math import floor as fl
    import numpy.linalg as la
    return math.pi, fl(2.5), la.norm(x)
