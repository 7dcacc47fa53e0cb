"""Two arguments that reach one object in one call, and two objects in another."""
from collections import deque
from types import CellType, SimpleNamespace

import numpy as np
import pytest

import dynamo_lite as dl


class Plain:
    pass


class Slotted:
    __slots__ = ("__dict__", "v")


def function():
    pass


def with_attribute(owner):
    owner.w = 1
    return owner


def owners(shared):
    """An object, and its dict or another one."""
    for make in (Plain, Slotted, SimpleNamespace, ValueError, lambda: fresh(function)):
        owner = with_attribute(make())
        yield owner, (owner.__dict__ if shared else {"w": 1})


def fresh(function):
    return type(function)(function.__code__, function.__globals__)


def stores_attribute(owner, items, x):
    owner.w = x + 1
    items["w"] = 5
    return owner.w


def stores_item(owner, items, x):
    before = owner.w
    items["w"] = x * 3
    return before, owner.w, items.get("w")


def adds(owner, items, x):
    items["new"] = x * 3
    return getattr(owner, "new", None), len(items), sorted(vars(owner))


def reads(owner, items, x):
    owner.w = x + 1
    return items["w"]


def variables(shared):
    """What reads and what sets a variable of closures, the same one or two."""
    def make():
        held = 1.0

        def get():
            return held

        def put(value):
            nonlocal held
            held = value

        return get, put

    get, put = make()
    yield get, (put if shared else make()[1])


def sets_variable(get, put, x):
    put(x + 1)
    before = get()
    put(before * 2)
    return get()


def cells(shared):
    [(get, put)] = variables(True)
    yield get, (put.__closure__[0] if shared else CellType(1.0))


def sets_cell(get, cell, x):
    cell.cell_contents = x + 1
    return get()


def defaults(shared):
    def with_default(*, w=1):
        return w

    yield with_default, (with_default.__kwdefaults__ if shared else {"w": 1})


def changes_default(call, items, x):
    items["w"] = x + 1
    return call()


def iterators(shared):
    items = deque([1, 2, 3])
    yield iter(items if shared else [1, 2, 3]), items


def changes_items(iterator, items, x):
    first = next(iterator)
    items[1] = 9
    return x + first, list(iterator)


CASES = [
    *((change, owners) for change in (stores_attribute, stores_item, adds, reads)),
    (sets_variable, variables), (sets_cell, cells), (changes_default, defaults),
    (changes_items, iterators),
]  # fmt: skip


@pytest.mark.parametrize("order", [(0, 1, 0), (1, 0, 1)], ids=str)
@pytest.mark.parametrize("change, pairs", CASES, ids=lambda case: case.__name__)
def test_one_object_or_two(change, pairs, order):
    for index, _ in enumerate(pairs(True)):
        compiled = dl.compile(change)
        for shared in order:
            found = [
                repr(call(*list(pairs(shared))[index], np.ones(2))) for call in (change, compiled)
            ]
            assert found[0] == found[1], (index, shared)


PROGRAM = """
W = 1

def stores_item(items, x):
    before = W
    items["W"] = x + 7
    return before, W

def stores_global(items, x):
    global W
    W = x + 1
    return items["W"]
"""


@pytest.mark.parametrize("name", ["stores_item", "stores_global"])
def test_globals_of_code_that_is_no_module(name):
    for shared in (True, False, True):
        found = []
        for wrap in (lambda f: f, dl.compile):
            space = {}
            exec(PROGRAM, space)
            call, items = wrap(space[name]), space if shared else dict(space)
            found.append(repr((call(items, np.ones(2)), call(items, np.ones(2)), space["W"])))
        assert found[0] == found[1]


def test_comparing_an_object_with_a_dict_makes_no_dict():
    """Objects without a dict of their own take less memory, and are faster."""
    def store(owner, items, x):
        owner.w = x + 1
        items["w"] = 5

    compiled = dl.compile(store)
    for _ in range(3):
        owner = with_attribute(Plain())
        compiled(owner, {"w": 1}, np.ones(2))
    dicts = [held for held in __import__("gc").get_referents(owner) if type(held) is dict]
    assert not dicts
