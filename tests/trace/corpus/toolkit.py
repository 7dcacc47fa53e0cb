"""What programs take from the standard library next to NumPy."""
# ruff: noqa
import bisect
import collections
import contextlib
import copy
import decimal
import fractions
import functools
import heapq
import inspect
import itertools
import logging
import math
import operator
import random
import re
import statistics
import string
import time
import types
import warnings

import numpy as np

from .programs import V, X, program


@program(X)
def heap_of_arrays(x):
    heap = []
    for k in (3, 1, 2, 0): heapq.heappush(heap, (k, x * k))
    first = heapq.heappop(heap)
    smallest = heapq.nsmallest(2, [5, 1, 4], key=lambda v: -v)
    return first[1] + heap[0][1], [k for k, _ in heap], heapq.heapreplace(heap, (9, None))[0], heapq.heappushpop([2, 3], 1), smallest, list(heapq.merge([1, 4], [2, 3]))


@program(X, [5, 3, 8, 1])
def heap_argument(x, h):
    heapq.heapify(h)
    return x * heapq.heappop(h), h, heapq.nlargest(2, h)


@program(X)
def empty_heap(x):
    try:
        heapq.heappop([])
    except IndexError as e:
        return str(e), x


@program(X, [1, 3, 5])
def bisection(x, edges): return bisect.bisect(edges, 3), bisect.bisect_left(edges, 3), bisect.insort(edges, 4), edges, bisect.bisect_left([(1, "a"), (2, "b")], 2, key=operator.itemgetter(0)), x


PATTERN = re.compile(r"(?P<name>\w+)=(?P<value>\d+)")


@program(X)
def parsing(x):
    found = {m["name"]: int(m.group("value")) for m in PATTERN.finditer("a=1, b=22")}
    m = PATTERN.match("k=3")
    return x * found["b"], m.groups(), m.groupdict(), m.span(), m.lastgroup, PATTERN.match("??") is None, bool(PATTERN.search("z=9")), PATTERN.pattern, PATTERN.groups


@program(X)
def substitution(x): return re.sub(r"\d", lambda m: str(int(m.group()) + 1), "a1b2"), PATTERN.sub(lambda m: m["name"], "a=1 b=2", count=1), re.sub("a", "b", "aaa", count=2), re.subn("x", "y", "xx"), re.escape("a.b"), re.fullmatch("a+", "aa").end(), re.findall("a|b", "abc"), re.compile("A", re.I).match("a") is not None, x


@program(X)
def templates(x): return string.Template("$who: ${n}").substitute(who="a", n=2), string.Template("$a $b").safe_substitute(a=1), string.capwords("ab cd"), string.digits, x


@program(X)
def namespaces(x):
    n = types.SimpleNamespace(a=x, b=2)
    n.c = n.b + 1
    m = types.SimpleNamespace(**vars(n))
    del m.c
    return n.a * n.c, hasattr(m, "c"), repr(types.SimpleNamespace(k=1)), types.SimpleNamespace(q=1) == types.SimpleNamespace(q=1), m.b, list(vars(m))


@program(X, types.SimpleNamespace(lr=0.5, log=[]))
def namespace_argument(x, o):
    o.log.append(o.lr)
    o.lr *= 2
    return x * o.lr, o


@program(X)
def read_only(x):
    m = types.MappingProxyType({"a": 2, "b": x})
    try:
        m["c"] = 1
    except TypeError:
        return m["a"] * x, list(m), "a" in m, len(m), m.get("z", 5), dict(m), {**m}


def configurable(x, scale=2.0, *, shift=1, **rest): return x * scale + shift


@program(X)
def signatures(x):
    s = inspect.signature(configurable)
    accepted = {k: 3 for k in s.parameters if k in ("scale", "shift")}
    return configurable(x, **accepted), [p.name for p in s.parameters.values() if p.default is not inspect.Parameter.empty], s.parameters["scale"].default, len(s.parameters)


@program(X)
def cache_made_inside(x):
    @functools.lru_cache(maxsize=2)
    def power(k): return x ** k
    @functools.cache
    def fib(n): return n if n < 2 else fib(n - 1) + fib(n - 2)
    y = power(2) + power(2) + power(3) + power(4) + power(2)
    return y, tuple(power.cache_info()), fib(15), fib.cache_info().hits, power.cache_parameters() if hasattr(power, "cache_parameters") else None, fib.__name__


class Model:
    def __init__(self, k): self.k = k
    def scale(self, x, by): return x * by * self.k
    double = functools.partialmethod(scale, by=2)
    @functools.singledispatchmethod
    def kind(self, v): return "object"
    @kind.register
    def _(self, v: int): return "int"
    @functools.cached_property
    def expensive(self): return self.k ** 2


@program(X, Model(3))
def method_tools(x, m): return m.double(x), m.expensive, m.expensive, m.__dict__["expensive"]


@program(X, Model(3))
def single_dispatch_method(x, m): return m.kind(3), m.kind("a"), x


def compose(*fs): return functools.reduce(lambda f, g: lambda v: g(f(v)), fs)


@program(X)
def functional(x):
    f = compose(np.abs, functools.partial(np.add, 1), operator.methodcaller("sum", axis=0))
    return f(x), list(map(operator.mul, [1, 2], [3, 4])), list(itertools.starmap(operator.sub, [(3, 1)])), operator.attrgetter("shape", "T.ndim")(x), operator.itemgetter(1, 0)([5, 6]), functools.reduce(np.maximum, [x, x * 2]), operator.call(np.negative, x)


@program(X)
def every_itertool(x):
    c = itertools.count(2, 3)
    return next(c), next(c), list(itertools.chain.from_iterable([[1], [2]])), list(itertools.repeat(1, 2)), list(itertools.dropwhile(lambda v: v < 2, [1, 2, 1])), list(itertools.accumulate([1, 2, 3], initial=10)), [(k, len(list(g))) for k, g in itertools.groupby("aabbb")], list(itertools.islice("abcdef", 1, None, 2)), list(itertools.product("ab", repeat=2)), [x * a for a, b in itertools.pairwise([1, 2, 3])]


@program(X)
def batches(x): return [x[:, list(group)].sum() for _, group in itertools.groupby(range(4), key=lambda k: k // 2)]


@program(X)
def sorting_tools(x): return sorted([3, 1, 2], key=functools.cmp_to_key(lambda a, b: b - a)), sorted(["b", "A"], key=str.lower), max([1, 5, 3], key=lambda v: -v), min([], default=None), sorted({"b": 1, "a": 2}.items(), key=operator.itemgetter(1)), sum([[1], [2]], []), sum([x, x], x), list(zip("ab", [1, 2], strict=True)), list(enumerate("ab", 1))


@program(X)
def arithmetic_builtins(x): return divmod(-7, 2), pow(3, -1, 7), round(2.5), round(-1.255, 2), abs(-2 + 0j), math.fsum([0.1] * 3), math.comb(5, 2), math.dist((0, 0), (3, 4)), math.frexp(8.0), math.copysign(1, -0.0), math.isqrt(10), math.lcm(4, 6), int("ff", 16), float("inf"), complex("1+2j"), x


class Copied:
    def __init__(self, v): self.v, self.parts = v, [v]
class CopiesItself(Copied):
    def __copy__(self): return CopiesItself("copied")
    def __deepcopy__(self, memo): return CopiesItself(copy.deepcopy(self.parts, memo)[0])


@program(X)
def copies_of_objects(x):
    a = Copied(x)
    b, c = copy.copy(a), copy.deepcopy(a)
    c.v[0] = 0
    return b.parts is a.parts, c.parts is a.parts, c.v is c.parts[0], c, copy.copy(CopiesItself(1)).v, copy.deepcopy(CopiesItself(2)).v, a.v[0], copy.deepcopy({"k": [a, a]})["k"]


@program(X)
def deque_window(x):
    window = collections.deque(maxlen=2)
    for k in range(4): window.append(x * k)
    return sum(window), len(window), window.maxlen, repr(collections.deque([1, 2], 3)), window


@program(X, collections.deque([1, 2, 3]))
def deque_argument(x, d):
    d.rotate(1); d.appendleft(d.pop()); d.extend([x])
    return d[0] * x, list(d)[:2], d


@program(X)
def layered(x):
    m = collections.ChainMap({"k": 2}, {"k": 1, "j": 3})
    child = m.new_child({"q": x})
    return child["q"] * child["k"], sorted(child), m.parents["k"], len(child)


@program(X)
def exact_numbers(x): return float(fractions.Fraction(1, 3) + fractions.Fraction(1, 6)) * x, str(fractions.Fraction("0.25"))


@program(X, breaks="decimal numbers are C objects")
def decimal_numbers(x): return x * float(decimal.Decimal("0.1") + decimal.Decimal("0.2")), str(decimal.Decimal(1) / 3)


@program(X)
def statistics_of_a_list(x): return x - statistics.mean([1, 2, 3, 4]), statistics.median([3, 1, 2])


@program(X, breaks="time passes")
def timed(x):
    start = time.perf_counter()
    y = x * 2
    return y, time.perf_counter() >= start


@program(X, breaks="a warning is an effect outside the program")
def warned(x):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        y = x + 1
        warnings.warn("careful")
    return y, [str(w.message) for w in caught]


@program(X, breaks="logging is an effect outside the program")
def logged(x):
    y = x * 2
    logging.getLogger("corpus").debug("%s", y.shape)
    return y + 1


@program(X, random.Random(7), breaks="the state of random.Random is in C code")
def random_state(x, r): return x * r.random(), r.randint(1, 6), r.sample(range(5), 2), r.getstate() is not None


@program(X)
def contexts(x):
    log = []
    with contextlib.ExitStack() as stack:
        stack.push(lambda *a: log.append("exit"))
        stack.callback(log.append, "callback")
        x = x + 1
    with contextlib.suppress(ZeroDivisionError): 1 // 0
    return x, log


@program(X)
def wrapped_twice(x):
    def traced(f):
        calls = []
        @functools.wraps(f)
        def wrapper(*a, **k):
            calls.append(f.__name__)
            return f(*a, **k)
        wrapper.calls = calls
        return wrapper
    @traced
    @traced
    def step(v, k=2):
        "Doc."
        return v * k
    return step(x), step(x, k=3), step.calls, step.__wrapped__.calls, step.__name__, step.__doc__


@program(X)
def dataclass_inside(x):
    import dataclasses
    @dataclasses.dataclass(order=True)
    class Sample:
        weight: float
        tags: list = dataclasses.field(default_factory=lambda: ["new"], compare=False)
        shift: int = 3
        def apply(self, v): return v * self.weight + self.shift
    a, b = Sample(2.0), Sample(1.0, ["old"], shift=1)
    a.tags.append("more")
    return a.apply(x), b < a, a == Sample(2.0, []), repr(b), dataclasses.asdict(a), [f.name for f in dataclasses.fields(b)], dataclasses.replace(b, shift=9).apply(x)


@program(X)
def frozen_dataclass_inside(x):
    import dataclasses
    @dataclasses.dataclass(frozen=True)
    class Key:
        a: int
        b: str = "k"
    try:
        Key(1).a = 2
    except dataclasses.FrozenInstanceError as e:
        return {Key(1): x}[Key(1)], str(e), hash(Key(1)) == hash(Key(1, "k"))


@program(X)
def named_tuple_inside(x):
    Point = collections.namedtuple("Point", "a b", defaults=[2])
    p = Point(x)
    return p.a * p.b, p._replace(b=5).b, Point._fields, repr(Point(1)), len(p), p._asdict()["b"]


@program(X)
def total_order_inside(x):
    @functools.total_ordering
    class Rank:
        def __init__(self, k): self.k = k
        def __eq__(self, o): return self.k == o.k
        def __lt__(self, o): return self.k < o.k
    return Rank(1) <= Rank(2), Rank(3) > Rank(2), max(Rank(1), Rank(5)).k * x
