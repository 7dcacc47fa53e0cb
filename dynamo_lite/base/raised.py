"""Reports as exceptions: what NumPy says about floating point, and warnings, while a part of a call
is tried that can be undone. The user's function then says it again, from the user's own lines."""
from __future__ import annotations

import _signal as signal  # type: ignore  # without names for the numbers, which take time
import contextlib
import threading
import traceback
import warnings
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np


@contextlib.contextmanager
def reports_raise() -> Iterator[None]:
    """A context in which reports of this thread are exceptions."""
    with np.errstate(**raising(np.geterr())), WARNINGS_RAISE:
        yield


def raising(modes: Mapping[str, Any]) -> dict[str, Any]:
    """An error state with every report turned into an exception."""
    return {
        condition: "ignore" if mode == "ignore" else "raise" for condition, mode in modes.items()
    }


def is_of_a_signal(error: BaseException) -> bool:
    """Whether the handler of a signal has raised an exception, which is nothing of the call that
    it came through."""
    handlers = map(signal.getsignal, signal.valid_signals())
    codes = {getattr(handler, "__code__", None) for handler in handlers if handler is not None}
    return any(frame.f_code in codes for frame, _ in traceback.walk_tb(error.__traceback__))


class WarningsRaise(threading.local):
    """A context in which warnings of this thread are exceptions.

    A filter that matches inside only, since the filters belong to all threads."""

    depth = 0

    def match(self, text: str) -> bool:
        return self.depth > 0

    def __enter__(self) -> None:
        warnings.filters.insert(0, RULE)  # type: ignore[attr-defined]
        self.depth += 1

    def __exit__(self, *error: object) -> None:
        self.depth -= 1
        with contextlib.suppress(ValueError):  # the program has replaced the filters
            warnings.filters.remove(RULE)  # type: ignore[attr-defined]


WARNINGS_RAISE = WarningsRaise()
CATEGORIES = (RuntimeWarning, UserWarning, DeprecationWarning, FutureWarning)
RULE = ("error", WARNINGS_RAISE, CATEGORIES, None, 0)
