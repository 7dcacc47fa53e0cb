"""What is seen of a program by looking now and then at the frames that run."""
from __future__ import annotations

import importlib
import time
from collections.abc import Callable, Set
from types import CodeType, FrameType, FunctionType
from typing import Any

from ..native import CompiledFunction, ObjectCompiler, credit_code
from ..tiering.account import Account, nanoseconds
from .arrays import mentions_arrays
from .functions import is_candidate
from .program import Program
from .repeated import former_of, history_of
from .watching import GONE, CallWatch, running

RUNNING_LOOPS = "dynamo_lite.script.running_loops"
SHARE = 0.005
"""Part of the program's time that looking may take, while no calls are watched: a look costs as
much again in caches that the program has to fill anew."""
RAREST = 0.25
"""Seconds between two looks at most."""
CompileLoop = Callable[[FunctionType, tuple[Any, ...], bool, Account], CompiledFunction | None]


class Samples:
    """Is called with the frame that runs, and says in how many seconds it is called again:
    `interval`, or rarer where a look takes long. `compile_loop` compiles the function of a loop."""

    def __init__(
        self, program: Program, compile_loop: CompileLoop, interval: float = 0.0
    ) -> None:
        self.program = program
        self.interval = interval
        self.compile_loop = compile_loop
        self.watch = CallWatch(program.saved, lambda: program.lender.useful)
        self.running_loops: Any = None
        self.looked = time.thread_time()

    def __call__(self, frame: FrameType) -> float:
        began = time.thread_time()
        self.program.ask_anew()
        self._look(frame)
        took = time.thread_time() - began
        rarer = 0.0 if self.watch.is_on else min(took / SHARE, RAREST)
        return max(self.interval, rarer)

    def _look(self, frame: FrameType) -> None:
        if self.running_loops is None:
            module = importlib.import_module(RUNNING_LOOPS)
            self.running_loops = module.RunningLoops(
                is_candidate, mentions_arrays, self.compile_loop, self.program.account_of,
                self.program.decisions, self.is_refused)
        if (unwatched := self.watch.sample()) and self.credit(frame, unwatched):
            self.watch.resume()
        if self.is_repeated(frame):
            self.watch.resume()
        self.note_callees(frame)
        self.running_loops(frame)
        ObjectCompiler.release_idle()

    @property
    def replaced_in(self) -> Set[CodeType]:
        """The code whose loops had their turn."""
        return self.running_loops.replaced_in if self.running_loops is not None else frozenset()

    @property
    def unfinished(self) -> Set[CodeType]:
        """The code of which compiling the rest of a loop would have taken too long."""
        return self.running_loops.unfinished if self.running_loops is not None else frozenset()

    @property
    def timed_in(self) -> Set[CodeType]:
        """The code whose loops have run for long enough to be timed."""
        return self.running_loops.timed_in if self.running_loops is not None else frozenset()

    def is_refused(self, code: CodeType) -> bool:
        """Whether compiling it was tried, or is known, to be not worth it."""
        history = self.program.known(code)
        return history is not None and history.is_refused

    def is_repeated(self, frame: FrameType) -> bool:
        """Whether the program is seen to have begun again."""
        found = [code for code in running(frame) if former_of(self.program, code) is not None]
        for code in found:
            history_of(self.program, code)
        return bool(found)

    def credit(self, frame: FrameType, seconds: float) -> bool:
        """Code that is seen to run while nobody watches calls is taken to have run since the last
        look. Whether some of it has run for as long as it waits to be compiled, and was not looked
        for yet: what runs for ever, as `main` does, is not called again."""
        is_due = False
        for code in running(frame):
            history = self.program.known(code)
            if history is not None and not history.compiled:
                history.account.ran += seconds
                credit_code(code, nanoseconds(seconds))
                is_due |= history.look_for()
        return is_due

    def note_callees(self, frame: FrameType) -> None:
        """What code takes of the time of its callers that is not worth compiling, or is called in
        their loops and compiled by itself; the callers are not worth it for that time either."""
        now = time.thread_time()
        elapsed, self.looked = min(now - self.looked, GONE), now
        is_refused = is_by_itself = False
        for code in running(frame):
            if (history := self.program.known(code)) is None:
                continue
            if is_refused:
                history.refused_below += elapsed
            if is_refused or (is_by_itself and history.account.has_loops):
                history.account.below += elapsed
            is_refused |= history.is_refused
            is_by_itself = is_by_itself or history.is_by_itself(code)
