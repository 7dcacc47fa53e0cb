"""One thread at a time has the interpreter, from the first kernel of a plan to the plan's end."""
from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

LOCK = threading.Lock()


class Unready(Exception):
    """A plan cannot run now."""


class Turn(threading.local):
    """That of this thread, whose plans may call each other."""

    depth = 0
    undo: Callable[[], None] | None = None
    is_changing = False
    """It is being taken or given back."""

    def take(self, begin: Callable[[], Callable[[], None]]) -> None:
        """`begin` makes all ready, and gives what puts it back."""
        if self.undo is not None:
            return
        if self.is_changing:
            raise Unready("what a collection of garbage called needs what it has interrupted")
        self.is_changing = True
        LOCK.acquire()
        try:
            self.undo = begin()
        except BaseException:
            LOCK.release()
            raise
        finally:
            self.is_changing = False

    @contextmanager
    def kept(self) -> Iterator[None]:
        """A context at the end of which the turn is given back."""
        self.depth += 1
        try:
            yield
        finally:
            self.depth -= 1
            if not self.depth and self.undo is not None:
                self.is_changing = True
                undo, self.undo = self.undo, None
                try:
                    undo()
                finally:
                    LOCK.release()
                    self.is_changing = False


TURN = Turn()
