"""Every guard kind: the flat program agrees with the kind's own check, and says why it failed."""
import types

import numpy as np
import pytest
from dynamo_lite.guards import kinds
from dynamo_lite.guards.guard_set import GuardSet
from dynamo_lite.guards.programs.flatten import flatten
from dynamo_lite.guards.programs.reasons import Values, why_failed
from dynamo_lite.guards.shapes.shape_env import ShapeEnv
from dynamo_lite.guards.sources import ConstSource, LocalSource, Pinned

X = LocalSource(0, "x")


class Thing:
    pass


THING, OTHER = Thing(), Thing()
OTHER.name = "other"

# kind, value to install, values that pass, values that fail
CASES = [
    (kinds.TYPE, [1], [[], [2]], [(), None, 1]),
    (kinds.IS, THING, [THING], [OTHER, None]),
    (kinds.EQUALS, 3, [3], [4, 3.0, True, None, 2**70]),
    (kinds.EQUALS, True, [True], [1, False]),
    (kinds.EQUALS, -0.0, [-0.0], [0.0, 0]),
    (kinds.EQUALS, float("nan"), [float("nan")], [1.0]),
    (kinds.EQUALS, (1, ("a", None)), [(1, ("a", None))], [(1, "a"), (True, ("a", None))]),
    (kinds.EQUALS, "text", ["text"], ["texts", b"text"]),
    (kinds.LENGTH, [1, 2], [[3, 4], "ab"], [[1], []]),
    (kinds.KEYS, {"a": 1, "b": 2}, [{"a": 5, "b": 6}], [{"b": 1, "a": 2}, {"a": 1}, {}]),
    (kinds.NO_KEY, "a", [{}, {"b": 1}], [{"a": 1}]),
    (kinds.HAS_KEY, "a", [{"a": 1}], [{}, {"b": 1}]),
    (kinds.NO_OWN, "name", [THING, 3, type(OTHER)], [OTHER]),
    (kinds.NO_ATTR, "name", [THING, 3], [OTHER]),
    (kinds.INT_SYMBOL, "s0", [1, -5, 2**40], [True, 1.0, 2**63, None]),
    (kinds.OUTCOME, kinds.Outcome(">", 0.5, True), [0.75, 2, float("inf")], [0.5, float("nan")]),
    (kinds.OUTCOME, kinds.Outcome("==", 0, False), [1.0, float("nan")], [0.0, -0.0]),
    (kinds.CALL, callable, [len, print], [3]),
]


@pytest.mark.parametrize(("kind", "seen", "passing", "failing"), CASES)
def test_program_agrees_with_the_kind(kind, seen, passing, failing):
    guards = GuardSet()
    guards.install(X, kind, seen)
    flat = flatten(guards, ShapeEnv(), 1)
    (guard,) = guards
    for value in passing:
        assert flat.program.check((value,)) == -1
        assert kind.holds(value, guard.captured)
    for value in failing:
        index = flat.program.check((value,))
        assert flat.owners[index] is guard
        assert not kind.holds(value, guard.captured)
        assert "when compiled" in why_failed(flat, index, ShapeEnv(), Values((value,)))
    assert "x" in str(guard)


def test_names_in_modules_are_watched():
    """The op reads no register: changes of the module's dict are reported to it."""
    module = types.ModuleType("module")
    module.function = len
    guards = GuardSet()
    kept = (module, kinds.ModuleItem("function", len))
    source = ConstSource(Pinned(module), "module")
    guards.install(source, kinds.UNCHANGED, kept)
    guards.install(source, kinds.UNCHANGED, kept)
    flat = flatten(guards, ShapeEnv(), 0)
    assert [op[0] for op in flat.ops] == ["FLAG"]
    module.other = 1
    assert flat.program.check(()) == -1 and kinds.UNCHANGED.holds(module, kept)
    module.function = print
    assert flat.program.check(()) == 0 and not kinds.UNCHANGED.holds(module, kept)
    why = why_failed(flat, 0, ShapeEnv(), Values(()))
    assert why == "module: function is another object than when compiled"
    module.function = len
    assert flat.program.check(()) == -1


def test_every_kind_is_tested():
    arrays = {"UNCHANGED", "TENSOR_MATCH_STATIC", "TENSOR_MATCH_DYNAMIC", "SAME", "NOT_ALIASED",
              "DISJOINT", "NO_ALIAS", "ALL_DISJOINT", "SPECIALS"}
    assert {kind.name for kind, *_ in CASES} | arrays == set(kinds.KINDS)


def test_special_methods_that_come_and_go():
    class Base:
        counter = 0

    class Derived(Base):
        def __len__(self):
            return 0

    def change(kind, name, value=None):
        if value is None:
            delattr(kind, name)
        else:
            setattr(kind, name, value)
        found = [flat.program.check(()) for _ in range(2)]
        assert found[0] == found[1] and (found[0] == -1) == kinds.SPECIALS.holds(None, kept)
        return found[0] == -1

    guards = GuardSet()
    guards.install(ConstSource(Pinned(Derived), "Derived"), kinds.SPECIALS, Derived)
    kept = kinds.specials_of(Derived)
    flat = flatten(guards, ShapeEnv(), 0)
    assert change(Base, "counter", 1) and change(Derived, "method", len)
    assert not change(Base, "__bool__", len)
    assert "special methods were added" in why_failed(flat, 0, ShapeEnv(), Values(()))
    assert change(Base, "__bool__")
    assert change(Base, "__len__", len) and change(Derived, "__len__")
    assert not change(Base, "__len__") and change(Derived, "__len__", len)


def test_installing_twice_keeps_one():
    guards = GuardSet()
    for _ in range(2):
        guards.install(X, kinds.TYPE, [])
        guards.install(X, kinds.NO_KEY, "a")
        guards.install(X, kinds.NO_KEY, "b")
    assert len(guards) == 3


@pytest.mark.parametrize("first", [True, False])
def test_the_stronger_kind_replaces_the_weaker(first):
    guards = GuardSet()
    installed = [(kinds.TYPE, 3), (kinds.EQUALS, 3)]
    for kind, value in installed if first else installed[::-1]:
        guards.install(X, kind, value)
    assert [guard.kind for guard in guards] == [kinds.EQUALS]


def test_relations_between_sources():
    y = LocalSource(1, "y")
    a, b = np.ones(4), np.ones(4)
    cases = [(kinds.SAME, (a, a), (a, b)), (kinds.NOT_ALIASED, (a, b), (a, a))]
    for kind, passing, failing in cases:
        guards = GuardSet()
        guards.install(X, kind, y)
        flat = flatten(guards, ShapeEnv(), 2)
        assert flat.program.check(passing) == -1
        assert flat.program.check(failing) == 0
        assert "y" in why_failed(flat, 0, ShapeEnv(), Values(failing))
