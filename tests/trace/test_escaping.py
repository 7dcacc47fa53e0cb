"""Objects that the frame makes and that leave it: rebuilt with their identity and their state."""
# ruff: noqa: E731, C408, C417
import collections
import dataclasses
import functools
import typing

import numpy as np

import dynamo_lite as dl
from dynamo_lite.base.config import config

from .cases import case

X = np.arange(12.0).reshape(3, 4)


@case(X)
def test_iterators(x):
    numbers, letters = iter([1, x, 3]), iter("abc")
    next(numbers)
    pairs = enumerate(letters, 5)
    next(pairs)
    return [list(numbers), list(pairs)], next(numbers, None)


def returned(function, *args):
    """The result of the compiled function, and of the plain one."""
    with config.patch(strict=True):
        return dl.compile(function, backend="eager")(*args), function(*args)


def test_live_iterators():
    def f(x):
        a, b, c = iter([1, 2, x]), iter(range(5)), zip("ab", (1, 2))
        d, e = enumerate("xy"), map(lambda v: v + 1, [1, 2])
        for each in (a, b, c, d, e):
            next(each)
        return x * 2, a, b, c, d, e, reversed([1, 2]), {1: 2}.items(), iter({5: 6})

    ours, plain = returned(f, X)
    assert [type(v) for v in ours] == [type(v) for v in plain]
    for mine, theirs in zip(ours[1:], plain[1:]):
        assert str(list(mine)) == str(list(theirs))


def test_closures_share_their_cells():
    def f(x):
        n = 0
        y = x * 2

        def up(k=1, *, j=0):
            nonlocal n
            n += k + j
            return n

        def read():
            return n, y

        up.tag = "t"
        up()
        return up, read

    for up, read in returned(f, X):
        assert up(2) == 3 and up(j=1) == 5
        assert read()[0] == 5 and np.array_equal(read()[1], X * 2)
        assert up.tag == "t" and up.__name__ == "up" and up.__defaults__ == (1,)


def test_recursive_closure():
    def f(x):
        def fact(n):
            return 1 if n < 2 else n * fact(n - 1)

        return x * fact(3), fact

    for _, fact in returned(f, X):
        assert fact(5) == 120


class Node:
    def __init__(self, value):
        self.value = value
        self.children = []

    def add(self, child):
        self.children.append(child)
        return self

    def total(self):
        return sum([self.value] + [c.total() for c in self.children])


def test_shared_objects():
    def f(x):
        leaf = Node(x)
        root = Node(x * 2).add(leaf).add(leaf)
        table = {"root": root, "leaf": leaf, "list": root.children}
        return table, root.total(), root.add

    for table, total, add in returned(f, X):
        assert table["list"] is table["root"].children
        assert table["list"][0] is table["list"][1] is table["leaf"]
        assert add.__self__ is table["root"]
        assert np.array_equal(total, X * 4)


def test_cycles():
    def f(x):
        a = Node(x)
        a.children.append(a)
        items = [x]
        items.append(items)
        return a, items, x + 1

    for a, items, _ in returned(f, X):
        assert a.children[0] is a and items[1] is items


class Point(typing.NamedTuple):
    x: object
    y: int = 0


@dataclasses.dataclass(frozen=True)
class Frozen:
    a: object
    b: tuple = ()


@dataclasses.dataclass(slots=True)
class Slotted:
    a: object
    b: int = 2


@case(X)
def test_kinds(x):
    ordered = collections.OrderedDict(a=1)
    ordered["b"] = x
    default = collections.defaultdict(list, k=[1])
    default["m"].append(x)
    queue = collections.deque([1, x, 3], maxlen=2)
    return (
        ordered, default, queue, Point(x), Frozen(x, (1,)), Slotted(x), slice(1, None), range(3, 9, 2),
        {1, 2}, frozenset({"a"}), np.float32(1), x.dtype, Point, len, np.sin, ..., 1 + 2j, b"a",
    )


def test_partial_objects():
    def f(x):
        return functools.partial(np.add, x), functools.partial(lambda a, b=1: a * b, b=x)

    for add, multiply in returned(f, X):
        assert np.array_equal(add(1), X + 1) and np.array_equal(multiply(2), X * 2)


def test_effects_and_results_are_one_object():
    def f(x, log, table):
        entry = {"x": x * 2}
        log.append(entry)
        table["entry"] = entry
        log.append(log)
        return entry, log

    for compiled in (False, True):
        log, table = [0], {}
        function = dl.compile(f, backend="eager") if compiled else f
        entry, same_log = function(X, log, table)
        assert entry is log[1] is table["entry"] and same_log is log and log[2] is log


def test_identity_survives_a_break():
    def f(x, log):
        entry = [x]
        log.append(entry)
        pair = (entry, entry)
        print(end="")
        entry.append(1)
        return entry is log[0], pair[0] is pair[1], pair[0] is entry, len(log[0])

    for compiled in (False, True):
        function = dl.compile(f, backend="eager") if compiled else f
        assert function(X, []) == (True, True, True, 2)


def test_exceptions_as_values():
    def f(x):
        try:
            raise ValueError("a", 1)
        except ValueError as error:
            kept = error
        return kept, KeyError("k"), x + 1

    for error, other, _ in returned(f, X):
        assert type(error) is ValueError and error.args == ("a", 1)
        assert repr(other) == "KeyError('k')"
