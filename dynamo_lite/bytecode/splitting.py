"""Where a frame can be split: what instructions take from the stack and leave there."""
from __future__ import annotations

from collections.abc import Callable

from .reading import Instruction


def _unpack_ex(instruction: Instruction) -> tuple[int, int]:
    return 1, (instruction.arg & 255) + 1 + (instruction.arg >> 8)


STACK_EFFECTS: dict[str, Callable[[Instruction], tuple[int, int]]] = {
    "CALL": lambda i: (i.arg + 2, 1),
    "CALL_FUNCTION_EX": lambda i: (3 + (i.arg & 1), 1),
    "UNPACK_SEQUENCE": lambda i: (1, i.arg),
    "UNPACK_EX": _unpack_ex,
    "FORMAT_VALUE": lambda i: (2 if i.arg & 4 else 1, 1),
    "BUILD_MAP": lambda i: (2 * i.arg, 1),
    "LOAD_METHOD": lambda i: (1, 1),
}
"""Opname → values taken from the stack and put there, where a frame can be split behind it. The
handlers of instructions that always put as many there say so themselves."""

EMULATED = frozenset({"LOAD_GLOBAL", "LOAD_ATTR", "LOAD_METHOD"})
"""Written anew rather than copied: in `co_code` they may push a NULL of their own."""

JUMPS_IF = {
    "POP_JUMP_IF_TRUE": (True, False),
    "POP_JUMP_IF_FALSE": (False, False),
    "JUMP_IF_TRUE_OR_POP": (True, True),
    "JUMP_IF_FALSE_OR_POP": (False, True),
}
"""Opname → truth that jumps, and whether the value stays when it does."""
