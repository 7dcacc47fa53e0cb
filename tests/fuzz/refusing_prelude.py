"""What random programs misuse: functions and classes of a user's, and objects of them."""
# ruff: noqa: E704
import abc
import collections
import contextlib
import dataclasses
import enum
import functools
import operator
import types


def plain(p, q=2, *, r=3): return p * q + r
def only(p, /, q, *rest, **more): return p, q, rest, more
def need(*, k): return k
def none(): return 1


def gen(n):
    yield from range(n)


lam = lambda u, v=1: u + v  # noqa: E731
part = functools.partial(plain, 1, r=5)


class Plain: pass


class WithInit:
    limit = 3

    def __init__(self, a, b=1): self.a, self.b = a, b
    def method(self, z, w=2): return self.a + z * w
    @property
    def prop(self): return self.a
    @staticmethod
    def stat(z): return z
    @classmethod
    def cls(cls, z): return cls(z)
    def __call__(self, z): return z + self.a
    def __len__(self): return 2

    def __getitem__(self, k):
        if k > 3:
            raise IndexError(k)
        return self.a * k


class Child(WithInit):
    def method(self, z): return super().method(z) + 1


class Slots:
    __slots__ = ("a", "b")

    def __init__(self, a): self.a = a


@dataclasses.dataclass
class Data:
    a: float
    b: int = 2


@dataclasses.dataclass(frozen=True)
class Frozen:
    a: float


class Color(enum.Enum):
    RED = 1
    BLUE = 2


Point = collections.namedtuple("Point", "x y")


class Abstract(abc.ABC):
    @abc.abstractmethod
    def go(self): ...


class Meta(type):
    def __call__(cls, *a): return a


class Made(metaclass=Meta): pass


class New:
    def __new__(cls, a): return a


class Manager:
    def __enter__(self): return 5
    def __exit__(self, *a): return True


class Descriptor:
    def __get__(self, o, t=None): return 7
    def __set__(self, o, v): raise ValueError(v)


class WithDescriptor:
    d = Descriptor()


class Asked:
    def __getattr__(self, n):
        if n.startswith("ok"):
            return n
        raise AttributeError(n)


@functools.lru_cache
def cached(p, q=1): return p + q


@contextlib.contextmanager
def context(p): yield p


@functools.singledispatch
def single(p): return "any"


@single.register
def _of_int(p: int): return "int"


class Equal:
    def __init__(self, a): self.a = a
    def __eq__(self, o): return self.a == o.a


class Items:
    def __iter__(self): return iter([1, 2])


class BadIter:
    def __iter__(self): return 5


class BadLen:
    def __len__(self): return -1


class BadBool:
    def __bool__(self): return 3


class BadIndex:
    def __index__(self): return 1.5


CALLED = """plain only need none gen lam part Plain WithInit w.method w.prop w.stat WithInit.stat
    WithInit.cls w WithInit.method Slots c.method Child Data Frozen Color Point Abstract Made New
    Manager WithDescriptor Asked cached context single Equal Items h.d t.okay t.nope p._replace
    p._asdict Point._make w.cls Color.RED d Child.method len BadIter BadLen BadBool BadIndex
    dataclasses.replace dataclasses.asdict dataclasses.astuple dataclasses.fields isinstance
    issubclass getattr setattr delattr hasattr callable vars super next map filter sorted
    functools.reduce types.SimpleNamespace property staticmethod cached.cache_info
    cached.cache_clear cached.__wrapped__ type(w) w.__class__ w.__init__ w.__len__ object
    Plain.__init__ Plain.__new__ object.__new__ Meta Meta.__call__""".split()
GIVEN = ["", "1", "1, 2", "1, 2, 3", "1, 2, 3, 4", "b", "b, n", "p=1", "q=1", "1, q=2", "1, p=1",
         "1, 2, q=3", "k=1", "z=1", "a=1, b=2", "*[1, 2]", "**{'a': 1}", "**{'p': b}", "*b", "*n",
         "**n", "w", "w, 1", "d", "d, a=5", "d, zz=5", "p", "[1]", "(1, 2)", "'a'", "w, 'a'",
         "w, 'zz'", "w, 'zz', 1", "w, 'a', 5", "w, 'a', 5, 6", "lam, [1, 2]", "None", "lambda: 1",
         "lambda q: q, [1, n]", "WithInit", "int", "w, WithInit", "w, int", "int, WithInit",
         "Color.RED", "1.5, k=2", "s, 'q', 1", "fz, 'a', 1", "BadIter()", "BadLen()", "BadBool()",
         "*BadIter()", "BadIndex()", "**{1: 2}", "*[1], *[2], x=1", "**{'a': 1}, **{'a': 2}",
         "[3, 1], None", "iter([]), 1, 2"]  # fmt: skip
EXPRESSIONS = [
    "w.{n}", "c.{n}", "d.{n}", "p.{n}", "s.{n}", "fz.{n}", "Color.{n}", "WithInit.{n}",
    "Color({g})", "Color['{n}']", "w[{v}]", "p[{v}]", "d == {v}", "p == {v}", "fz == {v}",
    "hash(fz)", "hash(d)", "len({v})", "bool({v})", "list({v})", "w < {v}", "w + {v}",
    "str({v})[:5]", "{v} in w", "{v} in Items()", "sum({v})", "range({v})", "[1, 2, 3][({v})]",
    "operator.index({v})", "isinstance({v}, {u})", "p + {v}", "max({v})", *["{c}({g})"] * 32,
]  # fmt: skip
STATEMENTS = [
    "w.{n} = {v}\nr = vars(w)", "s.{n} = {v}\nr = s.a", "fz.{n} = {v}\nr = fz", "d.{n} = {v}\nr = d",
    "p.{n} = {v}\nr = p", "h.d = {v}\nr = 1", "del w.{n}\nr = vars(w)", "del s.{n}\nr = 1",
    "del fz.{n}\nr = 1", "del p.{n}\nr = 1", "Color.{n} = {v}\nr = 1", "with {v} as q:\n    r = q",
    "with Manager() as q:\n    r = q\n    raise ValueError(q)", "with context({v}) as q:\n    r = q",
    "x, y = {v}\nr = x", "for r in {v}: pass", "raise {v}", "raise ValueError from {v}",
    "try:\n    r = {c}({g})\nexcept TypeError as e:\n    r = str(e)",
    "try:\n    r = w.{n}\nexcept AttributeError as e:\n    r = str(e), e.name",
    "try:\n    raise {v}\nexcept BaseException as e:\n    r = repr(e)",
    "class L(WithInit):\n    {n} = {v}\nr = L(1).{n}", "class L({v}): pass\nr = L.__name__",
    "def inner({n}, q={v}): return q\nr = inner({g})", "r = undefined_name",
    "r = (lambda: n + {v})()", "r = [*gen({v})]", "import math\nr = math.{n}",
    "from math import {n}\nr = {n}", "r = [q for q in {v} if q > 1]", "r = {{q: 1 for q in {v}}}",
    "match {v}:\n    case WithInit(a=q): r = q\n    case Point(q, y): r = y\n"
    "    case Data(q): r = 1\n    case _: r = 0", "print({v}, end={u})\nr = 1",
    "assert isinstance({v}, int), 'no'\nr = 1",
    "r = 1\nwhile {v}:\n    r += 1\n    if r > 3: break",
]  # fmt: skip
NAMES = """a b x y zz method prop limit q value name RED __dict__ __class__ _fields stat okay sqrt
    __doc__ __slots__ __name__ _x __len__ __init__ __eq__""".split()
VALUES = ["1", "b", "n", "'a'", "None", "w", "p", "d", "[1, 2]", "(1, 2)", "{1: 2}", "Items()",
          "BadIter()", "BadLen()", "BadBool()", "BadIndex()", "Manager()", "lam", "WithInit",
          "Color.RED", "fz", "ValueError(1)", "ValueError", "KeyError('k')", "2.5", "True",
          "gen(2)", "s", "WithInit(b)", "Data(b)", "Point(b, 1)", "t", "h", "range(2)", "Equal(1)",
          "Abstract", "Plain()"]  # fmt: skip
