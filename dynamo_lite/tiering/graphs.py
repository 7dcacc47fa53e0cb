"""Which graphs are worth lowering: those that pay where the program calls them as often again.

An analysis tells how many operations a graph has, and roughly what it saves of a call. Where that
is too little for what lowering takes, its code runs for longer first, in proportion.
"""
from __future__ import annotations

import math

from ..base.config import config
from .account import SHARE_OF_REST, WORK, Account, hoped
from .costs import ENTERING, MOST_WAITED, PAYBACK
from .lender import PROFIT

SHORT, FEW_TIMES = 0.05, 8.0
"""Seconds that lowering may take however short the code ran, and a few times as many calls as there
were, in which it has to pay then."""
RUNS = 2.0
"""In how many runs of the program a graph is to pay that is kept on disk, where it is known how
many calls there are in one."""
ROUNDING = 0.999
"""What a sum of times is at least, in the time that it was waited for."""
SHARE_OF_SAVED = 0.75
"""What compiling a running loop may take of what it is expected to save."""


def most_operations(account: Account) -> float:
    """Operations of the largest graph that may pay for the call that was asked about last, whatever
    it saves."""
    if account.is_guess and not (account.rest or account.is_tried):
        return math.inf
    costs, seconds = account.lender.costs, account.known
    if account.rest:
        seconds = max(costs.analysis(), SHARE_OF_SAVED * account.rest) - account.spent
    return max(seconds, SHORT) / costs.lowering(1)


def is_too_large(account: Account) -> None:
    """Told that a graph has more: its code runs for longer first."""
    account.runs_until(PAYBACK * account.known)


def affords(account: Account, operations: int, saves: float, has_loops: bool = False) -> bool:
    """Whether a graph of so many operations, which saves so many seconds a call, pays; if not, its
    code runs for longer first. `has_loops`: of the graph's own, so that a call may take any time
    where none was timed."""
    lowering = account.lender.costs.lowering(operations)
    if account.rest:
        return _affords_of_rest(account, lowering, saves)
    if not (account.is_guess and has_loops) or account.call:
        lowering += account.lender.costs.generator()
    if has_loops and account.call:  # of as many iterations as nobody knows
        saves = min(saves, max(account.call, WORK[True] * account.size * account.asked))
    is_worth = 0.0 < account.spent + lowering <= PROFIT * hoped(account)
    if is_worth or lowering <= saves or _is_short(account, lowering, saves):
        return True
    account.promised, account.dear = saves, lowering
    saves = max(saves - ENTERING, 0.0)
    if lowering <= RUNS * min(saves, account.call) * account.calls:
        return True
    needs = lowering * max(PAYBACK, account.call / saves if saves else math.inf)
    account.runs_until(needs)
    return account.known >= ROUNDING * needs


def _is_short(account: Account, lowering: float, saves: float) -> bool:
    """Whether so little is to be lowered that it may take a few times as many calls as there were
    to pay."""
    if lowering > SHORT or not account.call:
        return lowering <= SHORT
    least = min(lowering, MOST_WAITED * config.warm_seconds)
    return least <= FEW_TIMES * saves * account.known / account.call


def _affords_of_rest(account: Account, lowering: float, saves: float) -> bool:
    """The same of a part of a running loop, for all of its iterations that are left."""
    costs = account.lender.costs
    generator = costs.generator() if lowering else 0.0
    saved = min(account.saves + saves, account.rest)
    is_paid = account.spent + lowering + generator <= SHARE_OF_SAVED * saved
    trial = max(costs.analysis(), SHARE_OF_REST * account.rest)
    if not account.plain:  # else it has waited for the code generator as well
        lowering += generator
    is_trial = account.spent + lowering <= trial
    if not (is_trial or is_paid):
        return False
    account.saves = saved
    return True
