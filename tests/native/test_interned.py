"""Instances of which there is one for equal fields."""
import copy
import pickle
import weakref

import numpy as np
import pytest
from dynamo_lite.backends.loop_ir.loops import INT64, Axis, Buffer, Load, Offset, SizeValue

from dynamo_lite.ir.sizes import symbol

SPELLINGS = [
    lambda: Axis("i", 3),
    lambda: Axis(name="i", extent=3),
    lambda: Axis(extent=3, name="i"),
    lambda: copy.deepcopy(Axis("i", 3)),
    lambda: pickle.loads(pickle.dumps(Axis("i", 3))),
]


@pytest.mark.parametrize("make", SPELLINGS)
def test_equal_fields_give_one_instance(make):
    assert make() is (kept := Axis("i", 3))
    assert (kept.name, kept.extent) == ("i", 3)


def test_defaults_count_as_fields():
    assert SizeValue(symbol("s0")) is SizeValue(symbol("s0"), INT64)
    assert Offset() is Offset(0, ())


def test_classes_and_fields_tell_instances_apart():
    made = [Axis("i", 3), Axis("i", 4), Axis("j", 3), Axis("i", symbol("s0")), Offset(3)]
    assert len(set(map(id, made))) == len(made)


def test_what_nobody_uses_is_forgotten_with_its_fields():
    buffer = Buffer("forgotten", np.dtype(float))
    load = Load(buffer, Offset())
    known = weakref.ref(buffer), weakref.ref(load)
    del buffer, load
    assert [ref() for ref in known] == [None, None]


@pytest.mark.parametrize("arguments", [(), ("i",), ("i", 3, 4), ("i", [])])
def test_what_is_no_instance_raises(arguments):
    with pytest.raises(TypeError):
        Axis(*arguments)


def test_instances_are_frozen():
    with pytest.raises(AttributeError):
        Axis("i", 3).extent = 4
