"""Finds `for` loops that have been running for long, and has them go on compiled.

`RunningLoops` is called now and then while the program runs. Iterators of some types tell how many
iterations are left (`iterators`), and two looks at one how long they take: of a loop that takes
longer than compiling it, the rest is replaced (`on_stack.Switch`), the outermost such loop first.
Where an iteration takes longer than compiling, the loops in it are not kept waiting for two of
them: they will be entered as often again as there are iterations left.
"""
from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from inspect import CO_ASYNC_GENERATOR, CO_COROUTINE, CO_GENERATOR, CO_OPTIMIZED
from types import CellType, CodeType, FrameType, FunctionType
from typing import Any

from ..base import logs
from ..bytecode.loop_functions import LoopSite, loop_sites
from ..native import value_in_frame
from ..tiering.account import Account
from ..tiering.decisions import Decision, Decisions
from .histories import REPEATS
from .iterators import items_left
from .on_stack import UNBOUND, Made, Switch, is_of_module
from .plain_code import NUMBERS, plain_size
from .timed_loops import Look, Moment, Replaced, Running, Waits

GENERATORS = CO_GENERATOR | CO_COROUTINE | CO_ASYNC_GENERATOR
PERF = logs.logger("perf")
HOLDERS = 4
"""References to an iterator that only the frame's stack holds: ours, the stack's, and what counts
them."""
KNOWN = 2000
"""How many code objects, which are kept alive, are known at a time."""
AHEAD, AHEAD_PLAIN = {True: 1.25, False: 2.25}, 1.5
"""How much longer the rest of a loop is to take than what its code waits for: one that is compiled
as a whole or known to pay, and one whose iterations are compiled one by one; and one that does
nothing but what is mostly compiled, and waits for less."""
SHORTEST = 1.0
"""Seconds that the rest of a loop takes at least, where compiling takes what constants say."""
TIMED = 2
"""How often iterations are timed before that; the longest of these times does not count."""
SHORT = 1e-4
"""Seconds of an iteration that is not worth entering compiled code for: the whole loop is one
function then, or, where it does not go over a range, stays in Python. Others are compiled one by
one, which is found out sooner."""
LONGER = 1
"""How many more iterations a loop is expected to take that may break, in those that were seen."""
AGAIN = 0.02
"""Seconds that the rest of a loop takes at least which runs compiled already when it is entered
again."""


class RunningLoops:
    """The loops of one program. `compile` gives the compiled form of a loop's function for its
    arguments, or None; `open_account` says what may be spent on one."""

    def __init__(
        self, is_candidate: Callable[[FunctionType], bool],
        names_arrays: Callable[[FunctionType], bool],
        compile: Callable[[FunctionType, tuple[Any, ...], bool, Account], Any],
        open_account: Callable[[CodeType], Account],
        decisions: Decisions | None,
        is_refused: Callable[[CodeType], bool] = lambda code: False,
    ) -> None:  # fmt: skip
        self.is_candidate = is_candidate
        self.names_arrays = names_arrays
        self.compile = compile
        self.open_account = open_account
        self.decisions = decisions
        self.is_refused = is_refused
        self.waits = Waits()
        self.seen: dict[tuple[int, int], Look] = {}
        self.held: dict[int, Any] = {}
        """The iterators of the loops that were seen last, by ids that no others have meanwhile."""
        self.sites: dict[int, tuple[CodeType, list[LoopSite], bool]] = {}
        self.accounts: dict[tuple[CodeType, int], Account] = {}
        self.tried: set[tuple[CodeType, int]] = set()
        self.paid: dict[tuple[CodeType, int], tuple[Replaced, Made]] = {}
        """Loops that ran compiled, and were faster so."""
        self.timed_in: set[CodeType] = set()
        self.unfinished: set[CodeType] = set()
        """Code of which compiling the rest of a loop took too long, or would have."""
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
            self.held.clear()
            return self.replaced.review(now)
        before, self.seen = self.seen, {}
        present = [*self.present(frame)]
        self.held = {id(loop.iterator): loop.iterator for loop in present}
        again = 0
        for loop in present:
            if loop.place_in_code in self.paid:
                if self.enter_again(loop):
                    return
                continue
            account = self.account_of(loop)
            look = self.seen[loop.key] = before.get(loop.key, loop).again(
                now, loop.left, account.lender.useful)
            took, own = self.known_time(loop, account) or 0.0, 1.0
            if look.timed >= TIMED or 0.0 < look.mean < took:
                took, own = look.mean, look.own
            if took:
                self.timed_in.add(loop.site.code)
            if took < SHORT and not loop.is_range:
                continue
            left = loop.left
            if loop.site.breaks and not account.is_tried:
                left = min(left, LONGER * look.done)
            left += again * (look.done + left)
            account.rest = own * took * left * self.waits.share_without(loop) * times(account)
            account.call = took
            if account.rest >= max(least_rest(account), self.needs(loop)):
                return self.replace(loop, account, took)
            if not look.timed and now.cpu - look.at.cpu > account.price:
                again += loop.left

    def account_of(self, loop: Running) -> Account:
        """That of a loop which is yet to have its turn."""
        if (found := self.accounts.get(loop.place_in_code)) is None:
            found = self.accounts[loop.place_in_code] = self.open_account(loop.site.code)
            if (function := plain_function(loop.frame)) is not None:
                found.plain = plain_size(function, part=loop.site.offsets, words=NUMBERS)
        return found

    def enter_again(self, loop: Running) -> bool:
        """Whether a loop that paid is worth entering compiled code for, and does so."""
        earlier, made = self.paid[loop.place_in_code]
        account, took = earlier.account, earlier.took
        if took * loop.left < AGAIN:
            return False
        account.enters_loop(took * loop.left)
        self.put_in(loop, account, took, made)
        return True

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
        self.tried.add(loop.place_in_code)
        known = self.decision_about(loop.site)
        saved = known.saved if known is not None and known.is_hot else 0.0
        account.enters_loop(account.rest, saved)
        PERF.info("the loop at %s is compiled: %.2g s an iteration, %d left, %.2g s of Python",
                  loop.place, took, loop.left, account.rest)
        self.put_in(loop, account, took)

    def put_in(
        self, loop: Running, account: Account, took: float, made: Made | None = None
    ) -> None:
        """Put the switch into the frame."""
        as_whole = took < SHORT

        def compile(function: FunctionType, args: tuple[Any, ...]) -> Any:
            compiled = self.compile(function, args, as_whole, account)
            replaced.begins()
            return compiled

        switch = Switch(loop.frame, loop.site, as_whole, compile, self.ended, made)
        self.replaced = replaced = Replaced(loop, switch, account, took, Moment.now())

    def ended(self) -> None:
        """Told by the switch: the frame goes on."""
        replaced, self.replaced = self.replaced, None
        assert replaced is not None
        if replaced.account.in_vain or not replaced.account.spent:
            self.unfinished.add(replaced.loop.site.code)
        decision = replaced.conclusion(Moment.now())
        if decision is None:
            return
        loop, made = replaced.loop, replaced.switch.made
        self.paid.pop(loop.place_in_code, None)
        if decision.is_hot and made is not None:
            self.paid[loop.place_in_code] = replaced, made
        if self.decisions is not None:
            PERF.info("the loop at %s: %s", loop.place, decision.reason)
            self.decisions.note(loop.site.code, decision, loop.site.head.offset)

    def present(self, frame: FrameType) -> Iterator[Running]:
        """The loops that run now of which it is known how many iterations are left, outermost
        first, in functions of the program's in which, or below which, arrays are named."""
        frames: list[tuple[FrameType, list[LoopSite], bool]] = []
        names_arrays = waits = False
        present: FrameType | None = frame
        while present is not None:
            _, sites, has_arrays = self.known(present)
            names_arrays |= has_arrays
            if sites and names_arrays:
                frames.append((present, sites, waits))
            waits |= self.is_refused(present.f_code)
            present = present.f_back
        for running, sites, waits in reversed(frames):
            at = running.f_lasti
            for site in sites:
                if at not in site.offsets or self.is_left(site):
                    continue
                iterator = value_in_frame(running, site.slot, UNBOUND)
                holders = sys.getrefcount(iterator) - (id(iterator) in self.held)
                left = items_left(iterator)
                if left is not None and holders < HOLDERS:
                    yield Running(running, site, iterator, left, waits)

    def is_left(self, site: LoopSite) -> bool:
        """Whether a loop has had its turn, or is known to be as fast in Python."""
        place = site.code, site.head.offset
        if place in self.tried:
            return place not in self.paid
        known = self.decision_about(site)
        return known is not None and not known.is_hot and not known.saved

    def known(self, frame: FrameType) -> tuple[CodeType, list[LoopSite], bool]:
        """The code of the frame, its loops if it is the program's own, and whether it names
        arrays."""
        code = frame.f_code
        if (found := self.sites.get(id(code))) is None:
            if len(self.sites) >= KNOWN:
                self.sites.clear()
                self.accounts.clear()
                self.waits.seen.clear()
            found = self.sites[id(code)] = code, [], False
            function = plain_function(frame)
            if function is not None and (is_program(frame) or self.is_candidate(function)):
                found = self.sites[id(code)] = code, loop_sites(code), self.names_arrays(function)
        return found


def times(account: Account) -> float:
    """How often as much is expected to be left, with loops of later runs in this process."""
    return REPEATS if account.lender.is_repeated else 1.0


def least_rest(account: Account) -> float:
    """Seconds that the rest of a loop has to take, by what its iterations do and how long."""
    is_plain = account.plain > 0 and not (account.is_tried or account.is_bulk)
    ahead = AHEAD_PLAIN if is_plain else AHEAD[account.call < SHORT or account.is_tried]
    return max(ahead * account.price, account.lender.costs.pace * SHORTEST)


def plain_function(frame: FrameType) -> FunctionType | None:
    """A function like that of the frame, with empty cells; None for classes and generators."""
    code = frame.f_code
    if not (code.co_flags & CO_OPTIMIZED or is_program(frame)) or code.co_flags & GENERATORS:
        return None
    return FunctionType(code, frame.f_globals, closure=tuple(CellType() for _ in code.co_freevars))


def is_program(frame: FrameType) -> bool:
    """Whether it is the program's first frame."""
    return is_of_module(frame) and frame.f_globals.get("__name__") == "__main__"
