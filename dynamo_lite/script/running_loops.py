"""Finds `for` loops that have been running for long, and has them go on compiled.

`RunningLoops` is called now and then while the program runs. A range tells how many iterations are
left, and two looks at it how long they take: of a loop that takes longer than compiling it, the
rest is replaced (`on_stack.Switch`), the outermost such loop first.
"""
from __future__ import annotations

import math
import operator
import sys
import time
from collections.abc import Callable, Iterator
from inspect import CO_ASYNC_GENERATOR, CO_COROUTINE, CO_GENERATOR, CO_OPTIMIZED
from types import CellType, CodeType, FrameType, FunctionType
from typing import Any, NamedTuple

from ..base import logs
from ..base.records import dataclass
from ..bytecode.loop_functions import LoopSite, loop_sites
from ..native import time_in_compiled, value_in_frame
from ..runtime.decisions import Decision, Decisions
from ..runtime.tiering import Account
from .histories import PAID, slower
from .on_stack import RANGE_ITERATOR, UNBOUND, Switch, is_of_module

GENERATORS = CO_GENERATOR | CO_COROUTINE | CO_ASYNC_GENERATOR
PERF = logs.logger("perf")
HOLDERS = 4
"""References to an iterator that only the frame's stack holds: ours, the stack's, and what counts
them."""
KNOWN = 2000
"""How many code objects, which are kept alive, are known at a time."""
LOOKS = 2
"""Iterations between two looks that tell how long one takes."""
AHEAD = 2.5
"""How much longer the rest of a loop is to take than what its code waits for."""
SHORTEST = 1.0
"""Seconds that the rest of a loop takes at least."""
TIMED = 2
"""How often an iteration is timed before that; the shortest time counts."""
SHORT = 1e-4
"""Seconds of an iteration that is not worth entering compiled code for: the whole loop is one
function then. Others are compiled one by one, which is found out sooner."""
WORTH, SLOW_LOOKS = 0.95, 3
"""What iterations may take compiled, in what they took in Python; and at how many looks more."""
LONGER = 1
"""How many more iterations a loop is expected to take that may break, in those that were seen."""
MUCH_LONGER = 2.0
"""How much more of a loop has to be left than when it could not be compiled, to try that again."""
NOT_COMPILED = "the loop could not be compiled, or that would have taken too long"
GAIN = 0.5
"""What compiling is expected to save of the time that is left."""


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


@dataclass(frozen=True, slots=True)
class Look:
    """When a loop was seen, and how many items were left; how often it was timed before, the
    shortest time of an iteration, how much of that was not in compiled code, and how many
    iterations were seen."""

    at: Moment
    left: int
    timed: int = 0
    shortest: float = math.inf
    own: float = 1.0
    done: int = 0

    def again(self, now: Moment, left: int) -> Look:
        """The next look; this one still where there were too few iterations since."""
        if (took := self.took(now, left)) is None:
            return self
        done = self.done + self.left - left
        own = now.share_in_python(self.at)
        if took > self.shortest:
            took, own = self.shortest, self.own
        return Look(now, left, self.timed + 1, took, own, done)

    def took(self, now: Moment, left: int) -> float | None:
        """Seconds of an iteration since then; None after too few of them."""
        done = self.left - left
        return (now.cpu - self.at.cpu) / done if done >= LOOKS else None


@dataclass(slots=True)
class Running:
    """A loop that runs now."""

    frame: FrameType
    site: LoopSite
    iterator: Any
    left: int

    @property
    def key(self) -> tuple[int, int]:
        return id(self.frame), id(self.iterator)

    def again(self, now: Moment, left: int) -> Look:
        """The first look at it."""
        return Look(now, left)

    @property
    def place(self) -> str:
        return f"{self.site.code.co_filename}:{self.site.head.line}"


@dataclass(slots=True)
class Replaced:
    """A loop that runs compiled: how long an iteration `took` in Python, and takes since `look`;
    at `slow` looks it took longer. Looks between which something was compiled (by the account's
    `spent`) do not count."""

    loop: Running
    switch: Switch
    account: Account
    took: float
    look: Look | None = None
    spent: float = 0.0
    slow: int = 0
    takes: float = 0.0

    @property
    def is_over(self) -> bool:
        """Whether the loop was left before it was entered again."""
        return not (self.switch.is_entered or self.switch.is_waiting)

    def review(self, now: Moment) -> None:
        """Have Python go on with a loop that takes longer compiled."""
        left = operator.length_hint(self.loop.iterator)
        if self.look is None or self.spent != self.account.spent:
            self.look, self.spent = Look(now, left), self.account.spent
        elif (takes := self.look.took(now, left)) is not None:
            self.look, self.takes = Look(now, left), takes
            self.slow = self.slow + 1 if takes > WORTH * self.took else 0
            self.switch.steps.is_stopped |= self.slow >= SLOW_LOOKS

    def conclusion(self, now: Moment) -> Decision | None:
        """What the next run of the program is told."""
        if self.switch.compiled is None:
            return Decision(False, NOT_COMPILED, self.took, MUCH_LONGER * self.account.rest)
        if self.look is not None and not self.takes and self.spent == self.account.spent:
            self.takes = self.look.took(now, operator.length_hint(self.loop.iterator)) or 0.0
        if not self.takes:
            return None
        if self.takes > WORTH * self.took:
            return Decision(False, slower(self.takes, self.took))
        left = self.loop.left - operator.length_hint(self.loop.iterator)
        return Decision(True, PAID, self.took, (self.took - self.takes) * left)


class RunningLoops:
    """The loops of one program. `compile` gives the compiled form of a loop's function for its
    arguments, or None; `open_account` says what may be spent on one."""

    def __init__(
        self, is_candidate: Callable[[FunctionType], bool],
        names_arrays: Callable[[FunctionType], bool],
        compile: Callable[[FunctionType, tuple[Any, ...], bool, Account], Any],
        open_account: Callable[[CodeType], Account],
        decisions: Decisions | None,
    ) -> None:  # fmt: skip
        self.is_candidate = is_candidate
        self.names_arrays = names_arrays
        self.compile = compile
        self.open_account = open_account
        self.decisions = decisions
        self.seen: dict[tuple[int, int], Look] = {}
        self.sites: dict[int, tuple[CodeType, list[LoopSite], bool]] = {}
        self.tried: set[tuple[CodeType, int]] = set()
        self.replaced: Replaced | None = None

    @property
    def replaced_in(self) -> set[CodeType]:
        """The code whose loops had their turn."""
        return {code for code, _ in self.tried}

    def __call__(self, frame: FrameType) -> None:
        """Look at the frame that runs, and those below."""
        now = Moment.now()
        if self.replaced is not None and self.replaced.is_over:
            self.replaced = None
        if self.replaced is not None:
            return self.replaced.review(now)
        before, self.seen = self.seen, {}
        for loop in self.present(frame):
            look = self.seen[loop.key] = before.get(loop.key, loop).again(now, loop.left)
            account = self.open_account(loop.site.code)
            took, own = self.known_time(loop, account) or 0.0, 1.0
            if not took and look.timed >= TIMED:
                took, own = look.shortest, look.own
            left = loop.left
            if loop.site.breaks and not account.is_tried:
                left = min(left, LONGER * look.done)
            account.rest = own * took * left
            if account.rest >= max(AHEAD * account.price, SHORTEST, self.needs(loop)):
                return self.replace(loop, account, took)

    def known_time(self, loop: Running, account: Account) -> float | None:
        """Seconds of an iteration in Python, where compiling the loop paid in an earlier run."""
        decision = self.decision_about(loop.site)
        if decision is None or not decision.is_hot:
            return None
        account.is_tried = True
        return decision.call

    def needs(self, loop: Running) -> float:
        """Seconds that the rest of a loop has to take which could not be compiled in an earlier
        run."""
        known = self.decision_about(loop.site)
        return known.saved if known is not None and not known.is_hot else 0.0

    def decision_about(self, site: LoopSite) -> Decision | None:
        """What an earlier run has found out."""
        if self.decisions is None:
            return None
        return self.decisions.about(site.code, site.head.offset)

    def replace(self, loop: Running, account: Account, took: float) -> None:
        """Have the rest of the loop run compiled from its next iteration on."""
        code, offset = loop.site.code, loop.site.head.offset
        self.tried.add((code, offset))
        account.call = account.rest
        account.ran = account.expected = GAIN * account.rest
        PERF.info("the loop at %s is compiled: %.2g s an iteration, %d left, %.2g s of Python",
                  loop.place, took, loop.left, account.rest)
        as_whole = took < SHORT

        def compile(function: FunctionType, args: tuple[Any, ...]) -> Any:
            return self.compile(function, args, as_whole, account)

        switch = Switch(loop.frame, loop.site, as_whole, compile, self.ended)
        self.replaced = Replaced(loop, switch, account, took)

    def ended(self) -> None:
        """Told by the switch: the frame goes on."""
        replaced, self.replaced = self.replaced, None
        assert replaced is not None
        decision = replaced.conclusion(Moment.now())
        if decision is not None and self.decisions is not None:
            site = replaced.loop.site
            PERF.info("the loop at %s: %s", replaced.loop.place, decision.reason)
            self.decisions.note(site.code, decision, site.head.offset)

    def present(self, frame: FrameType) -> Iterator[Running]:
        """The loops over ranges that run now, outermost first, in functions of the program's in
        which, or below which, arrays are named."""
        frames: list[tuple[FrameType, list[LoopSite]]] = []
        names_arrays = False
        present: FrameType | None = frame
        while present is not None:
            _, sites, has_arrays = self.known(present)
            names_arrays |= has_arrays
            if sites and names_arrays:
                frames.append((present, sites))
            present = present.f_back
        for running, sites in reversed(frames):
            at = running.f_lasti
            for site in sites:
                if at not in site.offsets or self.is_left(site):
                    continue
                iterator = value_in_frame(running, site.slot, UNBOUND)
                if type(iterator) is RANGE_ITERATOR and sys.getrefcount(iterator) < HOLDERS:
                    yield Running(running, site, iterator, operator.length_hint(iterator))

    def is_left(self, site: LoopSite) -> bool:
        """Whether a loop has had its turn, or is known to be as fast in Python."""
        if (site.code, site.head.offset) in self.tried:
            return True
        known = self.decision_about(site)
        return known is not None and not known.is_hot and not known.saved

    def known(self, frame: FrameType) -> tuple[CodeType, list[LoopSite], bool]:
        """The code of the frame, its loops if it is the program's own, and whether it names
        arrays."""
        code = frame.f_code
        if (found := self.sites.get(id(code))) is None:
            if len(self.sites) >= KNOWN:
                self.sites.clear()
            found = self.sites[id(code)] = code, [], False
            function = plain_function(frame)
            if function is not None and (is_program(frame) or self.is_candidate(function)):
                found = self.sites[id(code)] = code, loop_sites(code), self.names_arrays(function)
        return found


def plain_function(frame: FrameType) -> FunctionType | None:
    """A function like that of the frame, with empty cells; None for classes and generators."""
    code = frame.f_code
    if not (code.co_flags & CO_OPTIMIZED or is_program(frame)) or code.co_flags & GENERATORS:
        return None
    return FunctionType(code, frame.f_globals, closure=tuple(CellType() for _ in code.co_freevars))


def is_program(frame: FrameType) -> bool:
    """Whether it is the program's first frame."""
    return is_of_module(frame) and frame.f_globals.get("__name__") == "__main__"
