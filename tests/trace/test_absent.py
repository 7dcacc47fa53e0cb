"""Names that were not there when a function was compiled, and are in a later call."""
import numpy as np
import pytest

import dynamo_lite as dl


def read_global(x, one):
    try:
        found = late  # noqa: F821
    except NameError:
        found = 1
    return x * 2 + found


def delete_global(x, one):
    global late
    try:
        del late
    except NameError as error:
        return x * 2, str(error)
    late = 5
    return x * 3


def read_class(x, one):
    try:
        found = One.late
    except AttributeError:
        found = 1
    return x * 2 + found + getattr(type(one), "late", 0)


def read_slot(x, one):
    try:
        found = one.slot
    except AttributeError:
        found = 1
    return x * 2 + found


def read_function(x, one):
    return x * 2 + getattr(read_slot, "late", 1)


class One:
    __slots__ = ("slot",)


ONE = One()
CASES = {
    "global": (read_global, lambda: globals().update(late=5), lambda: globals().pop("late")),
    "global to delete": (delete_global, lambda: globals().update(late=5),
                         lambda: globals().pop("late")),
    "class": (read_class, lambda: setattr(One, "late", 5), lambda: delattr(One, "late")),
    "slot": (read_slot, lambda: setattr(ONE, "slot", 5), lambda: delattr(ONE, "slot")),
    "function": (read_function, lambda: setattr(read_slot, "late", 5),
                 lambda: delattr(read_slot, "late")),
}  # fmt: skip


@pytest.mark.parametrize("case", CASES)
def test_what_was_absent_is_seen(case):
    function, add, remove = CASES[case]
    compiled = dl.compile(function, backend="eager")
    x = np.ones(3)
    for change in (None, add, None, remove, add, remove):
        if change is not None:
            change()
        assert repr(compiled(x, ONE)) == repr(function(x, ONE))
