"""What earlier runs of a program found out about its code: which to compile at once, and which not.

A program that is run again need not wait until its code is warm, nor try what came to nothing.
There is one file for each program; an entry counts for the very code that it was made for, and for
the same versions and processor. After `RUNS` runs it is found out anew.
"""
from __future__ import annotations

import json
import marshal
import math
import os
import sys
import zlib
from collections.abc import Mapping
from types import CodeType
from typing import Any

import numpy as np
from numpy._core._multiarray_umath import __cpu_features__  # type: ignore

from ..backends import disk
from ..base.records import dataclass
from ..native import _core
from .lender import ALIKE

RUNS = 50
LONG = 0.2
"""Seconds that a program runs of which it is worth knowing how long."""
WITHOUT_REFERENCES = 2
"""The format of marshal in which equal code is equal text."""


@dataclass(frozen=True, slots=True)
class Decision:
    """`call`: seconds that a call takes in Python, 0 where that is unknown; `saved`: those that
    compiling saved, or may save; of code that is not hot, those that it has to run to be tried
    again, 0 for never."""

    is_hot: bool
    reason: str
    call: float = 0.0
    saved: float = 0.0
    runs: int = 0

    def within(self, seconds: float) -> Decision:
        """The same in a program that ran for so long: what calls itself seems to run for longer."""
        return Decision(self.is_hot, self.reason, self.call, min(self.saved, seconds), self.runs)


class Decisions:
    """Those about one program."""

    def __init__(self, program: str) -> None:
        self.name = f"decisions/{digest(program.encode())}.json"
        self.known: dict[str, Decision] = {}
        self.names: set[str] = set()
        self.lasts = math.inf
        """Seconds that the program ran the last time, without what compiling took."""
        self.is_changed = False
        self._read()

    def about(self, code: CodeType, loop: int | None = None) -> Decision | None:
        """That about some code, or about its loop at an offset."""
        if name_of(code, loop) not in self.names:
            return None
        return self.known.get(key_of(code, loop) or "")

    def note(self, code: CodeType, decision: Decision, loop: int | None = None) -> None:
        if (key := key_of(code, loop)) is not None:
            self.known[key] = decision
            self.names.add(name_of(code, loop))
            self.is_changed = True

    def ended(self, seconds: float) -> None:
        """Told that the program has run for so long."""
        if seconds >= LONG and not self.lasts / ALIKE <= seconds <= self.lasts * ALIKE:
            self.lasts, self.is_changed = seconds, True

    def write(self) -> None:
        """Keep them for the next run; another process may do so at the same time, and win."""
        if not self.is_changed:
            return
        rows = {key: [each.is_hot, each.reason, each.call, each.saved, each.runs + 1]
                for key, each in self.known.items() if each.runs < RUNS}
        content = {"made by": stamp(), "lasts": self.lasts, "decisions": rows}
        disk.write(self.name, json.dumps(content, indent=1).encode())

    def _read(self) -> None:
        content = loaded(disk.read(self.name))
        if content.get("made by") != stamp():
            return
        lasts, rows = content.get("lasts"), content.get("decisions")
        self.lasts = lasts if isinstance(lasts, float) else math.inf
        for key, row in rows.items() if isinstance(rows, dict) else ():
            if (decision := decision_of(row)) is not None:
                self.known[key] = decision
                self.names.add(key.rpartition(" ")[0])


def loaded(content: bytes | None) -> Mapping[str, Any]:
    """What a file says; nothing where it makes no sense."""
    try:
        found = json.loads(content or b"{}")
    except ValueError:
        return {}
    return found if isinstance(found, dict) else {}


def decision_of(row: Any) -> Decision | None:
    if not isinstance(row, list) or [*map(type, row)] != [bool, str, float, float, int]:
        return None
    return Decision(*row)


def name_of(code: CodeType, loop: int | None) -> str:
    return code.co_qualname if loop is None else f"{code.co_qualname}:{loop}"


def key_of(code: CodeType, loop: int | None = None) -> str | None:
    """The name of the code, or of its loop, and a sum of all that the code is made of; None for
    code that a program has made with constants of other types than a text has."""
    try:
        content = marshal.dumps(code, WITHOUT_REFERENCES)
    except ValueError:
        return None
    return f"{name_of(code, loop)} {digest(content)}"


def digest(content: bytes) -> str:
    return f"{zlib.crc32(content):08x}{zlib.adler32(content):08x}{len(content):x}"


def stamp() -> str:
    """What a decision depends on beside the program."""
    core = os.stat(_core.__file__)
    features = sorted(name for name, is_there in __cpu_features__.items() if is_there)
    return repr((sys.implementation.cache_tag, np.__version__, core.st_size, core.st_mtime_ns,
                 features))
