"""What came of the functions of a code object."""
from __future__ import annotations

import weakref
from collections.abc import Callable
from types import CodeType, FunctionType
from typing import TYPE_CHECKING, Any

from ..base.config import config
from ..native import CompiledFunction, forget_code
from ..tiering.account import GAIN, PRICE, Account
from ..tiering.decisions import Decision
from .comparisons import Answer, Comparison, Timing
from .loops import has_plain_loops
from .plain_code import DEEPEST, LIBRARIES, plain_size

if TYPE_CHECKING:
    from ..runtime.stats import FrameRecord

MOST_NESTED = 100.0
"""At most so many times what code takes itself it is taken to run before it is looked at again."""
PAID = "compiling it paid"
ALONE, IN_DOUBT = 0.9, 3
"""Which part of the time a program has a processor that is as good as alone; and how often what is
measured in one that is not has to be confirmed."""
BY_ITSELF = 10e-6
"""Seconds of a call of code that is compiled before what calls it."""
LIKELY = "it ran for as long as what is compiled"
PLAIN = "its loops, over arrays alone, ran in Python"
PROMISED = "its graph was too large for a part of a run, and not for all of one"
NOTHING_FOUND = Decision(False, "no operations on arrays were found")
TOO_LONG = "compiling it takes longer than it may save"
AROUND = "only until it was compiled, but for what calling it takes"
REPEATS = 4.0
"""How much longer code is expected to run that is run again, in what it ran before."""
LONGER = 2.0
"""How much longer a later run has to be to try again what took too long to compile."""


class CodeHistory:
    """What came of the functions of one code object."""

    def __init__(
        self, code: CodeType, account: Account, gone: Callable[[Any], None],
        decision: Decision | None = None,
    ) -> None:  # fmt: skip
        self.code = weakref.ref(code, gone)
        self.account = account
        self.decision = decision
        account.call = decision.call if decision is not None else 0.0
        if decision is not None and decision.is_hot:
            account.expected, account.is_tried = decision.saved, decision.reason == PAID
            account.is_promised = decision.reason in (PROMISED, LIKELY, PLAIN)
            if decision.reason in (LIKELY, PLAIN) and decision.call:
                account.calls = decision.saved / (GAIN * decision.call)
        elif decision is not None:
            account.needs = decision.saved
        self.names_arrays = False
        self.is_looked_at = self.knows_names = False
        self.looked_for = -1.0
        """What it waited for when its calls were last watched for its sake."""
        self.noted = 0.0
        self.earlier = 0.0
        """Seconds that code like it ran in Python, which the program has made anew."""
        self.stretch = 1.0
        """How long calls take in all, in what they take without compiled code that they call."""
        self.function: Callable[[], FunctionType | None] = lambda: None
        """One that was called."""
        self.asked = 0
        self.compiled = 0
        self.records = self.operations = 0
        self.breaks = False
        self.given_up = ""
        """Why functions of the code are not compiled any more."""
        self.sizes: list[tuple[Any, ...]] = []
        """Those of the arguments of calls that Python ran (`arrays.note_sizes`)."""
        self.refused_below = 0.0
        """Seconds that it was seen to wait for what it calls that is not worth compiling."""
        self.shared: CompiledFunction | None = None
        self.comparison = Comparison(self, account.call)

    def goes_on(self, former_code: CodeType, former: CodeHistory) -> None:
        """Begin with what is known of code like it: the program is run again in this process, and
        will be some more times."""
        account, before = self.account, former.account
        account.lender.is_repeated = True
        self.names_arrays = former.names_arrays
        self.earlier = before.ran - (REPEATS - 1.0) * former.earlier
        account.call = before.lender.cpu(former.comparison.call_in_python(Timing.of(former_code)))
        if not former.records:
            account.ran = REPEATS * self.earlier
            account.needs = max(before.needs, PRICE * before.in_vain)
        elif former.operations and not former.given_up:
            account.is_tried = True
            account.expected = max(account.expected, self.earlier)
        self.comparison.known_call = account.call

    @property
    def is_known_hot(self) -> bool:
        return self.decision is not None and self.decision.is_hot

    @property
    def is_waiting(self) -> bool:
        """Whether it is compiled once it has run for long enough."""
        return self.names_arrays and not (self.given_up or self.why_left)

    def is_by_itself(self, code: CodeType) -> bool:
        """Whether it is to be compiled before what calls it is: its calls are so long that entering
        compiled code for each of them costs little."""
        is_next = self.is_waiting and not self.compiled
        return is_next and Timing.of(code).call >= BY_ITSELF

    def look_for(self) -> bool:
        """Whether its next call is to be seen: once for each wait, and again for a longer one."""
        price = self.account.price
        if not self.is_waiting or self.account.own < price or price <= LONGER * self.looked_for:
            return False
        self.looked_for = price
        return True

    @property
    def is_refused(self) -> bool:
        """Whether compiling it was tried, or is known, to be not worth it."""
        is_in_vain = self.compiled and not self.operations and not self.account.is_tried
        return bool(is_in_vain or self.given_up or self.account.needs > self.account.ran)

    @property
    def why_in_python(self) -> str:
        """Why Python ran what was taken for a candidate; or nothing."""
        if self.given_up or not self.compiled:
            return self.given_up
        return AROUND if self.operations else "" if self.records else TOO_LONG

    @property
    def why_left(self) -> str:
        """Why an earlier run says that Python is to run the code, however long; or nothing."""
        known = self.decision
        is_left = known is not None and not known.is_hot and not known.saved
        return f"{known.reason} (in an earlier run)" if known is not None and is_left else ""

    def look_at_loops(self, function: FunctionType) -> None:
        """Loops that cannot be compiled as a whole are as if there were none."""
        if self.account.has_loops and not self.is_looked_at:
            self.account.has_loops = has_plain_loops(function.__code__, function.__globals__)
        self.is_looked_at = True

    def look_at_names(self, function: FunctionType) -> None:
        """What its code seems to be about, once it has run for a while."""
        if not self.knows_names and self.account.own >= config.warm_seconds:
            self.account.plain = plain_size(function)
            self.account.calls_libraries = not LIBRARIES.isdisjoint(function.__code__.co_names)
            self.knows_names = True

    def until_looked_at(self, lacking: float) -> float:
        """Seconds that it runs before it is asked about again, if it lacks so many."""
        if self.knows_names or self.account.lender.costs.is_loaded:
            return lacking
        return min(lacking, config.warm_seconds - self.account.own)

    def plain_size(self, depth: int = DEEPEST) -> int:
        """Instructions of code that does nothing but operations on arrays, as far as names tell."""
        function = self.function()
        return plain_size(function, depth) if function is not None else 0

    def note_time(self, code: CodeType) -> None:
        """How long functions of the code have run in Python before they were compiled."""
        timing, cpu = Timing.of(code), self.account.lender.cpu
        self.account.ran += cpu(timing.own - self.noted)
        self.account.call = cpu(timing.call) or self.account.call
        self.noted = timing.own
        self.stretch = timing.ran / max(timing.own, timing.ran / MOST_NESTED) if timing.ran else 1.0

    def note(self, record: FrameRecord) -> None:
        """Give the code up when it was compiled again and still has no operations."""
        record.graph = None
        self.records += 1
        self.operations += record.operations
        self.breaks |= record.broke is not None
        if self.operations or not record.recompile:
            return
        self.given_up, self.shared = NOTHING_FOUND.reason, None
        if (code := self.code()) is not None:
            forget_code(code)

    # -- what was measured

    @property
    def confirmations(self) -> int:
        """How often it has to be seen to be slower than in Python: where other programs take the
        processor meanwhile, any of the calls may be those that wait for it."""
        return 1 if self.account.lender.share() >= ALONE else IN_DOUBT

    def saved(self, timing: Timing) -> float:
        """Seconds that compiled calls took less than they would have in Python."""
        return self.comparison.saved(timing)

    # -- what follows from it

    def review(self, code: CodeType) -> Answer:
        """Whether functions of the code go on running compiled: True; for how long they are to run
        in Python first, for comparison; or None."""
        answer = self.comparison.review(code, Timing.of(code))
        if answer is None:
            self.given_up, self.shared = self._why_given_up(), None
        return answer

    def _why_given_up(self) -> str:
        if not self.records:  # each analysis was given up
            return TOO_LONG
        return self.comparison.reason if self.operations else NOTHING_FOUND.reason
