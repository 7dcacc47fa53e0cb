"""How long Python runs before another variant of a function is compiled."""
from __future__ import annotations

import math
from typing import Any

from ..base import logs
from ..base.records import dataclass
from ..native import CompiledFunction
from ..tiering.account import GAIN, Account, in_words, nanoseconds
from .family import Family
from .options import Options
from .reporter import Reporter

RECOMPILES = logs.logger("recompiles")
ENOUGH = 1.0
"""Seconds that the code of one function may take to compile before Python has to run for as long
before each further piece of it: some functions need another variant for whatever they are given."""

FIRST_LOOK, LONGER, LOOKS = 1e-3, 3, 5
"""Seconds of calls in Python between two looks for an entry on disk: the first pause, how many
times as long the next ones are, and how many there are."""


IN_A_ROW = 3
"""Iterations of a running loop, one after the other, that no entry fits, after which later ones are
taken to be like them."""


@dataclass(eq=False, slots=True)
class Waiting:
    """The native core measures what calls take that no entry fits, and asks for an entry when they
    have taken `nanoseconds`."""

    options: Options
    family: Family
    report: Reporter
    nanoseconds: int = 0
    looks: int = 0
    """How often entries on disk were looked through in vain since one was found."""
    hits: int = 0
    """Calls that entries fitted, when it was asked about last."""
    misses: int = 0
    in_a_row: int = 0
    """Iterations of a running loop that none fitted; and how many there were after those hits."""

    def is_cold(self, compiled: CompiledFunction, flat_args: tuple[Any, ...]) -> bool:
        """Whether Python is to run for longer before another entry is made; see
        `tiering.account`."""
        if (account := self.options.account) is None:
            return self._is_dear(compiled)
        account.ran += account.lender.cpu((self.nanoseconds - compiled.waiting) * 1e-9)
        time = nanoseconds(account.lacks(flat_args))
        if account.rest and self._is_seldom(compiled, account):
            time = max(time, 1)
        self._wait(compiled, time)
        if is_cold := self.nanoseconds > 0:
            RECOMPILES.info("no variant of %s yet: %s", self.report.name, in_words(account))
        return is_cold

    def _is_seldom(self, compiled: CompiledFunction, account: Account) -> bool:
        """Whether iterations of a running loop that no entry fits are so few that compiling for
        them does not pay."""
        if not (hits := sum(entry.hits for entry in compiled.entries())):
            return False
        self.in_a_row = self.in_a_row + 1 if hits == self.hits else 1
        self.hits, self.misses = hits, self.misses + 1
        if self.in_a_row >= IN_A_ROW:
            return False
        return GAIN * account.rest * self.misses / (hits + self.misses) < account.variant()

    def awaits_kept(self, compiled: CompiledFunction) -> bool:
        """Whether Python is to run for a while where there are entries on disk and none fits: the
        first calls of a program may find what later ones do not, and earlier runs compiled for the
        later ones. Not the rest of a loop that is running, which is called now or never."""
        account = self.options.account
        is_once = account is not None and account.rest and self.options.fullgraph
        if account is None or is_once or self.looks >= LOOKS:
            return False
        self._wait(compiled, nanoseconds(FIRST_LOOK * LONGER**self.looks))
        self.looks += 1
        return True

    def leave(self, compiled: CompiledFunction) -> None:
        """Have Python run it for good: a part of a loop that is running, which is asked for in each
        iteration, and does not pay in all that are left."""
        self._wait(compiled, nanoseconds(math.inf))

    def _is_dear(self, compiled: CompiledFunction) -> bool:
        """Whether so much has been compiled for the function that Python is to run first."""
        spent = self.family.spent
        if spent < ENOUGH or self.options.fullgraph or self.options.is_explained:
            return False
        is_dear, self.nanoseconds = not self.nanoseconds, 0
        if is_dear:
            self._wait(compiled, nanoseconds(spent))
            RECOMPILES.info(
                "no further variant of %s until Python has run for %.1f s, as long as compiling it "
                "has taken", self.report.name, spent)
        return is_dear

    def _wait(self, compiled: CompiledFunction, time: int) -> None:
        compiled.waiting = self.nanoseconds = time
