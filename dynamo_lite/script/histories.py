"""What was measured of the functions of a code object, and what follows from it.

Compiled code is not always faster: where there is little in it to compile, entering and leaving it
takes longer than Python does. So calls are timed, and where compiled ones seem to take longer than
those in Python did, it is Python's turn again for a while; the slower of the two is dropped. What
calls take may depend on when in the program they are, so where compiled ones seem to be faster, a
call in Python is timed now and then that is a small part of what compiled ones took.
"""
from __future__ import annotations

import weakref
from collections.abc import Callable
from functools import partial
from types import CodeType, FunctionType
from typing import TYPE_CHECKING, Any

from ..base.records import dataclass
from ..native import CompiledFunction, calls_of_code, forget_code, review_after
from ..runtime.decisions import Decision
from ..runtime.tiering import Account, nanoseconds
from .loops import has_plain_loops

if TYPE_CHECKING:
    from ..runtime.stats import FrameRecord

FIRST_CALLS = 3
"""Compiled calls that are not compared with any: LLVM may still be at work."""
FIRST_REVIEW = 8
"""Compiled calls after these that are first compared with calls in Python."""
TOLERANCE = 1.05
"""How much longer than in Python compiled calls may seem to take."""
MOST_NESTED = 100.0
"""At most so many times what code takes itself it is taken to run before it is looked at again."""
CLEARLY = 3.0
"""How much longer they take where one comparison is enough: other programs take their time too, now
more and now less."""
LONGEST_TRIAL = 0.02
"""Seconds of calls in Python, for comparison."""
SHORTEST = 1e-9
COMPARISON = 0.02
"""What calls in Python may take to see whether they still take as long as before code was compiled,
in what compiled ones took."""
HOT = 0.05
"""Seconds that loops have to take in Python for the next run to compile them at once."""
UNTRIED = 0.125
"""What the next run expects to gain, in what loops took that were never compiled."""
WORTH = 0.5
"""What compiling is to save of all calls, in what it took: with the kernels on disk it takes
less."""
PAID = "compiling it paid"
NOTHING_FOUND = Decision(False, "no operations on arrays were found")
TOO_LONG = "compiling it takes longer than it may save"
AROUND = "only until it was compiled, but for what calling it takes"
LONGER = 2.0
"""How much longer a later run has to be to try again what took too long to compile."""

Answer = Any  # a CompiledFunction, True, None, NotImplemented, or nanoseconds in Python


@dataclass(frozen=True, slots=True)
class Timing:
    """Calls of some code, in Python and compiled, and the seconds that they took without the
    compiler; of those in Python, `nested` in compiled code that they called; and of the
    compiled ones, how many were `outermost`: not called by other compiled code."""

    calls: int = 0
    ran: float = 0.0
    nested: float = 0.0
    compiled_calls: int = 0
    compiled_ran: float = 0.0
    outermost: int = 0

    @classmethod
    def of(cls, code: CodeType) -> Timing:
        calls, ran, nested, compiled_calls, compiled_ran, outermost = calls_of_code(code)
        return cls(calls, ran * 1e-9, nested * 1e-9, compiled_calls, compiled_ran * 1e-9, outermost)

    def since(self, before: Timing) -> Timing:
        return Timing(
            self.calls - before.calls, self.ran - before.ran, self.nested - before.nested,
            self.compiled_calls - before.compiled_calls, self.compiled_ran - before.compiled_ran,
            self.outermost - before.outermost,
        )  # fmt: skip

    @property
    def own(self) -> float:
        """Seconds in Python that compiling may still save."""
        return self.ran - self.nested

    @property
    def call(self) -> float:
        """Seconds of a call in Python; 0 where there was none."""
        return self.ran / self.calls if self.calls else 0.0

    @property
    def compiled_call(self) -> float:
        return self.compiled_ran / self.compiled_calls if self.compiled_calls else 0.0


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
        elif decision is not None:
            account.needs = decision.saved
        self.names_arrays = False
        self.is_looked_at = False
        self.noted = 0.0
        self.stretch = 1.0
        """How long calls take in all, in what they take without compiled code that they call."""
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
        self.window = FIRST_REVIEW
        self.reviewed = Timing()
        self.phase: Callable[[CodeType, Timing], Answer] = self._begin
        self.call_later = 0.0
        """Seconds of a call in Python between compiled ones; 0 where there was none."""
        self.speedup = 0.0
        """That in what the compiled ones beside it took."""

    @property
    def is_known_hot(self) -> bool:
        return self.decision is not None and self.decision.is_hot

    @property
    def is_waiting(self) -> bool:
        """Whether it is compiled once it has run for long enough."""
        return self.names_arrays and not (self.given_up or self.why_left)

    @property
    def is_refused(self) -> bool:
        """Whether compiling it was tried, or is known, to be not worth it."""
        is_in_vain = self.compiled and not self.records and not self.is_known_hot
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

    def note_time(self, code: CodeType) -> None:
        """How long functions of the code have run in Python before they were compiled."""
        timing = Timing.of(code)
        self.account.ran += timing.own - self.noted
        self.account.call = timing.call or self.account.call
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

    def call_in_python(self, timing: Timing) -> float:
        """Seconds that a call takes in Python, here or in an earlier run; 0 where unknown."""
        known = self.decision.call if self.decision is not None else 0.0
        return self.call_later or timing.call or known

    def saved(self, timing: Timing) -> float:
        """Seconds that compiled calls took less than they would have in Python; those that other
        compiled code called count there."""
        call, compiled_call = self.call_in_python(timing), timing.compiled_call
        if not (call and compiled_call):
            return 0.0
        saves = (self.speedup - 1) * compiled_call if self.speedup else call - compiled_call
        return saves * timing.outermost

    # -- what follows from it

    def review(self, code: CodeType) -> Answer:
        """Whether functions of the code go on running compiled: True; for how long they are to run
        in Python first, for comparison; or None."""
        return self.phase(code, Timing.of(code))

    def _begin(self, code: CodeType, timing: Timing) -> Answer:
        self.reviewed = timing
        return self._go_on(code, self.window, self.look)

    def look(self, code: CodeType, timing: Timing) -> Answer:
        """Compare the compiled calls since the last look with those in Python so far."""
        last, self.reviewed = timing.since(self.reviewed), timing
        call = self.call_in_python(timing)
        if last.compiled_call > call and (call or self.breaks):
            self.phase = partial(self._decide, last.compiled_call)
            return nanoseconds(min(max(last.compiled_ran, 1e-9), LONGEST_TRIAL))
        if 0.0 < call <= COMPARISON * last.compiled_ran:
            self.phase = self._call_later
            return nanoseconds(COMPARISON * last.compiled_ran)
        return self._wait(code)

    def _decide(self, compiled_call: float, code: CodeType, timing: Timing) -> Answer:
        """Compiled calls seemed to be slower, and Python has run some since."""
        self.call_later = call = timing.since(self.reviewed).call
        self.speedup = call / max(compiled_call, SHORTEST)
        if compiled_call <= call * TOLERANCE:
            return self._wait(code)
        if compiled_call >= call * CLEARLY or not self.operations:
            self._drop(compiled_call)
            return None
        self.reviewed = timing
        return self._go_on(code, self.window, self._confirm)

    def _confirm(self, code: CodeType, timing: Timing) -> Answer:
        """Compiled calls before and after those in Python: both have to be slower."""
        compiled_call = timing.since(self.reviewed).compiled_call
        if compiled_call > self.call_later * TOLERANCE:
            self._drop(compiled_call)
            return None
        self.reviewed = timing
        self.speedup = self.call_later / max(compiled_call, SHORTEST)
        return self._wait(code)

    def _drop(self, compiled_call: float) -> None:
        reason = slower(compiled_call, self.call_later)
        self.given_up = reason if self.operations else NOTHING_FOUND.reason
        self.shared = None

    def _call_later(self, code: CodeType, timing: Timing) -> Answer:
        """Compiled calls seemed to be faster, and Python has run some since."""
        last, self.reviewed = timing.since(self.reviewed), timing
        self.call_later = last.call
        return self._go_on(code, max(last.calls, FIRST_CALLS), self._compare)

    def _compare(self, code: CodeType, timing: Timing) -> Answer:
        last, self.reviewed = timing.since(self.reviewed), timing
        self.speedup = self.call_later / max(last.compiled_call, SHORTEST)
        return self._wait(code)

    def _wait(self, code: CodeType) -> Answer:
        self.window *= 4
        return self._go_on(code, self.window, self.look)

    def _go_on(self, code: CodeType, calls: int, phase: Callable[..., Answer]) -> Answer:
        """So many compiled calls, and then that."""
        self.phase = phase
        review_after(code, calls)
        return True

    def conclusion(self, code: CodeType) -> Decision | None:
        """What this run of the program says about the next."""
        timing = Timing.of(code)
        call = self.call_in_python(timing)
        if self.given_up:
            return Decision(False, self.given_up)
        if not self.compiled:
            if self.decision is not None and not self.decision.is_hot:
                return None  # that stands
            own = timing.own - self.refused_below
            is_hot = self.account.has_loops and self.names_arrays and own >= HOT
            reason = "its loops ran in Python"
            return Decision(True, reason, call, UNTRIED * own) if is_hot else None
        if not self.records:
            needs = max(self.account.price, LONGER * self.account.ran)
            is_refused = self.account.in_vain or self.account.needs
            return Decision(False, TOO_LONG, call, needs) if is_refused else None
        if not self.operations:
            return NOTHING_FOUND
        if not call or not timing.compiled_calls:
            return None
        compiled_call = timing.since(self.reviewed).compiled_call or timing.compiled_call
        if self.speedup:
            call, compiled_call = self.call_later, self.call_later / self.speedup
        if compiled_call > call:
            return Decision(False, slower(compiled_call, call))
        calls = timing.calls + timing.compiled_calls
        in_python = timing.ran + timing.compiled_ran * call / compiled_call
        saves = in_python * (1 - compiled_call / call)
        if saves < WORTH * self.account.spent:
            reason = f"it saves less than compiling takes, {self.account.spent:.2f} s"
            return Decision(False, reason, call, LONGER * call * calls)
        return Decision(True, PAID, call, saves)


def slower(compiled: float, python: float) -> str:
    return f"compiled, a call took {compiled:.1e} s, in Python {python:.1e} s"
