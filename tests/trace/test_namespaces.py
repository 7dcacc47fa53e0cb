"""Dicts that are namespaces: what is stored as an item is read as an attribute, and the reverse."""
from __future__ import annotations

import copy
import types

import numpy as np
import pytest

import dynamo_lite as dl


class Plain:
    pass


class Slotted:
    __slots__ = ("slot", "__dict__")


class Items(dict):
    """Attributes are items."""

    def __init__(self, **items):
        super().__init__(**items)
        self.__dict__ = self


class Shared:
    """All objects have the same attributes."""

    common: dict = {}

    def __init__(self, **items):
        self.__dict__ = self.common
        self.common.clear()
        self.common.update(items)


KINDS = [Plain, Slotted, Items, Shared, types.SimpleNamespace]


def item_after_attribute(o, d, x):
    o.z = x * 2
    return d["z"]


def attribute_after_item(o, d, x):
    d["z"] = x * 3
    return o.z


def both(o, d, x):
    before = o.z, d["z"]
    d["z"] = x
    o.z = o.z + 1
    d["z"] = d["z"] * 2
    return before, o.z, d["z"], len(d), len(vars(o))


def updated(o, d, x):
    d.update(z=x * 6)
    return o.z, vars(o)["z"], getattr(o, "z", None)


def new(o, d, x):
    o.new = x
    d["newer"] = x + 1
    return sorted(d), hasattr(o, "newer"), "new" in d, o.newer


def deleted(o, d, x):
    del o.z
    return d.get("z", x), hasattr(o, "z")


def popped(o, d, x):
    return d.pop("z") + x, hasattr(o, "z")


def read(o, d, x):
    return o.z + x, d["z"] * x


FUNCTIONS = [item_after_attribute, attribute_after_item, both, updated, new, deleted, popped, read]


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)
@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda function: function.__name__)
def test_an_object_and_its_dict(function, kind):
    compiled = dl.compile(function)
    for step in range(3):
        found = []
        for call in (function, compiled):
            o = kind()
            o.z = np.zeros(2)
            found.append(repr((call(o, o.__dict__, np.arange(2.0) + step), o.__dict__)))
        assert found[0] == found[1]


def test_objects_that_share_their_attributes():
    def f(a, b, x):
        a.z = x * 2
        return b.z

    compiled = dl.compile(f)
    for step in range(3):
        x = np.arange(3.0) + step
        np.testing.assert_array_equal(compiled(Shared(z=x), Shared(z=x), x), x * 2)


def test_items_that_are_attributes_stay_in_the_graph():
    compiled = dl.compile(lambda o, x: x * o.rate + o["rate"], fullgraph=True)
    for rate in (2.0, 3.0):
        np.testing.assert_array_equal(compiled(Items(rate=rate), np.ones(2)), [rate * 2] * 2)


MODULE = types.ModuleType("module")
STATE = np.zeros(2)


def through_globals(x):
    globals()["STATE"] = x * 2
    return STATE.sum()


def through_a_module(x):
    MODULE.a = x * 2
    first = vars(MODULE)["a"].sum()
    MODULE.__dict__["a"] = x * 3
    return first, MODULE.a.sum()


@pytest.mark.parametrize("function", [through_globals, through_a_module])
def test_globals_are_items(function):
    compiled = dl.compile(function)
    for step in range(3):
        assert compiled(np.arange(2.0) + step) == function(np.arange(2.0) + step)


HIDDEN = {
    "read": lambda o: (o.slot, o.__dict__["slot"], vars(o).get("slot")),
    "set": lambda o: (setattr(o, "slot", 5), o.slot, dict(vars(o))),
    "popped": lambda o: (o.__dict__.pop("slot"), o.slot, dict(vars(o))),
    "cleared": lambda o: (o.__dict__.clear(), o.slot, dict(vars(o))),
    "copied": lambda o: (copy.copy(o).slot, copy.copy(o).__dict__, copy.deepcopy(o).__dict__),
}


@pytest.mark.parametrize("look", HIDDEN.values(), ids=HIDDEN)
def test_an_item_that_a_slot_hides(look):
    def outside(x, o):
        return x + 1, look(o)

    def inside(x, kind):
        o = kind()
        o.slot, o.__dict__["slot"] = 1, 2
        return x + 1, look(o)

    def hiding():
        made = Slotted()
        made.slot, made.__dict__["slot"] = 1, 2
        return made

    for function, make in ((outside, hiding), (inside, lambda: Slotted)):
        expected, found = function(0, make()), dl.compile(function)(np.zeros(2), make())
        assert found[1] == expected[1]
