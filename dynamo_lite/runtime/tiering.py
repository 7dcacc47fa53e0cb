"""Which code of a whole program is worth compiling: what has taken as long as compiling takes.

A program has thousands of functions, and most of them run a few times. So each code object has an
account of the time that its functions ran in Python, and of the time that was spent on compiling
them, their continuations and their variants. It is compiled (again) when the first is not less than
the second: whatever a program does, compiling takes about as long as running did. How long the next
variant takes is not known; the first one is assumed to take `config.warm_seconds`.

Some work is seen to be long before it is done, and is paid in advance: calls over large arrays, and
functions that work on arrays in loops, which may be called once only. The second is a guess. The
lender gives a program `GRANT` seconds for such guesses, and a share of its time.

Functions call each other, and a second of one counts for its callers too, until it is compiled. So
the lender also sees to the program as a whole: beyond the first seconds (`FREE`), compiling takes
no more than `config.compile_share` of the time in which the program itself runs, and of what
compiled code was measured to have saved, the share `PROFIT`; code for which it paid in an earlier
run may take as much. Code waits as long as it does.
"""
from __future__ import annotations

import dis
import math
import time
import weakref
from collections.abc import Callable, Iterable
from types import CodeType
from typing import Any

import numpy as np

from ..base.config import config
from ..base.records import dataclass

PRICE = 4.0
"""What a second of compiling costs, in seconds of Python: compiled code takes time as well, and
the time of a call counts for its caller too."""
LONG_ANALYSIS = 0.15
"""Seconds that the analysis of a frame may take, however short it ran and however much the program
has spent: one that is given up is lost, and the first ones of a process take twice as long."""
ANALYSIS = 0.1
"""Seconds that one takes which nothing on disk makes unnecessary."""
LOWERING, LONG_LOWERING = 0.005, 0.05
"""Seconds that an operation of a graph takes in the backend; and that lowering may take however
short the code ran, where it is paid back by a few times as many calls."""
FEW_TIMES = 8.0
GENERATOR = 0.25
"""Seconds that loading the code generator takes, and what it does for the first time: the first
graph has to be worth it."""
ENTERING = 0.4e-6
"""Seconds that it takes to call a graph."""
NEARLY = 0.999
PAYBACK = 2.0
"""How long code has to have run at least, in what lowering its graph is going to take."""
LARGER = 4
"""How many times as many elements are another question."""
GAIN = 0.5
"""What compiling a loop that is running is expected to save of the time that is left."""
TRIAL, SHARE_OF_REST, SHARE_OF_SAVED = 0.15, 0.12, 0.75
"""Seconds of compiling that a running loop may take, and what it may take of the time that it has
yet to run in Python, and of what it is expected to save."""
LEAST = 0.01
"""What a part of it saves at least, in what compiling that part takes."""
FURTHER = 2.0
"""How much longer an analysis may take than the last one, which was given up."""
WORK = {True: 0.25e-9, False: 0.06e-9}
"""Seconds that an instruction is expected to take for an element of an array: about every fourth
is an operation on arrays. Where no call was timed yet, most of the code may be about other things,
and there may be no further call."""
CREDIT = 0.1
"""Seconds of compiling that a function with loops gets in advance."""
_BACKWARD = frozenset(code for name, code in dis.opmap.items() if "BACKWARD" in name)
GRANT = 0.1
PROFIT, MOST = 0.5, 0.25
"""What compiling may take of the seconds that it was measured to have saved, and at most of those
that the program ran: what it saved is known as well as the first calls are like the later ones."""
ONE_ANALYSIS = 0.1
"""What an analysis may take at most of the time that the program ran, however long it has run."""
LOAD, LOADS = {True: 0.2, False: 1.6}, 32.0
"""Seconds that code has to run for the compiler to be loaded: where compiling paid in an earlier
run, so that there are entries on disk, which a small part of the compiler reads; and for other
code. Loading all of it and the first analysis take a quarter of a second, and half of all code
turns out to be not worth it. At most so many times what other code waits for."""
FIRST_GRAPH = 0.4, 0.002
"""Seconds that the first graph of a program takes, with loading the compiler; and more of them for
each instruction of the code."""
LOSSES = 40.0
"""What was lost counts at most so many times what other code waits for."""
BULK, BULKY = 10e-6, 2.0
"""Seconds of a call for each instruction of code without loops from which NumPy's loops over large
arrays, or other functions, take nearly all of it; and how many times as much of such code has to
have run for the compiler to be loaded for it."""
START, PACES = 0.25, (0.3, 1.0)
"""Seconds of CPU time in which a program has started where these constants were measured; and
between which bounds what compiling takes here is in what it took there."""
FREE = 0.05, 10.0
"""Seconds of compiling that every program may take, and where it is asked for at the first call."""
LONGEST = 2.0**62
"""Nanoseconds that stand for ever."""
PATIENCE = 0.02
"""Seconds that code runs before it is asked again whether the program can afford to compile it."""


class Lender:
    """How much CPU time a program may spend on compiling: what it `spent`, of which `lent` on
    loops that nobody had run yet, and `useful` are those that came to something; `wasted` are the
    seconds of analyses that came to nothing, and of loading the compiler."""

    def __init__(self) -> None:
        self.lent = self.spent = self.useful = self.wasted = 0.0
        self.saved: Callable[[], float] = float
        """What it was measured to have saved in this run."""
        self.began = time.process_time()
        self.pace = 1.0
        """What loading the compiler, and compiling, take here, in what the constants say."""
        self.is_loaded = True
        """Whether the compiler is there."""
        self.has_generator = True
        """And its code generator."""
        self.lasts = math.inf
        """Seconds that the program ran the last time, if it is known."""
        self.share: Callable[[], float] = lambda: 1.0
        """Which part of the time it has a processor."""

    def cpu(self, seconds: float) -> float:
        """About how much CPU time seconds by the clock are, of which other programs have some."""
        return seconds * self.share()

    def load(self, *, pays: bool) -> float:
        """Seconds to run before the compiler is loaded, if it is not: for code for which compiling
        has paid in an earlier run, or other code."""
        return 0.0 if self.is_loaded else self._waits(LOAD[pays])

    def load_generator(self) -> float:
        """The same of its code generator."""
        return 0.0 if self.has_generator else self._waits(GENERATOR)

    def _waits(self, seconds: float) -> float:
        return min(self.pace * seconds, LOADS * config.warm_seconds)

    def lowering(self, operations: int) -> float:
        """Seconds that the backend takes for a graph of so many operations."""
        return self.pace * LOWERING * operations

    def left(self) -> float:
        """Seconds that compiling may still take now."""
        allowed = FREE[config.warm_seconds <= 0] + self.earned() - self.spent
        return allowed + config.compile_share * ran if (ran := self.ran()) else allowed

    def ran(self) -> float:
        """Seconds that the program itself has run."""
        return max(time.process_time() - self.began - self.spent, 0.0)

    def to_come(self, ran: float) -> float:
        """Seconds that code may run from here on which ran for so long, if the program runs no
        longer than the last time; once it does, nothing is known."""
        so_far = self.ran() if self.lasts < math.inf else math.inf
        if so_far >= self.lasts or so_far <= 0.0:
            return math.inf
        return min(max(ran / so_far, 0.0), 1.0) * (self.lasts - so_far)

    def for_one(self) -> float:
        """Seconds that one analysis may take."""
        return ONE_ANALYSIS * self.ran() if config.warm_seconds > 0 else math.inf

    def earned(self) -> float:
        """Seconds of compiling that the program may take because compiling has paid."""
        return min(PROFIT * self.saved(), MOST * self.ran())

    def loss(self) -> float:
        """Seconds by which the program is slower for having a compiler, as far as is measured: what
        is compiled next has to be worth as much."""
        return max(min(self.wasted - self.saved(), LOSSES * config.warm_seconds), 0.0)

    def lends(self) -> bool:
        """Whether there is something left for guesses, of which most come to nothing."""
        share = min(config.compile_share, 1.0)
        lost = max(self.lent, self.wasted)
        return lost < GRANT + share * (time.process_time() - self.began)

    def lacks(self) -> float:
        """Seconds that the program is to run before more of it may be compiled."""
        open_ = self.spent - self.lent - FREE[config.warm_seconds <= 0]
        if open_ <= 0 or (open_ := open_ - self.earned()) <= 0:
            return 0.0
        share = config.compile_share
        return max(open_ / share - self.ran(), 0.0) if share else math.inf


@dataclass(slots=True, eq=False)
class Account:
    """Seconds of one code object: those that it `ran` in Python, or is known to, without what its
    callees took that are compiled now, and `spent` on compiling it, of which those `in_vain` made
    no entry, `given_up` the last time. The `borrowed` ones are in `ran`."""

    lender: Lender
    has_loops: bool
    size: int
    ran: float = 0.0
    below: float = 0.0
    """Seconds of these that other code took which it calls, and which is to be compiled by itself,
    or was tried in vain."""
    spent: float = 0.0
    in_vain: float = 0.0
    given_up: float = 0.0
    borrowed: float = 0.0
    operations: int = 0
    """Operations of the graphs that were made for it, or come from disk."""
    is_guess: bool = False
    """Whether what is compiled next is lent: it has not run yet, or not in this run."""
    expected: float = 0.0
    """Seconds that compiling it saved in an earlier run of the program, or may save."""
    is_tried: bool = False
    """Whether it was compiled in an earlier run: its kernels are on disk."""
    is_promised: bool = False
    """Whether its graph was made in an earlier run, and is known to pay in all of a run."""
    call: float = 0.0
    """What a call took in Python; 0 where that is unknown."""
    needs: float = 0.0
    """Seconds to run in Python before a graph pays that was too large; `sized` for calls over so
    many elements, `asked` about last."""
    sized: int = 0
    asked: int = 0
    promised: float = 0.0
    """What that graph would have saved of a call, and what lowering it was too `dear` for."""
    dear: float = 0.0
    known: float = 0.0
    """What it ran, and is to run in the call that was asked about last."""
    rest: float = 0.0
    """Seconds that a loop that is running takes until its end, in Python; 0 for other code. What it
    is compiled for is expected to save `saves` of them."""
    saves: float = 0.0
    worth: float = math.inf
    """What the analysis for the call that was asked about last may take."""

    @property
    def own(self) -> float:
        """Seconds that it ran and did not wait for code that is compiled by itself, if at all."""
        return self.ran - self.below

    @property
    def price(self) -> float:
        """Seconds to run in Python before it is compiled again."""
        if config.warm_seconds <= 0:
            return PRICE * self.in_vain
        known = max(PRICE * self.spent, self.needs)
        load = self.lender.load(pays=self.is_tried or self.is_promised)
        is_bulk = not self.has_loops and self.call > BULK * self.size
        if is_bulk and not (self.is_tried or self.is_promised):
            load *= BULKY
        if self.expected and not self.is_tried:  # there will be a graph, the sooner the better
            load += self.lender.load_generator()
        return max(config.warm_seconds, known, self.lender.loss()) + load

    def discount(self, seconds: float) -> None:
        """What code that it calls took until that was compiled is no reason to compile this."""
        self.ran -= seconds
        self.below = max(self.below - seconds, 0.0)

    def enters_loop(self, rest: float) -> None:
        """A loop that takes so many seconds in Python, until its end, is to go on compiled."""
        self.rest = self.call = rest
        self.ran = self.expected = GAIN * rest
        self.below = 0.0
        self.spent = self.in_vain = self.saves = 0.0

    @property
    def is_likely(self) -> bool:
        """Whether compiling code without loops is expected to pay in a run like this one, from its
        first call on."""
        started, instruction = FIRST_GRAPH
        takes = self.lender.pace * (started + instruction * self.size)
        return GAIN * self.own >= takes

    def lacks(self, values: Iterable[Any]) -> float:
        """Seconds that are to run in Python before a call with these values is compiled for."""
        self.asked = elements(values)
        if self.asked > LARGER * self.sized > 0:
            self.needs, self.sized = 0.0, 0
        work = WORK[self.call > 0] * self.size * self.asked + self.expected
        is_new = not (self.expected or self.rest)
        ran = min(self.own, self.lender.to_come(self.own)) if is_new else self.own
        lacking = max(self.price - ran - work, 0.0)
        analysis = 0.0 if self.is_tried else self.lender.pace * ANALYSIS
        if not lacking and self.spent + analysis < PROFIT * self.expected:
            self.is_guess = True
        elif self.has_loops and self.borrowed + lacking <= CREDIT and self.lender.lends():
            self.borrowed += lacking
            self.ran += lacking
            self.is_guess = lacking > 0.0 or self.is_guess
            lacking = 0.0
        if not self.is_guess:
            lacking = max(lacking, min(self.lender.lacks() - work, PATIENCE))
            if self.given_up and self.lender.left() < FURTHER * self.given_up:
                lacking = max(lacking, PATIENCE)
        self.known = worth = self.ran + work
        if not self.is_tried:
            worth = min(worth, self.lender.left(), self.lender.for_one())
        hoped = SHARE_OF_REST * self.rest if self.rest else PROFIT * self.expected
        self.worth = max(worth, self.lender.pace * LONG_ANALYSIS, hoped)
        return lacking

    def most_operations(self) -> float:
        """Operations of the largest graph for that call that may pay, whatever it saves."""
        if self.is_guess and not (self.rest or self.is_tried):
            return math.inf
        trial = self.lender.pace * TRIAL
        seconds = max(trial, SHARE_OF_SAVED * self.rest) - self.spent if self.rest else self.known
        return max(seconds, LONG_LOWERING) / self.lender.lowering(1)

    def is_too_large(self) -> None:
        """Told that the graph for that call has more: its code runs for longer first."""
        self.needs, self.sized = PAYBACK * self.known, self.asked

    def affords(self, operations: int, saves: float, has_loops: bool = False) -> bool:
        """Whether a graph of so many operations, which saves so many seconds a call, pays where the
        program calls it as often again; if not, its code runs for longer first. `has_loops`: of the
        graph's own, so that a call may take any time where none was timed."""
        lowering = self.lender.lowering(operations)
        if self.rest:
            return self._affords_of_rest(lowering, saves)
        if not (self.is_guess and has_loops) or self.call:
            lowering += self.lender.load_generator()
        if has_loops and self.call:  # of as many iterations as nobody knows
            saves = min(saves, max(self.call, WORK[True] * self.size * self.asked))
        is_worth = 0.0 < self.spent + lowering <= PROFIT * self.expected
        if is_worth or lowering <= saves or self._is_short(lowering, saves):
            return True
        self.promised, self.dear = saves, lowering
        saves = max(saves - ENTERING, 0.0)
        self.needs = lowering * max(PAYBACK, self.call / saves if saves else math.inf)
        self.sized = self.asked
        return self.known >= NEARLY * self.needs

    def _is_short(self, lowering: float, saves: float) -> bool:
        """Whether so little is to be lowered that it may take a few times as many calls as there
        were to pay."""
        if lowering > LONG_LOWERING or not self.call:
            return lowering <= LONG_LOWERING
        least = min(lowering, LOADS * config.warm_seconds)
        return least <= FEW_TIMES * saves * self.known / self.call

    def _affords_of_rest(self, lowering: float, saves: float) -> bool:
        """The same of a part of a running loop, for all of its iterations that are left."""
        lowering += self.lender.load_generator() if lowering else 0.0
        saved = min(self.saves + saves, self.rest)
        is_paid = self.spent + lowering <= SHARE_OF_SAVED * saved
        trial = max(self.lender.pace * TRIAL, SHARE_OF_REST * self.rest)
        is_trial = self.spent + lowering <= trial
        if not is_trial and not (is_paid and saves >= LEAST * lowering):
            return False
        self.saves = saved
        return True

    def spend(self, seconds: float, *, in_vain: bool = False) -> None:
        """Compiling took so much CPU time; `in_vain` where nothing came of it."""
        self.spent += seconds
        self.given_up = seconds if in_vain else 0.0
        self.in_vain += self.given_up
        self.lender.wasted += self.given_up
        self.lender.spent += seconds
        self.lender.useful += seconds - self.given_up
        self.lender.lent += seconds if self.is_guess else 0.0
        self.is_guess = False

    def __str__(self) -> str:
        ran, price = max(self.own, 0.0) * 1e3, self.price * 1e3
        if self.own < self.price:
            left_out = ", without what it calls that is compiled by now" if self.own < 0 else ""
            return f"ran {ran:.1f} of {price:.1f} ms in Python{left_out}"
        if self.lender.lacks() > 0:
            return (f"ran {ran:.1f} ms in Python; what may be spent on compiling is spent "
                    "(config.compile_share)")
        return f"ran {ran:.1f} ms in Python, and is compiled when it is called again"


def pace_of(started: float) -> float:
    """What compiling takes on this machine, in what the constants say, by the seconds of CPU time
    in which the program has started."""
    least, most = PACES
    return min(max(started / START, least), most)


cold: weakref.WeakKeyDictionary[CodeType, Account] = weakref.WeakKeyDictionary()
"""The code whose functions wait to be compiled for the first time."""


def why_cold(code: CodeType) -> str | None:
    """Why a function of this code is not compiled yet, or None."""
    if (account := cold.get(code)) is None:
        return None
    return f"{'not warm yet' if account.own < account.price else 'warm'}: {account}"


def open_account(code: CodeType, lender: Lender) -> Account:
    return Account(lender, has_loops(code), len(code.co_code) // 2)


def has_loops(code: CodeType) -> bool:
    return not _BACKWARD.isdisjoint(code.co_code[::2])


def nanoseconds(seconds: float) -> int:
    """What the core can count."""
    return math.ceil(min(seconds * 1e9, LONGEST))


def elements(values: Iterable[Any]) -> int:
    """How many elements the arrays among the values have."""
    return sum(value.size for value in values if type(value) is np.ndarray)
