"""Whether compiled calls of some code are faster than those in Python.

Compiled code is not always faster: where there is little in it to compile, entering and leaving it
takes longer than Python does. So calls are timed, and where compiled ones seem to take longer than
those in Python did, it is Python's turn again for a while; the slower of the two is dropped. What
calls take may depend on when in the program they are, so where compiled ones seem to be faster, a
call in Python is timed now and then that is a small part of what compiled ones took.
"""
from __future__ import annotations

from collections.abc import Callable
from functools import partial
from types import CodeType
from typing import Any, Protocol

from ..base.records import dataclass
from ..native import calls_of_code, review_after
from ..tiering.account import nanoseconds

FIRST_CALLS = 3
"""Compiled calls that are not compared with any: LLVM may still be at work."""
FIRST_REVIEW = 8
"""Compiled calls after these that are first compared with calls in Python."""
TOLERANCE = 1.05
"""How much longer than in Python compiled calls may seem to take."""
LONGEST_TRIAL = 0.02
"""Seconds of calls in Python, for comparison, and of compiled ones that seemed to be slower."""
SHORTEST = 1e-9
COMPARISON = 0.02
"""What calls in Python may take to see whether they still take as long as before code was compiled,
in what compiled ones took."""

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


class Compiled(Protocol):
    """What was compiled: how many operations, whether a graph was broken off, and how often it has
    to be seen to be slower to be dropped."""

    operations: int
    breaks: bool

    @property
    def confirmations(self) -> int: ...


class Comparison:
    """The calls of some code that was `compiled`. `known_call`: seconds of one in Python in an
    earlier run, 0 where that is unknown."""

    def __init__(self, compiled: Compiled, known_call: float) -> None:
        self.compiled = compiled
        self.known_call = known_call
        self.window = FIRST_REVIEW
        self.reviewed = Timing()
        self.phase: Callable[[CodeType, Timing], Answer] = self._begin
        self.call_later = 0.0
        """Seconds of a call in Python between compiled ones; 0 where there was none."""
        self.speedup = 0.0
        """That in what the compiled ones beside it took."""
        self.confirmed = 0
        """How often in a row it was seen to be slower."""
        self.reason = ""
        """Why Python is to run the code again."""

    def call_in_python(self, timing: Timing) -> float:
        """Seconds that a call takes in Python, here or, where hardly any was seen here, in an
        earlier run; 0 where unknown."""
        has_few = self.known_call and timing.calls < FIRST_REVIEW
        return self.call_later or (self.known_call if has_few else timing.call)

    def saved(self, timing: Timing) -> float:
        """Seconds that compiled calls took less than they would have in Python; those that other
        compiled code called count there."""
        call, compiled_call = self.call_in_python(timing), timing.compiled_call
        if not (call and compiled_call):
            return 0.0
        saves = (self.speedup - 1) * compiled_call if self.speedup else call - compiled_call
        return saves * timing.outermost

    def review(self, code: CodeType, timing: Timing) -> Answer:
        """Whether functions of the code go on running compiled: True; for how long they are to run
        in Python first, for comparison; or None, for a `reason`."""
        return self.phase(code, timing)

    def _begin(self, code: CodeType, timing: Timing) -> Answer:
        self.reviewed = timing
        return self._go_on(code, self.window, self.look)

    def look(self, code: CodeType, timing: Timing) -> Answer:
        """Compare the compiled calls since the last look with those in Python so far."""
        last, self.reviewed = timing.since(self.reviewed), timing
        call = self.call_in_python(timing)
        if last.compiled_call > call and (call or self.compiled.breaks):
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
            self.confirmed = 0
            return self._wait(code)
        if not self.compiled.operations:
            self.reason = slower(compiled_call, self.call_later)
            return None
        self.reviewed = timing
        fit = int(LONGEST_TRIAL / max(compiled_call, SHORTEST))
        return self._go_on(code, min(self.window, max(fit, 1)), self._confirm)

    def _confirm(self, code: CodeType, timing: Timing) -> Answer:
        """Compiled calls before and after those in Python: both have to be slower. Other programs
        take their time too, which may be many times what a few calls take."""
        compiled_call = timing.since(self.reviewed).compiled_call
        is_slower = compiled_call > self.call_later * TOLERANCE
        self.confirmed = self.confirmed + 1 if is_slower else 0
        if self.confirmed >= self.compiled.confirmations:
            self.reason = slower(compiled_call, self.call_later)
            return None
        self.reviewed = timing
        if is_slower:
            return self._go_on(code, self.window, self.look)
        self.speedup = self.call_later / max(compiled_call, SHORTEST)
        return self._wait(code)

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


def slower(compiled: float, python: float) -> str:
    return f"compiled, a call took {compiled:.1e} s, in Python {python:.1e} s"
