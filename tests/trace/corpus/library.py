"""Builtins and the standard library."""
# ruff: noqa
import bisect
import collections
import contextlib
import copy
import functools
import heapq
import inspect
import itertools
import math
import operator
import random
import re
import string
import types

import numpy as np

from .programs import V, X, program


@program(X)
def counter(x): return collections.Counter("abca"), x


@program(X)
def counter_lookup(x):
    c = collections.Counter([1, 2, 2, 3])
    return x * c[2], c[9], c.most_common(1)


@program(X)
def counter_arithmetic(x): return collections.Counter("ab") + collections.Counter("b"), collections.Counter("aab") - collections.Counter("a"), x


@program(X)
def counter_update(x):
    c = collections.Counter()
    c["a"] += 2
    c.update("ab")
    return dict(c), sum(c.values()), sorted(c.elements()), x


@program(X)
def chain_map(x):
    m = collections.ChainMap({"a": x}, {"a": 1, "b": 2})
    return m["a"] * m["b"], "b" in m, m.get("z", 3)


@program(X)
def chain_map_child(x):
    m = collections.ChainMap({"a": 1}).new_child({"b": x})
    m["c"] = 3
    return m["b"] * m["c"], len(m), sorted(m)


class Bunch(dict):
    def __getattr__(self, k):
        try:
            return self[k]
        except KeyError:
            raise AttributeError(k) from None
    def __setattr__(self, k, v): self[k] = v


@program(X)
def dict_subclass(x):
    b = Bunch(a=x, k=2)
    b.z = 3
    return b.a * b.k + b["z"], sorted(b)


@program(X, Bunch(a=2.0))
def dict_subclass_argument(x, b): return x * b.a + b["a"]


class Missing(dict):
    def __missing__(self, k): return k * 2


@program(X)
def dict_missing(x): return Missing(a=1)["a"], Missing()["q"], x * Missing()[3]


class Stack(list):
    def push(self, v): self.append(v)
    def peek(self): return self[-1]


@program(X)
def list_subclass(x):
    s = Stack()
    s.push(x); s.push(x * 2)
    return s.peek(), len(s)


@program(X)
def default_dict(x):
    d = collections.defaultdict(list)
    for i in range(4): d[i % 2].append(x * i)
    return dict(d)


@program(X)
def ordered_dict(x):
    d = collections.OrderedDict(a=1, b=x)
    d.move_to_end("a")
    return list(d), d.popitem(last=False)[0]


@program(X)
def deque(x):
    d = collections.deque([1, 2, 3], maxlen=3)
    d.append(x); d.appendleft(5); d.rotate(1)
    return list(d), len(d), d[0]


@program(X)
def user_dict(x):
    d = collections.UserDict(a=x)
    d["b"] = 2
    return d["a"] * d["b"], len(d)


@program(X)
def chain_islice(x): return [x * i for i in itertools.islice(itertools.chain([1, 2], [3, 4]), 1, 3)]


@program(X)
def products(x): return [x * a + b for a, b in itertools.product([1, 2], [3, 4])]


@program(X)
def permutations(x): return list(itertools.permutations([1, 2, 3], 2)), list(itertools.combinations("abc", 2)), list(itertools.combinations_with_replacement([1, 2], 2)), x


@program(X)
def groupby(x): return [(k, list(g)) for k, g in itertools.groupby([1, 1, 2, 3, 3])], x


@program(X)
def accumulate(x): return list(itertools.accumulate([x, x, x])), list(itertools.accumulate([1, 2, 3], operator.mul))


@program(X)
def zip_longest(x): return list(itertools.zip_longest([1, 2], [3], fillvalue=0)), x


@program(X)
def pairwise_count(x): return list(itertools.pairwise([1, 2, 3])), list(zip(itertools.count(5), "ab")), list(itertools.starmap(pow, [(2, 3)])), x


@program(X)
def tee_cycle(x):
    a, b = itertools.tee([1, 2, 3])
    return list(a), list(b), list(itertools.islice(itertools.cycle([1, 2]), 5)), x


@program(X)
def compress_filterfalse(x): return list(itertools.compress("abc", [1, 0, 1])), list(itertools.filterfalse(lambda v: v > 1, [1, 2])), list(itertools.takewhile(lambda v: v < 2, [1, 2, 1])), x


@program(X)
def zip_strict(x):
    try:
        list(zip([1], [1, 2], strict=True))
    except ValueError as e:
        return str(e), x


@program(X)
def enumerate_reversed(x): return [(i, x * v) for i, v in enumerate(reversed([1, 2]), 5)]


@program(X)
def min_max(x): return min(3, 1), max([1, 5], key=lambda v: -v), min([], default=x), max("ab")


@program(X)
def sum_builtin(x): return sum([x, x]), sum([[1], [2]], []), sum([1, 2]), sum((x for _ in range(2)), x)


@program(X)
def any_all(x): return any([0, 1]), all([]), any(v > 2 for v in [1, 3]), x


@program(X)
def sort_key(x): return sorted("bca", reverse=True), sorted([(2, "a"), (1, "b")], key=operator.itemgetter(0)), x


@program(X)
def sort_in_place(x):
    l = [3, 1, 2]
    l.sort(key=lambda v: -v)
    return l, x


@program(X)
def numbers(x): return divmod(7, 2), abs(-3), pow(2, 3), pow(2, 3, 5), round(2.567, 1), int("12"), float("1.5"), complex(1, 2), bin(5), hex(255), x


@program(X)
def text(x): return "a-b".split("-"), ",".join(["a", "b"]), "x".center(5, "*"), f"{3:05d}|{2.5:.2f}|{'a':>3}", "%d %s" % (1, "a"), "{} {b}".format(1, b=2), x


@program(X)
def text_methods(x): return "Hello".lower().replace("l", "L").startswith("he"), "abc"[::-1], "a" in "abc", "ab" * 2, ord("a"), chr(98), "a b".title(), x


@program(X)
def f_string_shapes(x): return f"{x.shape} {x.dtype} {x.ndim=}", x


@program(X)
def string_constants(x): return string.ascii_lowercase[:3], string.Template("$a").substitute(a=1), x


@program(X)
def regex(x): return re.sub("a", "b", "aXa"), re.match(r"(\d+)", "12a").group(1), re.split(",", "a,b"), x


@program(X)
def compiled_regex(x): return re.compile(r"\d").findall("1a2"), x


@program(X)
def math_functions(x): return math.sqrt(4), math.floor(2.5), math.pi, math.gcd(4, 6), math.isclose(1, 1), math.prod([1, 2]), math.hypot(3, 4), math.inf, x


@program(X)
def operator_functions(x): return operator.add(x, 1), operator.itemgetter(0)(x), operator.attrgetter("T")(x), operator.methodcaller("sum")(x), operator.mul(2, 3)


@program(X)
def copying(x):
    a = [[1], x]
    b, c = copy.copy(a), copy.deepcopy(a)
    b[0].append(2)
    return a, b, c


@program(X)
def bisect_heap(x):
    h = [3, 1, 2]
    heapq.heapify(h)
    heapq.heappush(h, 0)
    return bisect.bisect([1, 2, 3], 2), heapq.heappop(h), heapq.nlargest(2, [1, 5, 3]), x


@program(X)
def simple_namespace(x):
    n = types.SimpleNamespace(a=x, b=2)
    n.c = 3
    return n.a * n.b * n.c


@program(X)
def signature(x):
    def f(a, b=1, *c): pass
    return list(inspect.signature(operator.itemgetter).parameters) if False else 0, x


def signed(a, b=1, *, c=2): return a


@program(X)
def signature_outside(x): return list(inspect.signature(signed).parameters), inspect.signature(signed).parameters["b"].default * x


@program(X)
def random_numbers(x):
    random.seed(3)
    return x * random.random(), random.randint(1, 5)


@program(X)
def slices(x): return x[slice(0, 2)], slice(1, None).indices(5), list(range(10))[slice(2, 8, 3)]


@program(X)
def ranges(x): return list(range(5, 0, -2)), len(range(3, 10, 2)), 3 in range(5), range(10)[2:4], x


@program(X)
def sets(x): return {1, 2} | {3}, {1, 2} & {2}, {1} <= {1, 2}, frozenset([1]), {1, 2} ^ {2, 3}, x


@program(X)
def set_methods(x):
    s = set()
    s.add(1); s.update([2, 3]); s.discard(9); s.remove(1)
    return s, s.issubset({2, 3, 4}), x


@program(X)
def dict_methods(x):
    d = {"a": 1, **{"b": x}}
    d.setdefault("c", []).append(2)
    d.update(z=1)
    d |= {"q": 3}
    return d, d.pop("a"), d.get("n"), list(d.items())[0][0], dict.fromkeys("ab", 0), dict(zip("ab", [1, 2]))


@program(X)
def list_methods(x):
    l = [1, 2, 3]
    l.insert(1, 9); l.extend([4]); l.remove(4); l.reverse()
    del l[0]
    l[0:1] = [7, 8]
    return l, l.index(7), l.count(8), l * 2, l + [x]


@program(X)
def tuples(x):
    a, *b, c = (1, 2, 3, x)
    return b, a, c, (1, 2) + (3,), (1, 2).index(2), (1, 2) < (1, 3)


@program(X)
def type_checks(x): return type(x) is np.ndarray, callable(len), isinstance([], collections.abc.Sequence), isinstance({}, collections.abc.Mapping), issubclass(bool, int), x


@program(X)
def bytes_and_ints(x): return bytes([1, 2]), b"ab"[0], (5).bit_length(), (258).to_bytes(2, "big"), int.from_bytes(b"\x01\x02", "big"), x


@program(X)
def iter_sentinel(x):
    n = [0]
    def step():
        n[0] += 1
        return n[0]
    return list(iter(step, 4)), x


@program(X)
def next_default(x):
    it = iter([1])
    return next(it), next(it, None), x


@program(X)
def globals_builtins(x): return len, id(x) == id(x), hash("a") == hash("a"), x


@program(X)
def null_context(x):
    with contextlib.nullcontext(3) as k:
        y = x * k
    return y


@program(X)
def suppress(x):
    y = x
    with contextlib.suppress(KeyError):
        y = y + 1
        {}["a"]
        y = y + 100
    return y


@contextlib.contextmanager
def logged(log, name):
    log.append("in " + name)
    try:
        yield name
    finally:
        log.append("out " + name)


@program(X)
def context_manager(x):
    log = []
    with logged(log, "a") as a, logged(log, "b"):
        y = x + 1
    return y, log, a


@program(X)
def context_manager_raises(x):
    log = []
    try:
        with logged(log, "a"):
            raise ValueError("v")
    except ValueError as e:
        return x, log, str(e)


@program(X)
def exit_stack(x):
    log = []
    with contextlib.ExitStack() as stack:
        stack.enter_context(logged(log, "a"))
        stack.callback(log.append, "called")
        y = x * 2
    return y, log


@contextlib.contextmanager
def swallowing():
    try:
        yield
    except ZeroDivisionError:
        pass


@program(X)
def context_manager_swallows(x):
    with swallowing():
        x = x + 1
        1 // 0
    return x


class Deco(contextlib.ContextDecorator):
    def __enter__(self): return self
    def __exit__(self, *a): return False


@program(X)
def context_decorator(x):
    @Deco()
    def f(v): return v + 1
    return f(x)


@program(X)
def closing(x):
    class C:
        closed = False
        def close(self): self.closed = True
    c = C()
    with contextlib.closing(c): y = x + 1
    return y, c.closed


@program(X)
def errstate_ignore(x):
    with np.errstate(all="ignore"):
        y = x * 2 - 1
    return y + 1


@program(X)
def errstate_divide(x):
    y = x - 1
    with np.errstate(divide="ignore", invalid="ignore"):
        z = 1 / y
        w = np.log(y)
    return np.where(np.isfinite(z), w, 0.0)


@program(X)
def errstate_raises(x):
    try:
        with np.errstate(all="raise"):
            return 1 / (x - 1)
    except FloatingPointError as e:
        return str(e), x


@program(X)
def errstate_nested(x):
    with np.errstate(divide="ignore"):
        y = x / (x - 1)
        with np.errstate(invalid="ignore"):
            y = y - y
    return y * 2
