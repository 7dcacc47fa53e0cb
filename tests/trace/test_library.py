"""The standard library and NumPy as programs use them; uncaptured ones still equal plain Python."""
# ruff: noqa: E501, E701, E702, E731, E741, F811, UP, SIM, I001, F401
import abc
import collections
import contextlib
import dataclasses
import enum
import functools
import itertools
import math
import numbers
import operator
import typing

import numpy as np

from .cases import case

X = np.arange(12.0).reshape(3, 4)


@dataclasses.dataclass


class Cfg:
    lr: float = 0.1
    n: int = 3
    name: str = 'a'
    def __post_init__(self): self.k = self.n * 2


@case(X, Cfg(), captured=False)
def test_dcs(x, c): return x * c.lr + c.k, dataclasses.replace(c, n=5).k, c == Cfg(), repr(c)


@case(X, Cfg())
def test_asdict(x, c): return dataclasses.asdict(c), x


@case(X, captured=False)
def test_errst(x):
    with np.errstate(divide='ignore'):
        y = x / 2
    return y


class Flag(enum.Flag):
    A = 1; B = 2


class IE(enum.IntEnum):
    X = 1; Y = 2


@case(X, captured=False)
def test_enums2(x): return (Flag.A | Flag.B) == Flag.B, IE.X + 1, x * IE.Y, {IE.X: 'a'}[IE.X], IE(2).name, isinstance(IE.X, int), IE.X < IE.Y


class AB(abc.ABC):
    @abc.abstractmethod
    def f(self, x): ...


class AC(AB):
    def f(self, x): return x + 1


@case(X)
def test_abcs(x):
    a = AC(); return a.f(x), isinstance(a, AB), isinstance(3, numbers.Number), isinstance([], collections.abc.Sequence), isinstance(x, collections.abc.Iterable)


@case(X)
def test_mathl(x): return math.prod([1, 2, 3]), math.hypot(3, 4), math.fsum([0.1] * 10), math.gcd(4, 6), math.isclose(0.1 + 0.2, 0.3), math.inf, math.log(10, 2), math.comb(5, 2), x


@case(X)
def test_npmeth(x): return x.mean(axis=0), x.T @ x, x.reshape(4, 3), x.flatten()[::2], np.linalg.norm(x, axis=1), x[x.shape[0] - 1], x[..., None].shape, np.concatenate([x, x]), np.where(x > 3, x, 0), x.max(), x.argmax(axis=1), np.clip(x, 0, 5), x.astype(int), x.tolist() if False else 0


@case(X)
def test_singled(x): return sd(x), sd(3), sd('a')


@functools.singledispatch
def sd(v): return 'obj'


@sd.register
def _(v: int): return v + 1


@sd.register
def _(v: np.ndarray): return v * 2


@case(X)
def test_totalord(x): return TO(1) < TO(2), TO(1) >= TO(2), max(TO(1), TO(3)).v, sorted([3, 1], key=functools.cmp_to_key(lambda a, b: a - b)), x


@functools.total_ordering
class TO:
    def __init__(self, v): self.v = v
    def __eq__(self, o): return self.v == o.v
    def __lt__(self, o): return self.v < o.v


@case(X)
def test_typing(x):
    y = typing.cast(np.ndarray, x); T = typing.Optional[int]
    def f(a: typing.List[int] = [1]) -> int: return a[0]
    return y, f()


@case(X, captured=False)
def test_varsd(x):
    c = Cfg(); return vars(c)['n'], c.__dict__.get('lr'), getattr(c, 'nope', 5), x


@case(X)
def test_hashing(x):
    d = {(1, 'a'): x, None: 2, 2.5: 3, True: 4, frozenset({1}): 5}; return d[(1, 'a')], d[1], d[None], hash('a') == hash('a'), d[frozenset({1})]


@case(X)
def test_objkeys(x):
    a, b = K(), K(); d = {a: x, b: 2, K: 3, len: 4}; s = {a, b, a}
    return d[a], d[b], d[K], d[len], len(s), a in s


class K: pass


class H:
    def __init__(s, v): s.v = v
    def __hash__(s): return hash(s.v)
    def __eq__(s, o): return isinstance(o, H) and s.v == o.v


@case(X)
def test_customhash(x):
    d = {H(1): x}; return d[H(1)], H(2) in d, len({H(1), H(1)})


@case(X)
def test_groupb(x): return [(k, list(g)) for k, g in itertools.groupby([1, 1, 2])], x


@case(X)
def test_tee(x):
    a, b = itertools.tee([1, 2]); return list(a), list(b), x


@case(X, captured=False)
def test_counterc(x):
    c = collections.Counter('hello'); c.update('l'); return c['l'], c.most_common(1), x


@case(X)
def test_chainmap(x):
    c = collections.ChainMap({'a': 1}, {'b': x}); return c['a'], c['b'], 'z' in c


@case(X, captured=False)
def test_classbody(x):
    class A:
        z = 3
        def __init__(self, v): self.v = v
        def m(self): return self.v * self.z
    return A(x).m()


@case(X)
def test_nonlocal2(x):
    def outer():
        k = 1
        def mid():
            nonlocal k
            def inner():
                nonlocal k; k += 1; return k
            return inner() + inner()
        return mid(), k
    return outer(), x


class Prm:
    def __init__(self, v): self.data = v; self.grad = None


class Net:
    def __init__(self, n): self.ps = {f'w{i}': Prm(np.ones((4, 4)) * i) for i in range(n)}; self.hist = collections.deque(maxlen=3); self.step_n = 0
    def params(self):
        for k, p in self.ps.items(): yield k, p
    def fwd(self, x):
        for k, p in self.params(): x = np.maximum(x @ p.data, 0)
        return x
    def step(self, x, lr=0.1):
        out = self.fwd(x)
        for _, p in self.params():
            p.grad = np.ones_like(p.data) * out.mean()
            p.data -= lr * p.grad
        self.step_n += 1
        return out


@case(X, Net(3))
def test_net(x, n): return n.step(x), n.ps['w1'].grad, n.step_n


@case(X)
def test_arrlist(x):
    rows = [r for r in x]; a, b, c = x; (p, q, *_), *rest = x.T
    return rows[0] + a, b * c, p, len(rest), [v * 2 for v in zip(x, x)][0], list(enumerate(x))[1][0], max(len(r) for r in x)


@case(X)
def test_arrops(x):
    y = x.copy(); y[1] += 5; y[:, 0] = 0; y[y.shape[0] - 1, -1] *= 2; z = y[0]; z += 1; y **= 2
    return y, z


@case(X)
def test_scal(x):
    s = x.sum(); m = float(x.shape[0]); return s / m, s * 2 + x[0, 0], -s, abs(s), s ** 2, round(m, 1), int(m), x[1, 2] * x


@case(X)
def test_intidx(x):
    i = np.array([0, 2]); return x[i], x[[0, 1]], x[:, i], np.take(x, i, axis=0), x[i, i]


@case(X)
def test_anyall(x): return np.all(x > -1), np.any(x > 100), (x > 3).sum(), ~(x > 3), (x > 1) & (x < 5)


@case(X)
def test_tryelse(x):
    r = []
    for k in ('a', 'b'):
        try: v = {'a': 1}[k]
        except KeyError: r.append('miss'); continue
        else: r.append(v)
        finally: r.append('fin')
    return r, x


@case(X)
def test_suppress(x):
    with contextlib.suppress(KeyError): {}['k']
    return x


@case(X)
def test_nullctx(x):
    with contextlib.nullcontext(5) as v: return x * v


@case(X)
def test_exitstack(x):
    with contextlib.ExitStack() as s:
        v = s.enter_context(contextlib.nullcontext(2)); return x * v


@case(X)
def test_fstring2(x): return f"{3.14159:{6}.{2}f} {'a':^5} {1_000:,} {255:#x} {True!s}", f"{x.dtype}", f"{[1, 2]} {None}"


@case(X)
def test_recursion(x):
    def fib(n): return n if n < 2 else fib(n - 1) + fib(n - 2)
    return x * fib(8)


@case(X)
def test_npnewaxis(x): return x[:, None] - x[None], x[:, np.newaxis].shape, np.newaxis is None


@case(X)
def test_print_file(x):
    import io
    return x


@case(X)
def test_sumgen(x): return sum(r.sum() for r in x), sum([x, x]), sum((v for v in (1.5, 2.5)), 0.0), np.sum([1, 2, 3]), max(x.shape), min(*x.shape), sorted(x.shape)


@case(X)
def test_complexn(x): return (1 + 2j) * 2, abs(3 + 4j), x * 1j, (1j).imag


@case(X)
def test_isnan(x): return np.isnan(x).any(), math.isnan(float('nan')), x.size, x.nbytes, x.itemsize


@case(X)
def test_getattrdyn(x): return getattr(np, 'sin')(x), getattr(x, 'sum')(), hasattr(x, 'foo'), operator.attrgetter('shape')(x), operator.methodcaller('sum')(x)


@case(X)
def test_lists2(x):
    l = [3, 1, 2]; l.sort(); m = sorted(l, key=lambda v: -v); l2 = l * 2; l2.remove(1); i = l2.index(3); c = l2.count(2); del l2[0]; l3 = l + m; l3[1:3] = []; l3.extend(range(2))
    return l, m, l2, i, c, l3, 3 in l, [1, 2] in [[1, 2]], l[::-1], list(map(str, l)), x


@dataclasses.dataclass(frozen=True)
class FrozenKey:
    a: int
    b: str = "b"


@case(X)
def test_frozen_dataclass_keys(x):
    table = {FrozenKey(1): x, FrozenKey(2): 2}
    table[FrozenKey(1)] = x + 1
    members = {FrozenKey(1), FrozenKey(1), FrozenKey(3)}
    try:
        {Cfg(): 1}
    except TypeError as error:
        message = str(error)
    return table[FrozenKey(1)], len(table), FrozenKey(2) in table, len(members), table, message


@case(X)
def test_sorting_by_comparison(x):
    items = [TO(3), TO(1), TO(2)]
    items.sort()
    up = sorted([(2, "b"), (1, "z"), (2, "a")], key=functools.cmp_to_key(lambda a, b: a[0] - b[0]))
    try:
        sorted([1, "a", None])
    except TypeError as error:
        message = str(error)
    return [i.v for i in items], up, sorted([[2], [1]]), message, sorted(items, reverse=True)[0].v, x


P = np.array([1.0, -2.0, 3.0])


@case(P, np.array([2.0, 5.0]))
def test_polymul(p, q): return np.polymul(p, q), np.polymul([1, 2], p), np.polymul(q, [2.0])


@case(P - 1, P)
def test_polymul_with_a_leading_zero(p, q): return np.polymul(p, q)


@case(P * np.nan, P)
def test_polymul_of_nan(p, q): return np.polymul(p, q)


@case(P, captured=False)
def test_polymul_of_objects(p): return np.polymul(np.poly1d(p), p).coeffs
