"""One thread at a time has the interpreter, from the first kernel of a plan to the plan's end."""
from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

LOCK = threading.Lock()


class Turn(threading.local):
    """That of this thread, whose plans may call each other."""

    depth = 0
    undo: Callable[[], None] | None = None

    def take(self, begin: Callable[[], Callable[[], None]]) -> None:
        """`begin` makes all ready, and gives what puts it back."""
        if self.undo is None:
            LOCK.acquire()
            try:
                self.undo = begin()
            except BaseException:
                LOCK.release()
                raise

    @contextmanager
    def kept(self) -> Iterator[None]:
        """A context at the end of which the turn is given back."""
        self.depth += 1
        try:
            yield
        finally:
            self.depth -= 1
            if not self.depth and self.undo is not None:
                undo, self.undo = self.undo, None
                try:
                    undo()
                finally:
                    LOCK.release()


TURN = Turn()
