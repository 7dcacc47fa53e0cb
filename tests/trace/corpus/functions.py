"""Functions: wrong calls and their messages, attributes, closures over loops, higher orders."""
# ruff: noqa
import functools
import operator

import numpy as np

from .programs import V, X, program


def plain(a, b, c=3): return a, b, c
def variadic(a, *rest, key=None, **named): return a, rest, key, named
def strict(a, /, b, *, key): return a, b, key
def nothing(): return None


def texts_of(attempts):
    texts = []
    for attempt in attempts:
        try: texts.append(attempt())
        except TypeError as error: texts.append(str(error))
    return texts


@program(X)
def too_few(x): return x, texts_of([lambda: plain(), lambda: plain(1), lambda: plain(c=1), lambda: strict(), lambda: strict(1), lambda: variadic()])


@program(X)
def too_many(x): return x, texts_of([lambda: plain(1, 2, 3, 4), lambda: nothing(1), lambda: nothing(1, 2), lambda: strict(1, 2, 3), lambda: strict(1, 2, 3, key=4)])


@program(X)
def unexpected_keyword(x): return x, texts_of([lambda: plain(1, 2, d=4), lambda: nothing(a=1), lambda: plain(1, 2, 3, d=1, e=2)])


@program(X)
def several_values(x): return x, texts_of([lambda: plain(1, 2, a=3), lambda: plain(1, 2, b=5), lambda: variadic(1, a=2)])


@program(X)
def keyword_only_missing(x):
    def two(*, p, q): return p + q
    def three(*, p, q, r): return p + q + r
    return x, texts_of([lambda: strict(1, 2), lambda: two(), lambda: two(p=1), lambda: three(), lambda: two(1)])


@program(X)
def positional_only_by_keyword(x):
    def f(a, b, /): return a + b
    def g(a, /, **named): return a, named
    return x, texts_of([lambda: f(a=1, b=2), lambda: strict(a=1, b=2, key=3), lambda: f(1, b=2)]), g(1, a=2)


@program(X)
def defaults_counted(x):
    def f(a, b=1, c=2): return a
    return x, texts_of([lambda: f(1, 2, 3, 4), lambda: f(), lambda: (lambda: 0)(1), lambda: (lambda v, w: 0)()])


@program(X)
def wrong_method_calls(x):
    class C:
        def method(self, a): return a
        @classmethod
        def of(cls, a): return a
        @staticmethod
        def free(a): return a
    return x, texts_of([lambda: C().method(), lambda: C().method(1, 2), lambda: C.of(), lambda: C.free(), lambda: C.method(1)])


@program(X)
def star_errors(x): return x, texts_of([lambda: plain(*3), lambda: plain(**{"a": 1}, a=2), lambda: plain(*[1], **{"z": 0}), lambda: variadic(1, **{"b": 1}, **{"b": 2})])


@program(X)
def starred_everywhere(x):
    a, b = [1, 2], {"p": 3}
    def f(*args, **named): return args, named
    first, *middle, last = *a, *"xy"
    return f(*a, 5, *a, **b, q=1, **{"r": 2}), first, middle, last, [*a, *a], {**b, "s": x}


@program(X)
def nested_unpacking(x):
    (a, (b, *c)), d = (1, (2, 3, 4)), x
    [e, f] = "gh"
    for i, (j, *k) in enumerate([(1, 2, 3), (4, 5)]): pass
    return a, b, c, d, e, f, i, j, k


@program(X)
def unpacking_into_targets(x):
    items, table = [0, 0], {}
    class Box: pass
    box = Box()
    items[0], table["k"], box.value = 1, x, 3
    *items[1:], box.rest = (7, 8, 9)
    return items, table, box.value, box.rest


@program(X)
def default_of_loop_variable(x):
    functions = []
    for k in range(3):
        def f(v, k=k, *, scale=k * 2): return v * k + scale
        functions.append(f)
    return [f(x) for f in functions]


@program(X)
def late_binding(x):
    def outer():
        return inner()
    def inner(): return x + 1
    return outer()


@program(X)
def nonlocal_chain(x):
    total = 0
    def middle():
        nonlocal total
        def inner():
            nonlocal total
            total += 1
        inner()
        total *= 2
    middle(), middle()
    return x, total


@program(X)
def shared_cell(x):
    state = []
    def push(v): state.append(v); return len(state)
    def pop(): return state.pop()
    push(x), push(x * 2)
    return pop(), len(state)


@program(X)
def accumulator_object(x):
    def account(balance=0):
        def deposit(n):
            nonlocal balance
            balance += n
            return balance
        return deposit, lambda: balance
    deposit, current = account(5)
    deposit(10)
    return x, current()


@program(X)
def function_facts(x):
    def f(a, b=2, *, c=3) -> int:
        """About f."""
        return a
    return x, f.__name__, f.__qualname__, f.__doc__, f.__defaults__, f.__kwdefaults__, f.__module__, f.__code__.co_argcount


@program(X)
def function_attributes_read(x):
    def f(): f.calls += 1
    f.calls = 0
    f(), f()
    return x, f.calls, hasattr(f, "calls"), hasattr(f, "other"), getattr(f, "other", None), f.__dict__


@program(X)
def wrapper_with_state(x):
    def counted(f):
        @functools.wraps(f)
        def wrapper(*args, **named):
            wrapper.count += 1
            return f(*args, **named)
        wrapper.count = 0
        return wrapper
    @counted
    def double(v):
        "Twice."
        return v * 2
    return double(double(x)), double.count, double.__name__, double.__doc__


@program(X)
def class_decorator(x):
    def registered(cls):
        registry[cls.__name__] = cls
        return cls
    registry = {}
    @registered
    class Scale:
        def __call__(self, v): return v * 2
    return registry["Scale"]()(x)


@program(X)
def stacked_decorators(x):
    def plus(n): return lambda f: lambda v: f(v) + n
    @plus(1)
    @plus(10)
    def f(v): return v * 2
    return f(x)


@program(X)
def recursion_over_structure(x):
    def total(tree): return sum(map(total, tree)) if isinstance(tree, (list, tuple)) else tree
    return total([x, (x, [x * 2, x])])


@program(X)
def memo_by_hand(x):
    memo = {}
    def f(n):
        if n not in memo: memo[n] = n if n < 2 else f(n - 1) + f(n - 2)
        return memo[n]
    return x * f(20), len(memo)


@program(X)
def dispatch_table(x):
    table = {"add": operator.add, "mul": operator.mul, "max": np.maximum, "neg": lambda a, _: -a}
    return {name: f(x, 2) for name, f in table.items()}


@program(X)
def operator_functions(x): return operator.itemgetter(0)([x, 1]), operator.attrgetter("ndim")(x), operator.methodcaller("sum", axis=0)(x), operator.getitem([1, 2], 1)


@program(X)
def pipeline(x):
    steps = [np.abs, lambda v: v + 1, functools.partial(np.power, 2), np.log2]
    for step in steps: x = step(x)
    return x


@program(X)
def method_stored(x):
    append = (items := []).append
    for i in range(3): append(i)
    upper = "abc".upper
    return x, items, upper(), [f(2) for f in (str, float, bool)]


@program(X)
def conditional_function(x):
    if x.ndim == 2:
        def f(v): return v + 1
    else:
        def f(v): return v - 1
    return (f if x.shape[0] else None)(x)


@program(X)
def keyword_arguments_forwarded(x):
    def inner(*args, **named): return len(args), sorted(named)
    def outer(first, *args, flag=False, **named): return inner(first, *args, flag=flag, **named)
    return x, outer(1, 2, other=3), outer(x, flag=True)


@program(X)
def mutable_default_outside(x): return collect(x.ndim), collect(5, []), len(x)


def collect(value, into=None):
    into = [] if into is None else into
    into.append(value)
    return into


@program(X)
def lambda_everything(x): return (lambda a, /, b=2, *c, d=4, **e: (a, b, c, d, e))(1, 2, 3, d=5, f=6), (lambda *, k=1: k)(), (lambda: (yield))().send is None, x


@program(X)
def recursive_lambda(x): return (lambda f, n: f(f, n))(lambda f, n: 1 if n == 0 else n * f(f, n - 1), 5) * x


@program(X)
def not_callable(x):
    number, text, items, nothing = 1, "a", [], None
    return x, texts_of([lambda: number(), lambda: text(), lambda: items(1), lambda: nothing(), lambda: number(*[1]), lambda: list(map(number, [1]))])


global_count = 0


@program(X)
def global_counter(x):
    def bump():
        global global_count
        global_count = global_count + 1
        return global_count
    before = global_count
    bump(), bump()
    after = global_count - before
    global_count_reset()
    return x * after


def global_count_reset():
    global global_count
    global_count = 0


@program(X)
def unbound_free_variable(x):
    def f(): return later
    try: f()
    except NameError as error: text = str(error)
    later = 1
    return x * f(), text


@program(X)
def unbound_local(x):
    def f():
        if not x.shape: y = 1
        return y
    try: f()
    except UnboundLocalError as error: return x, str(error), error.name


@program(X)
def callable_arguments(x):
    def apply(f, *args, **named): return f(*args, **named)
    return apply(np.sum, x, axis=0), apply(max, 1, 5, 3), apply(dict, a=1), apply(lambda: x)


@program(X)
def annotations_read(x):
    def f(a: int, b: "str" = "") -> float: return a
    return x, f.__annotations__


@program(X)
def coroutine_function_inside(x):
    async def later(): return 1
    return x, later.__name__
