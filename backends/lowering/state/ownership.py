"""Whose memory buffers are, and what of it a program may change."""
from __future__ import annotations

from typing import Any

from ....base.records import dataclass, field
from ...loop_ir.loops import Buffer, Gather, Load, walk
from .values import Value, load_of


@dataclass
class Ownership:
    """`own` is memory that was made for one value, and may be changed when that is dead."""

    own: set[Buffer] = field(default_factory=set)
    fixed: set[Buffer] = field(default_factory=set)  # inputs that are changed before the commit
    unlogged: set[Buffer] = field(default_factory=set)  # those of which all changes are logged
    logged: set[tuple[Any, ...]] = field(default_factory=set)  # the parts of them that have been
    copied: dict[Buffer, Value | None] = field(default_factory=dict)
    """Those that are copied whole before the first change; None once that has been done."""
    roots: dict[Buffer, Buffer] = field(default_factory=dict)  # of buffers in memory of others

    def inside(self) -> Ownership:
        """What a body begins with: it owns nothing, and its writes are its own."""
        return Ownership(set(), self.fixed, set(self.unlogged), set(self.logged),
                         {**self.copied}, self.roots)

    def shares(self, buffer: Buffer, base: Buffer) -> None:
        """The buffer is, or may be, memory of another one."""
        self.roots[buffer] = self.root(base)

    def root(self, buffer: Buffer) -> Buffer:
        """The buffer that owns the memory."""
        return self.roots.get(buffer, buffer)

    def reads(self, value: Value, buffer: Buffer) -> bool:
        """Whether a value is computed from what the buffer holds now."""
        return any(
            self.root(part.buffer) == buffer
            for part in walk((value.expr,)) if isinstance(part, (Load, Gather))
        )

    def owned(self, value: Value) -> Value:
        """Mark memory that was made for this very value."""
        self.own.add(load_of(value).buffer)
        return value

    def is_owned(self, value: Value) -> bool:
        if not value.is_memory:
            return False
        buffer = load_of(value).buffer
        return buffer in self.own and value.array == buffer

    def take_over(self, value: Value, at_once: bool) -> None:
        """An input is to be changed before the commit; whether all of it is copied `at_once`,
        rather than each part before it changes."""
        buffer = load_of(value).buffer
        self.own.add(buffer)
        self.fixed.add(buffer)
        self.unlogged.add(buffer)
        if at_once:
            self.copied[buffer] = value

    def is_unlogged(self, value: Value) -> bool:
        """Whether a value is in an input of which all changes are logged."""
        return value.is_memory and load_of(value).buffer in self.unlogged
