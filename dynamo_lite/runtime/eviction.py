"""What becomes of a function that has as many compiled variants as it may have.

Calls that match none of them run in Python, at no cost beyond the guards. When `patience` of them
have come, the least recently used variant is evicted for a new one. The patience doubles as
long as new variants are of little use, so compiling never takes much of the time; a program that
has moved on to other arguments is soon compiled again.
"""
from __future__ import annotations

from typing import TYPE_CHECKING

from ..base.records import dataclass
from ..native import CompiledFunction

if TYPE_CHECKING:
    from ..native._core import CallCounts

PATIENCE = 8
"""Calls that match no variant, before one of the variants is evicted."""


@dataclass(eq=False, slots=True)
class Eviction:
    """Which variants of one function come and go, once the limit is reached."""

    patience: int = PATIENCE
    newest: CallCounts | None = None

    def wait(self, compiled: CompiledFunction) -> None:
        """Let the next calls that match no variant run in Python."""
        compiled.patience = self.patience

    def make_room(self, compiled: CompiledFunction, limit: int) -> None:
        """Drop the variants used longest ago, so that there are fewer than `limit`."""
        if self.newest is not None:
            useful = self.newest.hits >= self.patience
            self.patience = PATIENCE if useful else 2 * self.patience
        for entry in compiled.entries()[limit - 1 :]:
            compiled.remove_entry(entry)
