"""The constants of code that was assembled here."""
from __future__ import annotations

from typing import Any


class Constants(tuple[Any, ...]):
    """Hashed and compared by identity: any object may be among them, and a code object, which is
    hashed with its constants, may be a key (profilers and the interpreter's own tools do that)."""

    __slots__ = ()
    __hash__ = object.__hash__
    __eq__ = object.__eq__
