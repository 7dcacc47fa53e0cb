"""Random sequences of mutations of aliased objects, made from a seed as the source of a function.

The objects exist before the call or are made inside it: lists, dicts, sets, deques, objects with a
dict or slots, default and ordered dicts, iterators, cells, globals. `python -m tests.fuzz.mutations SEED` prints one.
"""
from __future__ import annotations

import collections
import contextlib
import random
import sys
from types import FunctionType
from typing import Any

import numpy as np

PRELUDE = '''
import collections
import numpy as np

class Node:
    kind = "node"
    def __init__(self, value=None, *rest): self.value = value; self.rest = list(rest)
    def put(self, name, value): setattr(self, name, value); return self
    @property
    def first(self): return self.rest[0]
    @first.setter
    def first(self, v): self.rest[:1] = [v]
class Slotted:
    __slots__ = ("value", "other")
class Watched:
    def __init__(self): self.__dict__["log"] = []
    def __setattr__(self, name, value): self.log.append(name); object.__setattr__(self, name, value)
class Stack(list):
    def append(self, item): self.pushed = getattr(self, "pushed", 0) + 1; super().append(item)
class Table(dict):
    name = "t"
    def __missing__(self, key): self[key] = key; return key
    def __setattr__(self, name, value): self[name] = value
    def __getattr__(self, name):
        if name in self: return self[name]
        raise AttributeError(name)
class Group(set):
    note = None
TOTAL = [0]
COUNT = 0
def bump(k):
    global COUNT
    COUNT += k
    TOTAL.append(COUNT)
    return COUNT
def make_counter(box):
    n = 0
    def step(k):
        nonlocal n
        n += k
        box.append(n)
        return n
    return step
'''
VALUES = ("1", "2", "'a'", "'b'", "None", "x", "x + 1", "(1, 2)", "3.5", "[]", "{}", "True", "y")
KEYS = ("'a'", "'b'", "'c'", "0", "1", "2", "(1, 'a')")
NAMES = ("value", "rest", "extra", "other")
CONTAINERS = {
    "list": ("[]", "[1, 2]", "[x, x]", "[{v}, {v}]", "list({l})", "{l}[:]", "{l} + [{v}]", "{l} * 2",
             "[v for v in {l}]", "list({d})", "list({d}.values())", "sorted({d}, key=lambda v: type(v).__name__)", "[{v}] * 3",
             "{o}.rest", "list({q})", "Stack({l})", "Stack()", "Stack({l})", "[[] for _ in range(2)]", "[[]] * 2"),
    "dict": ("{{}}", "{{'a': {v}}}", "dict({d})", "{d}.copy()", "{{**{d}, 'z': {v}}}", "dict(a={v})",
             "dict.fromkeys('ab', {v})", "vars({o})", "collections.defaultdict(list)",
             "collections.OrderedDict(a={v}, b={v})", "dict(zip('ab', {l}))",
             "{{k: v for k, v in {d}.items()}}", "dict(enumerate({l}))", "Table({d})", "Table(a={v})", "collections.Counter('aab')"),
    "set": ("set()", "{{1, 2}}", "set('ab')", "{s} | {{3}}", "{s}.copy()", "{s} - {{1}}", "set({s})", "Group({s})", "Group()"),
    "deque": ("collections.deque()", "collections.deque([1, {v}])", "collections.deque({l}, maxlen=3)",
              "collections.deque({q})"),
    "object": ("Node()", "Node({v})", "Node({v}, {v}, {v})", "Node({o}).put('extra', {v})", "Watched()",
               "Node({l}, {d})", "Slotted()"),
}  # fmt: skip
POOLS = {"l": "list", "d": "dict", "s": "set", "q": "deque", "o": "object"}
STATEMENTS = (
    "{l}.append({v})", "{l}.append({v})", "{l}.append({o})", "{l}.append({l})", "{l}.extend({l})",
    "{l}.insert({i}, {v})", "{l}.pop()", "{l}.pop(0)", "{l}.reverse()", "{l}.clear()",
    "{l}[0] = {v}", "{l}[-1] = {d}", "{l}[{i}:] = [{v}]", "{l}[:0] = {l}", "del {l}[0]",
    "del {l}[{i}:]", "{l} += [{v}]", "{l} *= 2", "{l}.remove(1)", "{l}[::2] = {l}[::2]",
    "{l}.sort(key=lambda v: type(v).__name__)", "{l}[0], {l}[-1] = {l}[-1], {l}[0]",
    "{d}[{k}] = {v}", "{d}[{k}] = {l}", "{d}[{k}] = {o}", "{d}.pop({k}, None)", "del {d}[{k}]",
    "{d}.setdefault({k}, []).append({v})" , "{d}.setdefault({k}, {v})", "{d}.update({d})",
    "{d}.update(a={v}, n={v})", "{d}.popitem()", "{d}.clear()", "{d} |= {{'q': {v}}}",
    "{d}.get({k})", "log.append({d}.get({k}))", "{d}.pop({k})",
    "{s}.add({i})", "{s}.discard({i})", "{s} |= {{7, 8}}", "{s}.update('xy')", "{s}.remove(1)",
    "{s} &= {s}", "{s}.clear()", "{s} -= {{2}}",
    "{q}.append({v})", "{q}.appendleft({v})", "{q}.pop()", "{q}.popleft()", "{q}.rotate(1)",
    "{q}[0] = {v}", "{q}.insert(1, {v})", "del {q}[0]", "{q}.remove(1)", "log.append({q}[1])",
    "{q} += [{v}]", "log.append({q} == {q})", "log.append({q} == {l})", "{q}.reverse()",
    "{q}.extend({l})", "{q}.clear()", "{q}.extendleft([{v}, {v}])",
    "{o}.{n} = {v}", "{o}.{n} = {l}", "{o}.{n} = {o}", "{o}.rest.append({v})", "del {o}.{n}",
    "{o}.first = {v}", "setattr({o}, '{n}', {v})", "{o}.put('{n}', {d})", "{o}.value = {o}.value",
    "log.append(getattr({o}, '{n}', None))", "delattr({o}, '{n}')", "vars({o})['{n}'] = {v}",
    "log.append({l} is {l})", "log.append({o} is {o})", "log.append({d} is {d})",
    "log.append({o}.{n} is {l})", "log.append({l} == {l})", "log.append(len({l}))",
    "log.append({v} in {d})", "log.append(list({d}))", "log.append({l}[:2])",
    "{x} = {x} + {i}", "{x}[0] = {i}", "{x} += {i}", "y = {x} * 2", "{x}[1:] = 0.0",
    "{l}.mark = {v}", "log.append(getattr({l}, 'mark', 0))", "{d}.mark = {v}", "{s}.note = {v}",
    "log.append({d}[{k}])", "list.append({l}, {v})", "dict.__setitem__({d}, {k}, {v})",
    "log.append(bump({i}))", "TOTAL.append({v})", "counter({i})", "log.append(counter({i}))",
    "log.append(next(it, None))", "local_it = iter({l})", "log.append(next(local_it, 'end'))",
    "{l}.extend(list(local_it))", "log.append({x})", "pair = ({l}, {o})", "log.append(pair)",
    "{l}.append(pair)", "hold = lambda: {l}.append({v})", "hold()", "log.append(hold)",
)  # fmt: skip
BLOCKS = (
    "for v in {l}[:3]:\n    {line}", "for k in list({d}):\n    {line}", "for _ in range(2):\n    {line}",
    "if {l}:\n    {line}", "if {d}.get({k}) is None:\n    {line}\nelse:\n    {line2}",
    "try:\n    {line}\n    {line2}\nexcept (IndexError, KeyError, AttributeError, ValueError, TypeError) as e:\n"
    "    log.append(str(e))",
    "try:\n    {line}\nfinally:\n    {line2}", "for n, v in enumerate({l}):\n    if n > 5: break\n    {line}",
    "for k in {d}:\n    {line}", "count = 0\nwhile len({l}) < 3 and count < 4:\n    count += 1\n    {l}.append({v})\n    {line}",
)  # fmt: skip
PARAMETERS = ("x", "y", "l0", "l1", "d0", "d1", "s0", "q0", "o0", "o1", "it", "counter", "hold")


class Writer:
    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.names = {"list": ["l0", "l1", "log", "TOTAL"], "dict": ["d0", "d1"], "set": ["s0"],
                      "deque": ["q0"], "object": ["o0", "o1"]}  # fmt: skip
        self.fresh = 0

    def fill(self, text: str) -> str:
        """`text` with every hole filled, each on its own."""
        parts = []
        while text:
            before, brace, rest = text.partition("{")
            parts.append(before.replace("}}", "}"))
            if not brace:
                break
            if rest.startswith("{"):
                parts.append("{")
                text = rest[1:]
                continue
            hole, _, text = rest.partition("}")
            parts.append(self.hole(hole))
        return "".join(parts)

    def hole(self, hole: str) -> str:
        pick = self.random.choice
        if hole in POOLS:
            return pick(self.names[POOLS[hole]])
        if hole == "v":
            if self.random.random() < 0.35:
                return pick(self.names[pick(list(self.names))])
            return pick(VALUES)
        if hole in ("line", "line2"):
            return self.statement().replace("\n", "\n    ")
        return {"k": pick(KEYS), "n": pick(NAMES), "i": str(self.random.randint(0, 3)), "x": pick("xy")}[hole]

    def statement(self) -> str:
        r = self.random.random()
        if r < 0.22:
            kind = self.random.choice(list(CONTAINERS))
            text = self.fill(self.random.choice(CONTAINERS[kind]))
            self.fresh += 1
            name = f"{kind[0]}{self.fresh + 10}"
            self.pending.append((kind, name))
            return f"{name} = {text}"
        return self.fill(self.random.choice(STATEMENTS))

    def line(self) -> str:
        self.pending: list[tuple[str, str]] = []
        block = self.random.random() < 0.15
        text = self.fill(self.random.choice(BLOCKS)) if block else self.statement()
        if not block:
            for kind, name in self.pending:
                self.names[kind].append(name)
        return text

    def source(self) -> str:
        lines = ["global TOTAL", "log = []", "local_it = iter([])", "pair = ()"]
        lines += [self.line() for _ in range(self.random.randint(3, 14))]
        results = [name for names in self.names.values() for name in names if name[1:].isdigit()]
        kept = self.random.sample(results, min(len(results), self.random.randint(0, 5)))
        ending = f"return log, x * 2, {', '.join([*kept, 'local_it'])}"
        body = "\n".join([*lines, ending]).replace("\n", "\n    ")
        return f"{PRELUDE}\ndef program({', '.join(PARAMETERS)}):\n    {body}\n"


def program(seed: int) -> dict[str, Any]:
    """A fresh namespace with the function `program`."""
    source = Writer(seed).source()
    namespace: dict[str, Any] = {"SOURCE": source, "__name__": f"mutations_{seed}"}
    exec(compile(source, f"<mutations {seed}>", "exec"), namespace)
    return namespace


def arguments(namespace: dict[str, Any], seed: int) -> tuple[Any, ...]:
    """Objects that share parts."""
    rng = random.Random(seed * 7 + 1)
    x, y = np.array([1.0, -2.0, 3.0]), np.array([5.0, 6.0, 7.0])
    inner: list[Any] = [1, x]
    l0: list[Any] = [1, 2, inner]
    l1 = rng.choice([l0, inner, [inner, 3], [], namespace["Stack"](inner)])
    d0: dict[Any, Any] = {"a": l0, "b": 2}
    d1 = rng.choice([d0, {"c": d0}, {}, collections.defaultdict(list, a=inner), collections.OrderedDict(b=1, a=2),
                     namespace["Table"](c=d0)])
    s0 = rng.choice([{1, 2}, namespace["Group"]({1, 2})])
    q0 = collections.deque([1, inner, 3], rng.choice([None, 3]))
    o0 = namespace["Node"](inner, d0, l1)
    o1 = rng.choice([o0, namespace["Node"](o0), namespace["Slotted"](), namespace["Watched"]()])
    if rng.random() < 0.3:
        inner.append(o0)
    it = iter(rng.choice([[1, 2, 3], l0, d0]))
    counter = namespace["make_counter"](rng.choice([l0, inner]))
    return x, rng.choice([y, y, x]), l0, l1, d0, d1, s0, q0, o0, o1, it, counter, l0.clear


class Matching:
    """Whether two object graphs are the same: values, and which parts are one object."""

    def __init__(self) -> None:
        self.pairs: dict[int, Any] = {}
        self.back: dict[int, Any] = {}
        self.kept: list[Any] = []

    def differs(self, a: Any, b: Any, where: str) -> str | None:
        if type(a) is not type(b) and type(a).__qualname__ != type(b).__qualname__:
            return f"{where}: {a!r:.80} is not {b!r:.80}"
        if isinstance(a, (int, float, str, bytes, type(None), type, np.generic)):
            same = a == b or a != a
            return None if same or isinstance(a, type) else f"{where}: {a!r:.80} is not {b!r:.80}"
        if not (isinstance(a, tuple) or type(a).__name__ == "builtin_function_or_method"):
            if (known := self.pairs.get(id(a))) is not None or id(b) in self.back:
                if known is b:
                    return None
                return f"{where}: {type(a).__name__} aliased differently"
            self.pairs[id(a)], self.back[id(b)] = b, a
            self.kept += [a, b]
        return self.parts(a, b, where)

    def parts(self, a: Any, b: Any, where: str) -> str | None:
        if isinstance(a, np.ndarray):
            same = a.dtype == b.dtype and a.shape == b.shape and np.array_equal(a, b, equal_nan=True)
            return None if same else f"{where}: {a!r} is not {b!r}"
        mine, theirs = list(children(a)), list(children(b))
        if len(mine) != len(theirs):
            return f"{where}: {len(mine)} parts, not {len(theirs)} ({a!r:.80} is not {b!r:.80})"
        for (name, left), (other, right) in zip(mine, theirs):
            if name != other and not isinstance(name, tuple):
                return f"{where}: {name!r} is not {other!r}"
            if (wrong := self.differs(left, right, f"{where}{name}")) is not None:
                return wrong
        return None


def children(value: Any) -> Any:
    """Named parts, in the order in which a program sees them."""
    if isinstance(value, (list, tuple, collections.deque)):
        yield from ((f"[{i}]", item) for i, item in enumerate(value))
    elif isinstance(value, dict):
        yield from (part for k, v in value.items() for part in ((f"key {k!r:.20}", k), (f"[{k!r:.20}]", v)))
    elif isinstance(value, (set, frozenset)):
        yield from ((repr(v), v) for v in sorted(value, key=repr))
    elif isinstance(value, BaseException):
        yield ".args", value.args
    elif isinstance(value, FunctionType):
        yield from ((f"cell {i}", cell.cell_contents) for i, cell in enumerate(value.__closure__ or ()))
        yield "defaults", value.__defaults__
    elif type(value).__name__ == "builtin_function_or_method":
        yield from (("name", value.__name__), ("self", value.__self__))
    elif hasattr(value, "__next__"):
        with contextlib.suppress(RuntimeError):  # what it iterates over has changed
            yield "rest", value.__reduce__()[1:]
    if not isinstance(value, (BaseException, FunctionType)):
        yield from ((f".{k}", v) for k, v in vars(value).items()) if hasattr(value, "__dict__") else ()
        for name in getattr(type(value), "__slots__", ()):
            if hasattr(value, name):
                yield f".{name}", getattr(value, name)
    if isinstance(value, collections.defaultdict):
        yield "factory", value.default_factory
    if isinstance(value, collections.deque):
        yield "maxlen", value.maxlen


def difference(namespaces: tuple[dict[str, Any], dict[str, Any]], compiled: Any, seed: int) -> str | None:
    """What a compiled call did otherwise than a plain one, or None."""
    states = []
    for namespace, function in zip(namespaces, (namespaces[0]["program"], compiled)):
        args = arguments(namespace, seed)
        try:
            result = function(*args)
        except Exception as error:
            result = error
        states.append((result, args, namespace["TOTAL"], namespace["COUNT"]))
    return Matching().differs(states[1], states[0], "")


if __name__ == "__main__":
    print(Writer(int(sys.argv[1])).source()[len(PRELUDE) :])
