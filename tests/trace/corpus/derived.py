"""Classes derived from Python's own containers and values."""
# ruff: noqa
import collections
import copy

import numpy as np

from .programs import V, X, program


class History(list):
    """Keeps what was computed."""
    limit = 3
    def __init__(self, *items, name="h"):
        super().__init__(items)
        self.name = name
    def append(self, item):
        if len(self) >= self.limit: del self[0]
        super().append(item)
    @property
    def last(self): return self[-1]


@program(X)
def list_with_attributes(x):
    h = History(x, name="run")
    for k in range(4): h.append(h.last * 0.5 + k)
    return h.last, len(h), h.name, h


@program(X, History(1, 2))
def outside_list(x, h):
    h.append(x * 2)
    h.note = len(h)
    return [v for v in h if isinstance(v, int)], h[0], h.note, bool(h), h[1:], 2 in h, h.index(2)


@program(X)
def list_arithmetic(x):
    a, b = History(1, 2), History(3)
    return a + b, [0] + a, a * 2, a == [1, 2], [1, 2] == a, a < b, type(a + b) is list, sorted(a, reverse=True), x


@program(X)
def list_methods(x):
    a = History(3, 1, 2)
    a.sort(); a.extend([7]); a.insert(0, 9); a.reverse()
    a += [x]
    return a, a.pop(), a.count(1), list(a), tuple(a), a[::-1], max(a), sum(a), repr(a), type(a).__name__


class Config(dict):
    def __getattr__(self, name):
        try:
            return self[name]
        except KeyError:
            raise AttributeError(name) from None
    def __setattr__(self, name, value): self[name] = value
    def __delattr__(self, name): del self[name]


@program(X, Config(rate=0.5, steps=2))
def config_argument(x, c):
    for _ in range(c.steps): x = x * c.rate
    c.done = True
    c.log = [c.rate]
    c.log.append(1)
    return x, hasattr(c, "missing"), c.get("nothing", 4), sorted(c), {**c}, dict(c)


@program(X)
def config_made(x):
    c = Config(a=x, b=2)
    c.c = c.a * c.b
    del c.b
    return c, c.c + c["a"], "b" in c, len(c), [k for k in c], list(c.items())[0][0]


def scaled(x, a=1, c=2): return x * a + c


@program(X)
def derived_as_keywords(x): return scaled(x, **Config(a=3, c=4)), dict(Config(a=1), b=2), {**Config(z=1), "y": 2}


class Tracking(dict):
    def __init__(self, *a, **k):
        self.writes = []
        super().__init__(*a, **k)
    def __setitem__(self, k, v):
        self.writes.append(k)
        super().__setitem__(k, v)
    def __getitem__(self, k): return super().__getitem__(k) if k in self else 0
    def __contains__(self, k): return dict.__contains__(self, str(k))


@program(X)
def overridden_items(x):
    t = Tracking(a=1)
    t["b"] = x
    t.update(c=3)
    t.setdefault("d", 4)
    return t["b"] * 2, t["nope"], t.writes, t.get("c"), "a" in t, 5 in t, t | {"e": 1}


class Lazy(dict):
    def __missing__(self, key):
        self[key] = value = len(key)
        return value


@program(X, Lazy(a=2.0))
def missing_keys(x, table): return x * table["a"] + table["four"], table.get("none"), "none" in table, table


class Grouped(collections.defaultdict):
    def total(self): return {k: sum(v) for k, v in self.items()}


@program(X)
def derived_defaultdict(x):
    g = Grouped(list)
    for i in range(4): g[i % 2].append(x * i)
    return g.total(), g.default_factory is list, dict(g)


class Recent(collections.OrderedDict):
    def __setitem__(self, k, v):
        super().__setitem__(k, v)
        self.move_to_end(k)
        while len(self) > 2: self.popitem(last=False)


@program(X)
def least_recently_used(x):
    r = Recent()
    for k in "abcab": r[k] = x * len(r)
    return list(r), r["b"], repr(Recent(a=1)), repr(collections.OrderedDict(b=2))


class Tags(set):
    def add(self, item):
        super().add(item.lower())
        return self


@program(X, Tags({"q"}))
def derived_set(x, given):
    t = Tags().add("A").add("b")
    given.add("Z")
    return sorted(t), t | {"c"}, t & {"a"}, t == {"a", "b"}, t <= {"a", "b", "c"}, len(t), "a" in t, sorted(given), x


class Vector(tuple):
    def __new__(cls, *parts): return super().__new__(cls, parts)
    def __getnewargs__(self): return tuple(self)
    def __add__(self, o): return Vector(*(a + b for a, b in zip(self, o)))
    def dot(self, o): return sum(a * b for a, b in zip(self, o))
    @property
    def first(self): return self[0]


@program(X)
def derived_tuple(x):
    v = Vector(x, 2.0) + Vector(1, 1)
    return v.first, v[1], v.dot((1, 1)), len(v), v, Vector(1, 2) == (1, 2), hash(Vector(1, 2)) == hash((1, 2)), {Vector(1): 5}[(1,)]


@program(X, Vector(1, 2))
def derived_tuple_argument(x, v): return x * v.first + v[1], [a for a in v], Vector(3) + v, v[:1]


class Metres(float):
    unit = "m"
    def __add__(self, o): return Metres(float(self) + o)
    def __repr__(self): return f"{float(self)}{self.unit}"


@program(X, Metres(2.5))
def derived_float(x, given):
    m = Metres(1.5) + 2
    return m, repr(m), m * 2, m > 3, float(given) * x, f"{m:.2f}", m == 3.5, round(m, 1), isinstance(m, float), -m


class Name(str):
    def shout(self): return self.upper() + "!"
    @property
    def initial(self): return self[0]


@program(X, Name("given"))
def derived_str(x, given): return Name("abc").shout(), Name("abc").initial, Name("a") + "b", "a" + Name("b"), len(Name("abc")), given.shout(), Name("k") == "k", {"k": x}[Name("k")], str(Name("s")), f"{given}"


class Port(int):
    def next(self): return Port(self + 1)


@program(X)
def derived_int(x): return Port(3).next(), x * int(Port(2)), Port(5) % 3, Port(4) < 5, bool(Port(0)), type(Port(1).next()) is Port, [1, 2, 3][Port(1)], divmod(Port(7), 2)


@program(X)
def counter_in_numpy(x):
    c = collections.Counter(x.shape)
    c.update([3, 3])
    c.subtract({4: 1})
    return c[3], c[4], c[99], c.most_common(1), +c, c.total(), repr(collections.Counter("aab")), sorted(c.elements()), x * c[3]


@program(X)
def counters_combined(x):
    a, b = collections.Counter("aab"), collections.Counter("abc")
    return a & b, a | b, a - b, a + b, a == collections.Counter({"a": 2, "b": 1}), a <= b, dict(a), x


@program(X, collections.Counter("ab"))
def counter_argument(x, c):
    c["a"] += 2
    c.update("bz")
    del c["b"]
    return c["a"] * x, c


@program(X)
def derived_aliases(x):
    h = History(x)
    box = {"h": h, "again": [h]}
    h.append(2)
    h.me = h
    return box, h is box["again"][0], h


@program(X)
def derived_copies(x):
    h = History(1, [2])
    return copy.copy(h), h.copy(), list(h), History(*h), x


class Node:
    def __init__(self, value, parent=None):
        self.value, self.parent, self.children = value, parent, []
        if parent is not None: parent.children.append(self)


@program(X)
def tree_with_parents(x):
    root = Node(x)
    leaf = Node(x * 2, root)
    Node(leaf.value + 1, root)
    return root, leaf.parent is root, sum(c.value for c in root.children)


class Matrix(collections.UserList):
    def total(self): return sum(self.data)


@program(X)
def user_list(x):
    m = Matrix([1, 2])
    m.append(x)
    return m.total(), len(m), m[0], m[1:], m + [3]


class Upper(collections.UserDict):
    def __setitem__(self, k, v): super().__setitem__(k.upper(), v)


@program(X)
def user_dict_derived(x):
    u = Upper(a=1)
    u["b"] = x
    return u["A"], u["B"] * 2, "a" in u, dict(u), len(u)


class Sized(list):
    def __len__(self): return 7
    def __iter__(self): return iter([1, 2])


@program(X)
def overridden_iteration(x):
    s = Sized([5])
    return len(s), list(s), [v for v in s], s[0], bool(s), sum(s), s + [1], [*s], tuple(s), sorted(s), x


class Pairs(dict):
    def keys(self): return ["a"]
    def __iter__(self): return iter(["b"])


@program(X)
def overridden_mapping_iteration(x):
    p = Pairs(a=1, b=2)
    return list(p), len(p), {**p}, dict(p), p == {"a": 1, "b": 2}, x
