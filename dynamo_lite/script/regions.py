"""Regions: all functions of a program are candidates, not only decorated ones.

`Candidates` is the callback of `native.enter_region`. It is asked about each function of the
program that is called until it answers for good: with the function's compiled form, or with None. A
function is compiled when it is called with arrays, or for the second time when it names NumPy, and
its code is warm (`tiering.account`).
"""
from __future__ import annotations

import sys
import time
import warnings
import weakref
from collections.abc import Iterator
from types import CodeType, FrameType, FunctionType
from typing import Any

from ..base import logs
from ..base.config import config
from ..base.disabled import Place, is_disabled, place_of
from ..base.loading import loaded
from ..errors import DynamoWarning, defect
from ..native import CompiledFunction, review_after
from ..tiering.account import Account, cold, nanoseconds, why_cold
from ..tiering.decisions import Decision, Decisions
from .arrays import mentions_arrays, note_sizes, touch_arrays
from .comparisons import FIRST_CALLS, Answer
from .conclusions import HOT
from .functions import counts_references, is_candidate, is_of_module
from .histories import AROUND, NOTHING_FOUND, CodeHistory
from .program import Program
from .repeated import history_of
from .samples import Samples
from .watching import running

PERF = logs.logger("perf")

ENGINE = "dynamo_lite.script.engine"
"""Loading the compiler takes as long as many programs run."""
SAMPLED = 0.05
"""Seconds between two looks at the loops that run."""
ASKED_AGAIN = 3
"""Calls without arrays after which a function is left alone."""
FUNCTIONS_OF_A_CODE = 8
"""Closures made from one text that are compiled; later ones run in Python."""

DISABLED = "dl.disable leaves it to Python"
NOT_FOLLOWED = "it is not of the user's own functions, or a rule or directive leaves it to Python"
NO_ARRAYS = "no arrays were among its arguments"
MANY_CLOSURES = f"{FUNCTIONS_OF_A_CODE} functions of the same text are compiled already"

CALLED_ONCE = ("no arrays were among its arguments, and it was called once: functions that make "
               "their arrays themselves are compiled from the second call on")
SHORT_LOOP = "its loop was expected to end before compiling the rest of it would have paid"
LONG = 0.02
"""Seconds in Python from which it is told of one function how long it ran there."""
TOO_SHORT = f"not warm yet: ran for less than {LONG * 1e3:.0f} ms in Python"
SILENT = (DISABLED, NOT_FOLLOWED, NO_ARRAYS, CALLED_ONCE, SHORT_LOOP, MANY_CLOSURES, AROUND)
"""Reasons that hold for most functions of most programs."""


class Candidates:
    """Says which functions of a region run compiled."""

    def __init__(
        self, backend: str = "auto", every: bool = False, decisions: Decisions | None = None
    ) -> None:
        self.backend = backend
        self.every = every
        self.program = Program(decisions)
        self.samples = Samples(self.program, self.compile_loop, SAMPLED)
        self.left: dict[Place, str] = {}
        """Why functions are not looked at any more."""
        self.engine: Any = None
        self.is_broken = False

    def __call__(self, function: FunctionType, values: tuple[Any, ...] | None) -> Answer:
        self.program.ask_anew()
        try:
            if values is None:
                return self.review(function)
            return self.decided(function, values, sys._getframe().f_back)
        except (RecursionError, MemoryError):  # of this moment: it is asked again
            return 0
        except Exception as error:
            self.failed(error, function.__code__)
            return None

    def decided(
        self, function: FunctionType, values: tuple[Any, ...], caller: FrameType | None
    ) -> Answer:
        """The answer for a function that the caller calls, after which its code may wait."""
        answer, code = self.answer(function, values, caller), function.__code__
        if answer is None:  # which the core keeps
            self.program.forget(id(code))
        if type(answer) is int and answer > 0:
            cold[code] = self.program.history_of(code).account
        else:
            cold.pop(code, None)
        return answer

    def sample(self, frame: FrameType) -> float | None:
        """Called now and then with the frame that runs; seconds until the next time."""
        if self.is_broken:
            return None
        try:
            return self.samples(frame)
        except (RecursionError, MemoryError):
            pass
        except Exception as error:
            self.failed(error, frame.f_code)
        return None

    def failed(self, error: Exception, code: CodeType) -> None:
        """An error of our own, which the program does not see: nothing more is looked for."""
        if config.strict or not config.suppress_errors:
            raise error
        if not self.is_broken:
            self.is_broken = True
            warnings.warn_explicit(
                defect(error), DynamoWarning, code.co_filename, code.co_firstlineno)

    def compile_loop(
        self, function: FunctionType, args: tuple[Any, ...], as_whole: bool, account: Account
    ) -> CompiledFunction | None:
        engine = self.engine or self.loaded()
        compiled: CompiledFunction | None = engine.compiled_loop(
            function, args, as_whole, self.backend, account)
        return compiled

    def review(self, function: FunctionType) -> Answer:
        """Whether a function that runs compiled goes on doing so."""
        history = self.program.history_of(function.__code__)
        answer = history.review(function.__code__)
        if answer is None:
            self.leave(function, history.given_up)
            PERF.info("%s runs in Python again: %s", function.__qualname__, history.given_up)
            if history.records:
                self.program.note(function.__code__, Decision(False, history.given_up))
        return answer

    def leave(self, function: FunctionType, reason: str) -> None:
        """Python runs it from here on."""
        self.left[place_of(function.__code__)] = reason

    def cold(self) -> Iterator[tuple[Place, str]]:
        """Functions that were not compiled yet, and what they wait for."""
        for history in list(self.program.histories.values()):
            if (code := history.code()) in cold and code is not None:
                history.note_time(code)
                yield place_of(code), (str(why_cold(code))
                                       if cold[code].ran >= LONG else TOO_SHORT)
            elif code is not None and (reason := history.why_in_python):
                yield place_of(code), reason
            elif history.asked and code is not None and place_of(code) not in self.left:
                yield place_of(code), CALLED_ONCE if history.names_arrays else NO_ARRAYS
        for code in self.samples.timed_in - self.samples.replaced_in:
            yield place_of(code), SHORT_LOOP

    def conclude(self) -> None:
        """Keep what was found out, for the next run of the program."""
        self.program.conclude(self.samples.replaced_in, self.samples.unfinished)

    def answer(
        self, function: FunctionType, values: tuple[Any, ...], caller: FrameType | None
    ) -> Answer:
        code = function.__code__
        if not is_candidate(function) or (self.engine and not self.engine.may_compile(function)):
            return self.leave(function, DISABLED if is_disabled(code) else NOT_FOLLOWED)
        if caller is not None and counts_references(caller.f_code):
            return NotImplemented
        history = history_of(self.program, code)
        if history.shared is not None and is_of_module(function):
            return history.shared
        if reason := self.why_not(history, code):
            return self.leave(function, reason)
        history.function = weakref.ref(function)
        if not self.sees_arrays(history, function, values):
            return 0 if history.asked < ASKED_AGAIN else self.leave(function, NO_ARRAYS)
        history.look_at_loops(function)
        history.note_time(code)
        history.look_at_names(function)
        if history.account.has_loops or history.account.ran >= HOT:
            self.program.keep(code, history)
        note_sizes(history.sizes, values)
        if history.account.is_promised and self.is_below_tried(caller):
            history.account.is_promised, history.account.expected = False, 0.0
        if lacking := history.account.lacks(values):
            return nanoseconds(history.until_looked_at(lacking) * history.stretch)
        return self.compiled_form(function, history, caller)

    def is_below_tried(self, caller: FrameType | None) -> bool:
        """Whether compiled code waits for this call for which compiling paid in an earlier run, or
        is likely to: its entries have this code inlined, or come to fit soon."""
        known = filter(None, map(self.program.known, running(caller)))
        return any((history.compiled and history.account.is_tried) or history.operations
                   for history in known)

    def why_not(self, history: CodeHistory, code: CodeType) -> str:
        """Why no more functions of this code are compiled, or nothing."""
        if history.why_left:
            return history.why_left
        if not history.given_up and history.compiled < FUNCTIONS_OF_A_CODE:
            return ""
        if not history.operations:
            self.program.note(code, NOTHING_FOUND)
        return history.given_up or MANY_CLOSURES

    def sees_arrays(
        self, history: CodeHistory, function: FunctionType, values: tuple[Any, ...]
    ) -> bool:
        """Whether it is called with arrays, or again while it names what makes them."""
        if not (self.every or history.is_known_hot or touch_arrays(values)):
            history.asked += 1
            history.names_arrays = mentions_arrays(function)
            return history.asked > 1 and history.names_arrays
        history.names_arrays = True
        return True

    def compiled_form(
        self, function: FunctionType, history: CodeHistory, caller: FrameType | None
    ) -> Answer:
        if not self.engine and not self.loaded().may_compile(function):
            return self.leave(function, NOT_FOLLOWED)
        if history.account.price:
            ran = 1e3 * history.account.own
            PERF.info("%s is warm: ran %.1f ms in Python", function.__qualname__, ran)
        history.compiled += 1
        self.program.keep(function.__code__, history)
        if history.compiled == 1:
            self.discount(history, caller)
        compiled: CompiledFunction = self.engine.compiled_form(
            function, self.backend, history.note, history.account, history.sizes
        )
        if is_of_module(function):
            history.shared = compiled
        review_after(function.__code__, FIRST_CALLS)
        return compiled

    def discount(self, compiled: CodeHistory, caller: FrameType | None) -> None:
        """What code took until it was compiled counts for its callers no more."""
        for code in running(caller):
            history = self.program.known(code)
            if history is not None and history is not compiled:
                history.account.discount(compiled.account.ran)

    def loaded(self) -> Any:
        """The compiler, or the part of it that reads entries on disk."""
        began = time.process_time()
        self.engine = loaded(ENGINE)
        self.program.lender.wasted += time.process_time() - began
        self.program.lender.costs.reads_entries = True
        return self.engine
