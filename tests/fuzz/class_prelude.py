"""What the programs of `classes` begin with: a log, descriptors, bases of several kinds.

The text of this module is the beginning of every program; it is not imported.
"""
import abc
import collections
import copy
import dataclasses
import enum
import functools
import operator
import typing

import numpy as np

LOG = []


def note(*what):
    LOG.append(what)


class Lost(Exception):
    pass


class Get:
    """No data descriptor: an object's own attribute comes before it."""

    def __init__(self, value):
        self.value = value

    def __get__(self, owner, kind=None):
        note("get", owner is None, kind.__name__)
        return self if owner is None else self.value


class Data(Get):
    """Keeps its value in the object, where there is room."""

    def __set_name__(self, kind, name):
        self.name = "_" + name

    def __get__(self, owner, kind=None):
        note("get data", self.name)
        return self.value if owner is None else getattr(owner, self.name, self.value)

    def __set__(self, owner, value):
        note("set data", self.name)
        setattr(owner, self.name, value)


class Fixed(Get):
    def __set__(self, owner, value):
        raise Lost(value)


class Drop(Get):
    def __delete__(self, owner):
        note("drop")
        self.value = None


class Whole(Data):
    def __delete__(self, owner):
        note("delete", self.name)
        delattr(owner, self.name)


class Sink:
    """Only stores."""

    def __set__(self, owner, value):
        note("sink")


class Caller:
    def __init__(self, value):
        self.value = value

    def __call__(self, *args):
        note("caller", len(args))
        return self.value, len(args)


class Shape(abc.ABC):
    @abc.abstractmethod
    def area(self): ...

    @classmethod
    def __subclasshook__(cls, kind):
        return True if hasattr(kind, "area") else NotImplemented


class Mark(abc.ABC):
    """A class is registered with it."""


class Own:
    pass


class Bare:
    __slots__ = ()


class Slim:
    __slots__ = ("a",)


def made(kind, first):
    """An object of the class, or of another where it cannot be made."""
    arguments = [(), (1,), ([1, 2],), (np.arange(3.0),), (2, "t"), ("12",)]
    for args in arguments[first:] + arguments[:first]:
        try:
            return kind(*args)
        except Exception:
            note("not made of", len(args))
    return Own()
