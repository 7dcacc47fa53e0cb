"""Resume functions: the continuation of a frame as a function of its own.

A resume function takes the values of the original's fast locals (None where a name is not passed),
then its cells, then the stack; it puts them where the original has them and jumps into the original
text. Cells travel as cell objects, so that nested functions and the continuation keep sharing them.
"""
from __future__ import annotations

import opcode
from types import CodeType, FunctionType

from ..base.records import dataclass
from .assembling import Assembler, Label
from .liveness import live_locals
from .reading import Instruction, positions, read

_REPLACEMENT = "__dynamo_lite_replacement__"
_COPY_FREE_VARS, _NOP = opcode.opmap["COPY_FREE_VARS"], opcode.opmap["NOP"]
_AT_START, _WITHOUT_SAFEPOINT = 0, 2
"""RESUME's operand: 2 is that of a frame that goes on behind `yield from`."""
_VARIADIC = 0x04 | 0x08  # CO_VARARGS, CO_VARKEYWORDS


@dataclass(frozen=True, slots=True)
class ResumePoint:
    """Where a frame goes on: before instruction `index`, with these values in place.

    `stack` says for each item, bottom to top, whether it is a value (True) or a NULL. `names` are
    the locals and cells that are passed; `unbound` are parameters without a value that may be read.
    """

    index: int
    stack: tuple[bool, ...]
    names: frozenset[str]
    unbound: frozenset[str]


def flat_code(code: CodeType) -> CodeType:
    """The same code with one positional parameter per variable that the caller fills."""
    flags = code.co_flags
    count = code.co_argcount + code.co_kwonlyargcount + bool(flags & 4) + bool(flags & 8)
    if count == code.co_argcount and not code.co_posonlyargcount:
        return code
    return code.replace(
        co_argcount=count,
        co_posonlyargcount=0,
        co_kwonlyargcount=0,
        co_flags=flags & ~_VARIADIC,
    )


def own_cells(code: CodeType) -> tuple[str, ...]:
    """Cells that are not parameters: they have a slot behind the locals."""
    return tuple(name for name in code.co_cellvars if name not in code.co_varnames)


def with_code(function: FunctionType, code: CodeType) -> FunctionType:
    """A function like `function` that runs `code`, without defaults."""
    made = FunctionType(
        code, function.__globals__, function.__name__, None, function.__closure__
    )
    made.__qualname__ = function.__qualname__
    made.__module__ = function.__module__
    made.__dict__[_REPLACEMENT] = True
    return made


def is_replacement(function: FunctionType) -> bool:
    """Whether a function is one of those made here."""
    return _REPLACEMENT in function.__dict__


def prologue(assembler: Assembler, is_continuation: bool) -> None:
    """What CPython expects at the start; cells are put in place by hand, so no MAKE_CELL."""
    if assembler.code.co_freevars:
        assembler.emit("COPY_FREE_VARS", len(assembler.code.co_freevars))
    waits = is_continuation and not assembler.has_safepoints
    assembler.emit("RESUME", _WITHOUT_SAFEPOINT if waits else _AT_START)


def resume_function(function: FunctionType, point: ResumePoint) -> FunctionType:
    """The function that runs `function` from `point` on.

    Its parameters: every fast local in order, every own cell, every stack value.
    """
    assembler, arguments = in_place(function, point)
    instruction = read(assembler.code)[point.index]
    assembler.jump("JUMP", Label(instruction.offset))
    return with_code(function, assembler.finish(body=True, co_argcount=arguments))


def in_place(
    function: FunctionType, point: ResumePoint, takes_over: bool = True
) -> tuple[Assembler, int]:
    """The beginning of a resume function, up to the jump, and how many parameters it has."""
    code = flat_code(function.__code__)
    instruction = read(code)[point.index]
    assembler = Assembler(code)
    cells = {name: assembler.add_local(f"cell_{name}_") for name in own_cells(code)}
    stack = [assembler.add_local("stack") if is_value else None for is_value in point.stack]
    arguments = len(assembler.locals)
    assembler.at(positions(code, instruction))
    prologue(assembler, is_continuation=True)
    if takes_over:
        assembler.take_over()
    for name in sorted(point.unbound):
        assembler.emit("DELETE_FAST", name)
    for name, argument in cells.items():
        if name in point.names:
            assembler.emit("LOAD_FAST", argument)
            assembler.emit("STORE_FAST", name)
        assembler.emit("DELETE_FAST", argument)
    for item in stack:
        if item is None:
            assembler.emit("PUSH_NULL")
        else:
            assembler.emit("LOAD_FAST", item)
            assembler.emit("DELETE_FAST", item)
    return assembler, arguments


def prefix_length(function: FunctionType, origin: FunctionType) -> int:
    """The instructions that a function has in front of the text of the one it continues."""
    return len(read(function.__code__)) - len(read(origin.__code__))


def is_second_half(code: CodeType, instruction: Instruction) -> bool:
    """Whether `co_code` has the instruction and its predecessor as one."""
    index = instruction.index
    return index > 0 and read(code)[index - 1].offset == instruction.offset


def parameters(code: CodeType) -> tuple[str, ...]:
    """The variables that a call fills, in the order of `co_varnames`."""
    return code.co_varnames[: flat_code(code).co_argcount]


def lifted_function(function: FunctionType) -> FunctionType:
    """A function without closure that is passed the cells of its free variables.

    Its parameters: every fast local in order (those that are not parameters: None), then every own
    cell (None) and every free variable. One such function serves all closures of a code object.
    """
    code = function.__code__
    cells = (*code.co_cellvars, *code.co_freevars)
    text = bytearray(code.co_code)
    for offset in range(0, len(text), 2):
        if text[offset] == _COPY_FREE_VARS:
            text[offset : offset + 2] = _NOP, 0
            break
    lifted = flat_code(code).replace(co_cellvars=cells, co_freevars=(), co_code=bytes(text))
    passed = frozenset(parameters(code))
    unbound = live_locals(lifted, 0).intersection(code.co_varnames) - passed
    base = FunctionType(lifted, function.__globals__, function.__name__)
    base.__qualname__, base.__module__ = function.__qualname__, function.__module__
    return resume_function(
        base, ResumePoint(0, (), passed.union(code.co_freevars), frozenset(unbound))
    )
