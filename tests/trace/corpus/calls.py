"""Argument kinds, call shapes, closures, recursion, decorators."""
# ruff: noqa
import functools

import numpy as np

from .programs import V, X, program


def add(a, b=2, *rest, c=3, **named): return a + b + c + sum(rest) + sum(named.values())


@program(X)
def defaults(x): return add(x)


@program(X)
def keywords(x): return add(b=1, a=x, c=5)


@program(X)
def star_args(x): return add(*(x, 1, 2, 3))


@program(X)
def star_kwargs(x): return add(x, **{"b": 1, "z": 4})


@program(X)
def mixed_stars(x): return add(x, *[1], 7, *(2,), c=1, **{"k": 2}, j=3)


@program(X)
def positional_only(x):
    def f(a, /, b, *, c): return a * b - c
    return f(x, 2, c=1), f(x, b=3, c=x)


@program(X)
def keyword_default_none(x):
    def f(a, out=None): return a if out is None else out
    return f(x), f(x, out=x * 2)


@program(X)
def lambda_in_dict(x):
    ops = {"a": lambda v: v + 1, "b": lambda v: v * 2}
    return {k: f(x) for k, f in ops.items()}


@program(X)
def closure_reads(x):
    k = 3
    def f(v): return v * k
    return f(x)


@program(X)
def closure_nonlocal(x):
    n = 0
    def f(v):
        nonlocal n
        n += 1
        return v * n
    return f(x) + f(x) + f(x), n


@program(X)
def closure_loop_late(x):
    fs = [lambda: x * i for i in range(3)]
    return [f() for f in fs]


@program(X)
def closure_loop_default(x):
    fs = [lambda i=i: x * i for i in range(3)]
    return [f() for f in fs]


@program(X)
def counter_closure(x):
    def make():
        n = 0
        def step():
            nonlocal n
            n += 1
            return n
        return step
    s = make()
    s(); s()
    return x * s()


@program(X)
def recursive_sum(x):
    def f(n): return x if n == 0 else f(n - 1) + n
    return f(5)


def fib(n, x): return x if n < 2 else fib(n - 1, x) + fib(n - 2, x)


@program(X)
def recursive_fib(x): return fib(6, x)


def even(n, x): return x if n == 0 else odd(n - 1, x * 2)
def odd(n, x): return x + 1 if n == 0 else even(n - 1, x + 3)


@program(X)
def mutual_recursion(x): return even(7, x)


def twice(f):
    @functools.wraps(f)
    def inner(*args, **kwargs): return f(f(*args, **kwargs))
    return inner


@program(X)
def decorated(x):
    @twice
    def g(v): return v + 1
    return g(x), g.__name__


@twice
def outer_decorated(v): return v * 2


@program(X)
def outside_decorated(x): return outer_decorated(x)


def repeat(n):
    def deco(f):
        def inner(v):
            for _ in range(n): v = f(v)
            return v
        return inner
    return deco


@program(X)
def decorator_with_argument(x):
    @repeat(3)
    def g(v): return v * 2
    return g(x)


@program(X)
def partial_call(x): return functools.partial(add, x, c=1)(4)


@program(X)
def partial_of_partial(x): return functools.partial(functools.partial(add, x), 1, z=2)()


@program(X)
def partial_numpy(x): return functools.partial(np.sum, axis=0)(x)


@functools.lru_cache(maxsize=None)
def cached(n): return n * 2 + 1


cached(3)


@program(X)
def lru_cached(x): return x * cached(3)


@functools.cache
def cached_shape(shape): return shape[0] * shape[1]


cached_shape((3, 4))


@program(X)
def cached_tuple(x): return x * cached_shape((3, 4))


@functools.singledispatch
def kindof(v): return "object"
@kindof.register
def _(v: int): return "int"
@kindof.register
def _(v: np.ndarray): return "array"
@kindof.register(list)
def _(v): return "list"


@program(X)
def single_dispatch(x): return kindof(x), kindof(1), kindof([1]), kindof("s"), x + 1


@program(X)
def reduce_arrays(x): return functools.reduce(lambda a, b: a + b, [x, x * 2, x * 3])


@program(X)
def reduce_initial(x): return functools.reduce(np.add, [x, x], x * 0)


@program(X)
def map_filter(x): return list(map(lambda i: x * i, filter(lambda i: i % 2, range(5))))


@program(X)
def callable_object(x):
    class Scale:
        def __init__(self, k): self.k = k
        def __call__(self, v): return v * self.k
    return Scale(3)(x)


@program(X)
def method_reference(x):
    f = x.sum
    return f(axis=0), f()


@program(X)
def unbound_method(x): return np.ndarray.sum(x, axis=1), str.upper("a")


@program(X)
def return_function(x):
    def f(v): return v + 1
    return f(x), f


@program(X)
def function_attributes(x):
    def f(v): return v * f.scale
    f.scale = 4
    return f(x)


@program(X)
def default_mutable(x):
    def f(v, acc=[]):
        acc.append(1)
        return v * len(acc)
    return f(x), f(x), f(x)


@program(X, 3)
def argument_default(x, n, scale=2.0): return x * n * scale


@program(X, 1, 2)
def var_positional(x, *rest): return x * sum(rest), len(rest)


@program(X)
def compose(x):
    def comp(*fs): return functools.reduce(lambda f, g: lambda v: g(f(v)), fs)
    return comp(np.abs, np.sqrt, lambda v: v + 1)(x)


class WithPartial:
    def scale(self, x, k): return x * k
    double = functools.partialmethod(scale, 2)


    double = functools.partialmethod(scale, k=2)


@program(X, WithPartial())
def partial_method(x, o): return o.double(x)


@program(X)
def cmp_key(x): return sorted([3, 1, 2], key=functools.cmp_to_key(lambda a, b: b - a)), x


@program(X)
def wrapped_attribute(x):
    @functools.wraps(add)
    def g(v): return v + 1
    return g(x), g.__wrapped__ is add, g.__name__


@program(X)
def immediately_called(x): return (lambda v: v + 1)(x)


@program(X)
def kwonly_required(x):
    def f(*, scale): return x * scale
    try:
        f()
    except TypeError:
        return f(scale=2)
