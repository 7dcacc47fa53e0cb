"""What all steps have in common follows from their fields: which buffers they use, and how a step
reads that uses others.

A field that holds buffers says so: `field(metadata=READ)` or `field(metadata=WRITE)`. It may hold
one, or none, or a pytree with buffers and records at its leaves. Lists of steps are `BLOCK`s.
"""
from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import fields, replace
from functools import cache
from typing import Any, ClassVar

from ...ir.tree import leaves, map_leaves
from .loops import Buffer, Buffers

READ, WRITE, BLOCK = ({"role": role} for role in ("read", "write", "block"))


def fields_with(kind: Any, *roles: str) -> tuple[str, ...]:
    """The names of a record's fields that have one of these roles, in order."""
    return _fields_with(kind, roles)


@cache
def _fields_with(kind: Any, roles: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(one.name for one in fields(kind) if one.metadata.get("role") in roles)


class Record:
    """A part of a step."""

    __slots__ = ()

    def used(self, *roles: str) -> Buffers:
        """The buffers in the fields that have these roles."""
        names = fields_with(type(self), *roles)
        return tuple([buffer for name in names for buffer in buffers_in(getattr(self, name))])


class Instruction(Record):
    """Base of the steps. `reads` are the buffers whose contents or address a step uses, `writes`
    those that it fills or makes. `text` shows a step, which it is formatted with."""

    __slots__ = ()
    text: ClassVar[str] = ""

    @property
    def reads(self) -> Buffers:
        return self.used("read")

    @property
    def writes(self) -> Buffers:
        return self.used("write")


def buffers_in(value: Any) -> Iterator[Buffer]:
    for leaf in leaves(value):
        if isinstance(leaf, Buffer):
            yield leaf
        elif isinstance(leaf, Record):
            yield from leaf.used("read", "write")


def renamed(value: Any, names: Mapping[Buffer, Buffer]) -> Any:
    """A pytree with other buffers in it, and in its records."""
    def change(leaf: Any) -> Any:
        if isinstance(leaf, Buffer):
            return names.get(leaf, leaf)
        if not isinstance(leaf, Record):
            return leaf
        held = fields_with(type(leaf), "read", "write")
        return replace(leaf, **{name: renamed(getattr(leaf, name), names) for name in held})  # type: ignore[type-var]

    return map_leaves(change, value)
