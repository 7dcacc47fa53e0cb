"""Which code of a whole program is worth compiling: what has taken as long as compiling takes.

A program has thousands of functions, and most of them run a few times. So each code object has an
account of the time that its functions ran in Python, and of the time that was spent on compiling
them, their continuations and their variants. It is compiled (again) when the first is not less than
the second: whatever a program does, compiling takes about as long as running did. How long the next
variant takes is not known; the first one is assumed to take `config.warm_seconds`.

Some work is seen to be long before it is done, and is paid in advance: calls over large arrays, and
functions that work on arrays in loops, which may be called once only. The second is a guess. The
lender gives a program `GRANT` seconds for such guesses, and a `SHARE` of its time.

Functions call each other, and a second of one counts for its callers too. So the lender also sees
to the program as a whole: beyond the first seconds (`FREE`), compiling takes no more than
`config.compile_share` of the time in which the program itself runs. Code waits as long as it does.
"""
from __future__ import annotations

import dis
import math
import time
import weakref
from collections.abc import Iterable
from types import CodeType
from typing import Any

import numpy as np

from ..base.config import config
from ..base.records import dataclass

PRICE = 4.0
"""What a second of compiling costs, in seconds of Python: compiled code takes time as well, and
the time of a call counts for its caller too."""
LONG_ANALYSIS = 0.1, 1.0
"""Seconds that the analysis of a frame may take, without and with loops, however short it ran."""
WORK = 0.25e-9
"""Seconds that an instruction is expected to take for an element of an array: about every fourth
is an operation on arrays."""
CREDIT = 0.1
"""Seconds of compiling that a function with loops gets in advance."""
_BACKWARD = frozenset(code for name, code in dis.opmap.items() if "BACKWARD" in name)
GRANT = 1.0
SHARE = 0.05
LOAD, LOADS = 0.25, 12.5
"""Seconds that loading the compiler takes; the first code that is compiled has to be worth it. At
most so many times what other code waits for."""
FREE = 0.25, 10.0
"""Seconds of compiling that every program may take, and where it is asked for at the first call."""
LONGEST = 2.0**62
"""Nanoseconds that stand for ever."""
PATIENCE = 0.02
"""Seconds that code runs before it is asked again whether the program can afford to compile it."""


class Lender:
    """How much time a program spent on compiling, and on which loops nobody has paid for yet."""

    def __init__(self) -> None:
        self.lent = self.spent = 0.0
        self.began = time.process_time()
        self.is_loaded = True
        """Whether the compiler is there."""

    def load(self) -> float:
        """Seconds that loading the compiler is taken to last, where it is not loaded."""
        return 0.0 if self.is_loaded else min(LOAD, LOADS * config.warm_seconds)

    def lends(self) -> bool:
        return self.lent < GRANT + SHARE * (time.process_time() - self.began)

    def lacks(self) -> float:
        """Seconds that the program is to run before more of it may be compiled."""
        free = FREE[config.warm_seconds <= 0]
        ran = time.process_time() - self.began - self.spent
        if self.spent <= free:
            return 0.0
        share = config.compile_share
        return max((self.spent - free) / share - ran, 0.0) if share else math.inf


@dataclass(slots=True, eq=False)
class Account:
    """Seconds of one code object: those that it `ran` in Python, or is known to, and `spent` on
    compiling it, of which those `in_vain` made no entry. `borrowed` ones are in `ran`."""

    lender: Lender
    has_loops: bool
    size: int
    ran: float = 0.0
    spent: float = 0.0
    in_vain: float = 0.0
    borrowed: float = 0.0
    expected: float = 0.0
    """Seconds that its calls took in Python in an earlier run of the program."""
    worth: float = math.inf
    """What compiling for the call that was asked about last may take."""

    @property
    def price(self) -> float:
        """Seconds to run in Python before it is compiled again."""
        if config.warm_seconds <= 0:
            return PRICE * self.in_vain
        return max(config.warm_seconds, PRICE * self.spent) + self.lender.load()

    def lacks(self, values: Iterable[Any]) -> float:
        """Seconds that are to run in Python before a call with these values is compiled for."""
        work = WORK * self.size * elements(values) + self.expected
        lacking = max(self.price - self.ran - work, 0.0)
        if self.has_loops and self.borrowed + lacking <= CREDIT and self.lender.lends():
            self.borrowed += lacking
            self.ran += lacking
            lacking = 0.0
        lacking = max(lacking, min(self.lender.lacks() - work, PATIENCE))
        self.worth = max(self.ran + work, LONG_ANALYSIS[self.has_loops])
        return lacking

    def spend(self, seconds: float, *, in_vain: bool = False) -> None:
        """Compiling took so long; `in_vain` where nothing came of it."""
        self.spent += seconds
        self.in_vain += seconds if in_vain else 0.0
        self.lender.spent += seconds
        if self.borrowed:
            self.lender.lent += seconds

    def __str__(self) -> str:
        return f"ran {self.ran * 1e3:.1f} of {self.price * 1e3:.1f} ms in Python"


cold: weakref.WeakKeyDictionary[CodeType, Account] = weakref.WeakKeyDictionary()
"""The code whose functions wait to be compiled for the first time."""


def why_cold(code: CodeType) -> str | None:
    """Why a function of this code is not compiled yet, or None."""
    return None if (account := cold.get(code)) is None else f"not warm yet: {account}"


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
