"""Generators: frames of callees that are suspended between their items."""
from __future__ import annotations

from types import GeneratorType
from typing import TYPE_CHECKING

from ....bytecode.reading import VERSION
from ....errors import GraphBreak
from ...object_model.constants import NONE, constant, observed
from ...state.tracker import ObservedException, VariableTracker
from .exceptions import ExceptionVariable, no_stop
from .iterators import IteratorVariable
from .lists import ListVariable

if TYPE_CHECKING:
    from ...state.emitter import Emitter
    from ...state.tx import Tx


SEND_POPS = VERSION < (3, 12)
"""Whether `yield from` drops the exhausted iterator itself; later there are instructions for it."""

AFTER_YIELD_FROM = 2
"""The argument of RESUME behind the YIELD_VALUE of a `yield from`."""

SILENT = frozenset({
    "PUSH_EXC_INFO", "LOAD_GLOBAL", "BUILD_TUPLE", "CHECK_EXC_MATCH", "POP_JUMP_IF_FALSE",
    "RERAISE", "COPY", "POP_EXCEPT", "CALL_INTRINSIC_1",
})  # fmt: skip
"""What `except` clauses of other exceptions do with a GeneratorExit."""

IMPLICIT_HANDLER = ("CALL_INTRINSIC_1", 3)
"""What the compiler wraps around each generator's body (PEP 479, from 3.12)."""


class GeneratorVariable(IteratorVariable):
    """A generator that the trace made; it is stepped while tracing and cannot leave the trace."""

    kind = GeneratorType

    def getattr(self, tx: Tx, name: str) -> VariableTracker:
        if name in ("__name__", "__qualname__"):
            return constant(self.name if name == "__qualname__" else self.frame.code.co_name)
        return super().getattr(tx, name)

    def __init__(self, frame: Tx, name: str) -> None:
        self.frame = frame
        self.name = name
        self.started = False
        self.running = False
        self.finished = False

    def next(self, tx: Tx) -> VariableTracker | None:
        return self.resume(tx, NONE)

    def resume(
        self, tx: Tx, sent: VariableTracker, thrown: VariableTracker | None = None
    ) -> VariableTracker | None:
        """Run to the next yield; None when the generator returns, its value in `frame.returned`."""
        if self.finished:
            if thrown is not None:
                raise ObservedException(thrown)
            return None
        if self.running:
            raise observed(ValueError("generator already executing"))
        self.running = True
        self.frame.resumed_by(tx)
        try:
            return self.step(tx, sent, thrown)
        finally:
            self.running = False
            tx.state.locate = tx.location

    def step(
        self, tx: Tx, sent: VariableTracker, thrown: VariableTracker | None
    ) -> VariableTracker | None:
        frame = self.frame
        try:
            if thrown is not None:
                if (item := self.throw_into(tx, thrown)) is not None:
                    return item
            elif self.started:
                frame.stack.append(sent)
            self.started = True
            while frame.returned is None:
                frame.step()
                if frame.yielded is not None:
                    value, frame.yielded = frame.yielded, None
                    self.note_cleanup(tx)
                    return value
        except ObservedException as raised:
            self.finished = True
            if (converted := no_stop(tx, raised.value)) is not raised.value:
                raise ObservedException(converted, again=True) from None
            raise
        self.finished = True
        return None

    def all_items(self, tx: Tx) -> VariableTracker:
        """The list of all items, of a generator that has not begun: the frame runs to its end, as
        that of a comprehension does."""
        self.touch(tx)
        frame = self.frame
        self.started = self.finished = True
        frame.suspends = False
        frame.resumed_by(tx)
        frame.stack.append(ListVariable([]))
        try:
            frame.run()
        except ObservedException:
            raise GraphBreak(f"an exception in {self.describe()}") from None
        finally:
            tx.state.locate = tx.location
        return frame.stack[0]

    def note_cleanup(self, tx: Tx) -> None:
        """Dropping a generator suspended in a `try` or `with` runs code: Python must do it."""
        handler = self.frame.current.handler
        if handler is not None:
            target = self.frame.instructions[handler.target]
            delegates = target.opname == "CLEANUP_THROW"  # the inner generator cleans up for itself
            if (target.opname, target.arg) != IMPLICIT_HANDLER and not delegates:
                tx.state.suspended.append(self)

    def throw_into(
        self, tx: Tx, thrown: VariableTracker
    ) -> VariableTracker | None:
        """Raise where the frame is suspended; gives what a delegated-to generator makes of it."""
        if not self.started:
            raise ObservedException(thrown)
        error, inner = ObservedException(thrown), self.delegate()
        try:
            if isinstance(inner, GeneratorVariable):
                if not issubclass(thrown.python_type(), GeneratorExit):
                    return inner.method_throw(tx, thrown)
                inner.method_close(tx)
        except ObservedException as raised:
            error = raised
            if SEND_POPS and issubclass(raised.value.python_type(), StopIteration):
                self.leave_delegate(tx, raised.value)
                return None
        self.raise_here(error)
        return None

    def raise_here(self, error: ObservedException) -> None:
        self.frame.stack.append(NONE)
        if not self.frame.unwind(self.frame.current, error):
            raise error

    def delegate(self) -> VariableTracker | None:
        """The iterator of the `yield from` in which the frame is suspended, or None."""
        following = self.frame.instructions[self.frame.index]
        waits = following.opname == "RESUME" and following.arg & 3 == AFTER_YIELD_FROM
        return self.frame.stack[-1] if waits else None

    def leave_delegate(self, tx: Tx, stop: VariableTracker) -> None:
        """The delegated-to generator has returned: `yield from` has its value."""
        self.frame.stack[-1] = tx.getattr(stop, "value")
        jump_back = self.frame.instructions[self.frame.index + 1]
        assert jump_back.target is not None
        send = self.frame.instructions[jump_back.target]
        assert send.opname == "SEND" and send.target is not None
        self.frame.index = send.target

    def closes_silently(self) -> bool:
        """Whether dropping the suspended generator runs nothing that anybody could notice."""
        self.finished = True
        try:
            self.raise_here(ObservedException(ExceptionVariable(GeneratorExit, [])))
            while self.frame.instructions[self.frame.index].opname in SILENT:
                self.frame.step()
        except ObservedException:
            return True
        return False

    @property
    def result(self) -> VariableTracker:
        """What the generator returned."""
        return self.frame.returned or NONE

    def method___next__(self, tx: Tx) -> VariableTracker:
        return self.method_send(tx, NONE)

    def method_send(self, tx: Tx, value: VariableTracker) -> VariableTracker:
        self.touch(tx)
        if not self.started and value is not NONE:
            text = "can't send non-None value to a just-started generator"
            raise observed(TypeError(text))
        was_finished = self.finished
        return self.item_or_stop(self.resume(tx, value), was_finished)

    def method_throw(
        self,
        tx: Tx,
        error: VariableTracker,
        value: VariableTracker = NONE,
        traceback: VariableTracker = NONE,
    ) -> VariableTracker:
        """`throw(error)`, or the older `throw(class, error, traceback)`."""
        if isinstance(value, ExceptionVariable):
            error = value
        elif issubclass(error.python_type(), type):
            error = error.call(tx, () if value is NONE else (value,), {})
        was_finished = self.finished
        return self.item_or_stop(self.resume(tx, NONE, error), was_finished)

    def item_or_stop(self, item: VariableTracker | None, was_finished: bool) -> VariableTracker:
        if item is not None:
            return item
        result = NONE if was_finished else self.result
        raise ObservedException(
            ExceptionVariable(StopIteration, [] if result is NONE else [result])
        )

    def method_close(self, tx: Tx) -> VariableTracker:
        if not self.started:
            self.finished = True
        if self.finished:
            return NONE
        leave = ExceptionVariable(GeneratorExit, [])
        try:
            item = self.resume(tx, NONE, leave)
        except ObservedException as raised:
            if issubclass(raised.value.python_type(), (GeneratorExit, StopIteration)):
                return NONE
            raise
        if item is not None:
            raise observed(RuntimeError("generator ignored GeneratorExit"))
        return self.result if VERSION >= (3, 13) else NONE

    def reconstruct(self, code: Emitter) -> None:
        raise GraphBreak(f"the generator {self.name} outlives the compiled part")
