"""The code of a program: what is known of it from earlier runs, and what this run has found out."""
from __future__ import annotations

import time
from collections.abc import Collection
from types import CodeType

from ..base.processor import Share
from ..native import first_frames
from ..tiering.account import Account, open_account
from ..tiering.decisions import Decision, Decisions
from ..tiering.lender import Lender
from .comparisons import Timing
from .functions import loops_over_arrays
from .histories import HOT, UNTRIED, CodeHistory

UNSEEN = "it ran before there was an array"


class Program:
    """The histories of its code objects, by their ids; `decisions` are kept from run to run."""

    def __init__(self, decisions: Decisions | None = None) -> None:
        self.decisions = decisions
        self.histories: dict[int, CodeHistory] = {}
        self.lender = Lender()
        self.lender.costs.is_loaded = self.lender.costs.has_generator = False
        self.lender.share = Share()
        if decisions is not None:
            self.lender.lasts = decisions.lasts
        self.lender.saved = self.saved

    def history_of(self, code: CodeType) -> CodeHistory:
        key = id(code)
        if key not in self.histories:
            decision = self.decisions.about(code) if self.decisions is not None else None
            gone = lambda dead: self.forget(key)  # noqa: E731
            self.histories[key] = CodeHistory(code, self.account_of(code), gone, decision)
        return self.histories[key]

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

    def saved(self) -> float:
        """Seconds that compiling has saved so far."""
        found = 0.0
        for history in list(self.histories.values()):
            if history.compiled and (code := history.code()) is not None:
                found += max(history.saved(Timing.of(code)), 0.0)
        return self.lender.cpu(found)

    def expects_hot(self) -> bool:
        """Whether some code is to be compiled before the program has made an array."""
        known = self.decisions.known.values() if self.decisions is not None else ()
        return any(decision.is_hot for decision in known)

    def conclude(self, replaced: Collection[CodeType]) -> None:
        """Keep what was found out, for the next run; of the code `replaced`, loops had their
        turn."""
        if self.decisions is None:
            return
        seconds = time.process_time() - self.lender.began
        for history in list(self.histories.values()):
            code = history.code()
            if code is not None and (decision := history.conclusion(code)) is not None:
                self.decisions.note(code, decision.within(seconds) if decision.is_hot else decision)
        for code, names in first_frames() if seconds >= HOT else ():
            is_known = self.decisions.about(code) is not None or code in replaced
            if not is_known and loops_over_arrays(code, names):
                self.decisions.note(code, Decision(True, UNSEEN, seconds, UNTRIED * seconds))
        self.decisions.ended(self.lender.ran())
        self.decisions.write()
