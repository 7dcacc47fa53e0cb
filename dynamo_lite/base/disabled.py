"""The functions that `dl.disable` was given: whole programs leave them to Python, too."""
from __future__ import annotations

from types import CodeType, FunctionType
from typing import Any

Place = tuple[str, int, str]
"""File, line and name of a function."""

_disabled: set[Place] = set()


def place_of(code: CodeType) -> Place:
    return code.co_filename, code.co_firstlineno, code.co_qualname


def note_disabled(function: Any) -> None:
    if isinstance(function, FunctionType):
        _disabled.add(place_of(function.__code__))


def is_disabled(code: CodeType) -> bool:
    return place_of(code) in _disabled
