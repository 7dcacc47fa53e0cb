"""Compiling ends before the process is forked.

In a child only the forking thread is there. What another thread was at work on stays half done for
ever: a module that it was importing can never be imported, and a function never be compiled.
"""
from __future__ import annotations

import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager

PATIENCE = 5.0
"""Seconds after which a fork goes on all the same: compiling may wait for the forking thread."""


class Workers:
    """The threads that compile now."""

    def __init__(self) -> None:
        self.changed = threading.Condition()
        self.busy: list[int] = []

    @contextmanager
    def at_work(self) -> Iterator[None]:
        """This thread compiles; forks of other threads wait until it has done so."""
        me = threading.get_ident()
        with self.changed:
            self.busy.append(me)
        try:
            yield
        finally:
            with self.changed:
                self.busy.remove(me)
                self.changed.notify_all()

    def hold(self) -> None:
        """Wait for the others and let none begin."""
        self.changed.acquire()
        me = threading.get_ident()
        self.changed.wait_for(lambda: set(self.busy) <= {me}, PATIENCE)

    def go_on(self) -> None:
        self.changed.release()

    def start_afresh(self) -> None:
        """In the child: the others are gone."""
        me = threading.get_ident()
        self.changed = threading.Condition()
        self.busy = [thread for thread in self.busy if thread == me]


workers = Workers()
if hasattr(os, "register_at_fork"):
    os.register_at_fork(
        before=workers.hold,
        after_in_parent=workers.go_on,
        after_in_child=workers.start_afresh,
    )
