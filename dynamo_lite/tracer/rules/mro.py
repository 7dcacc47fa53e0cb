"""What classes hold along the order of their bases, and guards of it.

CPython's look-up on types (`_PyType_Lookup`): no descriptor is asked, no code is run.
"""
from __future__ import annotations

from typing import Any

import numpy as np

from ...base.records import dataclass
from ...guards.sources import Pinned

MISSING = object()


def lookup(kind: type, name: str) -> Any:
    """The raw attribute along the MRO, or MISSING (CPython's `_PyType_Lookup`)."""
    return lookup_in(kind.__mro__, name)[0]


def answers(kind: type, *names: str) -> bool:
    """Whether a class, not its metaclass, has one of these special methods."""
    return any(lookup(kind, name) is not MISSING for name in names)


def is_iterable(kind: type) -> bool:
    """Whether `iter` takes an object of the class; NumPy's numbers are indexed only, by `()`."""
    if issubclass(kind, np.generic) and not issubclass(kind, np.flexible):
        return False
    return answers(kind, "__iter__", "__getitem__")


def lookup_in(mro: tuple[type, ...], name: str) -> tuple[Any, type]:
    for base in mro:
        if name in base.__dict__:
            return base.__dict__[name], base
    return MISSING, object


def is_subtype(kind: type, base: type) -> bool:
    """Whether a class is derived from another, whatever metaclasses say of it."""
    return any(each is base for each in kind.__mro__)


def is_data_descriptor(raw: Any) -> bool:
    return hasattr(type(raw), "__set__") or hasattr(type(raw), "__delete__")


@dataclass(frozen=True, slots=True)
class ClassHolds:
    """A guard: what a class and its bases hold under a name, whatever descriptors make of it."""

    name: str
    raw: Pinned

    @property
    def __name__(self) -> str:
        return f"its {self.name!r} is what it was"

    def __call__(self, kind: type) -> bool:
        return lookup(kind, self.name) is self.raw.value


@dataclass(frozen=True, slots=True)
class Lacks:
    """A guard: whether a class itself has nothing under a name."""

    name: str

    @property
    def __name__(self) -> str:
        return f"has no {self.name!r} of its own"

    def __call__(self, kind: type) -> bool:
        return self.name not in vars(kind)
