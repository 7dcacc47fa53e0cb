"""`while` loops with one head: CPython tests the condition again at the end of the body, and goes
to the instruction behind the first test from there, but to the first test where a `continue` is."""
from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .reading import Instruction

_OPPOSITE = {"POP_JUMP_IF_TRUE": "POP_JUMP_IF_FALSE", "POP_JUMP_IF_FALSE": "POP_JUMP_IF_TRUE",
             "POP_JUMP_IF_NONE": "POP_JUMP_IF_NOT_NONE", "POP_JUMP_IF_NOT_NONE": "POP_JUMP_IF_NONE"}


def with_one_head(instructions: tuple[Instruction, ...]) -> tuple[Instruction, ...]:
    """Instructions in which the second test is a jump to the first, for loops that have both."""
    heads = sorted({i.target for i in instructions
                    if i.opname == "JUMP" and i.target is not None and i.target <= i.index})
    if not heads:
        return instructions
    changed = list(instructions)
    for last in instructions:
        target = last.target
        if last.opname not in (*_OPPOSITE, "JUMP") or target is None or target >= last.index:
            continue
        for head in heads:
            first = last.index - (target - head) + (last.opname != "JUMP")
            if head < target < first and _is_repeated(instructions, head, first, last):
                changed[first] = _plain(instructions[first], "JUMP", head)
                for at in range(first + 1, last.index + 1):
                    changed[at] = _plain(instructions[at], "NOP", None)
    return tuple(changed)


def _is_repeated(
    instructions: tuple[Instruction, ...], head: int, first: int, last: Instruction
) -> bool:
    """Whether `first` to `last` test what the instructions from `head` on test: the last jump is
    the opposite of the first test's, or a jump behind it (from 3.12 on)."""
    assert last.target is not None
    tests = zip(instructions[head : last.target], instructions[first : last.index])
    inside = range(first + 1, last.index + 1)
    if last.opname != "JUMP":
        end = instructions[last.target - 1]
        if (end.opname, end.target) != (_OPPOSITE[last.opname], last.index + 1):
            return False
    return all(meaning(one) == meaning(other) for one, other in tests) and not any(
        i.target in inside for i in instructions
    )


def meaning(instruction: Instruction) -> tuple[object, ...]:
    """What an instruction does, wherever it is."""
    i = instruction
    arg = i.arg if i.target is None else 0
    return i.opname, arg, i.argval, i.argrepr, i.target, i.kwnames, i.handler


def _plain(instruction: Instruction, opname: str, target: int | None) -> Instruction:
    return instruction._replace(
        opname=opname, arg=0, argval=None, argrepr="", target=target, kwnames=()
    )
