"""Objects live as long as Python would have them live, not shorter and not longer."""
import ctypes
import gc
import weakref

import numpy as np
import pytest

import dynamo_lite as dl

X = np.arange(1000.0)


class Thing:
    def __init__(self, x=None):
        self.x = x


def unread(x):
    """A local that is not read again keeps its object until the function ends."""
    thing = Thing()
    seen = weakref.ref(thing)
    dl.graph_break()
    y = x + 1
    dl.graph_break()
    return seen() is not None, y


def unread_argument(x, thing=None):
    thing = thing or Thing()
    seen, _things = weakref.ref(thing), [thing]
    thing = None
    dl.graph_break()
    y = x + 1
    dl.graph_break()
    return seen() is not None, y


def unread_memory(x):
    """An array that only C code reads any more."""
    scratch = x + 1.0
    address = scratch.ctypes.data
    dl.graph_break()
    y = x * 2
    dl.graph_break()
    others = [np.full(x.shape, 7.0) for _ in range(3)]
    return list((ctypes.c_double * 4).from_address(address)), y, len(others)


def dropped(x):
    """What a function drops ends there, behind a break as well."""
    gone = []
    for _ in range(3):
        thing = Thing()
        seen = weakref.ref(thing)
        y = x + 1
        dl.graph_break()
        thing = None
        dl.graph_break()
        gone.append(seen() is None)
    return gone, y


def deleted(x):
    thing, other = Thing(), Thing()
    seen = weakref.ref(thing), weakref.ref(other)
    dl.graph_break()
    y = x + 1
    del thing
    dl.graph_break()
    return [ref() is None for ref in seen], y


@pytest.mark.parametrize(
    "function", [unread, unread_argument, unread_memory, dropped, deleted]
)
def test_what_a_local_holds_stays(function):
    compiled = dl.compile(function)
    expected = function(X)
    for _ in range(4):
        found = compiled(X)
        assert found[0] == expected[0] and np.array_equal(found[1], expected[1])


def captured(thing):
    return thing.x * 2


def broken(thing):
    y = thing.x + 1
    dl.graph_break()
    return y * 2


def in_python(thing):
    try:
        raise ValueError
    except ValueError:
        dl.graph_break()
    return thing.x + 1


def inlined(thing):
    return sum(value for value in [captured(thing), thing.x])


def raising(thing):
    raise KeyError(thing.x.shape)


def chosen_by_data(thing):
    return thing.x[thing.x > 0].sum()


@pytest.mark.parametrize(
    "function", [captured, broken, in_python, inlined, raising, chosen_by_data]
)
def test_arguments_are_not_kept(function):
    """An analysis leaves nothing behind that only the garbage collector would find."""
    compiled = dl.compile(function)
    gc.collect()
    gc.disable()
    try:
        for n in range(2, 6):
            thing = Thing(np.ones(n))
            seen = weakref.ref(thing), weakref.ref(thing.x)
            try:
                compiled(thing)
            except KeyError:
                pass
            del thing
            assert [ref() is None for ref in seen] == [True, True]
    finally:
        gc.enable()
