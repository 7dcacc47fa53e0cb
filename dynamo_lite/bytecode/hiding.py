"""Functions of ours that stand between two functions of the user's and are not to be seen.

CPython takes a frame that has not reached its RESUME instruction for one that is still being made:
it is in no traceback, `sys._getframe` and `f_back` pass over it, and tracers are not told of it. A
code object without RESUME keeps its frames in that state until they end.
"""
from __future__ import annotations

import opcode
from collections.abc import Callable
from types import CodeType, FunctionType
from typing import Any, TypeVar, cast

_RESUME, _NOP = opcode.opmap["RESUME"], opcode.opmap["NOP"]

F = TypeVar("F", bound=Callable[..., Any])


def hidden(function: F) -> F:
    """Decorates a plain function so that its frames are not seen. It must not be a generator."""
    assert isinstance(function, FunctionType)
    function.__code__ = without_resume(function.__code__)
    return cast(F, function)


def without_resume(code: CodeType) -> CodeType:
    text = bytearray(code.co_code)
    for offset in range(0, len(text), 2):
        if text[offset] == _RESUME:
            text[offset : offset + 2] = _NOP, 0
    return code.replace(co_code=bytes(text))

