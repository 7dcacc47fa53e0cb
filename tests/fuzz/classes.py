"""Random classes, and programs that use them.

A program has a few classes, whose members draw their names from few, so that slots, descriptors,
class attributes and those of the object meet. `python -m tests.fuzz.classes SEED` prints one.
"""
from __future__ import annotations

import linecache
import pathlib
import random
import sys
import warnings
from typing import Any

import numpy as np

PRELUDE = (pathlib.Path(__file__).parent / "class_prelude.py").read_text()
PRELUDE_CODE = compile(PRELUDE, "<classes>", "exec", dont_inherit=True)

BINARY = ("add", "sub", "mul", "matmul", "truediv", "floordiv", "mod", "pow", "and", "or", "xor", "lshift", "rshift", "divmod")
SIGNS = dict(zip(BINARY, ("+", "-", "*", "@", "/", "//", "%", "**", "&", "|", "^", "<<", ">>")))
COMPARE = {"eq": "==", "ne": "!=", "lt": "<", "le": "<=", "gt": ">", "ge": ">="}

ROWS: dict[str, tuple[str, ...]] = {
    "a": ("a", "b", "c", "d"),
    "m": ("m", "k"),
    "v": ("1", "2", "-1", "0", "2.5", "'t'", "None", "(1, 2)", "[3]", "x", "x * 2", "True", "len"),
    "i": ("0", "1", "2", "3"),
    # what a method gives
    "r": ("{v}", "{v}", "self.a", "self.{a}", "NotImplemented", "self", "(self.{a}, 1)", "X + {i}", "len(self.a)", "type(self).__name__",
          "self.__class__", "self.{a} * 2"),
    "plain": ("1", "'t'", "2.5", "None", "(1, 2)", "[3]", "True", "X", "len", "Own", "Caller(4)", "lambda *v: len(v)", "{{}}"),
    "binary": BINARY,
    "compare": tuple(COMPARE),
    "get": ("get", "Get", "Data", "Fixed", "Drop", "Whole", "Data", "Get")[1:],
    # members of a class
    "member": (
        "{a} = {plain}", "{a} = {plain}", "{a} = {get}({plain})", "{a} = {get}({plain})", "{a} = Sink()",
        "{a} = property(lambda self: {r})", "{a} = classmethod(lambda cls, *v: (cls.__name__, len(v)))",
        "{a} = staticmethod(lambda *v: len(v))", "{a} = property(None, lambda self, v: note('set', v))",
        "@property\ndef {a}(self):\n    note('{C}.{a}')\n    return {r}",
        "@property\ndef b(self): return {r}\n@b.setter\ndef b(self, v):\n    note('b', v)\n    self.__dict__['b'] = v\n@b.deleter\ndef b(self): note('no b')",
        "@functools.cached_property\ndef {a}(self):\n    note('{C}.{a}')\n    return {r}",
        "@classmethod\ndef {m}(cls, *v):\n    note('{C}.{m}', cls.__name__)\n    return len(v)",
        "@staticmethod\ndef {m}(*v):\n    note('{C}.{m}')\n    return len(v)",
        "def {m}(self, *v):\n    note('{C}.{m}')\n    return {r}", "def {m}(self, *v):\n    note('{C}.{m}')\n    return {r}",
        "def {m}(self, *v):\n    note('{C}.{m}')\n    return super().{m}(*v)", "def {m}(self, *v):\n    self.{a} = {v}\n    return super().{a}",
        "def {m}(self, *v):\n    self.{a} = X + 1\n    return self.{a}", "def area(self): return {r}", "{m} = str.upper", "{m} = {a} = 3",
        "def {m}(self, v=1):\n    del self.{a}\n    return v", "def {m}(self):\n    super().__setattr__('{a}', 4)\n    return self.__dict__",
        "def __init__(self, *v):\n    note('{C}.init', len(v))\n    self.{a} = X * 2\n    self.{a} = v",
        "def __init__(self, v=1):\n    super().__init__()\n    self.{a} = v",
        "def __init__(self, v=1, **k):\n    self.__dict__.update(a=v, **k)",
        "def __new__(cls, *v):\n    note('{C}.new', cls.__name__)\n    made = super().__new__(cls, *v)\n    return made",
        "def __new__(cls, *v):\n    made = super().__new__(cls)\n    made.{a} = v\n    return made",
        "def __getattr__(self, name):\n    note('{C}.getattr', name)\n    if name in ('{a}', 'e'): return name, X\n    raise AttributeError(name)",
        "def __getattr__(self, name):\n    if name.startswith('__'): raise AttributeError\n    return {i}",
        "def __getattribute__(self, name):\n    note('{C}.attribute', name)\n    return super().__getattribute__(name)",
        "def __getattribute__(self, name):\n    if name == '{a}': raise AttributeError('never')\n    return object.__getattribute__(self, name)",
        "def __setattr__(self, name, value):\n    note('{C}.setattr', name)\n    super().__setattr__(name, value)",
        "def __setattr__(self, name, value):\n    if name == '{a}': raise AttributeError('fixed')\n    object.__setattr__(self, name, value)",
        "def __setattr__(self, name, value): self.__dict__[name] = value, 1",
        "def __delattr__(self, name):\n    note('{C}.delattr', name)\n    super().__delattr__(name)",
        "def __delattr__(self, name): self.__dict__.pop(name)",
        "def __init_subclass__(cls, **k):\n    note('{C}.subclass', cls.__name__)\n    super().__init_subclass__(**k)\n    cls.{a} = {i}",
        "def __class_getitem__(cls, key):\n    note('{C}.item')\n    return cls.__name__, key",
        "def __{binary}__(self, v):\n    note('{C}.{binary}')\n    return {r}", "def __r{binary}__(self, v):\n    note('{C}.r')\n    return {r}",
        "def __add__(self, v):\n    note('{C}.add')\n    return {r}", "def __radd__(self, v):\n    note('{C}.radd')\n    return NotImplemented",
        "def __add__(self, v):\n    note('{C}.add')\n    return super().__add__(v)", "def __mul__(self, v): return self.{a} * v",
        "def __iadd__(self, v):\n    note('{C}.iadd')\n    return {r}", "__add__ = None", "__radd__ = lambda self, v: (v, 1)",
        "def __{compare}__(self, v):\n    note('{C}.{compare}')\n    return {r}", "def __eq__(self, v): return NotImplemented",
        "def __eq__(self, v):\n    note('{C}.eq')\n    return type(v) is type(self)", "def __lt__(self, v):\n    note('{C}.lt')\n    return super().__lt__(v)",
        "def __hash__(self):\n    note('{C}.hash')\n    return {i}", "__hash__ = None", "def __hash__(self): return super().__hash__()",
        "def __bool__(self):\n    note('{C}.bool')\n    return {i} > 1", "def __bool__(self): return {r}", "__bool__ = None",
        "def __len__(self):\n    note('{C}.len')\n    return {i}", "def __len__(self): return {r}", "def __len__(self): return super().__len__() + 1",
        "def __iter__(self):\n    note('{C}.iter')\n    return iter([{i}, {v}])", "def __iter__(self):\n    yield {i}\n    yield self.{a}",
        "def __iter__(self): return {r}", "def __iter__(self): return super().__iter__()", "__iter__ = None",
        "def __next__(self):\n    note('{C}.next')\n    raise StopIteration({i})", "def __reversed__(self): return {r}",
        "def __contains__(self, v):\n    note('{C}.contains')\n    return {r}", "__contains__ = None",
        "def __call__(self, *v, **k):\n    note('{C}.call', len(v), sorted(k))\n    return {r}", "__call__ = Caller({i})", "__call__ = None",
        "def __index__(self):\n    note('{C}.index')\n    return {i}", "def __index__(self): return {r}", "def __int__(self): return {r}",
        "def __float__(self): return {r}", "def __complex__(self): return 1j", "def __abs__(self): return {r}", "def __neg__(self): return {r}",
        "def __round__(self, n=None):\n    note('{C}.round', n)\n    return {r}", "def __invert__(self): return {r}",
        "def __str__(self):\n    note('{C}.str')\n    return 'text'", "def __str__(self): return {r}", "def __repr__(self):\n    note('{C}.repr')\n    return '{C}!'",
        "def __format__(self, spec): return spec + '!'", "def __getitem__(self, key):\n    note('{C}.getitem')\n    if type(key) is int and key > 2: raise IndexError(key)\n    return {r}",
        "def __getitem__(self, key):\n    if not key < 3: raise IndexError(key)\n    return key", "def __getitem__(self, key): return super().__getitem__(key)",
        "def __setitem__(self, key, v):\n    note('{C}.setitem')\n    self.{a} = v", "def __delitem__(self, key): note('{C}.delitem')",
        "def __missing__(self, key): return key, {i}", "def __enter__(self):\n    note('{C}.enter')\n    return {r}",
        "def __enter__(self): return self\ndef __exit__(self, kind, error, trace):\n    note('{C}.exit', kind and kind.__name__)\n    return {i} > 1",
        "@property\ndef __class__(self): return Own", "@property\ndef __dict__(self): return {{'a': 1}}", "__array_ufunc__ = None",
        "__array_priority__ = 20", "def __array__(self, dtype=None, copy=None): return X", "__match_args__ = ('{a}', 'b')",
        "def __length_hint__(self): return {i}", "def __copy__(self): return {r}", "a: int = {i}", "__doc__ = 'about'",
        "def __instancecheck__(cls, v): return True", "def __sizeof__(self): return 8", "def __pow__(self, v, by=None): return v, by",
    ),
    "slots": ("", "", "", "", "", "__slots__ = ()", "__slots__ = ('a',)", "__slots__ = ('a', 'b', '_c')", "__slots__ = ('b', '__dict__')", "__slots__ = 'c'"),
    "builtin": ("int", "float", "str", "tuple", "list", "dict", "set", "complex", "Exception", "ValueError", "Lost"),
    "base": ("", "", "", "Own", "Bare", "Slim", "Shape", "{builtin}", "{builtin}", "Own, {builtin}", "abc.ABC", "typing.Generic[typing.TypeVar('T')]",
             "collections.OrderedDict", "frozenset", "bytes", "collections.deque", "collections.UserList"),
    # members of a metaclass
    "meta": (
        "def __call__(cls, *v, **k):\n    note('meta call', cls.__name__)\n    return super().__call__(*v, **k)", "def __call__(cls, *v): return cls.__name__, v",
        "def __getattr__(cls, name):\n    note('meta getattr', name)\n    if name == '{a}': return 7\n    raise AttributeError(name)",
        "@property\ndef {a}(cls): return cls.__name__, {i}", "{a} = {get}({i})", "{a} = {plain}", "def {m}(cls, *v):\n    note('meta', len(v))\n    return {i}",
        "def __len__(cls): return {i}", "def __iter__(cls): return iter([{i}])", "def __contains__(cls, v): return {i} > 1", "def __bool__(cls): return {i} > 1",
        "def __getitem__(cls, key):\n    note('meta item')\n    if type(key) is int and key > 2: raise IndexError(key)\n    return key", "def __instancecheck__(cls, v):\n    note('check')\n    return {i} > 1",
        "def __subclasscheck__(cls, v):\n    note('subcheck')\n    return {i} > 1", "def __setattr__(cls, name, v):\n    note('meta set', name)\n    super().__setattr__(name, v)",
        "def __add__(cls, v): return {i}", "def __eq__(cls, v): return {i} > 1\n__hash__ = type.__hash__", "def __repr__(cls): return 'kind'",
        "def __new__(meta, name, bases, space, **k):\n    space['{a}'] = {i}\n    return super().__new__(meta, name, bases, space)", "def mro(cls): return super().mro()",
        "def __getattribute__(cls, name):\n    if name == '{a}': return 'of meta'\n    return super().__getattribute__(name)",
    ),
    "made": ("{K}()", "{K}()", "{K}({i})", "{K}([1, 2])", "{K}(x)", "{K}('12')", "{K}({i}, {v})", "{K}(a={i})", "{K}({{1: 2}})"),
    "K": ("B", "C", "C", "D", "D", "E", "F"),
    "G": ("B", "C", "C", "D", "D", "E"),
    "N": ("Own", "B", "C", "D"),
    "o": ("o", "o", "o", "p", "q", "r"),
    # what a program does
    "do": (
        "{o}.{a}", "{o}.{a}", "{o}.{a} = {v}", "{o}.{a} = {v}", "{o}.{a} = x + {i}", "del {o}.{a}", "{o}.{a} += 1", "{o}.{a} += x", "getattr({o}, '{a}', 'none')", "hasattr({o}, '{a}')",
        "setattr({o}, '{a}', {v})", "delattr({o}, '{a}')", "{o}.{m}()", "{o}.{m}({v})", "{o}.{m}", "{o}.__dict__", "vars({o})", "{o}.__dict__['{a}'] = {v}", "{o}.__dict__.pop('{a}', 0)",
        "{o}.__dict__.update(a={v})", "list({o}.__dict__)", "o.__dict__ = {{'{a}': {v}}}", "{o}.__class__", "type({o})", "o.__class__ = {N}", "isinstance({o}, {K})", "isinstance({o}, (int, {K}))",
        "issubclass({K}, {K})", "isinstance({o}, Shape)", "isinstance({o}, Mark)", "issubclass({K}, Mark)", "isinstance({o}, collections.abc.{abc})", "issubclass({K}, collections.abc.{abc})",
        "{K}.{a}", "{K}.{m}", "{K}[{v}]", "q = {made}", "q = {made}", "{made}.{a}", "{K}.{m}({o})", "{o} + {v}", "{v} + {o}", "{o} {sign} {v}", "{v} {sign} {o}", "{o} {sign} {o}",
        "q = {o}\nq += {v}", "{o} == {v}", "{o} == {o}", "{o} {order} {v}", "{o} {order} {o}", "-{o}", "~{o}", "abs({o})", "bool({o})", "not {o}", "1 if {o} else 2", "{o} and 3", "len({o})",
        "list({o})", "tuple({o})", "{v} in {o}", "{o}()", "{o}({v})", "{o}({v}, k=1)", "[5, 6, 7][{o}]", "operator.index({o})", "hash({o}) == hash({o})", "{{{o}: 1}}[{o}]", "{{{o}, {o}}}",
        "{o}[{i}]", "{o}['a']", "{o}[{i}] = {v}", "del {o}[{i}]", "str({o})", "repr({o})", "f'{{{o}}}'", "f'{{{o}!r:>9}}'", "format({o}, 'z')", "int({o})", "float({o})", "complex({o})", "round({o})",
        "round({o}, 1)", "divmod({o}, {i})", "pow({o}, 2, 3)", "with {o} as w:\n    out.append(w)", "with {o}: raise Lost(1)", "for w in {o}:\n    out.append(w)\n    if len(out) > 20: break",
        "x + {o}.{a}", "x * {o}", "{o} * x", "np.add(x, {o}.{a})", "x[{o}]", "copy.copy({o})", "super({K}, {o}).{m}()", "super({K}, {o}).{a}", "object.__getattribute__({o}, '{a}')",
        "object.__setattr__({o}, '{a}', {v})", "object.__delattr__({o}, '{a}')", "type.__call__({K})", "callable({o})", "next(iter({o}))", "next({o})", "sorted([{o}, {o}])", "max({o}, {o})",
        "sum([{o}], {o})", "{o} is {o}", "{K}.__name__", "[k.__name__ for k in {K}.__mro__]", "{K}.__doc__", "{o}.__doc__", "{K}.{a} = {v}", "[*{o}]", "{{**{o}}}", "a, b = {o}", "range({o})",
        "match {o}:\n    case {K}(a=1): out.append('one')\n    case {K}(): out.append('kind')\n    case [v, *_]: out.append(v)", "raise {o}", "try:\n    raise {o}\nexcept {K} as error:\n    out.append(error.{a})",
        "{o}.__len__()", "{o}.__eq__({v})", "{o}.__add__({v})", "{o}.__hash__", "{o}.__init__()", "{o}.__str__()", "{o}.__bool__()", "{K}.__eq__({o}, {o})", "{K}.__new__({K})", "{K}.__call__()",
        "len({K})", "list({K})", "{v} in {K}", "bool({K})", "{K} == {K}", "{K} + 1", "str({K})", "{K} in (1, {K})", "{o} in [1, {o}]", "{o} != {v}", "[{o}].index({o})", "zip({o}, x) is None",
        "dict({o})", "set({o})", "''.join({o})", "max({o})", "sum({o})", "enumerate({o}) is None", "any({o})", "all({o})", "iter({o}) is None", "reversed({o}) is None", "list(map({o}, [1]))",
        "sorted({o})", "functools.partial({o}, 1)()", "operator.attrgetter('{a}')({o})", "operator.methodcaller('{m}')({o})", "isinstance({o}.{m}, int)", "np.asarray({o}.{a})", "{o}.area()",
        "{o}.append({v})", "{o}.update({v})", "{o}.get('a')", "{o}.args", "{o}.real", "{o}.upper()", "{o}.keys()", "{o}.pop()", "{o}.copy()", "{o}.sort()", "{o}.index({v})", "{o}.add({v})",
        "dataclasses.replace({o}, a={i})", "dataclasses.asdict({o})", "dataclasses.astuple({o})", "{o}._replace(a={v})", "{o}._asdict()", "{K}.ONE", "{K}(1)", "{K}.ONE.value", "{K}['ONE']", "{o}.name", "{o}.value",
        "{K}.ONE < {K}.TWO", "{K}.ONE | {K}.TWO", "[k.name for k in {K}]", "{K}.ONE.{m}()", "{o}.__slots__", "{K}.__dict__['{a}']", "vars({K}).get('{a}')", "{o}.__reduce_ex__(2)[0]", "{o}.__annotations__",
    ),
    "abc": ("Sized", "Iterable", "Callable", "Hashable", "Container", "Sequence", "Mapping", "Iterator"),
    "sign": tuple(SIGNS.values()), "order": tuple(COMPARE.values()),
    "header": ("", "", "", "", "", ", metaclass=Meta", ", extra={i}"),
    "decorator": ("",) * 12 + ("@functools.total_ordering\n", "@Mark.register\n", "@dataclasses.dataclass(order=True)\n"),
    "options": ("", "frozen=True", "slots=True", "order=True", "eq=False", "frozen=True, slots=True", "unsafe_hash=True", "repr=False", "kw_only=True", "slots=True, order=True"),
    "field": ("a: int = {i}", "b: object = None", "c: list = dataclasses.field(default_factory=list)", "d: object = dataclasses.field(default=2, compare=False)", "b: typing.ClassVar = 3",
              "a: object = dataclasses.field(default={i}, init=False)", "c: dataclasses.InitVar = 1", "def __post_init__(self, *v): self.d = X + 1", "d: object = dataclasses.field(default=3, repr=False, kw_only=True)"),
    "enum": ("enum.Enum", "enum.IntEnum", "enum.Flag", "enum.IntFlag", "enum.StrEnum", "str, enum.Enum", "int, enum.Enum", "Own, enum.Enum"),
    "enumerator": ("def m(self, *v): return self.value, len(v)", "@property\ndef a(self): return self.name", "def __str__(self): return 'e'", "@classmethod\ndef k(cls, *v): return len(cls)",
                   "@classmethod\ndef _missing_(cls, v): return cls.ONE", "def __call__(self): return 5", "THREE = 1", "def __lt__(self, v): return True", "def __bool__(self): return False"),
    "tuple": ("typing.NamedTuple", "collections.namedtuple('P', 'a b')", "collections.namedtuple('P', 'a b', defaults=(5,))"),
}  # fmt: skip
"""What may stand in a hole, by its name."""
HOLES = {f"{{{hole}}}": hole for hole in (*ROWS, "C")}


def unbraced(text: str) -> str:
    """Without the doubled braces of the rows."""
    return text.replace("{{", "{").replace("}}", "}")


class Writer:
    """Writes one program."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.named = ""

    def fill(self, text: str) -> str:
        """`text` with every hole filled; a hole for an operator's name is the same throughout."""
        for hole in ("binary", "compare"):
            text = text.replace(f"{{{hole}}}", self.random.choice(ROWS[hole]))
        made = []
        while text:
            at, hole = min(((text.find(h), h) for h in HOLES if h in text), default=(len(text), ""))
            made.append(text[:at])
            text = text[at + len(hole) :]
            if hole:
                name = HOLES[hole]
                made.append(self.named if name == "C" else self.fill(self.random.choice(ROWS[name])))
        return "".join(made)

    def several(self, hole: str, most: int) -> list[str]:
        return [self.fill(f"{{{hole}}}") for _ in range(self.random.randint(1, most))]

    def class_of(self, header: str, members: list[str]) -> str:
        body = unbraced("\n".join(member for member in members if member) or "pass")
        return f"{header}:\n    " + body.replace("\n", "\n    ") + "\n"

    def ordinary(self, name: str, bases: str) -> str:
        header = self.fill("{decorator}") + f"class {name}({bases}{self.fill('{header}')})"
        return self.class_of(header.replace("(, ", "("), [self.fill("{slots}"), *self.several("member", 7)])

    def data(self, name: str, bases: str) -> str:
        header = f"@dataclasses.dataclass({self.fill('{options}')})\nclass {name}({bases})"
        return self.class_of(header, [*self.several("field", 4), *self.several("member", 3)])

    def enumeration(self, name: str, bases: str) -> str:
        values = "ONE, TWO = 'x', 'y'" if "tr" in (base := self.fill("{enum}")) else "ONE, TWO = 1, 2"
        return self.class_of(f"class {name}({base})", [values, *self.several("enumerator", 3)])

    def record(self, name: str, bases: str) -> str:
        fields = ["a: object = 1", "b: object = 2"] if "typing" in (base := self.fill("{tuple}")) else []
        return self.class_of(f"class {name}({base})", [*fields, *self.several("member", 3)])

    def kind(self, name: str, bases: str) -> str:
        """A class; most are ordinary."""
        self.named = name
        kinds = [self.ordinary] * 7 + [self.data, self.record]
        last = [self.enumeration] * (3 if name == "F" else 0)
        return self.random.choice(kinds + last)(name, bases)


def tries(text: str, scope: dict[str, Any]) -> bool:
    """Whether the text runs, as a part of what a program begins with."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            exec(compile(text, "<class>", "exec", dont_inherit=True), scope)
    except Exception:
        return False
    return True


def classes(writer: Writer, scope: dict[str, Any]) -> str:
    """A metaclass and five classes, of which some are derived from others."""
    texts = [writer.class_of("class Meta(type)", writer.several("meta", 3))]
    tries(texts[0], scope) or texts.append("class Meta(type): pass\n") or tries(texts[-1], scope)
    bases = {
        "B": lambda: writer.fill("{base}"), "C": lambda: writer.random.choice(("B", "B", writer.fill("{base}"))),
        "D": lambda: writer.random.choice(("C", "B", "C, Own", "Own, C", writer.fill("{base}"))),
        "E": lambda: writer.random.choice(("C, B", "B", "D", writer.fill("{base}"))), "F": lambda: writer.fill("{base}"),
    }  # fmt: skip
    for name, choose in bases.items():
        text = next((text for _ in range(12) if tries(text := writer.kind(name, choose()), scope)), None)
        texts.append(text or f"class {name}: pass\n")
        text or tries(texts[-1], scope)
    return "\n".join(texts)


PROGRAM = """
def program(x, o, p, r):
    q, out = o, []
    {}
    return out
"""
GIVEN = "def given(): return [{}]\n"


def step(number: int, text: str) -> str:
    """A statement as a function, which says what it gave or raised."""
    try:
        compile(text, "", "eval")
        text = f"out.append({text})"
    except SyntaxError:
        pass
    return (
        f"def step{number}(x, o, p, r, q, out):\n    try:\n        " + text.replace("\n", "\n        ")
        + "\n    except Exception as error:\n        out.append((type(error).__name__, str(error)))\n    return q\n"
    )


def source(seed: int) -> str:
    """The text of a program, past what all begin with."""
    writer, scope = Writer(seed), {"__name__": "__main__"}
    exec(PRELUDE_CODE, scope)
    scope["X"] = np.arange(3.0)
    text = "X = np.arange(3.0)\n\n" + classes(writer, scope)
    given = ", ".join(f"made({writer.fill('{G}, {i}')})" for _ in "opr")
    steps: list[str] = []
    wanted = writer.random.randint(5, 12)
    while len(steps) < wanted:
        text_of_step = step(len(steps), unbraced(writer.fill("{do}")))
        if tries(text_of_step, {}):
            steps.append(text_of_step)
    used = "\n    ".join(f"q = step{number}(x, o, p, r, q, out)" for number in range(wanted))
    return "\n".join((text, GIVEN.format(given), *steps, PROGRAM.format(used)))


def namespace(text: str, name: str) -> dict[str, Any]:
    """The globals of a program."""
    name = f"<classes {name}>"
    text = f"{PRELUDE}\n\n{text}"
    linecache.cache[name] = (len(text), None, text.splitlines(True), name)
    made: dict[str, Any] = {"__name__": "__main__"}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        exec(compile(text, name, "exec", dont_inherit=True), made)
    return made


if __name__ == "__main__":
    print(source(int(sys.argv[1])))
