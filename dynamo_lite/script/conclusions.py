"""What a run of the program says about the next: which code to compile at once, and which not."""
from __future__ import annotations

from types import CodeType

from ..tiering.account import GAIN, has_loops
from ..tiering.decisions import Decision
from .comparisons import Timing, slower
from .histories import (
    LIKELY,
    LONGER,
    NOTHING_FOUND,
    PAID,
    PLAIN,
    PROMISED,
    TOO_LONG,
    CodeHistory,
)

HOT = 0.05
"""Seconds that loops have to take in Python for the next run to compile them at once."""
UNTRIED = 0.125
"""What the next run expects to gain, in what loops took that were never compiled."""
WORTH = 0.5
"""What compiling is to save of all calls, in what it took: with the kernels on disk it takes
less."""
AT_ONCE = 2.0
"""What a graph is to save of all calls, in what making it takes, to be made at the first one."""
PLAIN_GAIN = 0.7
"""What compiling saves of the time of code that does nothing but operations on arrays."""


def conclusion(history: CodeHistory, code: CodeType) -> Decision | None:
    """What this run of the program says about the next."""
    timing, cpu = Timing.of(code), history.account.lender.cpu
    seen = history.comparison
    call = seen.call_in_python(timing)
    if history.given_up and history.given_up != TOO_LONG:
        return Decision(False, history.given_up)
    if not history.compiled:
        if history.decision is not None and not history.decision.is_hot:
            return None  # that stands
        return _untried(history, code, timing)
    if not history.records:
        if gain := _promised(history, timing):
            return Decision(True, PROMISED, cpu(call), gain)
        needs = max(history.account.price, LONGER * history.account.ran)
        is_refused = history.account.in_vain or history.account.needs
        return Decision(False, TOO_LONG, cpu(call), needs) if is_refused else None
    if not history.operations:
        return NOTHING_FOUND
    if not call or not timing.compiled_calls:
        return None
    compiled_call = timing.since(seen.reviewed).compiled_call or timing.compiled_call
    if seen.speedup:
        call, compiled_call = seen.call_later, seen.call_later / seen.speedup
    if compiled_call > call:
        is_sure = history.confirmations == 1
        return Decision(False, slower(compiled_call, call)) if is_sure else None
    share, call = 1 - compiled_call / call, call if call == seen.known_call else cpu(call)
    calls = timing.calls + timing.compiled_calls
    compiled_calls = min(timing.compiled_ran / compiled_call, timing.compiled_calls)
    ran = max(cpu(timing.ran), history.account.ran)  # calls that nobody watched are in the second
    saves = (ran + compiled_calls * call) * share
    if saves < WORTH * history.account.spent:
        reason = f"it saves less than compiling takes, {history.account.spent:.2f} s"
        return Decision(False, reason, call, LONGER * call * calls)
    return Decision(True, PAID, call, saves)


def _untried(history: CodeHistory, code: CodeType, timing: Timing) -> Decision | None:
    """The same of code that was not compiled."""
    account, cpu = history.account, history.account.lender.cpu
    if is_alike(history, code) and account.is_likely:
        return likely(history, code)
    call = cpu(history.comparison.call_in_python(timing))
    own = cpu(timing.own) - max(history.refused_below, account.below)
    if not (account.has_loops and history.names_arrays and own >= HOT):
        return None
    if gain_of_plain(history, own) >= account.lender.costs.first_graph():
        return Decision(True, PLAIN, call, GAIN * own)
    return Decision(True, "its loops ran in Python", call, UNTRIED * own)


def is_alike(history: CodeHistory, code: CodeType) -> bool:
    """Whether it waits to be compiled, and its calls take about the same: it has no loops, and
    its functions are not made anew."""
    is_waiting = history.is_waiting or history.given_up == TOO_LONG
    return is_waiting and "<locals>" not in code.co_qualname and not has_loops(code)


def plain_gain(history: CodeHistory, code: CodeType) -> float:
    """Seconds that compiling it, which was not done, is expected to save in the next run, but
    for what its graph takes."""
    is_new = history.decision is None or history.decision.is_hot
    has_entry = history.compiled and history.records
    if has_entry or not (is_new and is_alike(history, code)):
        return 0.0
    gain = gain_of_plain(history, history.account.own)
    if not history.compiled:
        return gain
    account = history.account
    takes = max(account.dear - account.lender.costs.generator(), 0.0)
    return min(gain, max(saved_of_all(history, Timing.of(code)) - takes, 0.0))


def gain_of_plain(history: CodeHistory, own: float) -> float:
    """The same of code that has run for so long; 0 where it may be about something else than
    arrays, or about arrays so large that NumPy's loops take all of its time."""
    if own < HOT or not (size := history.plain_size()):
        return 0.0
    history.account.plain = size
    if history.account.is_bulk:
        return 0.0
    takes = history.account.lender.costs.graph(size, is_plain=True)
    return max(PLAIN_GAIN * own - takes, 0.0)


def likely(history: CodeHistory, code: CodeType) -> Decision:
    """It is to be compiled at once."""
    call = history.account.lender.cpu(history.comparison.call_in_python(Timing.of(code)))
    return Decision(True, LIKELY, call, GAIN * history.account.own)


def _promised(history: CodeHistory, timing: Timing) -> float:
    """Seconds that the graph would have saved of all calls which was not lowered, where that is
    worth it from the beginning of a run; else nothing."""
    account, gain = history.account, saved_of_all(history, timing)
    return gain if gain >= AT_ONCE * (account.dear + account.spent) else 0.0


def saved_of_all(history: CodeHistory, timing: Timing) -> float:
    """Seconds that it would have saved of all calls."""
    account, call = history.account, history.account.lender.cpu(timing.call)
    calls = max(call * timing.calls, account.ran) / call if call else 0.0
    return account.promised * calls
