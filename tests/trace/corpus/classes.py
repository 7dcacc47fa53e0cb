"""Classes outside and inside the traced function, descriptors, operators, dataclasses, enums."""
# ruff: noqa
import abc
import collections
import dataclasses
import enum
import functools
import typing

import numpy as np

import dynamo_lite as dl

from .programs import V, X, program


class Point:
    def __init__(self, x, y): self.x, self.y = x, y
    def __add__(self, o): return Point(self.x + o.x, self.y + o.y)
    def __mul__(self, k): return Point(self.x * k, self.y * k)
    __rmul__ = __mul__
    def __eq__(self, o): return isinstance(o, Point) and (self.x, self.y) == (o.x, o.y)
    def __hash__(self): return hash((self.x, self.y))
    def __repr__(self): return f"Point({self.x}, {self.y})"
    def __str__(self): return f"<{self.x}, {self.y}>"
    def __format__(self, spec): return f"P[{spec}]"
    def __len__(self): return 2
    def __getitem__(self, i): return (self.x, self.y)[i]
    def __iter__(self): yield self.x; yield self.y
    def __neg__(self): return Point(-self.x, -self.y)
    def __contains__(self, v): return v == self.x
    def __bool__(self): return True
    def __lt__(self, o): return self.x < o.x


@program(X)
def operators(x): return ((Point(1, 2) + Point(3, 4)) * 2).x * x


@program(X)
def reflected(x): return (3 * Point(1, 2)).y * x


@program(X)
def array_members(x):
    p = Point(x, x * 2) + Point(x, x)
    return p.x, p.y


@program(X)
def equality_hash(x): return Point(1, 2) == Point(1, 2), {Point(1, 2): x}[Point(1, 2)], len({Point(1, 2), Point(1, 2)})


@program(X)
def unpacking_object(x):
    a, b = Point(1, 2)
    return x * a + b


@program(X)
def object_items(x): return x * Point(3, 4)[1], len(Point(1, 2)), 1 in Point(1, 2), -Point(1, 2).x


@program(X)
def object_repr(x): return repr(Point(1, 2)), str(Point(1, 2)), f"{Point(1, 2)}", f"{Point(1, 2)!r}", x


@program(X)
def object_format(x): return format(Point(1, 2), "abc"), f"{Point(1, 2):xyz}", "{:q}".format(Point(1, 2)), x


@program(X)
def object_percent(x): return "%s and %r" % (Point(1, 2), Point(3, 4)), x


@program(X)
def object_in_list_repr(x): return repr([Point(1, 2)]), str((Point(1, 2),)), x


@program(X)
def sorting_objects(x): return [p.x for p in sorted([Point(3, 0), Point(1, 0), Point(2, 0)])], x


@program(X)
def min_of_objects(x): return min([Point(3, 1), Point(1, 2)], key=lambda p: p.x).y, max([Point(3, 1), Point(1, 2)]).x, x


class Plain:
    def __init__(self): self.x, self.y = 2, 3


@program(X, Plain())
def mutate_object(x, p):
    p.x += 1
    p.z = x * 2
    del p.y
    return p.x, x


class Base:
    name = "base"
    def __init__(self, k): self.k = k
    def apply(self, x): return x * self.k
    @classmethod
    def make(cls, k): return cls(k)
    @staticmethod
    def helper(x): return x + 1
    @property
    def double(self): return self.k * 2
    @double.setter
    def double(self, v): self.k = v / 2
    @functools.cached_property
    def cached(self): return self.k + 100


class Derived(Base):
    name = "derived"
    def __init__(self, k):
        super().__init__(k + 1)
        self.extra = k
    def apply(self, x): return super().apply(x) + self.extra


@program(X)
def inheritance(x): return Derived(2).apply(x), Derived.name, Base.make(3).apply(x), Derived.make(1).apply(x)


@program(X)
def static_and_property(x):
    b = Base(3)
    b.double = 10
    return Base.helper(x), b.helper(x), b.double * x, b.k


@program(X, Base(4))
def cached_prop(x, b): return x * b.cached + b.cached


@program(X)
def cached_prop_inside(x):
    b = Base(4)
    return x * b.cached + b.cached


@program(X)
def instance_checks(x): return isinstance(Derived(1), Base), issubclass(Derived, Base), type(Derived(1)) is Derived, isinstance(x, (int, np.ndarray)), isinstance(3, int | str), x


class Mixin:
    def describe(self): return "mixin " + super().describe()
class Root:
    def describe(self): return "root"
class Both(Mixin, Root): pass


@program(X)
def cooperative_super(x): return Both().describe(), [c.__name__ for c in Both.__mro__], x


class Slots:
    __slots__ = ("a", "b")
    def __init__(self, a): self.a = a


@program(X)
def slots(x):
    s = Slots(x)
    try:
        s.b
    except AttributeError:
        s.b = 2
    return s.a * s.b


class Typed:
    def __set_name__(self, owner, name): self.name = "_" + name
    def __get__(self, o, t=None): return self if o is None else getattr(o, self.name) * 2
    def __set__(self, o, v): setattr(o, self.name, v)
class UsesTyped:
    v = Typed()
    def __init__(self, v): self.v = v


@program(X)
def descriptors(x): return UsesTyped(3).v * x


class Noted:
    def __set__(self, o, v): o.__dict__["v"] = v; o.__dict__["changes"] = o.__dict__.get("changes", 0) + 1
    def __delete__(self, o): del o.__dict__["v"]
class UsesNoted:
    v = Noted()
    def __init__(self, v): self.v = v
NOTED = UsesNoted([1, 2])


@program(X)
def descriptor_that_sees_assignments_only(x):
    made = UsesNoted({})
    made.v[1] = 2
    before = NOTED.v, NOTED.v[0], made.v, isinstance(UsesNoted.v, Noted), "v" in vars(made)
    changes = NOTED.changes
    NOTED.v = NOTED.v[::-1]
    NOTED.v = NOTED.v[::-1]
    del made.v
    return x * NOTED.v[0], before, NOTED.changes - changes, made.changes, type(made.v).__name__


class Dynamic:
    def __getattr__(self, name):
        if name.startswith("get_"): return lambda: name[4:]
        raise AttributeError(name)


@program(X)
def dynamic_attribute(x): return Dynamic().get_abc(), hasattr(Dynamic(), "other"), getattr(Dynamic(), "q", 5), x


class Willing:
    __slots__ = ("held", "empty")
    asked = []
    def __init__(self): self.held = 2
    def __getattr__(self, name): self.asked.append(name); return len(name)
class WillingList(list):
    __slots__ = ()
    __getattr__ = Willing.__getattr__
    asked = Willing.asked
WILLING, WILLING_LIST = Willing(), WillingList([1, 2])


@program(X)
def answers_to_every_name(x):
    found = WILLING.held, WILLING.other, WILLING.empty, WILLING_LIST[1], WILLING_LIST.other
    asked = Willing.asked[:]
    Willing.asked.clear()
    return x * 2, found, asked


@program(X)
def get_set_attr(x):
    b = Base(2)
    setattr(b, "q", x)
    return getattr(b, "q") + getattr(b, "missing", 1), hasattr(b, "q"), hasattr(b, "z")


@program(X)
def vars_of_object(x): return vars(Base(2)), Base(3).__dict__["k"] * x


class Meta(type):
    def __len__(cls): return 7
    registry = []
    def __new__(m, name, bases, ns): return super().__new__(m, name, bases, ns)
class WithMeta(metaclass=Meta): pass


@program(X)
def metaclass(x): return x * len(WithMeta), type(WithMeta) is Meta


class Shape(abc.ABC):
    @abc.abstractmethod
    def area(self): ...
    def twice(self): return self.area() * 2
class Square(Shape):
    def __init__(self, s): self.s = s
    def area(self): return self.s ** 2


@program(X)
def abstract_base(x): return Square(x).twice(), isinstance(Square(1), Shape)


@dataclasses.dataclass
class Config:
    lr: float = 0.1
    steps: int = 3
    names: list = dataclasses.field(default_factory=list)
    def __post_init__(self): self.total = self.lr * self.steps
@dataclasses.dataclass(frozen=True, order=True)
class Key:
    a: int
    b: str = "z"


@program(X, Config())
def dataclass_argument(x, c): return x * c.lr, c.steps, c.total


@program(X)
def dataclass_inside(x):
    c = Config(0.5, names=["a"])
    c.names.append("b")
    return x * c.total, c.names, c == Config(0.5, 3, ["a", "b"])


@program(X)
def dataclass_repr(x): return repr(Config()), str(Key(1)), x


@program(X)
def dataclass_frozen(x): return Key(1) < Key(2), Key(1) == Key(1, "z"), hash(Key(1)) == hash(Key(1)), {Key(1): x}[Key(1)]


@program(X)
def dataclass_tools(x): return dataclasses.replace(Key(1), b="q").b, [f.name for f in dataclasses.fields(Key)], dataclasses.asdict(Key(3)), dataclasses.astuple(Key(3)), x


@program(X)
def dataclass_frozen_error(x):
    try:
        Key(1).a = 2
    except dataclasses.FrozenInstanceError as e:
        return x, str(e)


class Pair(typing.NamedTuple):
    left: object
    right: object = 2
    def both(self): return self.left * self.right
Old = collections.namedtuple("Old", "a b c", defaults=(5,))


@program(X)
def named_tuples(x):
    p = Pair(x)
    a, b = p
    return p.both(), a + b, p._replace(right=3).both(), Old(1, 2).c, Old(1, 2)._asdict(), Old._fields


@program(X)
def return_named_tuple(x): return Pair(x * 2, 3)


@program(X)
def named_tuple_repr(x): return repr(Old(1, 2)), x


class Color(enum.Enum):
    RED = 1
    GREEN = 2
    @property
    def pretty(self): return self.name.lower()
class Level(enum.IntEnum):
    LOW = 1
    HIGH = 3
class Flags(enum.Flag):
    A = 1
    B = 2
class Names(enum.StrEnum):
    ONE = "one"


@program(X)
def enums(x): return Color.RED.value * x, Color(2).name, Color["GREEN"] is Color.GREEN, Color.RED == Color.GREEN, [c.name for c in Color], len(Color)


@program(X)
def enum_property(x): return Color.RED.pretty, x


@program(X)
def enum_dict(x): return {Color.RED: x}[Color.RED], Color.RED in (Color.RED,), Color.RED is not Color.GREEN


@program(X)
def int_enum_operand(x): return x * Level.HIGH, Level.LOW + x, x ** Level.HIGH, x > Level.LOW


@program(X)
def int_enum_arithmetic(x): return Level.LOW + 1, Level.LOW < Level.HIGH, Level(3).name, max(Level).value, x


@program(X)
def int_enum_index(x): return x[Level.LOW], [10, 20, 30][Level.LOW], x.sum(axis=Level.LOW)


@program(X)
def flags(x): return (Flags.A | Flags.B) & Flags.A == Flags.A, Flags.A in (Flags.A | Flags.B), x


@program(X)
def str_enum(x): return Names.ONE == "one", Names.ONE + "!", Names.ONE.upper(), x


@program(X)
def enum_match(x):
    match Color(1):
        case Color.RED: return x
        case Color.GREEN: return x * 2


@program(X)
def enum_repr(x): return repr(Color.RED), str(Color.RED), f"{Level.HIGH}", x


@program(X)
def class_inside(x):
    class Local:
        factor = 3
        def __init__(self, v): self.v = v
        def run(self): return self.v * self.factor
    return Local(x).run()


@program(X)
def class_inside_closure(x):
    k = 5
    class Local:
        def run(self, v): return v * k
    return Local().run(x)


@program(X)
def class_inside_inherits(x):
    class Local(Base):
        def apply(self, v): return super().apply(v) - 1
    return Local(3).apply(x), Local.name


@program(X)
def class_inside_dataclass(x):
    @dataclasses.dataclass
    class Local:
        v: object
        k: int = 2
    l = Local(x)
    return l.v * l.k


@program(X)
def class_attributes(x): return Base.name, Derived.__name__, Derived.__bases__[0] is Base, x


class Accum:
    def __init__(self): self.items = []
    def __iadd__(self, o): self.items.append(o); return self
    def __setitem__(self, k, v): self.items.append((k, v))
    def __delitem__(self, k): del self.items[k]
    def __enter__(self): self.items.append("in"); return self
    def __exit__(self, *a): self.items.append("out")


@program(X)
def augmented_object(x):
    a = Accum()
    a += x
    a[1] = 2
    del a[0]
    return a.items


@program(X)
def typing_at_runtime(x): return typing.cast(int, 3) * x, typing.get_type_hints(Key)["a"] is int, typing.Optional[int] == typing.Optional[int]


class Generic(typing.Generic[typing.TypeVar("T")]):
    def __init__(self, v): self.v = v


@program(X)
def generic_class(x): return Generic[int](3).v * x


@functools.total_ordering
class Ordered:
    def __init__(self, v): self.v = v
    def __eq__(self, o): return self.v == o.v
    def __lt__(self, o): return self.v < o.v


@program(X)
def total_ordering(x): return Ordered(1) <= Ordered(2), Ordered(3) > Ordered(2), Ordered(1) >= Ordered(1), x


class InitSub:
    kinds = []
    def __init_subclass__(cls, tag="", **k): super().__init_subclass__(**k); cls.tag = tag
class Tagged(InitSub, tag="hello"): pass


@program(X)
def init_subclass(x): return Tagged.tag, Tagged().tag, x


class NewOnly:
    def __new__(cls, v):
        self = super().__new__(cls)
        self.v = v
        return self


@program(X)
def custom_new(x): return NewOnly(x).v * 2


class Ufunc:
    def __init__(self, v): self.v = v
    def __matmul__(self, o): return self.v @ o
    def __rmatmul__(self, o): return o @ self.v
    def __pow__(self, k): return self.v ** k
    def __divmod__(self, k): return divmod(self.v, k)
    def __abs__(self): return abs(self.v)
    def __round__(self, n=None): return 5
    def __index__(self): return 2
    def __int__(self): return 2
    def __float__(self): return 2.5
    def __complex__(self): return 1j
    def __invert__(self): return ~3


@program(X)
def more_operators(x): return Ufunc(x.T) @ x, Ufunc(3) ** 2, divmod(Ufunc(7), 2), abs(Ufunc(-3)), round(Ufunc(1)), [1, 2, 3][Ufunc(0)], int(Ufunc(0)), float(Ufunc(0)), ~Ufunc(0)


class Settings(typing.TypedDict, total=False):
    rate: float
    steps: int


@program(X)
def typed_dict(x):
    made = Settings(rate=0.5)
    made["steps"] = 3
    return x * made["rate"], made, type(made) is dict, Settings(), Settings([("rate", x)])


class Compiled:
    def __init__(self, w): self.w = w
    @dl.compile
    def scale(self, x): return x * self.w
    @dl.compile
    def __call__(self, x): return self.scale(x) + self.shifted(x)
    @staticmethod
    @dl.compile
    def shifted(x): return x + 1
    @classmethod
    @dl.compile
    def make(cls, w): return cls(w * 2)
    @property
    @dl.compile
    def double(self): return self.w * 2
    @dl.compile
    def __getitem__(self, i): return self.w + i


@program(X)
def compiled_methods(x):
    made = Compiled.make(3)
    return made(x), Compiled.scale(made, x), list(map(made.scale, [x, 2])), made.double, made[1]


@typing.runtime_checkable
class HasArea(typing.Protocol):
    def area(self): ...


@typing.runtime_checkable
class HasShape(typing.Protocol):
    shape: tuple


@program(X)
def protocols_of_known_values(x):
    values = x, x.sum(), "text", None, 3
    return x * 2, [(isinstance(v, HasArea), isinstance(v, HasShape)) for v in values]


@program(X, {"a": 1})
def disjoint_views(x, table):
    keys, items = table.keys(), table.items()
    found = keys.isdisjoint("bc"), keys.isdisjoint(["a"]), items.isdisjoint([("a", 2), ("a", 1)])
    return x * 2, found, hasattr(table.values(), "isdisjoint")


class Rank(enum.IntEnum):
    LOW = 1
    HIGH = 2


class Word(str, enum.Enum):
    YES = "yes"


@program(X)
def members_that_are_ints_as_keys(x):
    table = {Rank.LOW: x, 2: "two", "yes": 3}
    table[Rank.HIGH] = "high"
    found = [table[key] for key in (1, 2, Rank.HIGH, Word.YES, True)]
    return found, table, 1 in {Rank.LOW}, {Rank.LOW, 1, Word.YES, "yes"}, [Rank.LOW].index(1)


@program(X, breaks="CPython says more of what a __set_name__ raises")
def set_name_raises(x):
    class Refuses:
        def __set_name__(self, owner, name): raise ValueError(name)

    try:
        class Owner: field = Refuses()
    except Exception as error:
        return x * 2, type(error).__name__, str(error), getattr(error, "__notes__", None)
