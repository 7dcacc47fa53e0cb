"""What is left of one iteration of a loop, as a function of its own.

A continuation that begins in a loop, and that Python runs, would have Python run all that is left
of the loop. This one ends where the next iteration begins, and returns the continuation from there.
"""
from __future__ import annotations

import dis
from collections.abc import Callable
from dataclasses import replace
from types import CodeType, FunctionType
from typing import Any

from ..base.records import NamedTuple
from ..native import CONTINUATION
from .assembling import Assembler, Label, jump_back
from .flow import plain_successors, shape_of, up_to
from .liveness import live_locals
from .reading import FOR_ITER_SKIPS, Instruction, positions, read
from .resume import (
    ResumePoint,
    flat_code,
    in_place,
    is_second_half,
    own_cells,
    with_code,
)
from .stack_depths import stack_depths

_UNBINDS = frozenset({"DELETE_FAST", "LOAD_FAST_AND_CLEAR"})
_CHANGES = _UNBINDS | {"STORE_FAST", "STORE_CLOSURE"}
_JUMP_SIZE = 4


class Changeless(NamedTuple):
    """What is left of an iteration, and where the next one begins."""

    function: FunctionType
    there: ResumePoint


def rest_of_iteration(
    function: FunctionType, point: ResumePoint, resume: Callable[[ResumePoint], Any], more: int = 0
) -> FunctionType | None:
    """The function that runs `function` from `point` to the head of the loop around it, and `more`
    iterations of a `for` loop, and returns the continuation that `resume` gives for there. None
    where there is no such loop, or not everything is known of its head."""
    def leave(assembler: Assembler, there: ResumePoint, unbound: frozenset[str]) -> None:
        _leave(assembler, there, unbound, resume(there))

    return _up_to_head(function, point, more, leave)


def changing_nothing(function: FunctionType, point: ResumePoint) -> Changeless | None:
    """The function that does what is left of an iteration, where it stores in no variable of the
    frame and leaves nothing on its stack, and returns None. It takes the variables, and what is on
    the stack only where it is read."""
    code, places = flat_code(function.__code__), list[ResumePoint]()
    if (head := _next_head(code, point)) is None:
        return None
    arm = up_to(code, point.index, head, len(code.co_code))
    if arm is None or any(each.opname in _CHANGES for each in arm):
        return None
    there = _point_at(code, read(code)[head], point, _unbound(code, point))
    if there is not None and len(there.stack) == len(point.stack) and _is_in_line(code, arm):
        return Changeless(_copied(function, point, arm), there)

    def leave(assembler: Assembler, there: ResumePoint, unbound: frozenset[str]) -> None:
        places.append(there)
        for _ in there.stack:
            assembler.emit("POP_TOP")
        assembler.emit("LOAD_CONST", None)
        assembler.emit("RETURN_VALUE")

    made = _up_to_head(function, point, 0, leave, takes_over=False)
    return None if made is None else Changeless(made, places[0])


def _is_in_line(code: CodeType, arm: list[Instruction]) -> bool:
    """Whether these instructions follow each other up to a jump, and handle no exceptions."""
    *before, jump = arm
    if not before or jump.target is None or [*plain_successors(jump)] != [jump.target]:
        return False
    follow = [each.index for each in arm] == [*range(arm[0].index, jump.index + 1)]
    return (follow and all(each.target is None for each in before)
            and all(each.handler is None for each in arm)
            and not any(is_second_half(code, each) for each in (arm[0], jump)))


def _copied(function: FunctionType, point: ResumePoint, arm: list[Instruction]) -> FunctionType:
    """The instructions of an arm up to the jump, without the way to them and back."""
    code = flat_code(function.__code__)
    assembler, count = in_place(function, replace(point, stack=()), takes_over=False)
    for each in {each.offset: each for each in arm[:-1]}.values():
        assembler.at(positions(code, each))
        assembler.copy_original(each.offset, each.end, 0)
    assembler.place(Label(), code.co_stacksize)
    assembler.at(positions(code, arm[-1]))
    assembler.emit("LOAD_CONST", None)
    assembler.emit("RETURN_VALUE")
    return with_code(function, assembler.finish(body=False, co_argcount=count))


def _unbound(code: CodeType, point: ResumePoint) -> frozenset[str]:
    """The variables that may have no value at the head of the loop."""
    return point.unbound.union(i.argval for i in read(code) if i.opname in _UNBINDS)


def _up_to_head(
    function: FunctionType, point: ResumePoint, more: int,
    leave: Callable[[Assembler, ResumePoint, frozenset[str]], None], takes_over: bool = True,
) -> FunctionType | None:
    code = flat_code(function.__code__)
    if (at := _next_head(code, point)) is None:
        return None
    head = read(code)[at]
    unbound = _unbound(code, point)
    there = _point_at(code, head, point, unbound)
    if there is None:
        return None
    assembler, count = in_place(function, point, takes_over)
    left = assembler.add_local("left") if more else None
    if left is not None:
        assembler.emit("LOAD_CONST", more)
        assembler.emit("STORE_FAST", left)
    if not _enter(assembler, read(code)[point.index], head):
        return None
    at_head = Label()
    assembler.place(at_head, len(there.stack))
    if left is not None and not _go_round(assembler, head, left):
        return None
    leave(assembler, there, unbound)
    made = assembler.finish(body=True, co_argcount=count)
    text = bytearray(made.co_code)
    start = len(text) - len(code.co_code)
    for each in (head, *_second_tests(code, at)):
        if not jump_back(text, start + each.offset, at_head.offset):
            return None
    return with_code(function, made.replace(co_code=bytes(text)))


def _second_tests(code: CodeType, head: int) -> list[Instruction]:
    """Where a `while` tests its condition again, and goes on behind the head: the canonical
    instructions have a jump to the head there (`rotating`)."""
    return [each for each in read(code)
            if (each.opname, each.target) == ("JUMP", head) and not _is_jump(code, each.offset)]


def _is_jump(code: CodeType, offset: int) -> bool:
    while code.co_code[offset] == dis.EXTENDED_ARG:
        offset += 2
    return "JUMP" in dis.opname[code.co_code[offset]]


def _next_head(code: CodeType, point: ResumePoint) -> int | None:
    """The head of the smallest loop in which there is something before the next iteration."""
    shape = shape_of(code)
    loop = shape.inner_loop(point.index)
    if loop is not None and loop.head == point.index:
        loop = shape.around(loop)
    return None if loop is None else loop.head


def _point_at(
    code: CodeType, head: Instruction, point: ResumePoint, unbound: frozenset[str]
) -> ResumePoint | None:
    """Where the next iteration begins. Nothing unbinds variables on the way there: those that may
    be read have values."""
    cells = {*code.co_cellvars}
    names = live_locals(code, head.index).intersection(code.co_varnames) | cells
    depth = stack_depths(code, {head.offset}).get(head.offset)
    if depth is None or names & unbound or not cells <= point.names:
        return None
    if not all(stack := point.stack[:depth]) or len(stack) < depth:
        return None
    inside = range(head.offset + 1, head.offset + _JUMP_SIZE)
    if any(each.offset in inside for each in _jumped_to(code)):
        return None
    return ResumePoint(head.index, stack, names, frozenset())


def _jumped_to(code: CodeType) -> list[Instruction]:
    """Where jumps lead; those that nothing reaches may lead into one that was written over what
    was there, and to no instruction."""
    instructions = read(code)
    targets = {i.target for i in instructions if i.target is not None}
    return [each for each in instructions if each.index in targets]


def _enter(assembler: Assembler, entry: Instruction, head: Instruction) -> bool:
    """Jump to where the function begins, which may lie under the jump at the head: the item of the
    loop is stored first then."""
    if entry.offset >= head.offset + _JUMP_SIZE or entry.offset < head.offset:
        assembler.jump("JUMP", Label(entry.offset))
        return True
    if entry.opname != "STORE_FAST" or entry.end < head.offset + _JUMP_SIZE:
        return False
    assembler.copy_original(entry.offset, entry.end, -1)
    assembler.jump("JUMP", Label(entry.end))
    return True


def _go_round(assembler: Assembler, head: Instruction, left: str) -> bool:
    """Begin another iteration of a `for` loop as long as some are `left`."""
    instructions = read(assembler.code)
    if head.opname != "FOR_ITER" or head.target is None:
        return False
    below = instructions[head.index + 1]
    is_hidden = head.end < head.offset + _JUMP_SIZE
    if is_hidden and (below.opname != "STORE_FAST" or below.end < head.offset + _JUMP_SIZE):
        return False
    depth, leave = assembler.depth, Label()
    assembler.at(positions(assembler.code, head))
    assembler.emit("LOAD_FAST", left)
    assembler.test_truth()
    assembler.jump("POP_JUMP_IF_FALSE", leave)
    assembler.emit("LOAD_FAST", left)
    assembler.emit("LOAD_CONST", 1)
    assembler.emit("BINARY_OP", "-")
    assembler.emit("STORE_FAST", left)
    begin, end = Label(), Label()
    assembler.place(begin)
    assembler.jump("FOR_ITER", Label(instructions[head.target].offset - FOR_ITER_SKIPS))
    assembler.place(end)
    if (handler := head.handler) is not None:
        target = instructions[handler.target].offset
        assembler.protect(begin, end, target, handler.depth, handler.lasti)
    if is_hidden:
        assembler.copy_original(below.offset, below.end, -1)
    assembler.jump("JUMP", Label(below.end if is_hidden else head.end))
    assembler.place(leave, depth)
    return True


def _leave(
    assembler: Assembler, there: ResumePoint, unbound: frozenset[str], continuation: Any
) -> None:
    """Return the continuation. Variables that are not read any more are passed on as well: what
    they hold ends when it does in Python."""
    code = assembler.code
    held = [assembler.add_local("stack") for _ in there.stack]
    for name in reversed(held):
        assembler.emit("STORE_FAST", name)
    assembler.emit("LOAD_CONST", CONTINUATION)
    assembler.emit("LOAD_CONST", continuation)
    for name in code.co_varnames:
        assembler.emit(*(("LOAD_CONST", None) if name in unbound else ("LOAD_FAST", name)))
    cells = own_cells(code)
    for name in cells:
        assembler.emit("LOAD_CLOSURE", name)
    for name in held:
        assembler.emit("LOAD_FAST", name)
    assembler.emit("BUILD_TUPLE", 2 + len(code.co_varnames) + len(cells) + len(held))
    assembler.emit("RETURN_VALUE")
