"""Attribute access, descriptors, class creation and the protocols that classes take part in."""
# ruff: noqa
import abc
import collections.abc
import dataclasses
import enum
import functools
import numbers
import typing

import numpy as np

from .programs import V, X, program


class Logged:
    def __init__(self, v): object.__setattr__(self, "v", v); object.__setattr__(self, "log", [])
    def __getattribute__(self, name):
        value = object.__getattribute__(self, name)
        if name == "v": object.__getattribute__(self, "log").append(name)
        return value
    def __setattr__(self, name, value):
        self.log.append("set " + name)
        super().__setattr__(name, value)
    def __delattr__(self, name):
        self.log.append("del " + name)
        super().__delattr__(name)


@program(X)
def all_attribute_hooks(x):
    o = Logged(x)
    y = o.v * 2
    o.w = 3
    del o.w
    return y + o.v, o.log, hasattr(o, "w")


@program(X, Logged(2.0), breaks="the guards would run its __getattribute__")
def hooks_of_argument(x, o):
    o.z = x
    return o.v * o.z, o.log


class Fallback:
    def __getattribute__(self, name):
        if name.startswith("x_"): raise AttributeError(name)
        return super().__getattribute__(name)
    def __getattr__(self, name): return len(name)


@program(X)
def getattribute_then_getattr(x): return x * Fallback().x_abc, getattr(Fallback(), "q", 9)


class Cell:
    """A data descriptor that keeps values in the object."""
    def __set_name__(self, owner, name): self.name = "_" + name
    def __get__(self, o, kind=None): return self if o is None else o.__dict__.get(self.name, 0)
    def __set__(self, o, value): o.__dict__[self.name] = value
    def __delete__(self, o): del o.__dict__[self.name]
class Once:
    """A descriptor without __set__: what is stored on the object hides it."""
    def __init__(self, f): self.f = f
    def __set_name__(self, owner, name): self.name = name
    def __get__(self, o, kind=None):
        if o is None: return self
        value = o.__dict__[self.name] = self.f(o)
        return value
class Uses:
    cell = Cell()
    @Once
    def total(self): return self.cell * 10
    @property
    def half(self): return self.cell / 2
    @half.deleter
    def half(self): self.cell = -1


@program(X)
def descriptor_protocol(x):
    u = Uses()
    u.cell = 4
    a = u.total, u.half
    del u.half
    b = u.cell, u.total
    del u.cell
    return x * a[0], a, b, u.cell, vars(u), type(Uses.cell).__name__


class Meta(type):
    def __new__(m, name, bases, ns, scale=1):
        made = super().__new__(m, name, bases, ns)
        made.scale = scale
        return made
    def __init__(cls, name, bases, ns, scale=1): super().__init__(name, bases, ns)
    def __call__(cls, *args):
        made = super().__call__(*args)
        made.made_by = cls.__name__
        return made
    @property
    def double(cls): return cls.scale * 2
    def __contains__(cls, v): return v == cls.scale
    def __instancecheck__(cls, o): return hasattr(o, "quacks")
    def __iter__(cls): return iter([cls.scale, 7])
    def __getitem__(cls, k): return cls.scale * k
class Made(metaclass=Meta, scale=3):
    quacks = True
    def __init__(self, v): self.v = v


@program(X)
def metaclass_hooks(x):
    m = Made(x)
    return m.v * Made.scale, m.made_by, Made.double, 3 in Made, list(Made), Made[5], isinstance(m, Made), isinstance(x, Made)


class Singleton(type):
    instances = {}
    def __call__(cls, *a):
        if cls not in cls.instances: cls.instances[cls] = super().__call__(*a)
        return cls.instances[cls]
class Only(metaclass=Singleton):
    def __init__(self, k): self.k = k
Only(5)


@program(X)
def singleton(x): return x * Only(9).k, Only(1) is Only(2)


class Plugin:
    registry = {}
    def __init_subclass__(cls, /, key=None, **kw):
        super().__init_subclass__(**kw)
        if key: Plugin.registry[key] = cls
class Doubler(Plugin, key="double"):
    def run(self, x): return x * 2
class Shifter(Plugin, key="shift"):
    def run(self, x): return x + 1


@program(X)
def plugin_registry(x):
    for key in ("double", "shift"): x = Plugin.registry[key]().run(x)
    return x, sorted(Plugin.registry)


class Typed:
    def __class_getitem__(cls, item): return (cls.__name__, item)


@program(X)
def class_getitem(x): return Typed[int][0], Typed["k"][1], list[int] == list[int], x


class Angle:
    def __init__(self, v): self.v = v
    def __radd__(self, o): return ("radd", o, self.v)
    def __iadd__(self, o): self.v += o; return self
    def __imul__(self, o): return NotImplemented
    def __mul__(self, o): return Angle(self.v * o)
    def __eq__(self, o): return NotImplemented if not isinstance(o, Angle) else self.v == o.v
    def __hash__(self): return hash(self.v)
    def __int__(self): return int(self.v)
    def __index__(self): return int(self.v)
    def __bool__(self): return self.v != 0
    def __round__(self, n=0): return round(self.v, n)
    def __trunc__(self): return 1
    def __call__(self, x, *, k=1): return x * self.v * k
    def __reversed__(self): return iter([3, 2, 1])
    def __length_hint__(self): return 3
    def __pow__(self, o, m=None): return (self.v, o, m)


@program(X)
def reflected_and_inplace(x):
    a = b = Angle(2)
    a += 1
    a *= 2
    return 5 + a, a.v, b.v, a == Angle(6), a == 6, a != Angle(6), int(a), [0] * Angle(2), bool(Angle(0)), round(Angle(2.567), 1), list(reversed(a)), pow(a, 2, 7), a(x, k=2), {Angle(1): 5}[Angle(1)], range(Angle(3))[1]


@program(X)
def not_comparable(x):
    try:
        Angle(1) < Angle(2)
    except TypeError as e:
        return str(e), x


class Countdown:
    def __init__(self, n): self.n = n
    def __iter__(self): return self
    def __next__(self):
        if self.n <= 0: raise StopIteration
        self.n -= 1
        return self.n


@program(X)
def iterator_protocol(x):
    c = Countdown(4)
    first = next(c)
    return [x * k for k in c], first, list(Countdown(2)), sum(Countdown(4)), max(Countdown(3)), 1 in Countdown(3), dict(zip("ab", Countdown(2))), next(c, "end")


@dataclasses.dataclass(kw_only=True)
class Settings:
    rate: float
    sizes: list[int] = dataclasses.field(default_factory=lambda: [1, 2])
    hidden: int = dataclasses.field(default=3, repr=False, compare=False)
    kinds: typing.ClassVar[int] = 4
@dataclasses.dataclass
class Layer:
    w: object
    b: object = 0.0
    scale: dataclasses.InitVar[float] = 1.0
    def __post_init__(self, scale): self.w = self.w * scale
    def __call__(self, x): return x * self.w + self.b
@dataclasses.dataclass
class Deep(Layer):
    depth: int = 2
    def __call__(self, x):
        for _ in range(self.depth): x = super().__call__(x)
        return x
@dataclasses.dataclass(slots=True, frozen=True, order=True)
class Slotted:
    a: int
    b: tuple = ()


@program(X)
def dataclass_keywords(x):
    s = Settings(rate=0.5, hidden=1)
    s.sizes.append(3)
    return x * s.rate, s, repr(s), s == Settings(rate=0.5, sizes=[1, 2, 3]), Settings.kinds


@program(X, Deep(2.0, 1.0))
def dataclass_inherited(x, layer): return layer(x), Deep(np.float64(1.5), depth=1)(x), dataclasses.is_dataclass(layer), [f.name for f in dataclasses.fields(layer)]


@program(X)
def dataclass_slots(x):
    s = Slotted(1, (2,))
    try:
        s.a = 3
    except dataclasses.FrozenInstanceError as e:
        return x * s.a, str(e), s < Slotted(2), sorted([Slotted(3), s])[0].a, hash(s) == hash(Slotted(1, (2,))), dataclasses.replace(s, b=()), {s: 1}[Slotted(1, (2,))]


@program(X, Settings(rate=2.0))
def dataclass_as_dict(x, s): return dataclasses.asdict(s), dataclasses.astuple(s), dataclasses.replace(s, rate=x).rate


class State(typing.NamedTuple):
    mean: object
    count: int = 0
    @property
    def twice(self): return self.mean * 2
    def push(self, x): return self._replace(mean=self.mean + x, count=self.count + 1)


@program(X)
def named_tuple_state(x):
    s = State(x * 0)
    for k in range(3): s = s.push(x * k)
    mean, count = s
    return s, s.twice, mean is s.mean, count, s._asdict(), State._make([1, 2]), s._fields, isinstance(s, tuple), State(1) == (1, 0), repr(State(1, 2))


@program(X, State(2.0, 1))
def named_tuple_argument(x, s): return s.push(x), x * s.mean, s[1], len(s), s + (1,)


class Mode(enum.Enum):
    FAST = enum.auto()
    SLOW = enum.auto()
    ALIAS = 1
    def apply(self, x): return x * self.value if self is Mode.FAST else x - self.value
    @classmethod
    def default(cls): return cls.SLOW
    @staticmethod
    def helper(): return 5
    def __str__(self): return self.name.lower()
class Bits(enum.IntFlag):
    A = 1
    B = 2
    C = A | B
class Planet(enum.Enum):
    EARTH = (5.97, 6.37)
    MARS = (0.64, 3.39)
    def __init__(self, mass, radius): self.mass, self.radius = mass, radius
    @property
    def gravity(self): return self.mass / self.radius ** 2


@program(X)
def enum_methods(x): return Mode.FAST.apply(x), Mode.default().apply(x), Mode.helper(), str(Mode.FAST), f"{Mode.SLOW}", Mode.ALIAS is Mode.FAST, Mode("nope") if False else Mode(2).name, [m.value for m in Mode], list(Mode.__members__), Mode.FAST in Mode


@program(X)
def flags(x): return Bits.A | Bits.B == Bits.C, (Bits.A | Bits.B).value, bool(Bits.A & Bits.B), Bits.C & ~Bits.A, Bits.A in Bits.C, int(Bits.B) * x, Bits.A + 1


@program(X)
def enum_with_fields(x): return x * Planet.EARTH.mass, Planet.MARS.gravity, Planet((0.64, 3.39)).name, max(Planet, key=lambda p: p.mass).name


@program(X, Mode.SLOW)
def enum_argument(x, mode):
    if mode is Mode.FAST: return x
    match mode:
        case Mode.SLOW: return mode.apply(x)


@typing.runtime_checkable
class HasRun(typing.Protocol):
    def run(self, x): ...
T = typing.TypeVar("T")
class Box(typing.Generic[T]):
    def __init__(self, v: T): self.v = v
    def map(self, f): return Box[float](f(self.v))


@program(X)
def typing_tools(x): return typing.cast("int", 3) * x, isinstance(Doubler(), HasRun), Box[int](2).map(lambda v: v * x).v, typing.Optional[int] is not None, typing.get_origin(list[int]) is list


@program(X)
def abstract_numbers(x): return isinstance(3, numbers.Integral), isinstance(2.5, numbers.Real), isinstance(True, numbers.Number), issubclass(int, numbers.Rational), isinstance([], collections.abc.MutableSequence), isinstance(Countdown(1), collections.abc.Iterator), isinstance(Angle(1), collections.abc.Hashable), isinstance(len, collections.abc.Callable), isinstance(x, collections.abc.Sized)


class Shape(abc.ABC):
    @property
    @abc.abstractmethod
    def area(self): ...
    @classmethod
    @abc.abstractmethod
    def unit(cls): ...
class Square(Shape):
    def __init__(self, s): self.s = s
    @property
    def area(self): return self.s ** 2
    @classmethod
    def unit(cls): return cls(1)
Shape.register(Countdown)


@program(X)
def abstract_classes(x): return Square(x).area, Square.unit().area, isinstance(Countdown(1), Shape), issubclass(Square, Shape)


@program(X)
def abstract_is_refused(x):
    try:
        Shape()
    except TypeError:
        return x + 1


class A:
    def who(self): return ["A"]
    @classmethod
    def make(cls): return [cls.__name__]
    value = 1
class B(A):
    def who(self): return ["B", *super().who()]
    @classmethod
    def make(cls): return ["B", *super().make()]
    @property
    def value(self): return super().value + 1
class C(A):
    def who(self): return ["C", *super(C, self).who()]
class D(B, C):
    def who(self): return ["D", *super().who()]
    def skip(self): return super(B, self).who()


@program(X)
def diamond(x): return D().who(), D.make(), D().skip(), D().value, [k.__name__ for k in D.__mro__], x


@program(X)
def attributes_by_name(x):
    o = A()
    setattr(o, "k", x)
    names = [n for n in ("k", "value", "gone") if hasattr(o, n)]
    o.value += 5
    delattr(o, "k")
    return names, getattr(o, "value"), A.value, vars(o), getattr(o, "gone", None), callable(o.who), callable(o)


class Resource:
    def __init__(self, log): self.log = log
    def __enter__(self): self.log.append("open"); return self
    def __exit__(self, kind, value, tb): self.log.append(kind.__name__ if kind else "close"); return kind is KeyError


@program(X)
def context_protocol(x):
    log = []
    with Resource(log) as r, Resource(r.log): x = x + 1
    with Resource(log): raise KeyError("swallowed")
    return x, log


class Config:
    defaults = {"k": 2}
    def __init__(self, **kw): self.__dict__.update(self.defaults, **kw)
    def __repr__(self): return f"{type(self).__name__}({', '.join(f'{k}={v}' for k, v in sorted(vars(self).items()))})"


@program(X)
def dict_of_instance(x):
    c = Config(z=3)
    c.__dict__["new"] = 5
    return x * c.k + c.new, repr(c), "z" in c.__dict__, list(vars(c)), c.__class__.__name__


class Counted:
    made = 0
    def __new__(cls, *a):
        Counted.made += 1
        return super().__new__(cls)
    def __init__(self, v): self.v = v; self.index = type(self).made


@program(X)
def class_counter(x):
    Counted.made = 0
    a, b = Counted(x), Counted(x * 2)
    return a.v + b.v, b.index, Counted.made


class Vec:
    __slots__ = ("x", "y", "__dict__")
    def __init__(self, x, y): self.x, self.y = x, y
    def __matmul__(self, o): return self.x * o.x + self.y * o.y
    def __array_priority__(self): ...
    __array_ufunc__ = None
    def __rmul__(self, k): return Vec(self.x * k, self.y * k)
    def __abs__(self): return (self @ self) ** 0.5


@program(X)
def refuses_ufuncs(x):
    v = x * Vec(1, 2)
    v.note = "n"
    return v.x, v.y, abs(Vec(3, 4)), v.note, Vec(x, 1) @ Vec(x, 2)


@program(X, breaks="method '__iadd__'")
def refuses_ufuncs_in_place(x):
    y = x.copy()
    try:
        y += Vec(1, 2)
    except TypeError as e:
        return str(e), y
    return y
