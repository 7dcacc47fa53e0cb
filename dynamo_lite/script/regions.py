"""Regions: all functions of a program are candidates, not only decorated ones.

`Candidates` is the callback of `native.enter_region`. It is asked about each function of the
program that is called until it answers for good: with the function's compiled form, or with None. A
function is compiled when it is called with arrays, or for the second time when it names NumPy, and
its code is warm (`runtime.tiering`).
"""
from __future__ import annotations

import importlib
import inspect
import sys
import time
import warnings
from collections.abc import Iterator
from types import CellType, CodeType, FrameType, FunctionType, ModuleType
from typing import Any

from ..base import logs
from ..base.config import config
from ..base.disabled import Place, is_disabled, place_of
from ..base.garbage import no_collections
from ..base.origins import is_stdlib, module_of
from ..errors import DynamoWarning, defect
from ..native import CompiledFunction, credit_code, first_frames, review_after
from ..runtime import tiering
from ..runtime.decisions import Decision, Decisions
from ..runtime.tiering import Account, Lender, has_loops, nanoseconds, open_account
from .arrays import mentions_arrays, touch_arrays
from .histories import FIRST_CALLS, HOT, NOTHING_FOUND, UNTRIED, Answer, CodeHistory, Timing
from .loops import has_plain_loops
from .watching import GONE, CallWatch, running

PERF = logs.logger("perf")

ENGINE = "dynamo_lite.script.engine"
"""Loading the compiler takes as long as many programs run."""
RUNNING_LOOPS = "dynamo_lite.script.running_loops"
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
SILENT = (DISABLED, NOT_FOLLOWED, NO_ARRAYS, CALLED_ONCE, MANY_CLOSURES)
"""Reasons that hold for most functions of most programs."""


class Candidates:
    """Says which functions of a region run compiled."""

    def __init__(
        self, backend: str = "auto", every: bool = False, decisions: Decisions | None = None
    ) -> None:
        self.backend = backend
        self.every = every
        self.decisions = decisions
        self.left: dict[Place, str] = {}
        """Why functions are not looked at any more."""
        self.engine: Any = None
        self.histories: dict[int, CodeHistory] = {}
        self.lender = Lender()
        self.lender.is_loaded = self.lender.has_generator = False
        self.lender.saved = self.saved
        self.watch = CallWatch(self.saved, lambda: self.lender.spent)
        self.running_loops: Any = None
        self.is_broken = False
        self.looked = time.thread_time()

    def __call__(self, function: FunctionType, values: tuple[Any, ...] | None) -> Answer:
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
            self.forget(id(code))
        if type(answer) is int and answer > 0:
            tiering.cold[code] = self.history_of(code).account
        else:
            tiering.cold.pop(code, None)
        return answer

    def sample(self, frame: FrameType) -> None:
        """Called now and then with the frame that runs."""
        if self.is_broken:
            return
        try:
            self.look_at(frame)
        except (RecursionError, MemoryError):
            pass
        except Exception as error:
            self.failed(error, frame.f_code)

    def failed(self, error: Exception, code: CodeType) -> None:
        """An error of our own, which the program does not see: nothing more is looked for."""
        if config.strict or not config.suppress_errors:
            raise error
        if not self.is_broken:
            self.is_broken = True
            warnings.warn_explicit(
                defect(error), DynamoWarning, code.co_filename, code.co_firstlineno)

    def look_at(self, frame: FrameType) -> None:
        """Credit what runs unwatched, and look at its loops."""
        if self.running_loops is None:
            module = importlib.import_module(RUNNING_LOOPS)
            self.running_loops = module.RunningLoops(
                is_candidate, mentions_arrays, self.compile_loop, self.account_of_loop,
                self.decisions)
        if unwatched := self.watch.sample():
            self.credit(frame, unwatched)
        self.note_refused(frame)
        self.running_loops(frame)

    def note_refused(self, frame: FrameType) -> None:
        """What code takes of the time of its callers that is not worth compiling; the callers are
        not worth it for that time either."""
        now = time.thread_time()
        elapsed, self.looked = min(now - self.looked, GONE), now
        is_refused = False
        for code in running(frame):
            if (history := self.histories.get(id(code))) is None:
                continue
            if is_refused:
                history.refused_below += elapsed
            is_refused |= history.is_refused

    def credit(self, frame: FrameType, seconds: float) -> None:
        """Code that is seen to run while nobody watches calls is taken to have run since the last
        look."""
        for code in running(frame):
            history = self.histories.get(id(code))
            if history is not None and not history.compiled:
                history.account.ran += seconds
                credit_code(code, nanoseconds(seconds))

    def account_of_loop(self, code: CodeType) -> Account:
        return open_account(code, self.lender)

    def compile_loop(
        self, function: FunctionType, args: tuple[Any, ...], as_whole: bool, account: Account
    ) -> CompiledFunction | None:
        engine = self.engine or self.loaded()
        compiled: CompiledFunction | None = engine.compiled_loop(
            function, args, as_whole, self.backend, account)
        return compiled

    def review(self, function: FunctionType) -> Answer:
        """Whether a function that runs compiled goes on doing so."""
        history = self.history_of(function.__code__)
        answer = history.review(function.__code__)
        if answer is None:
            self.leave(function, history.given_up)
            PERF.info("%s runs in Python again: %s", function.__qualname__, history.given_up)
            if self.decisions is not None:
                self.decisions.note(function.__code__, Decision(False, history.given_up))
        return answer

    def leave(self, function: FunctionType, reason: str) -> None:
        """Python runs it from here on."""
        self.left[place_of(function.__code__)] = reason

    def saved(self) -> float:
        """Seconds that compiling has saved so far."""
        found = 0.0
        for history in list(self.histories.values()):
            if history.compiled and (code := history.code()) is not None:
                found += max(history.saved(Timing.of(code)), 0.0)
        return found

    def cold(self) -> Iterator[tuple[Place, str]]:
        """Functions that were not compiled yet, and what they wait for."""
        for history in list(self.histories.values()):
            if (code := history.code()) in tiering.cold and code is not None:
                history.note_time(code)
                yield place_of(code), str(tiering.why_cold(code))
            elif history.asked and code is not None and place_of(code) not in self.left:
                yield place_of(code), CALLED_ONCE if history.names_arrays else NO_ARRAYS

    def conclude(self) -> None:
        """Keep what was found out, for the next run of the program."""
        if self.decisions is None:
            return
        for history in list(self.histories.values()):
            code = history.code()
            if code is not None and (decision := history.conclusion(code)) is not None:
                self.decisions.note(code, decision)
        seconds = time.process_time() - self.lender.began
        replaced = self.running_loops.replaced_in if self.running_loops is not None else ()
        for code, names in first_frames() if seconds >= HOT else ():
            is_known = self.decisions.about(code) is not None or code in replaced
            if not is_known and loops_over_arrays(code, names):
                reason = "it ran before there was an array"
                decision = Decision(True, reason, seconds, UNTRIED * seconds)
                self.decisions.note(code, decision)
        self.decisions.write()

    def answer(
        self, function: FunctionType, values: tuple[Any, ...], caller: FrameType | None
    ) -> Answer:
        code = function.__code__
        if not is_candidate(function) or (self.engine and not self.engine.may_compile(function)):
            return self.leave(function, DISABLED if is_disabled(code) else NOT_FOLLOWED)
        if caller is not None and counts_references(caller.f_code):
            return NotImplemented
        history = self.history_of(code)
        if history.shared is not None and is_of_module(function):
            return history.shared
        if reason := self.why_not(history, code):
            return self.leave(function, reason)
        if not self.sees_arrays(history, function, values):
            return 0 if history.asked < ASKED_AGAIN else self.leave(function, NO_ARRAYS)
        history.look_at_loops(function)
        history.note_time(code)
        if lacking := history.account.lacks(values):
            return nanoseconds(lacking * history.stretch)
        return self.compiled_form(function, history, caller)

    def why_not(self, history: CodeHistory, code: CodeType) -> str:
        """Why no more functions of this code are compiled, or nothing."""
        if history.why_left:
            return history.why_left
        if not history.given_up and history.compiled < FUNCTIONS_OF_A_CODE:
            return ""
        if self.decisions is not None and not history.operations:
            self.decisions.note(code, NOTHING_FOUND)
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
            PERF.info("%s is warm: %s", function.__qualname__, history.account)
        history.compiled += 1
        if history.compiled == 1:
            self.discount(history, caller)
        compiled: CompiledFunction = self.engine.compiled_form(
            function, self.backend, history.note, history.account
        )
        if is_of_module(function):
            history.shared = compiled
        review_after(function.__code__, FIRST_CALLS)
        return compiled

    def discount(self, compiled: CodeHistory, caller: FrameType | None) -> None:
        """What code took until it was compiled counts for its callers no more."""
        callers = {}
        while caller is not None:
            callers[id(caller.f_code)] = self.histories.get(id(caller.f_code))
            caller = caller.f_back
        for history in callers.values():
            if history is not None and history is not compiled:
                history.account.ran -= compiled.account.ran

    def expects_hot(self) -> bool:
        """Whether some code is to be compiled before the program has made an array."""
        known = self.decisions.known.values() if self.decisions is not None else ()
        return any(decision.is_hot for decision in known)

    def history_of(self, code: CodeType) -> CodeHistory:
        key = id(code)
        if key not in self.histories:
            account = open_account(code, self.lender)
            decision = self.decisions.about(code) if self.decisions is not None else None
            gone = lambda dead: self.forget(key)  # noqa: E731
            self.histories[key] = CodeHistory(code, account, gone, decision)
        return self.histories[key]

    def forget(self, key: int) -> None:
        self.histories.pop(key, None)

    def loaded(self) -> Any:
        """The compiler."""
        began = time.process_time()
        with no_collections():
            self.engine = importlib.import_module(ENGINE)
        self.lender.wasted += time.process_time() - began
        self.lender.is_loaded = True
        return self.engine


def is_of_module(function: FunctionType) -> bool:
    """Whether all that a function refers to is a module's, and lives as long as that.

    All functions of the same code are then alike; a program may make one at each call of another.
    """
    if function.__closure__ or function.__defaults__ or function.__kwdefaults__:
        return False
    module = sys.modules.get(module_of(function))
    return type(module) is ModuleType and module.__dict__ is function.__globals__


def is_candidate(function: FunctionType) -> bool:
    """Whether a function is the user's, as far as is seen without the compiler."""
    code = function.__code__
    is_nameless = code.co_name.startswith("<") and code.co_name != "<lambda>"
    if is_nameless or is_disabled(code) or counts_references(code):
        return False
    module = module_of(function)
    return module.partition(".")[0] != "dynamo_lite" and not is_stdlib(function, module)


def loops_over_arrays(code: CodeType, names: dict[str, Any]) -> bool:
    """Whether a function of this code and these globals has loops and names NumPy."""
    if not code.co_flags & inspect.CO_OPTIMIZED or code.co_name.startswith("<"):
        return False
    cells = tuple(CellType() for _ in code.co_freevars)
    function = FunctionType(code, names, closure=cells)
    return (
        has_loops(code) and is_candidate(function) and mentions_arrays(function)
        and has_plain_loops(code, names)
    )  # fmt: skip


def counts_references(code: CodeType) -> bool:
    """Whether a function asks how many references there are, of which guards and calls hold some:
    it is left alone, and what it calls is not compiled there."""
    return "getrefcount" in code.co_names
