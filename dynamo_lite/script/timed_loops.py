"""Loops that are running: how long an iteration takes in Python, and once the rest is compiled."""
from __future__ import annotations

import time
from types import CodeType, FrameType
from typing import Any

from ..base.records import NamedTuple, dataclass
from ..bytecode.loop_functions import LoopSite
from ..native import time_in_compiled
from ..tiering.account import Account
from ..tiering.decisions import Decision
from .comparisons import slower
from .histories import PAID
from .iterators import RANGE_ITERATOR, items_left
from .on_stack import Switch

LOOKS = 2
"""Iterations between two looks that tell how long one takes."""
WORTH, SLOW_LOOKS = 0.95, 3
"""What iterations may take compiled, in what they took in Python; and at how many looks more."""
MUCH_LONGER = 2.0
"""How much more of a loop has to be left than when it could not be compiled, to try that again."""
SHORTEST = 1e-9
"""Seconds that a loop takes at least: code may be generated beside it."""
NOT_COMPILED = "the loop could not be compiled, or that would have taken too long"


class Moment(NamedTuple):
    """Seconds of the thread's CPU time; and nanoseconds by the clock, and of those in compiled
    code."""

    cpu: float
    clock: int = 0
    compiled: int = 0

    @staticmethod
    def now() -> Moment:
        return Moment(time.thread_time(), *time_in_compiled())

    def share_in_python(self, before: Moment) -> float:
        """Which part of the time since then was not in compiled code."""
        took = self.clock - before.clock
        return 1.0 - (self.compiled - before.compiled) / took if took else 1.0


class Iterations(NamedTuple):
    """How many there were, the seconds that they took, and those which were not in compiled
    code."""

    number: int = 0
    seconds: float = 0.0
    own: float = 0.0

    @property
    def mean(self) -> float:
        return self.seconds / self.number if self.number else 0.0

    def without(self, others: Iterations) -> Iterations:
        return Iterations(
            self.number - others.number, self.seconds - others.seconds, self.own - others.own)

    def joined(self, others: Iterations) -> Iterations:
        return Iterations(
            self.number + others.number, self.seconds + others.seconds, self.own + others.own)


@dataclass(frozen=True, slots=True)
class Look:
    """When a loop was seen, and how many items were left; what the program had `spent` on compiling
    by then; how often it was timed before, the iterations of `all` these times and those of the
    `longest`; and how many iterations were seen."""

    at: Moment
    left: int
    spent: float = 0.0
    timed: int = 0
    all: Iterations = Iterations()
    longest: Iterations = Iterations()
    done: int = 0

    @property
    def usual(self) -> Iterations:
        """All but the longest: one may import something, or plot."""
        return self.all.without(self.longest) if self.timed > 1 else self.all

    @property
    def mean(self) -> float:
        """Seconds that an iteration takes: some of a loop take longer than others."""
        return self.usual.mean

    @property
    def own(self) -> float:
        """Which part of these is not in compiled code."""
        return self.usual.own / self.usual.seconds if self.usual.seconds else 1.0

    def again(self, now: Moment, left: int, spent: float) -> Look:
        """The next look; this one still where there were too few iterations since. What iterations
        took says nothing any more when something else was compiled that they may call."""
        done = self.done + self.left - left
        if spent != self.spent:
            return Look(now, left, spent, done=done)
        if (took := self.took(now, left)) is None:
            return self
        seconds = took * (self.left - left)
        last = Iterations(self.left - left, seconds, seconds * now.share_in_python(self.at))
        longest = max(self.longest, last, key=lambda each: each.mean)
        return Look(now, left, spent, self.timed + 1, self.all.joined(last), longest, done)

    def took(self, now: Moment, left: int) -> float | None:
        """Seconds of an iteration since then; None after too few of them."""
        done = self.left - left
        return (now.cpu - self.at.cpu) / done if done >= LOOKS else None


@dataclass(slots=True)
class Running:
    """A loop that runs now; whether it `waits` for code that was tried in vain."""

    frame: FrameType
    site: LoopSite
    iterator: Any
    left: int
    waits: bool = False

    @property
    def is_range(self) -> bool:
        return type(self.iterator) is RANGE_ITERATOR

    def items_left(self) -> int:
        """How many iterations are left now."""
        return items_left(self.iterator) or 0

    @property
    def key(self) -> tuple[int, int]:
        return id(self.frame), id(self.iterator)

    def again(self, now: Moment, left: int, spent: float) -> Look:
        """The first look at it."""
        return Look(now, left, spent)

    @property
    def place_in_code(self) -> tuple[CodeType, int]:
        return self.site.code, self.site.head.offset

    @property
    def place(self) -> str:
        return f"{self.site.code.co_filename}:{self.site.head.line}"


class Waits:
    """How often loops were `seen`, and seen to wait for code that was tried in vain."""

    def __init__(self) -> None:
        self.seen: dict[tuple[CodeType, int], tuple[int, int]] = {}

    def share_without(self, loop: Running) -> float:
        """Which part of its time a loop does not wait for such code; it is seen now."""
        seen, waits = self.seen.get(loop.place_in_code, (0, 0))
        seen, waits = seen + 1, waits + loop.waits
        self.seen[loop.place_in_code] = seen, waits
        return 1.0 - waits / seen


@dataclass(slots=True)
class Replaced:
    """A loop that runs compiled: how long an iteration `took` in Python, when it `began` to run,
    what the account had spent by then, and how long one takes since `look`; at `slow` looks it took
    longer. Looks between which something was compiled (by the account's `spent`) do not count."""

    loop: Running
    switch: Switch
    account: Account
    took: float
    began: Moment
    spent_before: float = 0.0
    look: Look | None = None
    spent: float = 0.0
    slow: int = 0
    takes: float = 0.0

    @property
    def is_over(self) -> bool:
        """Whether the loop was left before it was entered again."""
        return not (self.switch.is_entered or self.switch.is_waiting)

    @property
    def is_in_vain(self) -> bool:
        """Whether what its iterations do first is not worth a graph."""
        return self.account.in_vain > 0.0 and not self.account.operations

    def review(self, now: Moment) -> None:
        """Have Python go on with a loop that takes longer compiled, or of which nothing is."""
        self.switch.items.is_stopped |= self.is_in_vain
        left = self.loop.items_left()
        if self.look is None or self.spent != self.account.spent:
            self.look, self.spent = Look(now, left), self.account.spent
        elif (takes := self.look.took(now, left)) is not None:
            self.look, self.takes = Look(now, left), takes
            self.slow = self.slow + 1 if takes > WORTH * self.took else 0
            self.switch.items.is_stopped |= self.slow >= SLOW_LOOKS

    def conclusion(self, now: Moment) -> Decision | None:
        """What the next run of the program is told."""
        if self.switch.compiled is None or not self.account.operations:
            return Decision(False, NOT_COMPILED, self.took, MUCH_LONGER * self.account.rest)
        if not self.takes:
            self.takes = self._took_until(now)
        if not self.takes:
            return None
        if self.takes > WORTH * self.took:
            return Decision(False, slower(self.takes, self.took))
        return Decision(True, PAID, self.took, (self.took - self.takes) * self._iterations())

    def _iterations(self) -> int:
        """How many ran compiled; of a loop as a whole nobody took an item."""
        left = 0 if self.switch.as_whole else self.loop.items_left()
        return self.loop.left - left

    def begins(self) -> None:
        """The loop is compiled, or its first part is."""
        self.began, self.spent_before = Moment.now(), self.account.spent

    def _took_until(self, now: Moment) -> float:
        """Seconds of an iteration where no look told; 0 where that is not known. A loop that is
        compiled as a whole is not seen before its end, and others may end soon."""
        if self.look is not None and self.spent == self.account.spent:
            if took := self.look.took(now, self.loop.items_left()):
                return took
        ran = now.cpu - self.began.cpu - (self.account.spent - self.spent_before)
        iterations = self._iterations()
        return max(ran, SHORTEST) / iterations if iterations else 0.0
