"""Targets without replacement code: a compiled graph whose inputs are arguments of the function."""
from __future__ import annotations

from collections.abc import Callable
from types import FunctionType
from typing import Any

from ..base.records import NamedTuple
from ..native import NativeEntry


class Bound(NamedTuple):
    """A compiled graph whose inputs are those of so many flat arguments that are at `indices`."""

    entry: NativeEntry
    indices: tuple[int, ...]
    arguments: int


def callable_of(made: FunctionType | Bound) -> Callable[..., Any]:
    """What an entry calls."""
    return made.entry.bind(made.indices, made.arguments) if isinstance(made, Bound) else made
