"""Where arms of a branch lead, with all that they leave there: places to go on from."""
from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from ...base.records import dataclass
from ...bytecode.flow import Loop
from ...bytecode.liveness import live_locals
from ...bytecode.reading import Instruction
from ...ir.graph import Graph
from ..object_model.constants import TRUE
from ..state.tracker import VariableTracker
from .side_exits import names_at_side_exits
from .variables import assign, shared

if TYPE_CHECKING:
    from ..state.tx import Tx

JOINED, ITERATION, RETURNED, PENDING = "joined", "iteration", "returned", "pending"

Key = tuple[bool, int, int]


@dataclass(slots=True)
class Exit:
    """A place that control gets to: an instruction (JOINED), or the end of the iteration or frame.

    `order` is that of `Shape`, `locals` has the lengths of lists too, and `current` is the
    instruction that led here. Where there are several exits, `taken` says whether this is the one
    if none before it is; the last is then.
    """

    end: str
    index: int
    order: int
    locals: dict[str, VariableTracker]
    stack: list[VariableTracker]
    current: Instruction
    result: VariableTracker | None = None
    """What is returned (RETURNED), or whether the loop goes on (ITERATION)."""
    taken: VariableTracker = TRUE

    @property
    def key(self) -> Key:
        """Alike for exits that are one; in the order in which they are gone on from."""
        return (False, self.order, self.index) if self.end == JOINED else (True, 0, 0)


@dataclass(slots=True)
class Arm:
    """One arm of a branch: the body that was traced, and where it led."""

    graph: Graph
    since: int
    """What is born from then on is made on the arm."""
    exits: list[Exit]

    def exit(self, key: Key) -> Exit | None:
        return next((exit_ for exit_ in self.exits if exit_.key == key), None)

    def takes(self, key: Key) -> VariableTracker | None:
        """Whether this exit is the one if none before it is; None for no exit of this arm."""
        if (found := self.exit(key)) is None:
            return None
        return TRUE if found is self.exits[-1] else found.taken


def keys_of(arms: Iterable[Arm]) -> list[Key]:
    return sorted({exit_.key for arm in arms for exit_ in arm.exits})


def enter(tx: Tx, exit_: Exit, loop: Loop | None) -> None:
    """Go on from an exit; `loop` is the one that an iteration ends of."""
    tx.locals = {}
    assign(tx, exit_.locals)
    tx.index, tx.stack, tx.current = exit_.index, list(exit_.stack), exit_.current
    if exit_.end == ITERATION and tx.region is loop:  # else it is unrolled, and its head comes next
        tx.proceed = exit_.result
    elif exit_.end == RETURNED:
        tx.returned = exit_.result


def live_at(tx: Tx, exit_: Exit, loop: Loop | None) -> frozenset[str]:
    """The variables that may be read from an exit on."""
    if exit_.end == ITERATION:
        return live_behind(tx, loop) | names_at_side_exits(tx)
    live = frozenset(shared(tx))
    return live_locals(tx.code, exit_.index) | live if exit_.end == JOINED else live


def live_behind(tx: Tx, loop: Loop | None) -> frozenset[str]:
    """The variables that may be read when an iteration is over."""
    assert loop is not None
    live = frozenset(shared(tx)) | live_locals(tx.code, loop.head)
    if loop.head in tx.exits:
        live |= live_locals(tx.code, tx.exits[loop.head][0])
    return live


def only_at_side_exits(tx: Tx, exit_: Exit, loop: Loop | None) -> frozenset[str]:
    """Those that are read at side exits only."""
    if exit_.end != ITERATION:
        return frozenset()
    return names_at_side_exits(tx) - live_behind(tx, loop)
