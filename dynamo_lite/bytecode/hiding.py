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
_VARARGS, _VARKEYWORDS, _NESTED = 0x04, 0x08, 0x10

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


def forwarding(code: CodeType, target: Callable[..., Any]) -> CodeType:
    """A hidden code object that can run in frames of `code`: it calls `target` instead.

    The target is passed what the frame was called with, bound to the same parameters.
    """
    made: CodeType = _compiled(_source(code))
    return without_resume(made).replace(
        co_consts=tuple(target if const is ... else const for const in made.co_consts),
        co_name=code.co_name,
        co_qualname=code.co_qualname,
        co_filename=code.co_filename,
        co_firstlineno=code.co_firstlineno,
        co_freevars=code.co_freevars,
        co_flags=made.co_flags | code.co_flags & _NESTED,
    )


def _source(code: CodeType) -> str:
    """A function of the same parameters, under other names: those of the text may be no names."""
    count = code.co_argcount + code.co_kwonlyargcount
    positional = [f"p{i}" for i in range(code.co_argcount)]
    keyword = {name: f"k{i}" for i, name in enumerate(code.co_varnames[len(positional) : count])}
    has_rest, has_keywords = code.co_flags & _VARARGS, code.co_flags & _VARKEYWORDS
    star = ["*rest"] if has_rest else ["*"] if keyword else []
    parameters = [*positional, *star, *keyword.values(), *["**keywords"][: bool(has_keywords)]]
    mapping = [*(f"{name!r}: {own}" for name, own in keyword.items()),
               *["**keywords"][: bool(has_keywords)]]  # fmt: skip
    passed = [*positional, *["*rest"][: bool(has_rest)],
              *([f"**{{{', '.join(mapping)}}}"] if mapping else [])]  # fmt: skip
    return f"def f({', '.join(parameters)}):\n f = ...\n return f({', '.join(passed)})\n"


def _compiled(source: str) -> CodeType:
    module = compile(source, "<forwarding>", "exec", dont_inherit=True)
    return next(const for const in module.co_consts if isinstance(const, CodeType))
