"""Python's own functions and statements on values that few programs give them."""
import abc
import collections
import contextlib
import copy
import dataclasses
import enum
import functools
import itertools
import math
import operator
import re
import warnings
from collections import Counter, OrderedDict, UserList, deque
from types import CellType, MappingProxyType

import numpy as np
import pytest

import dynamo_lite as dl


class Whole(int):
    pass


class Real(float):
    pass


class Text(str):
    pass


class Items(list):
    pass


class Pair(tuple):
    pass


class Joining:
    def __radd__(self, other): return "joined"
    def __rmul__(self, other): return "repeated"
    def __index__(self): return 2


class Aside:
    __array_ufunc__ = None


class Loader:
    """Says how many items it has, in its own way, to whoever makes a list of them."""

    def __init__(self, error=None):
        self.log, self.error = [], error

    def __iter__(self):
        self.log.append("iter")
        return iter([1, 2])

    def __len__(self):
        self.log.append("len")
        if self.error is not None:
            raise self.error
        return 2


class Hinting:
    def __init__(self, hint):
        self.left, self.hint = 2, hint

    def __iter__(self):
        return self

    def __next__(self):
        if not self.left:
            raise StopIteration
        self.left -= 1
        return self.left

    def __length_hint__(self):
        return self.hint


class Like:
    """Equal to everything; it remembers that it was asked."""

    def __init__(self):
        self.log = []

    def __eq__(self, other):
        self.log.append(other)
        return True

    __hash__ = None


class Abstract(abc.ABC):
    @abc.abstractmethod
    def method(self): ...


class Making:
    def __new__(cls, *args):
        return object.__new__(cls, *args)


class Refusing:
    def __bool__(self): raise KeyError("no")


class Refusal:
    def __eq__(self, other): return Refusing()

    __hash__ = None


class Matched:
    __match_args__ = ("left", 5)
    left = 1


class Colour(enum.Flag):
    RED = 1
    BLUE = 2


class Mode(enum.IntFlag):
    READ = 1
    WRITE = 2


class Level(enum.StrEnum):
    LOW = "low"


@dataclasses.dataclass
class Point:
    x: object = 0


def given(*args):
    return args


ROWS = """
"ab".maketrans(a) | {"k": 1}; "ab"; Counter("a"); 3
"ab".maketrans("a", a) | "b"; 3
(5).from_bytes(a, "big") | b"ab"; "ab"
a.fromhex("0x1p3") | 2.5
"-".join(a) | np.array(3.0); 5; Loader(); Loader(KeyError(1)); ["a", 1]
str.join(a, ["x"]) | 3; "ab"
str.format(a, 1) | 3; "{}"
"{0[0]}".format(a) | np.str_("ab"); deque([1]); Text("k")
"{k}".format_map(a) | np.str_("ab"); deque([1])
"%x" % a | Real(2.5); Text("k"); Whole(3)
"%*d" % (a, 5) | Whole(2); 3; "k"
f"{a!r:.5}"; [a]; str((a, 1))[:5] | CellType(1)
Mode.READ | a; a | Mode.READ | Whole(2); 2; Mode.WRITE
Level.LOW + a; a + Level.LOW; Level.LOW * a | Text("k"); "k"; Whole(2); Joining()
getattr(Level, a, 5) | Level.LOW; "LOW"
functools.total_ordering(a); dataclasses.dataclass(a) | 3; []; int
operator.attrgetter(a); operator.methodcaller(a) | 3; b"a"; [1]
operator.call(a, 1); operator.call(a) | Abstract; Making; object
list(itertools.starmap(pow, [(2, 3), a])) | 3; [2, 2]; "ab"
list(itertools.tee([1], a)) | -1; "a"
next(itertools.count(a)) | 2; "a"; Joining()
re.sub("a", "b", "banana", count=a) | 1; 2; raised
re.sub("a", lambda m: "z", "banana", count=a) | 1; -1; 2.5; 10**30; Joining()
re.sub("a", lambda m: a, "xbanana") | "z"; 3; None; Text("k")
a * 1; a + (); () + a; a[:] | Pair((1, 2)); (1, 2)
[1] + a; [1] * a; (1,) + a; "x" * a; deque([1]) * a | Joining(); UserList([2])
given(*a); [*a]; (*a, 1); list(a); sorted(a) | 5; np.add; Loader(); Loader(KeyError(1)); Loader(TypeError())
tuple(a); given(*a); itertools.product(a) and 1 | Hinting(5); Hinting(-1); Hinting("k"); Hinting(None)
copy.deepcopy(a) is a | list[int]; int | str; slice(1); (math,); (1, 2); np.finfo(float)
copy.deepcopy([a]); copy.copy(a) | Pair((1, 2)); Pair(); Text("k"); Items([1])
copy.copy(a).eps | np.finfo(float)
type(a)(1, 2) | {1}; frozenset(); Pair(); Items(); re.compile("a")
type(a)() | re.compile("a"); {1}
{1, 2}.isdisjoint(a), next(a, 5); {1, 2}.issuperset(a); {1}.issubset(a) | iter([1, 2, 3]); iter([5, 1])
sum(a, "x"); sum(a, [1]), 1; bytes(a) | iter(["a", "b"]); enumerate("ab"); iter([3, 300])
(a, 1) in {"k": 1}.items(); a in {"k": 1}.items(); ("k", a) in {"k": 1}.items() | "k"; []; ("k", 1); 1; np.ones(1)
{"k": 1}.keys() <= a; a == {"k": 1}.keys() | 3; {"k"}; ["k"]; Like()
MappingProxyType({"k": 1}) | a; a | MappingProxyType({"k": 1}) | MappingProxyType({"j": 2}); OrderedDict(z=1); 3
MappingProxyType({"k": 1}) == a; a != MappingProxyType({}); {"k": 1} == a | MappingProxyType({"k": 1}); {"k": 1}; 3
memoryview(b"ab") == a; a == memoryview(b"ab") | bytearray(b"ab"); b"ab"; memoryview(b"a"); 3
float(x[0]) == a; a != float(x[0]); float(x[0]) < a; a in x.tolist(); x.tolist().count(a) | frozenset(); len; int; 1; None
math.pow(float(x[0]), a); math.hypot(float(x[1]), a) | 2; 2.5; "12"; "k"; None; np.float32(1); 2j
math.cos(a); math.atan2(a, 2.0); math.atan2(x[1], a) | np.float64(0.7); np.float32(3); np.int8(2); np.float64("inf"); 0.5
np.iterable(a); iter(a); first, second = a; max(*a) | np.float64(3); np.int8(1); np.bool(True); np.datetime64(1, "s"); np.str_("ab"); 2.5
complex(x[0]) == a; a != complex(x[0]); complex(x[0]) in [a]; complex(x[0]) == 1, a | True; 1; 1.0; 1 + 0j; 2; "k"; None
a * float(x[0]); a + int(x[0]) | Joining(); Aside(); 3; "k"
np.r_[a, 1]; np.array(a, ndmin=1, dtype=float); np.array(a, copy=None, ndmin=2) | 3; -3; 2.5; 1.5; np.int8(1); 2j; "k"
np.array([a, 1], ndmin=2) | 3; -3; 2.5; np.float32(1)
deque([1, 2]).rotate(a); [1].insert(a, 5); [1, 2][a] | 10**30; Whole(1); Joining()
raised(a) | Abstract; Making; ValueError; KeyError(1); 3
hash(Hashing(a)); len(Sized(a)); bool(Sized(a)) | -1; 10**30; True; 5; -3; "k"
float(Floating(a)); [1, 2, 3][Floating(a)] | Real(2.5); 2.5; np.float64(1.5); True; 1; Whole(1); "k"
ExceptionGroup("g", a) | "ab"; 5; [3]; (); {1: 2}
OSError(2, "x", a).filename; OSError(2, "x", a) | "f"; None
""".strip().splitlines()

STATEMENTS = """
d = deque([1]); d += a; r = d | UserList([2]); Joining(); [2]; 5
d = [1]; d += a; r = d | UserList([2]); Joining(); [2]; Loader(); Items([3])
d = Items([1]); d += a; r = d | UserList([2]); Joining(); [2]
o = OrderedDict(a=1, k=2); o.move_to_end("a", last=a); r = list(o) | NotImplemented; 0; []; 1
r = [1, 2].index(a) | 1.5; Like(); 2.0; 3
e = ValueError(); e.add_note(a); r = e.__notes__ | "n"; np.ones(1); deque()
""".strip().splitlines()

BLOCKS = {
    "match a:\n            case np.float64(v): r = v": "np.float64(1.5); 1.5",
    "match a:\n            case int(v) | str(v) | dict(v): r = v": "Whole(2); Level.LOW; OrderedDict()",
    "match a:\n            case Matched(1, left=v): r = v": "Matched(); 5",
    "match a:\n            case Matched(p, q): r = p": "Matched()",
    "match a:\n            case {math.pi: p, 'k': q, math.pi: z}: r = p": "{math.pi: 1, 'k': 2, 5: 1}; {}",
    "match 3:\n            case a(): r = 1": "5; int",
    "for i in a:\n            if i: break\n        else: r = 1":
        "bytearray(b'ab'); np.ones((2, 2)); [0, Refusing()]; [0]; []",
    "r = [v for v in [1, 2] if v == a]": "[1]; np.arange(3.0); 2; Refusal()",
    "l = x.tolist()\n        r = [v for v in l if v == a]": "[1]; np.arange(3.0); 2; Refusal()",
    "class Meta(type):\n            @classmethod\n"
    "            def __prepare__(meta, name, bases): return {'z': a}\n"
    "        class Made(metaclass=Meta):\n            y = z\n        r = Made.y": "3; 'k'",
    "class Base:\n            def __init_subclass__(cls, q): cls.q = q\n"
    "        class Made(Base, q=a): pass\n        r = Made.q": "3; re.match('a', 'a'); np.ones(1)",
    "class Made(enum.Enum):\n            ITEM = a\n        r = Made.ITEM.value":
        "[1]; {}; (1, [2]); 3",
    "class Asking(abc.ABC):\n            @classmethod\n"
    "            def __subclasshook__(cls, kind): return a\n"
    "        r = isinstance(1, Asking)": "True; NotImplemented; 5",
    "class Slotted:\n            __slots__ = ()\n            @functools.cached_property\n"
    "            def kept(self): return a\n        Slotted().kept": "1",
    "class Made(type(a)): pass\n        r = Made": "Level.LOW; Colour.RED",
    "def steps():\n            got = yield 1\n            yield got\n"
    "        it = steps()\n        r = next(it), it.send(a)": "NotImplemented; None; 3",
}  # fmt: skip


def raised(value):
    raise value


def answering(method):
    """A class whose special method gives what its objects were made with."""

    class Answering:
        def __init__(self, answer):
            self.answer = answer

    setattr(Answering, method, lambda self: self.answer)
    return Answering


Hashing, Sized = answering("__hash__"), answering("__len__")
Floating = answering("__float__")
Floating.__index__ = lambda self: self.answer


def cases():
    for row in ROWS:
        codes, _, values = row.rpartition(" | ")
        for code in codes.split("; "):
            yield f"r = {code}", values
    for row in STATEMENTS:
        code, _, values = row.rpartition(" | ")
        yield code, values
    yield from BLOCKS.items()


def defined(code):
    source = (
        f"def answer(x, a):\n    r = None\n    try:\n        {code}\n"
        "    except Exception as error:\n        r = type(error), str(error)\n"
        "    return x * 2, r\n"
    )
    names = dict(globals())
    exec(source, names)
    return names["answer"]


def outcome(function, value):
    """What comes of a call: its result, what is left of the value, and what was warned of."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        _, result = function(np.ones(3), value)
    is_same = result is value
    with contextlib.suppress(TypeError):
        result = collections.abc.Iterator.__instancecheck__(result) and list(result) or result
    shown = re.sub(" at 0x[0-9a-f]+", "", repr(result))
    left = [each for each in value] if hasattr(value, "__next__") else getattr(value, "log", None)
    return type(result), shown, is_same, left, [str(each.message) for each in caught]


@pytest.mark.parametrize(("code", "values"), list(cases()), ids=lambda part: part[:60])
def test_odd_values(code, values):
    function = defined(code)
    compiled = dl.compile(function, backend="eager")
    with dl.config.patch(recompile_limit=30):
        for value in values.split("; "):
            expected = outcome(function, eval(value))
            assert outcome(compiled, eval(value)) == expected, value


def test_cells_of_outside_functions_are_objects():
    def made(value):
        return lambda: value

    def shown(x, cell):
        return x * 2, [cell], str(cell), cell.cell_contents

    cell = made([1]).__closure__[0]
    _, listed, text, held = dl.compile(shown, backend="eager")(np.ones(2), cell)
    assert listed == [cell]
    assert text == str(cell)
    assert held is cell.cell_contents


def test_os_errors_keep_the_name_of_their_file():
    def failing(x):
        return x * 2, OSError(2, "gone", "here")

    error = dl.compile(failing, backend="eager")(np.ones(2))[1]
    assert type(error) is FileNotFoundError
    assert (error.errno, error.filename, str(error)) == (2, "here", str(failing(1)[1]))


class Kept(enum.Enum):
    """An enumeration whose members hold what may change."""

    ITEMS = [1]
    TABLE = {"k": np.ones(2)}
    NUMBER = 1.5

    def __init__(self, value):
        self.more = [value]


def test_what_members_of_enumerations_hold_is_what_they_hold():
    def changed(x, item):
        Kept.ITEMS.value.append(item)
        Kept.ITEMS.more.append(item)
        Kept.TABLE.value["k"] += item
        return x * Kept.NUMBER.value, Kept.ITEMS.value, Kept.ITEMS.more, Kept.TABLE.value["k"]

    compiled = dl.compile(changed, backend="eager")
    for item in (5, 6):
        _, items, more, array = compiled(np.ones(2), item)
    assert items is Kept.ITEMS.value
    assert items == [1, 5, 6]
    assert more is Kept.ITEMS.more
    assert more == [items, 5, 6]
    assert array is Kept.TABLE.value["k"]
    assert array.tolist() == [12, 12]
