"""Which `try` an interrupt is to reach.

What is compiled as one piece takes note of an interrupt at its end, or begins again in Python. A
program that says what is to be done when the user presses Ctrl-C expects that of the code inside
its `try`.
"""
from __future__ import annotations

import weakref
from collections.abc import Iterator
from types import CodeType

from .reading import Handler, Instruction, exception_table, read

_NAMES = frozenset({"KeyboardInterrupt", "BaseException"})
_MATCHES = frozenset({"LOAD_GLOBAL", "LOAD_NAME", "LOAD_ATTR", "BUILD_TUPLE", "CHECK_EXC_MATCH",
                      "POP_JUMP_IF_FALSE"})

Instructions = tuple[Instruction, ...]
Handlers = dict[int, tuple[Handler, ...]]
_known: weakref.WeakKeyDictionary[CodeType, Handlers] = weakref.WeakKeyDictionary()


def interrupt_handlers(code: CodeType) -> Handlers:
    """The handlers of interrupts around an instruction, by its index, inner ones first."""
    if (found := _known.get(code)) is None:
        found = _known[code] = dict(_around(code)) if exception_table(code) else {}
    return found


def loops_in_try(code: CodeType) -> bool:
    """Whether a `try` that handles interrupts has a loop."""
    targets = {each.target for handlers in interrupt_handlers(code).values() for each in handlers}
    return any(_has_loop(read(code), target) for target in targets)


def _around(code: CodeType) -> Iterator[tuple[int, tuple[Handler, ...]]]:
    instructions = read(code)
    for at in range(len(instructions)):
        found = [each for each in _outwards(instructions, at)
                 if _handles_interrupts(instructions, each.target)]
        if found:
            yield at, tuple(found)


def _outwards(instructions: Instructions, at: int) -> Iterator[Handler]:
    """The handlers around an instruction. Some that cannot raise have none, wherever they are:
    theirs are those of what follows."""
    passed: set[int] = set()
    while instructions[at].opname in ("NOP", "JUMP") and at not in passed:
        passed.add(at)
        at = instructions[at].target or min(at + 1, len(instructions) - 1)
    handler = instructions[at].handler
    while handler is not None:
        yield handler
        handler = instructions[handler.target].handler


def _handles_interrupts(instructions: Instructions, target: int) -> bool:
    """Whether a handler has an `except` for interrupts; or, in a `try` with a loop, one for all.
    Handlers of comprehensions only put variables back."""
    if instructions[target].opname != "PUSH_EXC_INFO":
        return False
    at: int | None = target + 1
    while at is not None and at < len(instructions):
        each = instructions[at]
        if each.argval in _NAMES:
            return True
        if each.opname not in _MATCHES:
            return each.opname == "POP_TOP" and _has_loop(instructions, target)
        at = at + 1 if each.opname != "POP_JUMP_IF_FALSE" else each.target
    return False


def _has_loop(instructions: Instructions, target: int) -> bool:
    back = (each.index for each in instructions if each.target is not None
            and each.opname == "JUMP" and each.target <= each.index)
    return any(handler.target == target for at in back for handler in _outwards(instructions, at))
