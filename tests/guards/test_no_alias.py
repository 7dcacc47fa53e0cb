"""Guards that keep many things apart: as a whole they hold where each pair does."""
from types import FunctionType

import numpy as np
import pytest
from dynamo_lite.guards import kinds
from dynamo_lite.guards.guard_set import GuardSet
from dynamo_lite.guards.programs.flatten import flatten
from dynamo_lite.guards.programs.reasons import Values, why_failed
from dynamo_lite.guards.shapes.shape_env import ShapeEnv
from dynamo_lite.guards.sources import LocalSource, OwnDictSource
from hypothesis import given
from hypothesis import strategies as st

COUNT = 9
SOURCES = tuple(LocalSource(index, f"x{index}") for index in range(COUNT))


def flat_guards(changed, others, of_arrays):
    guards = GuardSet()
    kind = kinds.ALL_DISJOINT if of_arrays else kinds.NO_ALIAS
    guards.install(changed[0], kind, kinds.Group(changed, others))
    return flatten(guards, ShapeEnv(), COUNT)


def agrees(flat, kind, changed, others, given):
    values = Values(given)
    expected = kind.holds(values, kinds.Group(changed, others))
    assert (flat.program.check(given) == -1) == expected
    if not expected:
        reason = why_failed(flat, 0, ShapeEnv(), values)
        assert " was " in reason and reason.startswith("x")


@given(st.integers(1, COUNT), st.lists(st.integers(0, 30), min_size=COUNT, max_size=COUNT))
def test_objects(changed, which):
    things = [[number] for number in range(31)]
    changed, others = SOURCES[:changed], SOURCES[changed:]
    flat = flat_guards(changed, others, of_arrays=False)
    for chosen in ([things[index] for index in which], things[:COUNT]):
        agrees(flat, kinds.NO_ALIAS, changed, others, tuple(chosen))


@given(
    st.integers(1, COUNT),
    st.lists(
        st.tuples(st.integers(0, 40), st.integers(0, 6), st.sampled_from([-2, -1, 1, 2])),
        min_size=COUNT, max_size=COUNT,
    ),
)
def test_arrays(changed, views):
    memory = np.zeros(64)
    given = tuple(memory[start : start + 2 * length : 2][::step] for start, length, step in views)
    changed, others = SOURCES[:changed], SOURCES[changed:]
    flat = flat_guards(changed, others, of_arrays=True)
    agrees(flat, kinds.ALL_DISJOINT, changed, others, given)
    apart = tuple(np.zeros(3) for _ in range(COUNT))
    assert flat.program.check(apart) == -1 and flat.program.check(apart[::-1]) == -1


class Plain:
    pass


class Slotted:
    __slots__ = ("__dict__",)


class Derived(dict):
    pass


MAKERS = (
    Plain, Slotted, Derived, ValueError, lambda: FunctionType(len_of.__code__, {}), lambda: Plain,
)  # fmt: skip


def len_of(x):
    return len(x)


@pytest.mark.parametrize("make", MAKERS)
def test_the_dict_of_an_object(make):
    guards = GuardSet()
    guards.forbid_aliases([SOURCES[0]], [OwnDictSource(SOURCES[1])])
    program = flatten(guards, ShapeEnv(), 2).program
    owner = make()
    assert program.check(({}, owner)) == -1
    held = vars(owner)
    assert program.check(({}, owner)) == -1
    assert (program.check((held, owner)) == -1) == (type(held) is not dict)


def test_few_things_are_compared_one_by_one():
    """Which is faster, and reads better."""
    guards = GuardSet()
    guards.forbid_aliases(SOURCES[:1], SOURCES[1:3])
    assert [guard.kind for guard in guards] == [kinds.NOT_ALIASED] * 2
    guards = GuardSet()
    guards.forbid_aliases(SOURCES[:5], SOURCES[5:])
    assert [str(guard) for guard in guards] == [
        "x0, x1, x2, x3, x4 not aliased with one another nor with x5, x6, x7, x8"]
