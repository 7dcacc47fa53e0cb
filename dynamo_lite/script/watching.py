"""When the calls of a program are watched, which costs each of them.

Candidates are found while we see every function that starts (Python 3.11), or every call of those
that may work on arrays (later ones). A program that calls small functions by the million loses more
by that than it gains where few of its functions are worth compiling. So there are pauses, so long
that all looks together take a small share of the time, and longer as long as nothing new is found;
on 3.11, where compiled code runs only while calls are watched, what watching costs is first set
against what compiled calls were measured to save. What runs during a pause is seen by samples.
"""
from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from types import CodeType, FrameType

from ..native import calls_seen, watch_calls

IS_HOOKED = sys.version_info < (3, 12)
"""Whether the interpreter's hook watches calls: compiled code does not run without it."""
CALL, TIMED = 50e-9, 400e-9 if IS_HOOKED else 550e-9
"""Seconds that watching a call costs, and a timed one besides, as measured on a program of object
style: the interpreter runs it by a C call, and knows nothing of the function at the call site."""
SHARE = 0.01
"""Part of the time that watching may always take."""
HALF_LIFE = 2.0
"""Seconds after which what was gained and lost counts half."""
FIRST_LOOK = 0.1
"""Seconds of watching until there is a pause; as long, again, after something was compiled."""
FREE, DEAR = 0.05, 0.005
"""Seconds that looks may cost before they have to be rare; and after that a look which cost the
second is over, unless it is at what was just compiled."""
SHORTEST, LONGEST = 0.1, 3.2
"""Seconds that a pause lasts."""
IMPORTS = 0.2
"""Seconds between two samples in which modules were imported: there are none meanwhile, and what
calls that takes says nothing of the program's own."""
GONE = 1.0
"""A longer time between two samples is no time that one function ran."""


class CallWatch:
    """Turns watching off and on. `saved` gives the seconds that compiled calls saved until now,
    `spent` those that compiling took which came to something."""

    def __init__(
        self, saved: Callable[[], float], spent: Callable[[], float], is_hooked: bool = IS_HOOKED
    ) -> None:
        self.saved, self.spent, self.is_hooked = saved, spent, is_hooked
        self.is_on = True
        self.at = self.changed = time.thread_time()
        self.pause = SHORTEST / 2
        self.known = self._measured()
        self.time = self.cost = self.gain = 0.0
        self.look, self.looks, self.is_trial = 0.0, 0.0, False
        """What the present look has cost, and those before; and whether the present one is at what
        was just compiled."""

    def sample(self) -> float:
        """Called now and then: the seconds since the last time, if nobody watched calls."""
        now = time.thread_time()
        elapsed, self.at = now - self.at, now
        if self.is_on:
            self._weigh(elapsed) if elapsed < IMPORTS else self._begin()
            return 0.0
        if now - self.changed >= self.pause:
            self._turn(True)
        return min(elapsed, GONE)

    def resume(self) -> None:
        """Watch calls at once: there is something to be compiled."""
        if not self.is_on:
            self.pause = SHORTEST / 2
            self._turn(True)

    def _begin(self) -> None:
        """Count from here on."""
        self.known = self._measured()
        self.changed = self.at

    def _measured(self) -> tuple[float, float, float]:
        """What watching has cost until now, what compiled calls saved that need it, and what
        compiling took."""
        calls, timed = calls_seen()
        saved = self.saved() if self.is_hooked else 0.0
        return CALL * calls + TIMED * timed, saved, self.spent()

    def _weigh(self, elapsed: float) -> None:
        present = self._measured()
        cost, saved, spent = (after - before for after, before in zip(present, self.known))
        self.known = present
        kept = 0.5 ** (elapsed / HALF_LIFE)
        self.time = self.time * kept + elapsed
        self.cost = self.cost * kept + cost
        self.look += cost
        self.gain = self.gain * kept + max(saved, 0.0)
        if spent > 0.0:  # what was compiled is yet to show what it saves
            self.pause, self.changed, self.is_trial = SHORTEST / 2, self.at, True
        is_over = self.pause >= SHORTEST or (self.look >= DEAR and self.is_to_be_rare)
        is_long = is_over or self.at - self.changed >= FIRST_LOOK
        if is_long and self.cost > max(SHARE * self.time, self.gain):
            self._turn(False)

    @property
    def is_to_be_rare(self) -> bool:
        return self.looks + self.look > FREE and not self.is_trial

    def _turn(self, is_on: bool) -> None:
        if not is_on:
            least = self.look / SHARE if self.is_to_be_rare else 0.0
            self.pause = min(max(2 * self.pause, least), LONGEST)
        self.look, self.looks, self.is_trial = 0.0, self.looks + self.look, False
        self.is_on, self.changed = is_on, self.at
        watch_calls(is_on)


def running(frame: FrameType | None) -> Iterator[CodeType]:
    """The code of a frame and of those below it, each once."""
    seen: dict[int, CodeType] = {}
    while frame is not None:
        seen.setdefault(id(frame.f_code), frame.f_code)
        frame = frame.f_back
    yield from seen.values()
