"""Classes that a traced function defines: enumerations, metaclasses, hooks of classes, attributes of any kind."""
# ruff: noqa
import abc
import collections
import dataclasses
import enum
import functools
import sys
import typing
from enum import Enum, Flag, IntEnum, auto
from typing import NamedTuple

import numpy as np

from .programs import program

X = np.arange(3.0)


@program(X)
def enumeration(x):
    class C(enum.Enum):
        R = 1
        G = 2
    return x * C.G.value, C.R.name, C(2) is C.G, [c.name for c in C], C["R"].value, C.R == C.R, C.R in C, len(C)


@program(X)
def enumeration_of_ints(x):
    class C(IntEnum):
        A = auto()
        B = auto()
    return x + C.B, C.A < C.B, int(C.B)


@program(X)
def flags(x):
    class P(Flag):
        R = auto(); W = auto()
        RW = R | W
    p = P.R | P.W
    return x * 2, p is P.RW, P.R in p, bool(p & P.W), p.value


@program(X)
def enumeration_with_methods(x):
    class Op(enum.Enum):
        ADD = "add"; SUB = "sub"
        def apply(self, a, b):
            return a + b if self is Op.ADD else a - b
        @property
        def sym(self): return {"add": "+", "sub": "-"}[self.value]
    return Op.ADD.apply(x, 1), Op("sub").apply(x, 2), Op.SUB.sym


@program(X)
def typed_tuple(x):
    class P(NamedTuple):
        a: np.ndarray
        b: int = 2
        def total(self): return self.a.sum() * self.b
    p = P(x)
    q = p._replace(b=5)
    a, b = q
    return p.total(), q.total(), a, b, P._fields, p.a is x, len(p), q[1], isinstance(p, tuple), p._asdict()


@program(X)
def keywords_of_a_class(x):
    reg = []
    class B:
        def __init_subclass__(cls, flag=0, **kw):
            super().__init_subclass__(**kw)
            reg.append((cls.__name__, flag))
            cls.flag = flag
    class C(B, flag=3): pass
    class D(C): pass
    return x * C.flag, reg, D.flag


@program(X)
def names_of_descriptors(x):
    class Field:
        def __set_name__(self, owner, name): self.name = "_" + name
        def __get__(self, o, t=None):
            if o is None: return self
            return getattr(o, self.name) * 2
        def __set__(self, o, v): setattr(o, self.name, v)
    class A:
        v = Field()
        w = Field()
        def __init__(self, v): self.v = v; self.w = 1
    a = A(x)
    return a.v, a.w, a._v is x


@program(X)
def metaclass_that_adds(x):
    class M(type):
        def __new__(m, name, bases, ns, **kw):
            ns["extra"] = 5
            return super().__new__(m, name, bases, ns)
        def __len__(cls): return 7
    class A(metaclass=M):
        def go(self, x): return x + self.extra
    return A().go(x), len(A)


@program(X)
def abstract_property(x):
    class S:
        @property
        @abc.abstractmethod
        def p(self): ...
    return S.p.__isabstractmethod__, x + 1


class F:
    @functools.singledispatchmethod
    def go(self, v): return v * 10
    @go.register
    def _(self, v: int): return v + 1
    @go.register(list)
    def _(self, v): return [self.go(e) for e in v]
o = F()
@program(X)
def generic_method(x):
    return o.go(x), o.go(3), o.go([x, 2])


@program(X)
def dataclass_with_slots(x):
    @dataclasses.dataclass(slots=True, kw_only=True)
    class P:
        a: int = 1
        b: object = None
    p = P(b=x)
    try: p.zz = 3
    except AttributeError as e: m = "no"
    return p.a, p.b, m


@program(X)
def attributes_of_any_kind(x):
    class A:
        items = []
        arr = x * 2
        d = {"k": x}
        def add(self, v): self.items.append(v); return self
    A().add(x).add(1)
    return A.items, A.arr, A().d["k"] is x, len(A().items), A.items is A().items


@program(X)
def setting_class_attributes(x):
    class C:
        count = 0
        def __init__(self): C.count += 1; type(self).last = x
    C(); C()
    C.extra = x + 1
    return C.count, C.extra, C.last is x, C().extra, hasattr(C, "zz")


@program(X)
def shadowed_class_attributes(x):
    class A: v = 1
    class B(A): pass
    b = B(); r = [b.v]
    A.v = 2; r.append(b.v)
    B.v = 3; r.append(b.v); b.v = 4; r.append(b.v); r.append(A.v)
    return r, x + 1


@program(X)
def metaclass_with_everything(x):
    log = []
    class M(type):
        def __new__(m, name, bases, ns, **kw):
            log.append(("new", name, sorted(k for k in ns if not k.startswith("__")), kw))
            c = super().__new__(m, name, bases, ns)
            c.registry = log
            return c
        def __init__(cls, name, bases, ns, **kw):
            super().__init__(name, bases, ns)
            log.append(("init", name))
        def __call__(cls, *a, **k):
            log.append("call")
            return super().__call__(*a, **k)
        @property
        def tag(cls): return cls.__name__.lower()
        def __iter__(cls): return iter([1, 2])
        def __getitem__(cls, i): return i * 2
        def __contains__(cls, v): return v == 5
    class A(metaclass=M, opt=3):
        z = 1
        def __init__(self, v): self.v = v
    class B(A): pass
    return B(x).v, log, A.tag, list(B), A[4], 5 in A, B.registry is log


@program(X)
def singletons(x):
    class Single(type):
        _inst = {}
        def __call__(cls, *a):
            if cls not in cls._inst: cls._inst[cls] = super().__call__(*a)
            return cls._inst[cls]
    class A(metaclass=Single):
        def __init__(self, v): self.v = v
    return A(x) is A(2), A(3).v


@program(X)
def classes_made_by_type(x):
    A = type("A", (), {"go": lambda self, y: y + 1, "k": x})
    B = type("B", (A,), dict(z=3))
    return B().go(x), B.k, B.z, B.__name__, A.__mro__[1] is object, isinstance(B(), A)


class Shape(abc.ABC):
    reg = []
    @abc.abstractmethod
    def area(self): ...
    def twice(self): return 2 * self.area()
    @classmethod
    def make(cls, *a): return cls(*a)
@program(X)
def abstract_classes(x):
    class Sq(Shape):
        def __init__(s, a): s.a = a
        def area(s): return s.a ** 2
    class Half(Shape): pass
    try: Half()
    except TypeError as e: m = str(e)
    return Sq.make(x).twice(), isinstance(Sq(x), Shape), issubclass(Half, Shape), m


@program(X)
def abstract_containers(x):
    class S(collections.abc.Sequence):
        def __init__(s, v): s.v = v
        def __getitem__(s, i): return s.v[i]
        def __len__(s): return len(s.v)
    class MM(collections.abc.MutableMapping):
        def __init__(s): s.d = {}
        def __getitem__(s, k): return s.d[k]
        def __setitem__(s, k, v): s.d[k] = v
        def __delitem__(s, k): del s.d[k]
        def __iter__(s): return iter(s.d)
        def __len__(s): return len(s.d)
    s = S([1, 2, 3]); m = MM()
    m["a"] = x; m.update(b=2); m.setdefault("c", 3); p = m.pop("b")
    return list(s), 2 in s, s.index(3), s.count(1), list(reversed(s)), dict(m), p, list(m.items())[0][0], "a" in m, isinstance(s, collections.abc.Iterable), m.get("zz", 4)


@program(X)
def matched_enumeration(x):
    class C(Enum):
        A = 1; B = 2
    r = []
    for c in C:
        match c:
            case C.A: r.append(x)
            case C.B: r.append(x * 2)
    return r


@program(X, missing="the enumeration Planet has __init__")
def enumeration_with_init(x):
    class Planet(Enum):
        E = (1., 2.); M = (3., 4.)
        def __init__(self, m, r): self.m = m; self.r = r
        @property
        def g(self): return self.m / self.r
    return Planet.E.g * x, Planet((3., 4.)).m


@program(X)
def typed_tuples_in_detail(x):
    class P(NamedTuple):
        """doc"""
        a: int
        b: float = 1.5
        @property
        def s(self): return self.a + self.b
        def __add__(self, o): return P(self.a + o.a, self.b)
        @classmethod
        def mk(cls): return cls(9)
        @staticmethod
        def st(): return 5
    T = NamedTuple('T', [('u', int), ('v', int)])
    try: P()
    except TypeError as e: m = str(e)
    p = P(1) + P(2)
    match p:
        case P(a, b=bb): r = a
    return p.s, P.mk().a, P.st(), T(1, x).v, m, r, P._field_defaults, P.__doc__, p == (3, 1.5), p[0], [*p], P._make([1, 2]).b, repr(P(1)), p < (4,)


Base = collections.namedtuple("Base", "a b")
@program(X)
def derived_named_tuples(x):
    class Q(Base):
        __slots__ = ()
        def tot(self): return self.a + self.b
    class R(collections.namedtuple("Z", "u")):
        def dbl(self): return self.u * 2
    return Q(x, 1).tot(), R(x).dbl(), Q(1, 2)._replace(a=5).tot(), isinstance(Q(1, 2), Base)


@program(X)
def plugins(x):
    class Plugin:
        plugins = []
        def __init_subclass__(cls, /, name=None, **kw):
            super().__init_subclass__(**kw)
            if name is None: raise TypeError("name needed")
            cls.name = name
            Plugin.plugins.append(cls)
    class A(Plugin, name="a"):
        def run(self, x): return x + 1
    class B(Plugin, name="b"):
        def run(self, x): return x * 2
    try:
        class C(Plugin): pass
    except TypeError as e: m = str(e)
    for p in Plugin.plugins: x = p().run(x)
    return x, [p.name for p in Plugin.plugins], m


@program(X)
def keywords_that_nobody_takes(x):
    try:
        class A(flag=1): pass
    except TypeError as e: return str(e), x + 1


T = typing.TypeVar("T")
@program(X)
def generic_class(x):
    class Box(typing.Generic[T]):
        def __init__(s, v: T): s.v = v
        def map(s, fn): return Box(fn(s.v))
    class Sub(Box[int]): pass
    return Box[int](x).map(lambda v: v + 1).v, Sub(3).v, isinstance(Sub(1), Box)


@program(X)
def nested_classes(x):
    class Outer:
        class Inner:
            k = 3
            def go(self, v): return v * self.k
        inner = Inner()
        table = {"a": 1}
        names = ("p", "q")
        fn = staticmethod(lambda v: v + 1)
        def __class_getitem__(cls, k): return k
    return Outer.inner.go(x), Outer().inner.k, Outer.fn(x), Outer["z"], Outer.Inner.__qualname__, [n for n in Outer.names], Outer.table


@program(X)
def exception_class(x):
    class E(ValueError):
        code = 7
        def __init__(s, a): super().__init__(f"msg {a}"); s.a = a
    class F(E): pass
    try: raise F(x.shape)
    except E as e: return str(e), e.a, e.code, type(e).__name__, isinstance(e, ValueError)


@program(X)
def derived_containers(x):
    class D(dict):
        def __missing__(s, k): s[k] = k * 2; return s[k]
        def __getattr__(s, n): return s[n]
    d = D(a=x)
    class L(list):
        def last(s): return s[-1]
    return d[4], d.a + 1, len(d), L([1, x]).last() is x


@program(X)
def instances_from_new(x):
    class P:
        cache = {}
        def __new__(cls, k):
            if k not in cls.cache: cls.cache[k] = super().__new__(cls)
            return cls.cache[k]
        def __init__(s, k): s.k = k
    return P(1) is P(1), P(2).k, x + len(P.cache)


@program(X)
def class_in_a_loop(x):
    r = []
    for i in range(3):
        class K:
            idx = i
            data = [i]
            def get(self): return x * self.idx + len(K.data)
        K.data.append(1)
        r.append(K().get())
    return r


def deco(c):
    c.extra = lambda self: 42
    c.mark = "m"
    return c
@program(X)
def class_decorator(x):
    @deco
    class A:
        def go(s): return s.extra() + x
    return A().go(), A.mark


@program(X)
def parts_of_a_property(x):
    class S:
        @property
        def p(self): return x
        def m(self): return 3
    g = S.p.fget
    return g(None), S.m(None), S.p.fget


class Shared:
    def who(s): return "shared"
    def only(s): return 1


@program(X)
def several_local_bases(x):
    class A(Shared):
        def who(s): return "A" + super().who()
    class B(Shared):
        def who(s): return "B" + super().who()
    class C(A, B):
        def who(s): return "C" + super().who()
    c = C()
    c.x = x
    return c.who(), c.only(), c.x + 1, [k.__name__ for k in C.__mro__]


@program(X)
def cached_properties(x):
    n = []

    class Lazy:
        def __init__(self): self.v = x
        @functools.cached_property
        def total(self):
            n.append(1)
            return self.v.sum()

    lazy = Lazy()
    return lazy.total, lazy.total, n


class Slotted:
    __slots__ = ("a",)


@program(X)
def empty_slot(x):
    try: Slotted().a
    except AttributeError as error: return str(error), error.name, x + 1


@program(X)
def errors_of_class_statements(x):
    found = []

    def layouts():
        class A(int, str): pass
    def final():
        class A(bool): pass
    def slots():
        class A:
            __slots__ = ("a",)
            a = 1
    def unknown():
        class A(undefined): pass
    def metaclasses():
        class M(type): pass
        class N(type): pass
        class A(metaclass=M): pass
        class B(A, metaclass=N): pass
    def members():
        class A(Enum): one = 1
        class B(A): two = 2

    for statement in (layouts, final, slots, unknown, metaclasses, members):
        try: statement()
        except Exception as error: found.append((type(error).__name__, str(error)))
    return found, x


class Named:
    def __set_name__(s, o, n): s.name = n; s.owner = o.__name__; s.count = getattr(s, "count", 0) + 1
    def __get__(s, o, t=None): return s.name


@program(X, Named())
def descriptor_from_outside(x, named):
    class A: zed = named
    class B: q = named
    return A().zed, B.q, named.count, named.owner, x


@program(X)
def arrays_of_a_class(x):
    class A:
        w = np.zeros(3)
        total = x
        @classmethod
        def add(cls, v): cls.w += v; cls.total = cls.total + v
    A.add(1)
    A().add(x)
    A.w[0] = 9
    return A.w, A.total, x


@program(X, missing="making Color warns" if sys.version_info < (3, 13) else "calling Color")
def enumeration_that_warns(x):
    class Color(Enum):
        RED = 1
        class _Sub: z = 1
        def __call__(self, v): return v * self.value
    return Color.RED(x), Color.RED.name
