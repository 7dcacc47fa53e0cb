"""A generator expression as a function that stops at the first item which settles what is asked:
`any`, `all` and `next` of it as a loop that is left there."""
from __future__ import annotations

import inspect
import weakref
from collections.abc import Iterator, Sequence
from types import CodeType
from typing import Any

from bytecode import Bytecode, Instr, Label, TryBegin, TryEnd

from .reading import VERSION, read

FOUND = "found"
_JUMP_IF = "POP_JUMP_FORWARD_IF_" if VERSION < (3, 12) else "POP_JUMP_IF_"
_known: weakref.WeakKeyDictionary[CodeType, dict[bool | None, CodeType | None]] = (
    weakref.WeakKeyDictionary()
)

Text = Sequence[Any]
"""Instructions, labels, and beginnings and ends of `try`."""


def search(code: CodeType, wanted: bool | None) -> CodeType | None:
    """The code of a function with the variables of a generator expression, and `found`, its second
    argument. It returns True if an item is true (`wanted`) or false, or the first item (None), and
    else what it was given. None for other generators."""
    known = _known.setdefault(code, {})
    if wanted not in known:
        known[wanted] = _searching(code, wanted) if code.co_name == "<genexpr>" else None
    return known[wanted]


def _searching(code: CodeType, wanted: bool | None) -> CodeType | None:
    instructions = read(code)
    yields = [each.index for each in instructions if each.opname == "YIELD_VALUE"]
    if len(yields) != 1 or FOUND in (*code.co_varnames, *code.co_cellvars, *code.co_freevars):
        return None
    if wanted is None and not any("JUMP_IF" in each.opname for each in instructions):
        return None  # the first item is the first one of all
    iterators = sum(each.opname == "FOR_ITER" and each.index < yields[0] < (each.target or 0)
                    for each in instructions)
    text = Bytecode.from_code(code)
    handlers = _handlers_of_all(text)
    made, end = Bytecode(), Label()
    made.extend(_changed([one for one in text if not _is_of(one, handlers)], end, wanted,
                         iterators))
    for name in ("posonlyargcount", "kwonlyargcount", "name", "qualname", "filename",
                 "first_lineno", "cellvars", "freevars"):
        setattr(made, name, getattr(text, name))
    made.argcount, made.argnames = 2, [*text.argnames, FOUND]
    made.flags = inspect.CO_OPTIMIZED | inspect.CO_NEWLOCALS | (text.flags & inspect.CO_NESTED)
    return made.to_code()


def _changed(
    text: Text, end: Label, wanted: bool | None, iterators: int
) -> Iterator[Any]:
    """The text without what makes it a generator; what it yields decides where it goes."""
    skipped = 0
    for one in text:
        name, place = (one.name, one.location) if isinstance(one, Instr) else ("", None)
        if skipped and name:
            skipped -= 1  # what a generator does when it goes on, or with what it is sent at first
        elif name == "RETURN_GENERATOR":
            skipped = 1
        elif name == "YIELD_VALUE":
            skipped, following = 2, Label()
            if wanted is not None:
                if VERSION >= (3, 13):
                    yield Instr("TO_BOOL", location=place)
                yield Instr(_JUMP_IF + ("FALSE" if wanted else "TRUE"), following, location=place)
                yield Instr("LOAD_CONST", True, location=place)
            yield Instr("STORE_FAST", FOUND, location=place)
            for _ in range(iterators):
                yield Instr("POP_TOP", location=place)
            yield Instr("JUMP_FORWARD", end, location=place)
            yield following
        elif name == "RETURN_CONST" or (name == "LOAD_CONST" and _returns(text, one)):
            yield end
            yield Instr("LOAD_FAST", FOUND, location=place)
            if name == "RETURN_CONST":
                yield Instr("RETURN_VALUE", location=place)
        else:
            yield one


def _returns(text: Text, one: object) -> bool:
    at = next(at for at, each in enumerate(text) if each is one)
    return _name(text[at + 1 : at + 2]) == "RETURN_VALUE"


def _name(following: Text) -> str:
    return following[0].name if following and isinstance(following[0], Instr) else ""


def _handlers_of_all(text: Text) -> set[Label]:
    """Where the handlers begin that turn a StopIteration in a generator into another error."""
    found: set[Label] = set()
    for at, one in enumerate(text):
        following = text[at + 1 : at + 2]
        is_handler = _name(following) == "CALL_INTRINSIC_1" and following[0].arg == 3
        if isinstance(one, Label) and is_handler:
            found.add(one)
    return found


def _is_of(one: object, handlers: set[Label]) -> bool:
    begin = one.entry if isinstance(one, TryEnd) else one
    return isinstance(begin, TryBegin) and begin.target in handlers
