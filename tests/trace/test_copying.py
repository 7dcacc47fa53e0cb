"""Copies of objects are what the `copy` module makes of them, and so are its refusals."""
import collections
import copy
import threading
import types

import numpy as np
import pytest

import dynamo_lite as dl


class Slots:
    __slots__ = ("a", "unset")


class Mixed(Slots):
    __slots__ = ("__dict__",)


class Listed(list):
    __slots__ = ("a",)


class Made:
    made = 0

    def __new__(cls):
        cls.made += 1
        return super().__new__(cls)


class Demanding:
    def __new__(cls, a):
        return super().__new__(cls)


def filled(value):
    value.a = [1]
    return value


VALUES = {
    "slots": filled(Slots()),
    "slots and a dict": filled(Mixed()),
    "a list with slots": filled(Listed([1, [2]])),
    "made by __new__": Made(),
    "__new__ with arguments": Demanding(1),
    "a namespace": types.SimpleNamespace(a=[1]),
    "a lock": threading.Lock(),
    "a module": np,
    "a bit generator": np.random.PCG64(3),
    "errstate": np.errstate(over="raise"),
    "a default": collections.defaultdict(list, a=[1]),
    "frozen": frozenset([1]),
    "an object": object(),
}


def outcome(fn, value):
    """The type of the copy, what it holds, and which of this is the original's; or the error."""
    Made.made = 0
    try:
        made, x = fn(value, np.arange(3.0))
    except Exception as error:
        return type(error), str(error)
    held = getattr(made, "a", None)
    return (type(made), made is value, held, held is getattr(value, "a", None),
            getattr(made, "state", None), Made.made, x.tolist())  # fmt: skip


@pytest.mark.parametrize("copied", [copy.copy, copy.deepcopy])
@pytest.mark.parametrize("value", VALUES.values(), ids=VALUES)
def test_copies_are_those_of_python(value, copied):
    def fn(value, x):
        return copied(value), x + 1

    with dl.config.patch(strict=True):
        assert outcome(dl.compile(fn), value) == outcome(fn, value)
