"""A line on the terminal about a compilation that takes long, gone when it has ended."""
from __future__ import annotations

import contextlib
import sys
import threading
import time
from collections.abc import Callable, Iterator
from typing import TextIO

from ..base.config import config

EVERY = 0.5
"""Seconds after which the line is written anew."""
CLEAR = "\r\x1b[K"
"""Goes back to where the line begins, and empties it."""
_shown = threading.Lock()
"""Held by the thread whose compilation is shown: one at a time, the outermost."""


@contextlib.contextmanager
def shown(what: Callable[[], str]) -> Iterator[None]:
    """Show what is compiled inside, where the standard error is a terminal and it takes more than
    `config.progress_seconds`."""
    stream = sys.stderr
    if not is_terminal(stream) or not _shown.acquire(blocking=False):
        yield
        return
    ended = threading.Event()
    line = threading.Thread(
        target=show, args=(stream, what, ended, config.progress_seconds), daemon=True)
    try:
        line.start()
        yield
    finally:
        ended.set()
        line.join()
        _shown.release()


def is_terminal(stream: TextIO | None) -> bool:
    return stream is not None and not stream.closed and stream.isatty()


def show(
    stream: TextIO, what: Callable[[], str], ended: threading.Event, patience: float
) -> None:
    began = time.monotonic()
    if ended.wait(min(patience, threading.TIMEOUT_MAX)):
        return
    while not ended.wait(EVERY):
        stream.write(f"{CLEAR}dynamo_lite: {what()}, {time.monotonic() - began:.0f} s")
        stream.flush()
    stream.write(CLEAR)
    stream.flush()
