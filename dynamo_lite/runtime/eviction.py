"""What becomes of a function that has as many compiled variants as it may have.

Calls that match none of them run in Python, at no cost beyond the guards. When `patience` of them
have come, the least recently used variant is evicted for a new one. The patience doubles as
long as new variants are of little use, so compiling never takes much of the time; a program that
has moved on to other arguments is soon compiled again.
"""
from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..base.config import config
from ..base.records import dataclass
from ..errors import RecompileLimitExceeded
from ..native import CompiledFunction, Entry
from .guard_failures import limit_reached
from .options import Options
from .reporter import Reporter

if TYPE_CHECKING:
    from ..native._core import CallCounts

PATIENCE = 8
"""Calls that match no variant, before one of the variants is evicted."""


@dataclass(eq=False, slots=True)
class Variants:
    """How many variants one function may have, and whether there is room for one more."""

    options: Options
    report: Reporter
    eviction: Eviction | None = None

    @property
    def limit(self) -> int:
        limit: int = dict(self.options.settings).get("recompile_limit", config.recompile_limit)
        return limit

    def have_room(self, compiled: CompiledFunction, flat_args: tuple[Any, ...]) -> bool:
        """At the limit, an old one may have to go first."""
        limit = self.limit
        if len(compiled.entries()) < limit:
            return True
        if limit <= 0:
            compiled.disable("config.recompile_limit allows no variants")
            return False
        if self.eviction is not None:
            self.eviction.make_room(compiled, limit)
            return True
        warning = limit_reached(compiled, flat_args, self.report.name)
        if self.options.fullgraph:
            raise RecompileLimitExceeded(warning)
        self.eviction = Eviction()
        self.eviction.wait(compiled)
        self.report.limit_reached(warning)
        return False

    def added(self, compiled: CompiledFunction, entry: Entry) -> None:
        if self.eviction is not None:
            self.eviction.newest = entry.counts
            self.eviction.wait(compiled)


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
