"""The table of handlers of Python's builtins."""
from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..state.tracker import VariableTracker

HANDLERS: dict[Any, Callable[..., VariableTracker]] = {}


def handles(*functions: Any) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Register who answers calls of some callables: `handler(tx, *args, **kwargs)`."""

    def register(handler: Callable[..., Any]) -> Callable[..., Any]:
        HANDLERS.update(dict.fromkeys(functions, handler))
        return handler

    return register
