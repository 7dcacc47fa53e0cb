"""What a program as a whole may spend on compiling.

Functions call each other, and a second of one counts for its callers too, until it is compiled; and
what each of them may spend adds up. So beyond the first seconds (`FREE`) compiling takes no more
than `config.compile_share` of the time in which the program itself runs, and of what compiled code
was measured to have saved the share `PROFIT`. Code waits as long as it does.
"""
from __future__ import annotations

import math
import time
from collections.abc import Callable

from ..base.config import config
from .costs import MOST_WAITED, Costs

FREE = 0.05, 10.0
"""Seconds of compiling that every program may take, and where it is asked for at the first call."""
PROFIT, MOST = 0.5, 0.25
"""What compiling may take of the seconds that it was measured, or is known, to save, and at most of
those that the program ran: what it saved is known as well as the first calls are like the later
ones."""
ONE_ANALYSIS = 0.1
"""What an analysis may take at most of the time that the program ran, however long it has run."""
ALIKE = 1.2
"""How many times as long or short runs are that are alike."""
REPEATED = 5.0
"""How many times the share of its time a program may spend that is run again in the same process:
it is likely to be run some more times."""
CREDIT = 0.1
"""Seconds of compiling that a function with loops gets in advance, and that a program gets for all
such guesses, beside a share of its time."""


class Lender:
    """How much CPU time a program may spend on compiling: what it `spent`, of which `lent` on
    loops that nobody had run yet, and `useful` are those that came to something; `wasted` are the
    seconds of analyses that came to nothing, and of loading the compiler."""

    def __init__(self) -> None:
        self.costs = Costs()
        self.lent = self.spent = self.useful = self.wasted = 0.0
        self.saved: Callable[[], float] = float
        """What it was measured to have saved in this run."""
        self.began = time.process_time()
        self.lasts = math.inf
        """Seconds that the program ran the last time, if it is known."""
        self.share: Callable[[], float] = lambda: 1.0
        """Which part of the time it has a processor."""
        self.is_repeated = False
        """Whether code that had run for long was made anew: the program is run again."""

    # -- the time of the program

    def cpu(self, seconds: float) -> float:
        """About how much CPU time seconds by the clock are, of which other programs have some."""
        return seconds * self.share()

    def ran(self) -> float:
        """Seconds that the program itself has run."""
        return max(time.process_time() - self.began - self.spent, 0.0)

    def to_come(self, ran: float) -> float:
        """Seconds that code may run from here on which ran for so long, if the program runs about
        as long as the last time; once it has run for longer, nothing is known."""
        so_far = self.ran() if self.lasts < math.inf else math.inf
        if so_far >= ALIKE * self.lasts or so_far <= 0.0:
            return math.inf
        return min(max(ran / so_far, 0.0), 1.0) * max(self.lasts - so_far, 0.0)

    # -- what it may spend

    def part(self) -> float:
        """The part of the program's time that compiling may take."""
        return config.compile_share * (REPEATED if self.is_repeated else 1.0)

    def left(self) -> float:
        """Seconds that compiling may still take now."""
        allowed = FREE[config.warm_seconds <= 0] + self.earned() - self.spent
        return allowed + self.part() * ran if (ran := self.ran()) else allowed

    def earned(self) -> float:
        """Seconds of compiling that the program may take because compiling has paid."""
        return min(PROFIT * self.saved(), MOST * self.ran())

    def for_one(self) -> float:
        """Seconds that one analysis may take."""
        share = max(ONE_ANALYSIS, self.part()) if self.is_repeated else ONE_ANALYSIS
        return share * self.ran() if config.warm_seconds > 0 else math.inf

    def lends(self) -> bool:
        """Whether there is something left for guesses, of which most come to nothing."""
        share = min(self.part(), 1.0)
        lost = max(self.lent, self.wasted)
        return lost < CREDIT + share * (time.process_time() - self.began)

    def lacks(self) -> float:
        """Seconds that the program is to run before more of it may be compiled."""
        open_ = self.spent - self.lent - FREE[config.warm_seconds <= 0]
        if open_ <= 0 or (open_ := open_ - self.earned()) <= 0:
            return 0.0
        share = self.part()
        return max(open_ / share - self.ran(), 0.0) if share else math.inf

    def loss(self) -> float:
        """Seconds by which the program is slower for having a compiler, as far as is measured: what
        is compiled next has to be worth as much."""
        return max(min(self.wasted - self.saved(), MOST_WAITED * config.warm_seconds), 0.0)
