"""The code of a program: what is known of it from earlier runs, and what this run has found out."""
from __future__ import annotations

import time
from collections.abc import Collection, Sequence
from types import CodeType, FunctionType
from typing import Any

from ..base.disabled import Place, place_of
from ..base.processor import Share
from ..native import first_frames
from ..tiering.account import GAIN, Account, open_account
from ..tiering.decisions import Decision, Decisions
from ..tiering.lender import Lender
from .comparisons import Timing
from .conclusions import HOT, UNTRIED, conclusion, likely, plain_gain
from .functions import loops_over_arrays
from .histories import PLAIN, CodeHistory
from .plain_code import plain_size

Known = tuple[CodeType, CodeHistory]
UNSEEN = "it ran before there was an array"
MOST_KEPT = 256
"""Code objects that are kept so that others like them are known."""


class Program:
    """The histories of its code objects, by their ids; `decisions` are kept from run to run."""

    def __init__(self, decisions: Decisions | None = None) -> None:
        self.decisions = decisions
        self.histories: dict[int, CodeHistory] = {}
        self.former: dict[Place, Known] = {}
        """Code that ran for long, or was compiled, by where it stands: a program that is run again
        in this process, or a cell of a notebook, makes others like it."""
        self.lender = Lender()
        costs = self.lender.costs
        costs.is_loaded = costs.reads_entries = costs.has_generator = False
        self.lender.share = Share()
        if decisions is not None:
            self.lender.lasts = decisions.lasts
        self.lender.saved = self.saved
        self.known_saved: float | None = None
        """What compiling has saved, from one `ask_anew` to the next."""

    def history_of(self, code: CodeType) -> CodeHistory:
        if (found := self.histories.get(id(code))) is None:
            found = self.histories[id(code)] = self._new_history(code)
        return found

    def _new_history(self, code: CodeType) -> CodeHistory:
        key, account, former = id(code), self.account_of(code), self.former.get(place_of(code))
        if former is not None and former[0] is not code and former[0] == code:
            account.ran = self._concluded(*former)
        decision = self.decisions.about(code) if self.decisions is not None else None
        return CodeHistory(code, account, lambda dead: self.forget(key), decision)

    def _concluded(self, code: CodeType, history: CodeHistory) -> float:
        """What became of code goes for another like it; seconds that this need not wait for."""
        if (decision := conclusion(history, code)) is not None:
            self.note(code, decision)
        return 0.0 if history.compiled else history.account.ran

    def keep(self, code: CodeType, history: CodeHistory) -> None:
        """Code for which it is worth knowing what became of it, where there is another like it."""
        if len(self.former) < MOST_KEPT or place_of(code) in self.former:
            self.former[place_of(code)] = code, history

    def account_of(self, code: CodeType) -> Account:
        """A new account, which the program's lender lends to."""
        return open_account(code, self.lender)

    def known(self, code: CodeType) -> CodeHistory | None:
        """Its history, if there is one."""
        return self.histories.get(id(code))

    def forget(self, key: int) -> None:
        self.histories.pop(key, None)

    def note(self, code: CodeType, decision: Decision) -> None:
        """For the next run."""
        if self.decisions is not None:
            self.decisions.note(code, decision)

    def ask_anew(self) -> None:
        """Another question begins, for which everything is measured anew."""
        self.known_saved = None

    def saved(self) -> float:
        """Seconds that compiling has saved so far."""
        if self.known_saved is None:
            self.known_saved = self._measure_saved()
        return self.known_saved

    def _measure_saved(self) -> float:
        found = 0.0
        for history in list(self.histories.values()):
            if history.compiled and (code := history.code()) is not None:
                found += max(history.saved(Timing.of(code)), 0.0)
        return self.lender.cpu(found)

    def expects_hot(self) -> bool:
        """Whether some code is to be compiled before the program has made an array."""
        known = self.decisions.known.values() if self.decisions is not None else ()
        return any(decision.is_hot for decision in known)

    def conclude(
        self, replaced: Collection[CodeType], unfinished: Collection[CodeType] = ()
    ) -> None:
        """Keep what was found out, for the next run; of the code `replaced`, loops had their
        turn, and those of the `unfinished` would have taken too long."""
        if self.decisions is None:
            return
        seconds = time.process_time() - self.lender.began
        known = [(code, history) for history in list(self.histories.values())
                 if (code := history.code()) is not None]
        found = {code: conclusion(history, code) for code, history in known}
        found |= {code: likely(history, code) for code, history in self.pay_together(known)}
        for code, decision in found.items():
            if decision is not None:
                self.decisions.note(code, decision.within(seconds) if decision.is_hot else decision)
        for code, names in first_frames() if seconds >= HOT else ():
            if self.decisions.about(code) is not None or not loops_over_arrays(code, names):
                continue
            decision = unseen(code, names, seconds)
            if code not in replaced or (code in unfinished and decision.reason == PLAIN):
                self.decisions.note(code, decision)
        self.decisions.ended(self.lender.ran())
        self.decisions.write()

    def pay_together(self, known: Sequence[Known]) -> list[Known]:
        """Code that is likely to pay in the next run, where one or, of code that calls no other,
        all of it is worth the first graph."""
        for code, history in known:
            if not history.compiled:
                history.note_time(code)
        gains = {code: plain_gain(history, code) for code, history in known}
        found = [(code, history) for code, history in known if gains[code] > 0.0]
        together = sum(gains[code] for code, history in found if history.plain_size(1))
        most = max([together, *gains.values()])
        is_loaded = self.lender.costs.has_generator
        return found if is_loaded or most >= self.lender.costs.first_graph() else []


def unseen(code: CodeType, names: dict[str, Any], seconds: float) -> Decision:
    """About code that ran before anybody saw it, for some of so many seconds."""
    if not code.co_freevars and plain_size(FunctionType(code, names)):
        return Decision(True, PLAIN, seconds, GAIN * seconds)
    return Decision(True, UNSEEN, seconds, UNTRIED * seconds)
