"""A guard reaches its source, once per source, wherever the value lives."""
import types

from dynamo_lite.guards import kinds
from dynamo_lite.guards.guard_set import GuardSet
from dynamo_lite.guards.programs.flatten import flatten
from dynamo_lite.guards.programs.reasons import Values
from dynamo_lite.guards.programs.tree import guard_tree
from dynamo_lite.guards.shapes.shape_env import ShapeEnv
from dynamo_lite.guards.sources import (
    AttrSource,
    CellContentsSource,
    CellSource,
    ConstSource,
    GlobalSource,
    ItemSource,
    LocalSource,
    Pinned,
    TypeSource,
)

from dynamo_lite.ir.graph import Location

X = LocalSource(0, "x")
SETTING = 3


def make(value):
    def function():
        return value

    return function


def test_every_source_is_reached():
    function = make(7)
    thing = types.SimpleNamespace(items=[1, {"k": (4,)}], size=5)
    sources = {
        X: thing,
        AttrSource(X, "size"): 5,
        TypeSource(X): types.SimpleNamespace,
        ItemSource(ItemSource(AttrSource(X, "items"), 1, list), "k", dict): (4,),
        ItemSource(ItemSource(ItemSource(AttrSource(X, "items"), 1, list), "k", dict), 0, tuple): 4,
        GlobalSource(Pinned(globals()), "SETTING"): 3,
        GlobalSource(Pinned(globals()), "len"): len,
        CellContentsSource(CellSource(0, "value")): 7,
        ConstSource(Pinned(types), "types"): types,
    }
    guards = GuardSet()
    for source, value in sources.items():
        guards.install(source, kinds.IS, value)
    flat = flatten(guards, ShapeEnv(), 1)
    assert flat.program.check((thing,), function) == -1
    values = Values((thing,), function)
    assert all(values[source] is value for source, value in sources.items())
    loads = [op for op in flat.ops if op[0] == "ATTR"]
    assert len(loads) == len(set(loads))
    assert flat.program.check((thing,), make(8)) >= 0
    thing.items[1]["k"] = (5,)
    assert flat.program.check((thing,), function) >= 0
    del thing.items
    assert flat.program.check((thing,), function) >= 0


def test_a_changed_global_fails(monkeypatch):
    guards = GuardSet()
    guards.install(GlobalSource(Pinned(globals()), "SETTING"), kinds.EQUALS, 3)
    program = flatten(guards, ShapeEnv(), 0).program
    assert program.check(()) == -1
    monkeypatch.setitem(globals(), "SETTING", 4)
    assert program.check(()) >= 0


def test_the_tree_shows_sources_below_each_other_and_the_line():
    guards = GuardSet()
    where = Location("model.py", 12, "forward")
    guards.install(AttrSource(X, "size"), kinds.EQUALS, 5, where)
    guards.install(X, kinds.TYPE, object())
    lines = guard_tree(guards).splitlines()
    assert lines[0].startswith("x ")
    assert lines[1] == "| TYPE: type(x) is object"
    assert lines[2].startswith("  x.size ")
    assert lines[3] == "  | EQUALS: x.size == 5  # model.py:12 in forward"
