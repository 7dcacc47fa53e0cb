"""The account of a code object: when it is compiled.

A program has thousands of functions, and most of them run a few times. So each code object has an
account of the time that its functions ran in Python, and of the time that was spent on compiling
them, their continuations and their variants. It is compiled (again) when the first is not less than
the second: whatever a program does, compiling takes about as long as running did. How long the next
variant takes is not known; the first one is assumed to take `config.warm_seconds`.

Some work is seen to be long before it is done, and is paid in advance: calls over large arrays, and
functions that work on arrays in loops, which may be called once only. The second is a guess, for
which the program's lender has a limit.
"""
from __future__ import annotations

import dis
import math
import weakref
from collections.abc import Iterable
from types import CodeType
from typing import Any

import numpy as np

from ..base.config import config
from ..base.records import dataclass
from .lender import CREDIT, PROFIT, Lender

PRICE = 4.0
"""What a second of compiling costs, in seconds of Python: compiled code takes time as well, and
the time of a call counts for its caller too."""
WORK = {True: 0.25e-9, False: 0.06e-9}
"""Seconds that an instruction is expected to take for an element of an array: about every fourth
is an operation on arrays. Where no call was timed yet, most of the code may be about other things,
and there may be no further call."""
BULK, BULKY = 10e-6, 2.0
"""Seconds of a call for each instruction of code without loops from which NumPy's loops over large
arrays, or other functions, take nearly all of it; and how many times as much of such code, or of
code that calls libraries, has to have run for the compiler to be loaded for it."""
PATIENCE = 0.02
"""Seconds that code runs before it is asked again whether the program can afford to compile it."""
FURTHER = 2.0
"""How much longer an analysis may take than the last one, which was given up."""
LARGER = 4
"""How many times as many elements are another question."""

GAIN = 0.5
"""What compiling a loop that is running is expected to save of the time that is left."""
SHARE_OF_REST = 0.12
"""What compiling a running loop may take of the time that it has yet to run in Python."""


@dataclass(slots=True, eq=False)
class Account:
    """Seconds of one code object, of `size` instructions."""

    lender: Lender
    has_loops: bool
    size: int
    plain: int = 0
    """Instructions of code that names nothing but operations on arrays, with those of the functions
    that it calls; 0 for other code, and as long as nobody has looked."""
    calls_libraries: bool = False
    """Whether it names functions that take their time themselves, as NumPy's of linear algebra."""

    # -- what Python took
    ran: float = 0.0
    """What it ran in Python, or is known to, without what its callees took that are compiled now;
    the `borrowed` ones are in it."""
    below: float = 0.0
    """Seconds of these that other code took which it calls, and which is to be compiled by itself,
    or was tried in vain."""
    borrowed: float = 0.0
    call: float = 0.0
    """What a call took in Python; 0 where that is unknown."""

    # -- what compiling took
    spent: float = 0.0
    """In all; of these `in_vain` made no entry, `given_up` the last time."""
    in_vain: float = 0.0
    given_up: float = 0.0
    pieces: int = 0
    """How often something was compiled for it."""
    operations: int = 0
    """Operations of the graphs that were made for it, or come from disk."""

    # -- what an earlier run of the program found out
    expected: float = 0.0
    """Seconds that compiling it saved, or may save."""
    is_tried: bool = False
    """Whether it was compiled: its kernels are on disk."""
    is_promised: bool = False
    """Whether its graph was made, and is known to pay in all of a run."""
    calls: float = 0.0
    """How many calls there were; 0 where that is unknown."""

    # -- a graph that was too large
    needs: float = 0.0
    """Seconds to run in Python before it pays, in calls over `sized` elements."""
    sized: int = 0
    promised: float = 0.0
    """What it would have saved of a call, and what lowering it was too `dear` for."""
    dear: float = 0.0

    # -- a loop that is running
    rest: float = 0.0
    """Seconds that it takes until its end, in Python; 0 for other code. What it is compiled for is
    expected to save `saves` of them."""
    saves: float = 0.0

    # -- the call that was asked about last
    asked: int = 0
    """Elements of its arrays."""
    most: int = 0
    """Those of the largest call that was asked about."""
    known: float = 0.0
    """What the code ran, and is to run in that call."""
    worth: float = math.inf
    """What the analysis for it may take."""
    is_guess: bool = False
    """Whether what is compiled for it is lent: the code has not run yet, or not in this run."""

    @property
    def own(self) -> float:
        """Seconds that it ran and did not wait for code that is compiled by itself, if at all."""
        return self.ran - self.below

    def discount(self, seconds: float) -> None:
        """What code that it calls took until that was compiled is no reason to compile this."""
        self.ran -= seconds
        self.below = max(self.below - seconds, 0.0)

    def enters_loop(self, rest: float, saves: float = 0.0) -> None:
        """A loop that takes so many seconds in Python, until its end, is to go on compiled, which
        saved so many in an earlier run."""
        self.rest = self.call = rest
        self.ran = self.expected = GAIN * rest
        self.below = 0.0
        self.spent = self.in_vain = 0.0
        self.saves = min(saves, rest)
        self.pieces = 0

    def spend(self, seconds: float, loading: float = 0.0, *, in_vain: bool = False) -> None:
        """Compiling took so much CPU time, `in_vain` where nothing came of it; `loading` the
        compiler, which is no code's expense, is in it."""
        seconds = max(seconds - loading, 0.0)
        self.lender.wasted += loading
        self.spent += seconds
        self.pieces += 1
        self.given_up = seconds if in_vain else 0.0
        self.in_vain += self.given_up
        self.lender.wasted += self.given_up
        self.lender.spent += seconds
        self.lender.useful += seconds - self.given_up
        self.lender.lent += seconds if self.is_guess else 0.0
        self.is_guess = False

    def variant(self) -> float:
        """What another variant is going to take, in seconds of compiling."""
        costs = self.lender.costs
        return max(self.spent, costs.analysis() + costs.lowering(self.operations))

    def runs_until(self, needs: float) -> None:
        """A graph for the call that was asked about last is not worth it before its code has run
        for so long."""
        self.needs, self.sized = needs, self.asked

    # -- when it is compiled

    @property
    def price(self) -> float:
        """Seconds to run in Python before it is compiled again."""
        if config.warm_seconds <= 0:
            return PRICE * self.in_vain
        known = max(PRICE * next_piece(self), self.needs)
        return max(config.warm_seconds, known, self.lender.loss()) + loading_for(self)

    @property
    def is_likely(self) -> bool:
        """Whether compiling code without loops is expected to pay in a run like this one, from its
        first call on."""
        costs = self.lender.costs
        takes = costs.graph(self.size, is_plain=False) + costs.first_graph()
        return GAIN * self.own >= takes and not (self.is_bulk or self.calls_libraries)

    @property
    def is_bulk(self) -> bool:
        """Whether it runs loops of NumPy over large arrays, or other code, for nearly all of its
        time."""
        return self.call > BULK * max(self.size, self.plain)

    def lacks(self, values: Iterable[Any]) -> float:
        """Seconds that are to run in Python before a call with these values is compiled for."""
        before, self.asked = self.most, elements(values)
        self.most = max(before, self.asked)
        if self.asked > LARGER * self.sized > 0:
            self.needs, self.sized = 0.0, 0
        work = WORK[self.call > 0] * self.size * self.asked
        if self.call and (self.expected or self.asked <= before):  # such calls were timed
            work = min(work, self.call)
        work += hoped(self)
        lacking = max(self.price - self._counted() - work, 0.0)
        if not lacking and self._is_small_part_of_expected():
            self.is_guess = True
        elif self._borrows(lacking):
            lacking = 0.0
        if not self.is_guess:
            lacking = max(lacking, self._waits_for_others(work))
        self.known = self.ran + work
        self.worth = self._worth()
        return lacking

    def _counted(self) -> float:
        """Seconds that it ran, where as many are to come."""
        is_new = not (self.expected or self.rest)
        return min(self.own, self.lender.to_come(self.own)) if is_new else self.own

    def _is_small_part_of_expected(self) -> bool:
        """Whether compiling it is known to save far more than it takes, whatever else was spent;
        of a loop that is running, one piece more."""
        analysis = 0.0 if self.is_tried else self.lender.costs.analysis()
        takes = next_piece(self) if self.rest and self.pieces else self.spent + analysis
        return takes < PROFIT * hoped(self)

    def _borrows(self, lacking: float) -> bool:
        """Whether a function with loops gets in advance what it lacks."""
        is_lent = self.borrowed + lacking <= CREDIT and self.lender.lends()
        if not (self.has_loops and is_lent):
            return False
        self.borrowed += lacking
        self.ran += lacking
        self.is_guess |= lacking > 0.0
        return True

    def _waits_for_others(self, work: float) -> float:
        """Seconds to wait for what the program as a whole may spend, until it is asked again."""
        waits = min(self.lender.lacks() - work, PATIENCE)
        if self.given_up and self.lender.left() < FURTHER * self.given_up:
            return PATIENCE
        return waits

    def _worth(self) -> float:
        """What an analysis may take."""
        worth = self.known
        if not self.is_tried:
            worth = min(worth, self.lender.left(), self.lender.for_one())
        saved = PROFIT * (self.saves if self.rest else hoped(self))
        return max(worth, self.lender.costs.analysis(), SHARE_OF_REST * self.rest, saved)


def hoped(account: Account) -> float:
    """Seconds that compiling it is expected to save: half as many with each further piece of code
    that was never compiled before. It may be of more kinds than will ever pay."""
    is_known = account.is_tried or account.rest
    return account.expected if is_known else account.expected / 2 ** max(account.pieces - 1, 0)


def next_piece(account: Account) -> float:
    """What the next piece of code takes: as much as all so far. A loop that is running was
    compiled for all of its rest: one piece more, without which it would not pay, may take as
    long as one did, as long as that rest is worth it all."""
    is_worth = account.pieces > 0 and account.spent <= account.expected
    return account.spent / account.pieces if account.rest and is_worth else account.spent


def loading_for(account: Account) -> float:
    """What its code has to be worth that the compiler is loaded for it."""
    costs, is_known = account.lender.costs, account.is_tried or account.is_promised
    is_bulk = account.is_bulk
    pays = is_known or account.lender.is_repeated
    seconds = costs.loading(pays=pays, plain=0 if is_bulk else account.plain)
    if (is_bulk or account.calls_libraries) and not (account.has_loops or is_known):
        seconds *= BULKY
    if account.expected and not account.is_tried:  # there will be a graph, the sooner the better
        seconds += costs.generator()
    return seconds


LONGEST = 2.0**62
"""Nanoseconds that stand for ever."""
_BACKWARD = frozenset(code for name, code in dis.opmap.items() if "BACKWARD" in name)

cold: weakref.WeakKeyDictionary[CodeType, Account] = weakref.WeakKeyDictionary()
"""The code whose functions wait to be compiled for the first time."""


def why_cold(code: CodeType) -> str | None:
    """Why a function of this code is not compiled yet, or None."""
    return None if (account := cold.get(code)) is None else in_words(account)


def in_words(account: Account) -> str:
    """What its code waits for."""
    ran = f"ran {max(account.own, 0.0) * 1e3:.1f}"
    if account.own < account.price:
        left_out = ", without what it calls that is compiled by now" if account.own < 0 else ""
        return f"not warm yet: {ran} of {account.price * 1e3:.1f} ms in Python{left_out}"
    if account.lender.lacks() > 0:
        return (f"warm: {ran} ms in Python; what may be spent on compiling is spent "
                "(config.compile_share)")
    return f"warm: {ran} ms in Python, and is compiled when it is called again"


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
