"""Constructs of the language, each a traced function that equals plain Python."""
# ruff: noqa: E701, E702, E731, E741, F811, RUF005, B007, C4, UP, SIM
import collections
import contextlib
import copy
import dataclasses
import enum
import functools
import itertools
import math
import operator
import typing

import numpy as np

from .cases import case

X = np.arange(12.0).reshape(3, 4)


@case(X)
def test_tuples(x):
    a, (b, *c), d = x, (1, 2, 3), [4]
    return x + b + c[0] + d[-1], c, (a is x)


@case(X)
def test_loops(x):
    s = 0
    for i in range(3):
        for j, r in enumerate((x, x + i)):
            s = s + r * j
    return s


@case(X)
def test_whileloop(x):
    n = 0
    while n < 5:
        x = x * 2
        n += 1
        if n == 3: continue
        if n == 4: break
    else:
        x = x + 100
    return x, n


@case(X)
def test_comp(x):
    l = [x * i for i in range(4) if i % 2]
    d = {k: x + k for k in (1, 2)}
    s = {k for k in (1,1,2)}
    return l, d, len(s), sum(l), list(d.values())


@case(X)
def test_closures(x):
    n = 1
    def inc(y):
        nonlocal n
        n += 1
        return y + n
    a = inc(x); b = inc(a)
    return a, b, n


@case(X)
def test_defaults(x):
    def f(a, b=2, *args, c=3, **kw): return a * b + c + len(args) + kw.get('z', 0)
    return f(x), f(x, 1), f(x, 1, 2, 3), f(x, c=1, z=5), f(*(x, 2), **{'c': 4})


@case(X)
def test_genexp(x):
    return sum(x * i for i in range(3)), any(i > 1 for i in range(3)), all(i > 1 for i in range(3)), max(i * 2 for i in range(3))


@case(X)
def test_gen(x):
    def g(n):
        for i in range(n):
            y = yield x * i
        return 5
    def h():
        r = yield from g(2)
        yield r
    return list(h()), [v for v in g(3)]


@case(X)
def test_fstr(x):
    n = x.shape[0]
    return f"{n:>5}|{n!r}|{'a'}{1.5:.3f}", "%d %s" % (n, 'q'), "{} {}".format(1, 2), "a".join(["x", "y"])


@case(X)
def test_tryexc(x):
    try:
        d = {}
        d['q']
    except KeyError as e:
        r = str(e)
    else:
        r = 'no'
    finally:
        x = x + 1
    return x, r


@case(X)
def test_tryexc2(x):
    def f(n):
        if n > 1: raise ValueError(f"bad {n}")
        return n
    out = []
    for i in range(4):
        try: out.append(f(i))
        except (TypeError, ValueError) as e: out.append(e.args[0])
    try:
        try: f(5)
        except ValueError as e: raise RuntimeError('x') from e
    except RuntimeError as e2:
        out.append(type(e2.__cause__).__name__)
    return x, out


@case(X)
def test_withs(x):
    class_ = CM('a')
    with class_ as c:
        y = x * c
    return y, class_.log


class CM:
    def __init__(self, n): self.n = n; self.log = []
    def __enter__(self): self.log.append('in'); return 3
    def __exit__(self, *a): self.log.append(('out', a[0] is None)); return True


@case(X)
def test_withsuppress(x):
    with CM('b') as c:
        raise ValueError('x')
    return x


@contextlib.contextmanager
def cm2(x):
    yield x + 1


@case(X)
def test_ctxlib(x):
    with cm2(x) as y:
        z = y * 2
    return z


@dataclasses.dataclass
class P:
    a: object
    b: int = 3
    c: list = dataclasses.field(default_factory=list)
    @property
    def s(self): return self.a * self.b
    def m(self, k): self.c.append(k); return self.s + k
    @classmethod
    def make(cls, a): return cls(a, b=5)
    @staticmethod
    def st(q): return q + 1


@case(X)
def test_dc(x):
    p = P(x); q = P.make(x)
    r = p.m(2) + q.s + P.st(1) + p.st(2)
    p.b = 7
    return r, p.s, p, p.c, p == q if False else 0


class Pt(typing.NamedTuple):
    x: object
    y: int = 2


@case(X)
def test_nt(x):
    p = Pt(x); a, b = p
    return p.x * p.y, a, b, p, p._replace(y=4), len(p)


class V:
    def __init__(self, v): self.v = v
    def __add__(self, o): return V(self.v + (o.v if isinstance(o, V) else o))
    def __radd__(self, o): return V(o + self.v)
    def __mul__(self, o): return NotImplemented
    def __rmul__(self, o): return V(self.v * o)
    def __neg__(self): return V(-self.v)
    def __eq__(self, o): return isinstance(o, V) and self.v is o.v
    def __lt__(self, o): return True
    def __getitem__(self, i): return self.v[i]
    def __len__(self): return 3
    def __contains__(self, k): return k == 1
    def __call__(self, q): return self.v * q
    def __iter__(self): return iter([1, 2])
    def __bool__(self): return False
    def __iadd__(self, o): self.v = self.v + o; return self
    def __getattr__(self, n):
        if n == 'zz': return 42
        raise AttributeError(n)


@case(X)
def test_dunder(x):
    a = V(x); b = a + 1; c = 2 + a; d = 3 * a; e = -a
    a += 5
    return b.v, c.v, d.v, e.v, a[0], len(a), 1 in a, 2 in a, a(3), list(a), bool(a), a.zz, hasattr(a, 'nope'), a == a, a != b, a < b, (4 if a else 5)


class Base:
    K = 10
    def __init__(self, x): self.x = x
    def f(self): return self.x + self.K


class Child(Base):
    K = 20
    def __init__(self, x): super().__init__(x); self.y = 1
    def f(self): return super().f() * 2


@case(X)
def test_inherit(x):
    c = Child(x)
    return c.f(), isinstance(c, Base), issubclass(Child, Base), type(c).__name__, c.__class__ is Child


class Model:
    def __init__(self): self.w = np.ones(4); self.n = 0; self.h = []; self.cfg = {'lr': 0.1}
    def step(self, x):
        self.n += 1
        self.h.append(self.n)
        self.cfg['lr'] = self.cfg['lr'] * 2
        self.cfg['new'] = 1
        return x @ self.w


@case(X, Model())
def test_usermodel(x, m):
    y = m.step(x); m.w = m.w * 2
    return y + m.n


@case(X, [1, 2], {'a': 1}, {3})
def test_mutate(x, l, d, s):
    l.append(x * 2); l[0] = 5; l.extend((7, 8)); l.insert(0, 'q'); d['b'] = x + 1; d.pop('a'); l.pop()
    del l[1]
    l.reverse(); d.setdefault('z', []).append(4); d.update(k=2)
    return l, d, l is l
COUNT=0


@case(X)
def test_globs(x):
    global COUNT
    COUNT = COUNT + 1
    return x + COUNT - COUNT


@case(X)
def test_lam(x):
    f = lambda a, *b: a + sum(b)
    return f(x, 1, 2), (lambda: x)(), functools.reduce(lambda a, b: a * b, [1, 2, 3]), functools.partial(f, x)(3)


@case(X)
def test_mapz(x):
    return list(map(lambda a, b: a * b, [1, 2], [x, x])), list(zip('ab', [1, 2])), list(filter(None, [0, 1, 2])), dict(zip('ab', (1, 2))), sorted([3, 1, 2], reverse=True), sorted('cab', key=lambda c: -ord(c)), list(reversed([1, 2]))


@case(X)
def test_mathy(x):
    return x * math.sqrt(4) + math.pi, math.floor(2.5), operator.add(x, 1), operator.itemgetter(1)([1, 2]), abs(-3), round(2.567, 1), divmod(7, 2), pow(2, 3), int('12'), float('1.5'), min(3, 1), max([1, 5]), sum([1, 2.5])


@case(X)
def test_match(x):
    def m(v):
        match v:
            case 0: return 'zero'
            case [a, b]: return ('seq', a, b)
            case {'k': kk, **rest}: return ('map', kk, rest)
            case Pt(x=xx, y=2): return ('pt', xx)
            case str() as s if s > 'b': return s
            case int() | float(): return 'num'
            case _: return 'other'
    return [m(v) for v in (0, [1, 2], {'k': 1, 'z': 2}, 'c', 'a', 5)], x


@case(X)
def test_walrus(x):
    if (n := x.shape[0]) > 2: return x * n
    return x


@case(X)
def test_chained(x):
    n = 3
    assert 1 < n <= 3, "msg"
    return x if 1 < n < 5 and not n == 4 or False else -x


@case(X)
def test_slices(x):
    l = list(range(10))
    l[2:4] = [9, 9, 9]; del l[0]; l[::2]
    return x[1:, ::2], l[::3], 'hello'[1:3], (1, 2, 3)[::-1], l


@case(X)
def test_setops(x):
    a = {1, 2}; b = {2, 3}
    return len(a | b), len(a & b), a - b, 1 in a, a == {2, 1}, a < {1, 2, 3}, x


@case(X)
def test_iters(x):
    it = iter([x, x + 1, x + 2]); a = next(it); b = next(it, None); c = next(it); d = next(it, 'done')
    return a, b, c, d, list(itertools.chain([1], [2])), list(itertools.islice(itertools.count(), 3)), list(itertools.product([1, 2], 'ab')), list(itertools.accumulate([1, 2, 3]))


class Color(enum.Enum):
    R = 1
    G = 2


@case(X)
def test_enums(x):
    c = Color.R
    return x * c.value, c.name, c is Color.R, c == Color.G, [k.name for k in Color]


@case(X, captured=False)
def test_colls(x):
    d = collections.defaultdict(list); d['a'].append(1)
    o = collections.OrderedDict(); o['z'] = 1
    c = collections.Counter('aab')
    q = collections.deque([1, 2], maxlen=2); q.append(3)
    return x, d['a'], list(o), c['a'], list(q)


@case(X, captured=False)
def test_classdef(x):
    class L:
        k = 3
        def f(self, y): return y * self.k
    return L().f(x)


@case(X)
def test_strs(x):
    s = 'Hello World'
    return s.upper(), s.split(), s.replace('o', '0'), s[0], 'lo' in s, len(s), s.startswith('H'), s * 2, x, ','.join(str(i) for i in range(3)), s.find('W'), s.encode()


@case(X)
def test_rec(x):
    def fact(n): return 1 if n < 2 else n * fact(n - 1)
    return x * fact(5)


@case(X, captured=False)
def test_datad(x):
    if x.sum() > 0: return x + 1
    return x - 1


@case(X, captured=False)
def test_loopbreak(x):
    out = []
    for i in range(3):
        y = x * i
        print(i)
        out.append(y + 1)
    return out


@case(X)
def test_ann(x: "np.ndarray") -> int:
    y: int = 3
    return x * y


def deco(f):
    @functools.wraps(f)
    def w(*a, **k): return f(*a, **k) + 1
    return w


@deco
def decorated(x, k=1): return x * k


@case(X)
def test_decos(x): return decorated(x, k=3)


@functools.lru_cache
def cached(n): return n * 2


@case(X, captured=False)
def test_lru(x): return x * cached(3)


@case(X)
def test_starred(x):
    a = [1, 2]; b = (*a, 3, *a); d = {**{'a': 1}, 'b': 2}
    return b, d, [*range(3)], {*a}, x


@case(X)
def test_delv(x):
    y = x; del y
    try: y
    except UnboundLocalError as e: return str(e), x


@case(X)
def test_exc_in_gen(x):
    def g():
        try: yield 1
        finally: log.append('f')
    log = []
    for v in g():
        pass
    it = g(); next(it); it.close()
    return log, x


@case(X)
def test_isin(x):
    return isinstance(3, (int, str)), isinstance(x, np.ndarray), isinstance('a', int | str), callable(len), type(x) is np.ndarray, x.dtype == np.float64, x.ndim


@case(X, 3, 2.5, True, None, 'a')
def test_pyargs(x, n, f, b, o, s):
    if b and o is None and s == 'a': return x * n * f
    return x


@case(X, captured=False)
def test_raises(x):
    raise ValueError("boo")


@case(X)
def test_nested_comp(x):
    return [[i * j for j in range(i)] for i in range(4)], {i: [x * j for j in (i,)] for i in (1, 2)}


@case(X, [X, X+1])
def test_listargs(x, l):
    s = 0
    for y in l: s = s + y
    return s, l[0], len(l), l[-1] is l[1]


@case(X)
def test_boolops(x):
    return 0 or 'a', 1 and [], None or x, not [], bool({}), x


class Settings:
    def __init__(self, **kwargs):
        self.first = 0
        self.__dict__.update(kwargs)


@case(X, Settings(a=1, b=X))
def test_instance_dicts(x, given):
    made = Settings(a=x, c=2)
    vars(made)["d"] = 4
    given.new = 1
    names = list(given.__dict__)
    return (
        made.a, made.d, list(vars(made)), names, vars(given)["b"], "zz" in vars(given),
        vars(made) is made.__dict__, {**vars(made)}, made, given.__dict__.get("a"),
    )
