"""Patterns, text, assignments of every kind, deletion, operators, slices and containers."""
# ruff: noqa
import dataclasses
import enum

import numpy as np

from .programs import V, X, program


class Point:
    __match_args__ = ("a", "b")
    def __init__(self, a, b): self.a, self.b = a, b
    def __repr__(self): return f"Point({self.a!r}, {self.b!r})"
    def __str__(self): return f"<{self.a}|{self.b}>"
    def __format__(self, spec): return f"{self.a:{spec}}/{self.b:{spec}}" if spec else "plain"


class Point3(Point):
    __match_args__ = ("a", "b", "c")
    def __init__(self, a, b, c): super().__init__(a, b); self.c = c


@dataclasses.dataclass
class Move:
    dx: int
    dy: int = 0


class Color(enum.Enum):
    RED = 1
    BLUE = 2


def describe(value):
    match value:
        case None: return "none"
        case True | False: return "bool"
        case int(n) if n > 100: return "big"
        case 0 | 1 | 2: return "small"
        case int() | float() as number: return f"number {number}"
        case "": return "empty"
        case str(text): return text.upper()
        case []: return "no items"
        case [only]: return f"one {only}"
        case [first, *_, last] if first == last: return "same ends"
        case [Point(a=0), *rest]: return len(rest)
        case (_, _): return "pair"
        case [_, *middle, _]: return middle
        case {"kind": "a" | "b" as kind, "n": int(n)}: return kind, n
        case {"kind": kind, **rest}: return kind, rest
        case {}: return "mapping"
        case Point3(a, b, c=5): return a, b
        case Point(a, b): return a + b
        case Move(dx=0, dy=0) | Move(0): return "still"
        case Move(dx, dy): return dx, dy
        case Color.RED: return "red"
        case Color() as color: return color.name
        case _: return "else"


@program(X)
def pattern_scalars(x): return x, [describe(v) for v in (None, True, 5, 500, 1, 2.5, "", "ab", 1j)]


@program(X)
def pattern_sequences(x): return x, [describe(v) for v in ([], [7], [1, 2, 1], [Point(0, 1), 2, 3], (1, 2), [1, 2, 3, 4], range(3), "ab")]


@program(X)
def pattern_mappings(x): return x, [describe(v) for v in ({}, {"kind": "a", "n": 3}, {"kind": "c", "z": 1}, {"q": 2})]


@program(X)
def pattern_classes(x): return x, [describe(v) for v in (Point(1, 2), Point3(1, 2, 5), Point3(1, 2, 6), Move(0, 0), Move(0, 4), Move(2), Color.RED, Color.BLUE, object)]


@program(X)
def pattern_binds_array(x):
    match {"data": x, "op": ("scale", 3)}:
        case {"data": data, "op": ("scale", k)}: return data * k


@program(X)
def pattern_guard_effects(x):
    log = []
    def check(v): log.append(v); return v > 2
    match [1, 3]:
        case [a, b] if check(a): result = "a"
        case [a, b] if check(b): result = "b"
        case _: result = "none"
    return x, result, log, a, b


@program(X)
def pattern_no_match(x):
    result = "unset"
    match x.ndim:
        case 5: result = "five"
    return x, result


@program(X)
def pattern_class_errors(x):
    texts = []
    for kind in ("many", "not"):
        try:
            match Point(1, 2):
                case Point(a, b, c) if kind == "many": pass
        except TypeError as error: texts.append(str(error))
    return x, texts


@program(X)
def pattern_on_shape(x):
    match x.shape:
        case (n,): return x + n
        case (n, m) if n < m: return x * m
        case (n, m): return x


@program(X)
def format_specs(x): return x, f"{3.14159:.2f}", f"{42:>8}|{42:<8}|{42:^8}", f"{1e6:,.1f}", f"{255:#x} {255:08b} {255:o}", f"{0.256:.1%}", f"{'ab':*^6}", f"{-3:+d} {3: d}", f"{12345.678:e} {1/3:g}", f"{True:d}"


@program(X)
def format_conversions(x): return x, f"{'é'!a} {'s'!r} {3!s:>4}", f"{[1, 'a']!r:>12}", f"{Point(1, 'b')!r} {Point(1, 2)!s} {Point(3, 4)} {Point(3, 4):03d}", f"{{literal}} {'nested'}"


@program(X)
def format_nested(x):
    width, precision, value = 10, 3, 2.718281828
    return x, f"{value:{width}.{precision}}", f"{value:{'>' + str(width)}}", f"{f'{width}':>{width}}", f"{width=} {value=:.1f} {width + 1 = }"


@program(X)
def format_of_arrays_shape(x): return x, f"shape {x.shape} ndim={x.ndim} dtype={x.dtype}", f"{x.shape[0]:>5}", "%d x %d" % x.shape, "{}".format(x.shape)


@program(X)
def percent_formatting(x): return x, "%s %r %d %5.2f %x %%" % ("a", "b", 3, 2.5, 255), "%(k)s-%(n)03d" % {"k": "v", "n": 7}, "%s" % (Point(1, 2),), "%-5s|%5s" % ("l", "r"), "%c%c" % (65, "b"), "%s" % [1, 2]


@program(X)
def str_format(x): return x, "{} {} {}".format(1, "a", 2.5), "{1} {0} {name}".format("a", "b", name="c"), "{0[1]} {p.a}".format([1, 2], p=Point(5, 6)), "{:>{w}}".format("r", w=5), "{!r:>6}".format("q"), "{p}|{p!s}|{p:d}".format(p=Point(1, 2))


@program(X)
def str_format_errors(x):
    texts = []
    for attempt in (lambda: "{}".format(), lambda: "{a}".format(), lambda: "{:d}".format("s"), lambda: "%d" % "s", lambda: "%s %s" % 1, lambda: "%s" % (1, 2), lambda: f"{[]:d}"):
        try: attempt()
        except (IndexError, KeyError, ValueError, TypeError) as error: texts.append((type(error).__name__, str(error)))
    return x, texts


@program(X)
def str_methods(x): return x, "a,b,c".split(","), " s ".strip(), "ab".replace("a", "z"), "abc".find("c"), "a-b".partition("-"), "ab".join(["1", "2"]), "Abc".swapcase(), "x".zfill(3), "a\nb".splitlines(), "abc".startswith(("a", "q")), "abc"[::-1], "ab" * 2, "b" in "abc", "%s" % "q", "abc".center(7, "."), "aXbX".count("X"), "tab\t".expandtabs(2), "ß".upper(), "a".encode(), "ab".translate({97: "q"}), "abc".removeprefix("a").removesuffix("c"), "k=v".split("=", maxsplit=1)


@program(X)
def bytes_methods(x): return x, b"abc"[1], b"abc"[1:], b"a,b".split(b","), b"ab".hex(), bytes([1, 2]), bytes(3), b"a" + b"b", b"abc".decode(), b"x" in b"xyz", list(b"ab"), bytes.fromhex("0aff"), b"%d" % 3, int.from_bytes(b"\x01\x02", "big"), (258).to_bytes(2, "big")


@program(X)
def int_methods(x): return x, (10).bit_length(), (7).bit_count(), int("ff", 16), int(3.9), (5).__add__(3), divmod(-7, 3), pow(2, 10, 1000), -7 // 2, -7 % 3, 2 ** -1, 7 & 3 | 8 ^ 1, ~5, 1 << 4 >> 2, round(2.5), round(1234.567, -2), (0.5).as_integer_ratio(), (1.5).is_integer(), float("inf"), complex(1, 2) * 1j, abs(-3), int(True), 3 .real, 10 ** 20


@program(X)
def augmented_targets(x):
    class Box: total = 0
    box, table, items, k = Box(), {"n": 1, "l": [1]}, [1, 2, 3], 0
    box.total += 5
    table["n"] *= 10
    table["l"] += (2, 3)
    items[k + 1] -= 7
    items[0:2] += [9]
    items[-1] **= 2
    items[0] <<= 3; items[0] |= 1; items[0] ^= 3; items[0] &= 254; items[0] >>= 1; items[0] %= 100; items[0] //= 2
    s = {1}
    s |= {2}; s -= {1}; s ^= {5}
    return x, box.total, Box.total, table, items, s


@program(X)
def augmented_evaluates_once(x):
    log = []
    def index(): log.append("i"); return 0
    def target(): log.append("t"); return items
    items = [1]
    target()[index()] += 5
    return x, items, log


@program(X)
def augmented_in_place_or_new(x):
    a = b = [1]
    a += [2]
    c = d = (1,)
    c += (2,)
    e = f = x * 1
    e += 1
    g = h = 1
    g += 1
    return a is b, b, d, e is f, f, h


@program(X)
def augmented_tuple_item(x):
    t = ([1],)
    try: t[0] += [2]
    except TypeError as error: return x, t, str(error)


@program(X)
def own_in_place_operators(x):
    class Acc:
        def __init__(self): self.log = []
        def __iadd__(self, other): self.log.append(other); return self
        def __matmul__(self, other): return ("matmul", other)
        def __ifloordiv__(self, other): return "replaced"
    a = b = Acc()
    a += 1
    a += 2
    a @= 3
    b //= 4
    return x, a, b


@program(X)
def deletions(x):
    items, table = [0, 1, 2, 3, 4, 5], {"a": 1, "b": 2}
    class Box: pass
    box = Box(); box.v = 1; box.w = 2
    a = b = 3
    del items[0], items[-1], items[::2], table["a"], box.v, a
    texts = []
    for attempt in (lambda: table["a"], lambda: box.v, lambda: items[9]):
        try: attempt()
        except (KeyError, AttributeError, IndexError) as error: texts.append(str(error))
    return x, items, table, dict(vars(box)), b, texts


@program(X)
def deletion_errors(x):
    texts, t, d = [], (1,), {}
    for attempt in ("tuple", "key", "index", "slice"):
        try:
            if attempt == "tuple": del t[0]
            elif attempt == "key": del d["q"]
            elif attempt == "index": del [1][5]
            else: del "abc"[0:1]
        except (TypeError, LookupError) as error: texts.append(str(error))
    return x, texts


@program(X)
def list_everything(x):
    l = [3, 1, 2]
    l.append(0); l.extend((5, 4)); l.insert(1, 9); l.remove(9); l.reverse(); l.sort(); l.sort(key=lambda v: -v)
    m = l.copy(); m.pop(); m.pop(0); n = l[1:4]; l[1:3] = ["a", "b", "c"]; l[::2] = [0] * len(l[::2])
    return x, l, m, n, l.index("a") if "a" in l else None, m.count(3), l + m, m * 2, [1, [2]] == [1, [2]], [1, 2] < [1, 3], len(l), m.clear(), m


@program(X)
def slice_assignment_errors(x):
    texts, l = [], [1, 2, 3, 4]
    for attempt in ("size", "type", "step"):
        try:
            if attempt == "size": l[::2] = [1]
            elif attempt == "type": l[0:1] = 5
            else: l[::0]
        except (ValueError, TypeError) as error: texts.append(str(error))
    return x, texts, l


@program(X)
def slices_as_values(x):
    s = slice(None, None, 2)
    t = slice(1, 3)
    return x[s], x[t, s], [1, 2, 3, 4][s], t.start, t.stop, t.step, s.indices(5), t == slice(1, 3), "abcd"[t], (1, 2, 3)[s]


@program(X)
def tuple_everything(x):
    t = (1, 2, 2, 3)
    return x, t + (4,), t * 2, t[1:], t.count(2), t.index(3), 2 in t, t < (1, 3), max(t), hash(t) == hash((1, 2, 2, 3)), t[-1], tuple("ab"), (), (1,), sorted(t, reverse=True), divmod(*t[2:])


@program(X)
def dict_everything(x):
    d = dict(a=1, b=2)
    d.setdefault("c", []).append(3); d.update({"d": 4}, e=5); d |= {"f": 6}
    popped = d.pop("a"), d.pop("zz", None), d.popitem()
    return x, d, popped, list(d), list(d.values()), list(d.items()), d.get("q", 0), "b" in d, {**d, "x": 1} | {"y": 2}, dict(zip("ab", (1, 2))), {k: v for k, v in d.items() if v != 4}, d == dict(d), len(d), dict.fromkeys("ab", 0), d.copy() is d, min(d, key=lambda k: k)


@program(X)
def dict_views(x):
    d = {"a": 1, "b": 2}
    keys, values, items = d.keys(), d.values(), d.items()
    d["c"] = 3
    return x, list(keys), list(values), list(items), len(keys), "c" in keys, ("a", 1) in items, keys & {"a", "z"}, keys | {"q"}, sorted(keys - {"a"}), 3 in values, list(reversed(keys)), keys == {"a", "b", "c"}


@program(X)
def set_everything(x):
    s = {3, 1}
    s.add(2); s.discard(9); s.remove(3); s.update([5, 6])
    f = frozenset({1, 5})
    return x, sorted(s), sorted(s & f), sorted(s | f), sorted(s - f), sorted(s ^ f), f <= s, s.isdisjoint({7}), s.issuperset(f), 5 in s, len(s), s == {1, 2, 5, 6}, sorted(s.union({8}, [9])), {f: 1}[frozenset([5, 1])]


@program(X)
def comparisons(x):
    calls = []
    def v(n): calls.append(n); return n
    return x, v(1) < v(2) < v(3), v(3) < v(2) < v(1), 1 == 1.0 != 2, "a" < "b" <= "b", 1 in [1] == True, not 1 == 2, None is None is not True, calls


@program(X)
def boolean_values(x): return x, 0 or "a", "" and 1, [] or {} or None, 1 and 2 and 3, not [], (1 and 0) or 5, None or x, x.ndim and "nd", bool("") is False


@program(X)
def conditional_expressions(x):
    sign = lambda n: "neg" if n < 0 else "zero" if n == 0 else "pos"
    return x, [sign(n) for n in (-1, 0, 1)], (x if True else 1 / 0), [1 if i % 2 else 0 for i in range(3)]


@program(X)
def walrus_everywhere(x):
    results = []
    while (n := len(results)) < 3: results.append(n)
    if (m := max(results)) > 1 and (k := m * 2): pass
    return x, results, m, k, [w for v in results if (w := v + 1) > 1], w, (z := 5) + z, f"{(q := 3)}{q}"


@program(X)
def chained_assignment(x):
    a = b, c = [1, 2]
    i = items = [0, 0, 0]
    i[0] = i = 5
    d = e = x * 2
    return a, b, c, i, items[0], d is e, d


@program(X)
def evaluation_order(x):
    log = []
    def v(n): log.append(n); return n
    d = {v("k1"): v("v1"), v("k2"): v("v2")}
    f = lambda *a, **k: None
    f(v(1), *[v(2)], v(3), k=v(4), **{"m": v(5)})
    l = [0, 0]
    l[v(0)], l[v(1)] = v("r0"), v("r1")
    v("a") if v("c") else v("b")
    v("left") + v("right")
    return x, log, d, l


@program(X)
def order_of_subscript_store(x):
    log = []
    class T(dict):
        pass
    def v(n): log.append(n); return n
    table = {}
    table[v("key")] = v("value")
    return x, log, table


@program(X)
def star_in_index(x): return x[*(0, 1)], x[*[slice(0, 2)], 0], {(1, 2): 3}[*(1, 2)]


@program(X, breaks="imports run in Python")
def conditional_import(x):
    try: import module_that_is_not_there
    except ImportError as error: return x, error.name


@program(X)
def ellipsis_and_none(x):
    def todo(): ...
    return x, todo(), ..., Ellipsis is ..., (None).__class__.__name__


@program(X)
def type_checks(x): return x, type(x) is np.ndarray, isinstance(x, (list, np.ndarray)), type(1) == int, isinstance(True, int), issubclass(bool, int), type([]).__name__, isinstance(x.shape, tuple), type(x.sum()).__name__, callable(len), isinstance(3, int | str)


@program(X)
def with_global_names(x): return x, len(X), V.shape, __name__, np.pi, program is not None


@program(X)
def complex_expression(x): return -x[0] ** 2 + 3 * (x[1] - x[2]) / 2 % 5 // 1 @ x[0] if x.ndim - 1 and not x.ndim > 2 else x


@program(X)
def many_returns(x):
    for i in range(5):
        if i == 3:
            try: return x * i
            finally: i = 100
    return None


@program(X)
def sorted_with_keys(x): return x, sorted(["bb", "a", "ccc"], key=len, reverse=True), sorted({"b": 1, "a": 2}), sorted([(1, "b"), (1, "a")]), sorted([3, 1], key=lambda v: -v), min([3, 1, 2], key=lambda v: abs(v - 2)), max("a", "bb", key=len), min([], default=7)


@program(X)
def any_all_short_circuit(x):
    log = []
    def v(n): log.append(n); return n
    return x, any(v(n) for n in (0, 1, 2)), all(v(n) for n in (1, 0, 2)), log, any([]), all([])


@program(X)
def getattr_setattr(x):
    class Box: pass
    box = Box()
    for name, value in {"a": 1, "b": x}.items(): setattr(box, name, value)
    delattr(box, "a")
    return getattr(box, "b"), getattr(box, "a", "gone"), hasattr(box, "b"), sorted(vars(box))
