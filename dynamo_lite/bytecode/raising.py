"""Which side of a conditional jump only raises: a test of the data that guards against an error."""
from __future__ import annotations

from collections.abc import Sequence

from .reading import Instruction

JUMPS_IF = {"POP_JUMP_IF_TRUE": True, "POP_JUMP_IF_FALSE": False}
LONGEST = 60  # instructions on the way to a `raise`
DEPTH = 3  # conditional jumps on the way
LEAVES = frozenset({
    "RETURN_VALUE", "RETURN_CONST", "YIELD_VALUE", "FOR_ITER", "RERAISE", "SEND", "STORE_FAST",
    "STORE_ATTR", "STORE_SUBSCR", "STORE_GLOBAL", "STORE_DEREF", "JUMP_IF_TRUE_OR_POP",
    "JUMP_IF_FALSE_OR_POP",
})  # fmt: skip


def expected_outcome(instructions: Sequence[Instruction], jump: Instruction) -> bool | None:
    """The truth of the tested value when nothing goes wrong; None where both sides go on."""
    if jump.opname not in JUMPS_IF or jump.target is None:
        return None
    jumps_if = JUMPS_IF[jump.opname]
    there = leads_to_raise(instructions, jump.target)
    here = leads_to_raise(instructions, jump.index + 1)
    if there == here:
        return None
    return jumps_if if here else not jumps_if


def leads_to_raise(instructions: Sequence[Instruction], index: int, depth: int = DEPTH) -> bool:
    """Whether every path from here ends in a `raise` that no handler of the frame catches."""
    for _ in range(LONGEST):
        if index >= len(instructions):
            return False
        inst = instructions[index]
        if inst.opname == "RAISE_VARARGS":
            return inst.handler is None
        if inst.opname in LEAVES:
            return False
        if inst.opname == "JUMP" and inst.target is not None:
            if inst.target <= inst.index:
                return False
            index = inst.target
            continue
        if inst.target is not None:
            sides = (inst.target, inst.index + 1)
            return depth > 0 and all(leads_to_raise(instructions, i, depth - 1) for i in sides)
        index += 1
    return False
