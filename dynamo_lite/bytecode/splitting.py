"""Where a frame can be split: what instructions take from the stack and leave there."""
from __future__ import annotations

from collections.abc import Callable, Mapping

from .reading import Instruction


def _unpack_ex(instruction: Instruction) -> tuple[int, int]:
    return 1, (instruction.arg & 255) + 1 + (instruction.arg >> 8)


def _always(pops: int, pushes: int) -> Callable[[Instruction], tuple[int, int]]:
    return lambda instruction: (pops, pushes)


STACK_EFFECTS: Mapping[str, Callable[[Instruction], tuple[int, int]]] = {
    "CALL": lambda i: (i.arg + 2, 1),
    "CALL_FUNCTION_EX": lambda i: (3 + (i.arg & 1), 1),
    "UNPACK_SEQUENCE": lambda i: (1, i.arg),
    "UNPACK_EX": _unpack_ex,
    "FORMAT_VALUE": lambda i: (2 if i.arg & 4 else 1, 1),
    "BUILD_STRING": lambda i: (i.arg, 1),
    "BUILD_SLICE": lambda i: (i.arg, 1),
    "BUILD_SET": lambda i: (i.arg, 1),
    "BUILD_MAP": lambda i: (2 * i.arg, 1),
    **{
        name: _always(pops, pushes)
        for name, pops, pushes in (
            ("BINARY_OP", 2, 1), ("COMPARE_OP", 2, 1), ("IS_OP", 2, 1), ("CONTAINS_OP", 2, 1),
            ("UNARY_NEGATIVE", 1, 1), ("UNARY_POSITIVE", 1, 1), ("UNARY_INVERT", 1, 1),
            ("UNARY_NOT", 1, 1), ("BINARY_SUBSCR", 2, 1), ("BINARY_SLICE", 3, 1),
            ("STORE_SUBSCR", 3, 0), ("STORE_SLICE", 4, 0), ("DELETE_SUBSCR", 2, 0),
            ("LOAD_ATTR", 1, 1), ("STORE_ATTR", 2, 0), ("DELETE_ATTR", 1, 0),
            ("LOAD_METHOD", 1, 1), ("LOAD_GLOBAL", 0, 1), ("STORE_GLOBAL", 1, 0),
            ("DELETE_GLOBAL", 0, 0), ("LOAD_DEREF", 0, 1), ("STORE_DEREF", 1, 0),
            ("GET_ITER", 1, 1), ("GET_LEN", 1, 2), ("CONVERT_VALUE", 1, 1),
            ("LIST_TO_TUPLE", 1, 1), ("IMPORT_NAME", 2, 1), ("IMPORT_FROM", 1, 2),
            ("BEFORE_WITH", 1, 2), ("LOAD_BUILD_CLASS", 0, 1), ("POP_TOP", 1, 0),
        )
    },
}  # fmt: skip
"""Opname → values taken from the stack and put there, where a frame can be split behind it."""

EMULATED = frozenset({"LOAD_GLOBAL", "LOAD_ATTR", "LOAD_METHOD"})
"""Written anew rather than copied: in `co_code` they may push a NULL of their own."""

JUMPS_IF = {
    "POP_JUMP_IF_TRUE": (True, False),
    "POP_JUMP_IF_FALSE": (False, False),
    "JUMP_IF_TRUE_OR_POP": (True, True),
    "JUMP_IF_FALSE_OR_POP": (False, True),
}
"""Opname → truth that jumps, and whether the value stays when it does."""
