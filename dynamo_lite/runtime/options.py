"""What `compile` was asked for."""
from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..backends.registry import Backend
from ..base.records import dataclass
from ..tiering.account import Account
from .stats import FrameRecord


@dataclass(frozen=True, slots=True)
class Options:
    """Resume functions inherit them, and, but for the name, the functions that are called."""

    backend: str | Backend = "auto"
    dynamic: bool | None = None
    fullgraph: bool = False
    name: str = ""
    """What records and messages call the function, if not by its own name."""
    settings: tuple[tuple[str, Any], ...] = ()
    listener: Callable[[FrameRecord], None] | None = None
    is_explained: bool = False
    """Records keep the graph, the code and what was decided about sizes."""
    warn: bool = True
    pure: bool = False
    """Functions that change something outside are left to Python."""
    may_raise: bool = False
    """With `fullgraph`: where the program itself raises, Python runs it, and there is no error."""
    account: Account | None = None
    """In whole-script mode; without one, each call that no entry fits is compiled for."""
