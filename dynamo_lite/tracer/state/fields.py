"""Attributes and variables of closures that bodies of the graph change: variables, as locals are.

An object that is older than a body (of a loop or branch) shows nothing of what is stored in it in
there: at the end of the body it holds what it held before, and what it holds behind the loop or
branch is a result of that node. A branch finds out while its arms are traced what they change. A
loop has to know it before; it is planned, where it does not, and the analysis starts again.
"""
from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Protocol

from ...base.records import dataclass, field
from ...errors import GraphBreak
from ...guards.sources import Pinned, Source
from .tracker import VariableTracker


class NewField(GraphBreak):
    """An object gets an attribute that it does not have."""


class Owner(Protocol):
    """What has fields: an object, or a cell."""

    source: Source | None
    value: Any
    born: int

    def __hash__(self) -> int: ...
    def describe(self) -> str: ...
    def python_type(self) -> type: ...
    def own(self, tx: Any, name: str) -> VariableTracker | None:
        """What a field holds, which is read; None where it is empty."""

    def held(self, name: str) -> Any:
        """What a field that has been read or stored holds."""

    def hold(self, name: str, value: VariableTracker) -> None:
        """Let it hold something, of which nobody is told."""

    def store_held(self, tx: Any, name: str, value: VariableTracker) -> None:
        """Store something in it, as the program does."""


@dataclass(frozen=True, slots=True)
class Field:
    owner: Owner
    name: str

    @property
    def value(self) -> VariableTracker:
        found: VariableTracker = self.owner.held(self.name)
        return found


@dataclass(frozen=True, slots=True)
class FieldName:
    """A field in the other runs of an analysis too: the owner is an object from outside, or the
    one that the frame makes when it has made `made` others."""

    name: str
    made: int | None
    source: Source | None = None
    value: Pinned | None = None


@dataclass(eq=False, slots=True)
class Body:
    """A part of the program that becomes a graph of its own: `what` it is, and what is known of the
    fields that it changes. `carried` are those that the iterations of a loop hand on."""

    what: str
    since: int
    carried: frozenset[FieldName] | None = None
    missing: set[FieldName] = field(default_factory=set)
    before: dict[Field, VariableTracker] = field(default_factory=dict)

    def is_younger(self, owner: Any) -> bool:
        return owner.source is not None or owner.born < self.since


class Fields:
    """Those of one run: `bodies` that are being traced, the outermost first, and the fields that
    one of these, or one before, has changed."""

    def __init__(self) -> None:
        self.bodies: list[Body] = []
        self.known: dict[str, Field] = {}
        self.made: dict[Owner, int] = {}
        self._numbers: dict[Owner, int] = {}

    def makes(self, owner: Owner) -> None:
        """The frame makes an object or cell."""
        self.made[owner] = len(self.made)

    def is_in_older(self, owner: Owner) -> bool:
        """Whether a change of the owner's fields would show behind the body."""
        return bool(self.bodies) and self.bodies[-1].is_younger(owner)

    def change(self, changed: Field, before: VariableTracker | None) -> None:
        """A field of an older owner is about to change inside of a body."""
        owner = changed.owner
        if before is None:
            what = f"{self.bodies[-1].what} gives {owner.describe()}"
            raise NewField(f"{what} the attribute {changed.name!r}, which it does not have")
        name = self.name(changed)
        for body in self.bodies:
            if body.is_younger(owner):
                body.before.setdefault(changed, before)
                if body.carried is not None and name not in body.carried:
                    body.missing.add(name)
        self.keys([changed])

    def keys(self, changed: Iterable[Field]) -> set[str]:
        """Make variables of fields; their names."""
        found = {self.key(one): one for one in changed}
        self.known |= found
        return {*found}

    def name(self, changed: Field) -> FieldName:
        owner = changed.owner
        if owner.source is not None:
            return FieldName(changed.name, None, owner.source, Pinned(owner.value))
        if (made := self.made.get(owner)) is None:
            raise GraphBreak(f"{self.bodies[-1].what} changes {owner.describe()}")
        return FieldName(changed.name, made)

    def key(self, known: Field) -> str:
        """The name of a field as a variable; that of no local."""
        number = self._numbers.setdefault(known.owner, len(self._numbers) + 1)
        return f"{known.name} of {known.owner.python_type().__name__} #{number}"

    def begin(self, body: Body) -> None:
        self.bodies.append(body)

    def end(self) -> None:
        """The innermost body is over: it has not happened yet."""
        body = self.bodies[-1]
        for changed, before in body.before.items():
            changed.owner.hold(changed.name, before)
        self.bodies.pop()
        self.known = {
            key: known for key, known in self.known.items() if body.is_younger(known.owner)
        }
