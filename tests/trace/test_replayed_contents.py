"""Outside containers that compiled code changes: their callers, who may be iterating over them,
find them as eager Python leaves them."""
import enum
from collections import Counter, OrderedDict, defaultdict, deque

import numpy as np
import pytest

import dynamo_lite as dl


def with_gaps(items):
    made = dict(items)
    for key in list(made)[::3]:
        del made[key]
    return made


def dicts():
    items = [(name, index) for index, name in enumerate("abcdefgh")]
    yield with_gaps(items)
    yield OrderedDict(with_gaps(items))
    yield defaultdict(int, with_gaps(items))
    yield dict(items)


def set_value(d, key, x):
    d[key] = x + 1


def set_all(d, key, x):
    for name in d:
        d[name] = x + 1


def set_same(d, key, x):
    d[key] = d[key]
    return x + 1


def put_again(d, key, x):
    d[key] = d.pop(key), x + 1


def add_once(d, key, x):
    y = x + 1
    d.setdefault("new", y)


def replace_first(d, key, x):
    first = next(iter(d))
    del d[first]
    d["z" + first] = x + 1


def refill(d, key, x):
    kept = dict(d)
    d.clear()
    d.update(kept)
    return x + 1


def iterated(function, container):
    """What an iteration that changes the container meets, and what it leaves."""
    met = []
    try:
        for key in container:
            met.append(key)
            function(container, key, np.ones(2))
            if len(met) == 20:
                break
    except RuntimeError as error:
        met.append(str(error))
    return repr(met), repr(container)


CHANGES = (set_value, set_all, set_same, put_again, add_once, replace_first, refill)


@pytest.mark.parametrize("change", CHANGES, ids=lambda change: change.__name__)
def test_dicts_that_are_iterated_over(change):
    for eager, again in zip(dicts(), dicts()):
        with dl.config.patch(recompile_limit=50):
            assert iterated(dl.compile(change), again) == iterated(change, eager)


def test_the_order_of_an_ordered_dict():
    def reorder(d, x):
        d.move_to_end("c", last=False)
        d.move_to_end("a")
        d["b"] = x + 1

    eager, compiled = (OrderedDict.fromkeys("abcd") for _ in range(2))
    reorder(eager, np.ones(2))
    dl.compile(reorder)(compiled, np.ones(2))
    assert list(compiled) == list(eager) == ["c", "b", "d", "a"]


def empty(d, key, x):
    d.clear()
    return x + 1


def move_last(d, key, x):
    d.move_to_end(next(reversed(d)))
    return x + 1


@pytest.mark.parametrize("change", [empty, move_last])
def test_ordered_dicts_that_are_iterated_over(change):
    eager, again = (OrderedDict(with_gaps(zip("abcdef", range(6)))) for _ in range(2))
    assert iterated(dl.compile(change), again) == iterated(change, eager)


def swap_ends(items, item, x):
    items[0], items[-1] = items[-1] + x, items[0]


def overturned(items, item, x):
    items.reverse()
    return x + 1


def turn(items, item, x):
    items.append(items.popleft())
    return x + 1


@pytest.mark.parametrize("change", [swap_ends, turn, overturned])
def test_deques_that_are_iterated_over(change):
    assert iterated(dl.compile(change), deque([1, 2, 3])) == iterated(change, deque([1, 2, 3]))


def cut(items, item, x):
    items[2:5] = [x + 1, x + 2]


def insert(items, item, x):
    if len(items) < 12:
        items.insert(1, x + 1)


def drop(items, item, x):
    del items[-1]
    return x + 1


def exchange(items, item, x):
    items[3] = x + 1
    items[5] = x + 2


def overturn(items, item, x):
    items.reverse()
    return x + 1


@pytest.mark.parametrize("change", [cut, insert, drop, exchange, overturn, swap_ends])
def test_lists_that_are_iterated_over(change):
    assert iterated(dl.compile(change), [*range(9)]) == iterated(change, [*range(9)])




class Fruit(enum.Enum):
    APPLE = 1
    PEAR = 2
    PLUM = 3
    FIG = 4


class Names(dict):
    pass


LETTERS = {letter: 1 for letter in "qwertyuiop"}
OTHERS = {
    "a counter": Counter("asdfgqwer"), "a dict": dict.fromkeys("zxcvbnqwe"), "a list": list("qazwsxq"),
    "a set": set("plokq"), "a frozen set": frozenset("qwe"), "a text": "qwz", "a tuple": ("q", "w"),
    "a longer view": dict.fromkeys("zxcvbnqweasdfghjkl").keys(), "a view": dict.fromkeys("qz").keys(),
    "a derived dict": Names(q=1, z=2), "an ordered dict": OrderedDict(q=1, z=2),
}  # fmt: skip


@pytest.mark.parametrize("other", OTHERS.values(), ids=OTHERS)
@pytest.mark.parametrize("mapping", [LETTERS, Names(LETTERS)], ids=["dict", "derived"])
def test_sets_of_views_have_pythons_order(mapping, other):
    def combined(x, d, o):
        return [list(d.keys() | o), list(d.keys() & o), list(d.keys() - o), list(d.keys() ^ o)], x * 2

    found = dl.compile(combined, backend="eager")(np.ones(1), mapping, other)[0]
    assert found == combined(1, mapping, other)[0]


def test_sets_of_members_have_pythons_order():
    def members(x):
        some = {Fruit.FIG, Fruit.PEAR, 1, "x"}
        return [list({Fruit.APPLE, Fruit.PEAR, Fruit.PLUM, Fruit.FIG}), list(set(Fruit)), list(some),
                list({1}.union(Fruit)), list(frozenset(Fruit))], x * 2, some  # fmt: skip

    found = dl.compile(members, backend="eager")(np.ones(1))
    expected = members(1)
    assert found[0] == expected[0] and list(found[2]) == list(expected[2])
