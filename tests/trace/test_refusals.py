"""What Python says of values that cannot do what is asked of them, in its own words."""
import copy
import enum
import heapq
import itertools
import math
import re
import sys
from collections import Counter, OrderedDict, defaultdict, deque, namedtuple

import numpy as np
import pytest

import dynamo_lite as dl


class Plain:
    pass


class Index:
    def __index__(self):
        return 1


class BadLength:
    def __len__(self):
        return -1


class Liar:
    """Each special method gives what it must not."""

    def __len__(self): return "len"
    def __bool__(self): return 5
    def __hash__(self): return "hash"
    def __iter__(self): return 5
    def __index__(self): return "index"
    def __str__(self): return 7
    def __repr__(self): return 8
    def __format__(self, spec): return 9
    def __int__(self): return "int"
    def __float__(self): return "float"
    def __complex__(self): return "complex"
    def __lt__(self, other): return NotImplemented


class Whole(int):
    pass


class Text(str):
    pass


class Items(list):
    pass


class Names(dict):
    pass


class Members(set):
    pass


class Queue(deque):
    pass


class Shouting(str):
    def __str__(self):
        return "K!"


class Size(enum.IntEnum):
    SMALL = 2


class Indexed:
    def __getitem__(self, index):
        return [5, 6][index]


class Answering:
    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return name


Pair = namedtuple("Pair", "left right")


class Reflecting:
    def __radd__(self, other): return "added"
    def __rmul__(self, other): return "multiplied"
    def __ror__(self, other): return "united"
    def __eq__(self, other): return "compared"
    __hash__ = object.__hash__


class EntersOnly:
    def __enter__(self):
        return 1


def both(*args, **kwargs):
    return args, kwargs


def entered(value):
    with value as result:
        return result


VALUES = {
    "an int": 3, "a float": 2.5, "a text": "ab", "a list": [1, 2], "a tuple": (), "a dict": {"k": 1},
    "a set": {1, 2}, "an array": np.ones(2), "a 0-d array": np.array(3.0), "a scalar": np.float64(1.5),
    "an object": Plain(), "an index": Index(), "a bad length": BadLength(), "a liar": Liar(),
    "a derived int": Whole(2), "a derived text": Text("k"), "a derived list": Items([1]),
    "one that enters only": EntersOnly(), "an iterator": iter(()), "None": None,
    "a deque": deque([1]), "reflecting": Reflecting(), "an ordered dict": OrderedDict(k=1),
    "a default dict": defaultdict(int, {"k": 1}), "a frozen set": frozenset({1}), "bytes": b"ab",
    "a range": range(3), "a slice": slice(1, 2), "a complex": 2 + 1j, "a large int": 10**30,
    "keys": {"k": 1}.keys(), "values": {"k": 1}.values(), "a named tuple": Pair(1, 2), "a type": list,
    "an alias": list[int], "a module": math, "a dtype": np.dtype(float), "a pattern": re.compile("a"),
    "a derived dict": Names(k=1), "a derived set": Members({1}), "a derived deque": Queue([1, 2]),
    "a byte array": bytearray(b"ab"), "a counter": Counter("ab"), "odd text": Shouting("k"),
    "a NumPy text": np.str_("ab"), "an enum": Size.SMALL, "indexed": Indexed(), "answering": Answering(),
}  # fmt: skip
STATEMENTS = """
p, q = a; p, *q = a; (p, q), r = a; del a[0]; del a["k"]; del a.missing; a[0] = a; a["k"] = 1
for p, q in a: pass; raise a; raise KeyError(1) from a; a.missing += 1; class Made(metaclass=a): pass
x[0] = a; r = np.repeat(x, a); r = x.astype(a); r = np.ones(3).item(a); r = np.round(x, a)
r = None; r += a; r = [1, 2].index(a); r = [2, 1].sort(reverse=a); r = dict([(1, 2), a])
""".replace("\n", ";").split(";")  # fmt: skip
EXPRESSIONS = """
len(a); bool(a); not a; hash(a) == hash(a); iter(a); list(a); next(a); reversed(a) and 1; a(); a.missing
abs(a); round(a); round(a, 1); -a; ~a; int(a); int(a, 16); float(a); complex(a); pow(a, 2, 5); min(a); max()
max(1, 2, default=3); sum([a, a]); format(a, "5"); f"{a:d}"; [1, 2, 3][a]; [1, 2, 3][a:]; range(a); {1, 2}
a < 1; 1 < a; a < a; a >= None; 1 in a; a in {1, 2}; a in {1: 2}; {a: 1} and 1; a | 1; a @ a; a @ [1]; a + "a"
"a" + a; [1] + a; [1] * a; a[0]; [*a]; (*a, 1); {**a}; both(1, *a, k=2); both(**a); both(k=1, **a); entered(a)
getattr(a, 1); hasattr(a, 1); setattr(a, 1, 2); a.__call__; a.__iter__ and 1
[1].__add__(a); list.__add__([1], a); (1,).__mul__(a); tuple.__rmul__((1,), a); deque([1]).__add__(a)
[1].__imul__(a); {1}.__or__(a); {1: 2}.__or__(a); "a".__add__(a); b"a".__mul__(a); [1].__eq__(a); "a" % a
list.__eq__([1], a); tuple.__ne__((1,), a); [1] == a; Items([1]) + a; Items([1]) * a; Items([1]).__add__(a)
{1: 2}.keys() == a; {1} == a; {1} <= a; b"ab" == a; b"ab" + a; a == b"ab"; [1, 2].pop(a); copy.copy(a) is a
"%s" % a; "%r" % (a,); complex(a, 1); issubclass(a, int); heapq.heapify(a); deque([1], a); iter(a) is a
{1: 2} | a; {1} | a; deque([1]) + a; deque([1]) * a; Whole(1) + a; Text("k") + a; Text("k") * a
""".replace("\n", ";").split(";")  # fmt: skip


def answer_of(expression):
    """What the expression gives, or its exception, caught."""
    return defined(f"r = {expression.strip()}")


def defined(statement):
    source = (
        f"def answer(x, a):\n    r = None\n    try:\n        {statement}\n"
        "    except Exception as error:\n        r = type(error), str(error), error.args\n"
        "    return x * 2, r\n"
    )
    names = dict(globals())
    exec(source, names)
    return names["answer"]


@pytest.mark.parametrize("expression", [e for e in EXPRESSIONS if e.strip()], ids=str.strip)
def test_answers_are_pythons(expression):
    check(answer_of(expression))


@pytest.mark.parametrize("statement", [s for s in STATEMENTS if s.strip()], ids=str.strip)
def test_statements_end_as_in_python(statement):
    check(defined(statement.strip()))


def fresh(value):
    return copy.copy(value) if hasattr(value, "__setitem__") else value


def check(function):
    compiled = dl.compile(function, backend="eager")
    with dl.config.patch(recompile_limit=len(VALUES)):
        for name, value in VALUES.items():
            _, expected = function(np.ones(3), fresh(value))
            _, found = compiled(np.ones(3), fresh(value))
            assert type(found) is type(expected), (name, found, expected)
            if not hasattr(expected, "__next__") and not isinstance(expected, Plain):
                assert repr(found) == repr(expected), name


def test_what_c_compares_with_known_values_is_left_alone():
    """An iterator that cannot be compared is not looked into."""

    def smaller(x, a):
        try:
            return x * 2, a < 1
        except TypeError as error:
            return x * 2, str(error)

    items = iter([1, 2])
    assert dl.compile(smaller, backend="eager")(np.ones(2), items)[1] == smaller(1, items)[1]
    assert list(items) == [1, 2]


def test_properties_name_the_class_in_full():
    def written(x):
        class Local:
            half = property(lambda self: x / 2)

        try:
            Local().half = 1
        except AttributeError as error:
            return x, str(error)

    found = dl.compile(written, backend="eager")(np.ones(2))[1]
    assert found == written(1)[1]
    assert "<locals>" in found or sys.version_info < (3, 11)


class Raising:
    def __getattr__(self, name):
        raise AttributeError("not here")


class Naming:
    def __getattr__(self, name):
        raise AttributeError("not here", name="another", obj=5)


@pytest.mark.parametrize("value", [[], Plain(), Raising(), Naming(), np.ones(2), int, math, None])
def test_attribute_errors_know_the_name_and_the_object(value):
    def looked_up(x, a):
        try:
            a.missing
        except AttributeError as error:
            return x * 2, str(error), error.name, error.obj is a, type(error.obj)
        return x, None, None, None, None

    found = dl.compile(looked_up, backend="eager")(np.ones(2), value)
    assert found[1:] == looked_up(np.ones(2), value)[1:]


REFUSED_CALLS = """
    x.swapaxes(axis1=0)
    x.conj(out=None)
    x.transpose(axes=(0, 1))
    x[0, 0].conjugate(a=1)
    "abc".count(x=1)
    (lambda call: call(a=1))(x.transpose)
    x.transpose(**{"a": 1})
    OrderedDict(x)
    OrderedDict().update([1])
    OrderedDict([(1, 2), x[0]])
    dict([(1, 2), x[0]])
    x.flat.__setitem__(1, [1])
    x.flat.__setitem__(10, 1)
    x.flat[10 ** 30]
    np.full(**5)
    np.cov(10 ** 30)
    np.ndindex(10 ** 30)
    itertools.tee(x, 10 ** 30)
    list(range(10 ** 30))
    tuple(range(10 ** 13))
    copy.copy(np.finfo(float))
""".strip().splitlines()


@pytest.mark.parametrize("call", REFUSED_CALLS, ids=str.strip)
def test_wrong_calls_are_refused_in_the_same_words(call):
    """Also where C's words depend on how the call is written, and for ints that C cannot hold."""
    scope = dict(globals())
    text = "def left(x):\n    return {0}\ndef caught(x):\n    try:\n        return {0}\n"
    text += "    except Exception as error:\n        return type(error), str(error)\n"
    exec(text.format(call.strip()), scope)
    x = np.arange(6.0).reshape(2, 3)
    expected = scope["caught"](x.copy())
    assert issubclass(expected[0], Exception)
    assert dl.compile(scope["caught"], backend="eager")(x.copy()) == expected
    with pytest.raises(expected[0]) as raised:
        dl.compile(scope["left"], backend="eager")(x.copy())
    assert str(raised.value) == expected[1]


def test_what_masks_of_other_sizes_raise_names_the_sizes_of_the_call():
    def caught(x, mask):
        try:
            return x[mask]
        except IndexError as error:
            return str(error)

    compiled = dl.compile(caught, backend="eager")
    for size in (6, 7, 8, 9):
        x, mask = np.arange(float(size)), np.ones(size - 2, bool)
        assert compiled(x, mask) == caught(x, mask)


def test_items_that_a_flat_iterator_ignores():
    def ignored(x):
        y = x + 1
        y.flat[1:3] = []
        return y

    assert np.array_equal(dl.compile(ignored, backend="eager")(np.ones((2, 2))), np.full((2, 2), 2))


def test_long_ranges_are_taken_by_python():
    def counted(x):
        return x + len(list(range(300_000))) + max(range(300_000))

    compiled = dl.compile(counted, backend="eager")
    assert np.array_equal(compiled(np.ones(2)), np.full(2, 600_000.0))
    assert "taking more than" in str(dl.explain(counted)(np.ones(2)).break_reasons)
