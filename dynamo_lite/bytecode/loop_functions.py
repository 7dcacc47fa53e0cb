"""A `for` loop of a running frame as a function of its own, for on-stack replacement.

The function takes the frame's variables and what is left to iterate over. It runs the loop to its
end, in the frame's own text, and returns the variables that it writes and the frame reads later.
"""
from __future__ import annotations

from types import CodeType, FunctionType
from typing import Any

from ..base.records import cached_property, dataclass
from .assembling import Assembler, Label, jump_back
from .code_tables import encode_exception_table
from .liveness import live_locals, sees_variables, successors
from .reading import Instruction, exception_table, read, slot_names
from .resume import ResumePoint, in_place, own_cells, with_code
from .rotating import meaning
from .stack_depths import ENDS, stack_depths

_KEEPS_OUT = frozenset({"RETURN_VALUE", "YIELD_VALUE", "SEND", "IMPORT_STAR"})


@dataclass(frozen=True, slots=True)
class LoopSite:
    """A `for` loop in a code object: `head` is its FOR_ITER, `depth` the values on the stack below
    the iterator; `members` are the instructions that run until it ends, by index, and `offsets`
    where they are in `co_code`; `exits` are those that run then: one, or copies of a return."""

    code: CodeType
    head: Instruction
    depth: int
    exits: tuple[int, ...]
    members: frozenset[int]
    offsets: frozenset[int]

    @property
    def slot(self) -> int:
        """Where a frame keeps the iterator."""
        return len(slot_names(self.code)) + self.depth

    @property
    def end(self) -> int:
        """The index of the instruction behind the loop."""
        return self.exits[0]

    @cached_property
    def breaks(self) -> bool:
        """Whether it may end before its iterator does."""
        instructions, inside = read(self.code), self.members - {self.head.index}
        return any(to in self.exits for at in inside for to in successors(instructions[at]))

    def names(self, *opnames: str) -> frozenset[str]:
        instructions = read(self.code)
        found = (instructions[at] for at in self.members)
        return frozenset(i.argval for i in found if i.opname in opnames)


def loop_sites(code: CodeType) -> list[LoopSite]:
    """The `for` loops of a code object that can be functions of their own, outer ones first."""
    if sees_variables(code):
        return []
    heads = [i for i in read(code) if i.opname == "FOR_ITER"]
    depths = stack_depths(code, {head.offset for head in heads}) if heads else {}
    found = []
    for head in heads:
        exits = _exits(code, head)
        members = _members(code, head, exits)
        if members and head.offset in depths:
            offsets = _offsets(code, members)
            found.append(LoopSite(code, head, depths[head.offset] - 1, exits, members, offsets))
    return sorted(found, key=lambda site: -len(site.members))


@dataclass(frozen=True, slots=True)
class LoopFunction:
    """A loop as a function, which returns the values of the variables `returned`, if any, as a
    tuple: those of the `written` ones that are read later. Where the frame handles exceptions of
    the loop, they are put into `kept` when it raises one."""

    function: FunctionType
    written: tuple[str, ...]
    returned: tuple[str, ...]
    kept: list[tuple[Any, ...]]


def loop_function(
    function: FunctionType, site: LoopSite, bound: frozenset[str], over_range: bool
) -> LoopFunction | None:
    """The loop as a function; None where it is not known which of its variables have a value.

    Where it is not `over_range`, it may be stopped, and the frame goes on with the loop.

    Its parameters: every fast local in order (those that are not `bound`: None), every cell of the
    frame, None for each value below the iterator, and the iterator; or, if `over_range`, the bounds
    and the step of the range that is left to iterate over.
    """
    code, handler = site.code, site.head.handler
    stored, deleted = site.names("STORE_FAST"), site.names("DELETE_FAST")
    wanted = live_locals(code, site.end)
    wanted |= live_locals(code, handler.target) if handler is not None else frozenset()
    if not over_range:
        wanted |= live_locals(code, site.head.index)
    if wanted & ((stored - bound) | deleted):
        return None
    written = tuple(sorted((stored & bound) - deleted))
    returned = tuple(name for name in written if name in wanted)
    unbound = live_locals(code, site.head.index).intersection(code.co_varnames) - bound
    names = bound.intersection((*code.co_varnames, *own_cells(code)))
    point = ResumePoint(site.head.index, (True,) * site.depth, names, unbound)
    base = with_code(function, code)
    assembler, _ = in_place(base, point)
    _push_iterator(assembler, over_range)
    count = len(assembler.locals)
    assembler.jump("JUMP", Label(site.head.offset))
    leave, fail = Label(), Label()
    assembler.place(leave, 0)
    _push_values(assembler, returned)
    assembler.emit("RETURN_VALUE")
    kept: list[tuple[Any, ...]] = []
    assembler.place(fail, site.depth + 1)
    _keep_values(assembler, returned, kept)
    made = assembler.finish(body=True, co_argcount=count)
    shift = len(made.co_code) - len(code.co_code)
    text = _led_back(made, site, shift, leave.offset)
    if text is None:
        return None
    if text == made.co_code:
        written = returned = ()
    made = made.replace(co_code=text, co_exceptiontable=_handled(made, site, shift, fail.offset))
    return LoopFunction(with_code(base, made), written, returned, kept)


def _push_values(assembler: Assembler, names: tuple[str, ...]) -> None:
    for name in names:
        assembler.emit("LOAD_FAST", name)
    assembler.emit("BUILD_TUPLE", len(names))


def _keep_values(
    assembler: Assembler, names: tuple[str, ...], kept: list[tuple[Any, ...]]
) -> None:
    """An exception handler that keeps values and raises again."""
    assembler.emit("PUSH_EXC_INFO")
    assembler.emit("LOAD_CONST", kept.append)
    _push_values(assembler, names)
    assembler.call(1)
    assembler.emit("POP_TOP")
    assembler.emit("SWAP", 2)
    assembler.emit("POP_EXCEPT")
    assembler.emit("RERAISE", 0)


def _push_iterator(assembler: Assembler, over_range: bool) -> None:
    if not over_range:
        name = assembler.add_local("iterator")
        assembler.emit("LOAD_FAST", name)
        return assembler.emit("DELETE_FAST", name)
    assembler.emit("LOAD_CONST", range)
    for name in ("start", "stop", "step"):
        assembler.emit("LOAD_FAST", assembler.add_local(name))
    assembler.call(3)
    return assembler.emit("GET_ITER")


def _exits(code: CodeType, head: Instruction) -> tuple[int, ...]:
    """The instruction behind the loop. Where that is the beginning of a return, `break` may lead to
    a copy of it."""
    instructions, block = read(code), []
    assert head.target is not None
    for instruction in instructions[head.target :]:
        block.append(meaning(instruction))
        if instruction.opname == "RETURN_VALUE":
            break
        if instruction.target is not None or instruction.opname in ENDS:
            return (head.target,)
    starts = range(len(instructions) - len(block) + 1)
    alike = (at for at in starts if [*map(meaning, instructions[at : at + len(block)])] == block)
    return (head.target, *(at for at in alike if at != head.target))


def _members(code: CodeType, head: Instruction, exits: tuple[int, ...]) -> frozenset[int]:
    """What the loop consists of; nothing where it may be left in another way than by its end."""
    instructions = read(code)
    outer = head.handler.target if head.handler is not None else None
    members, todo = {head.index}, [head.index + 1]
    while todo:
        at = todo.pop()
        if at in exits or at in members:
            continue
        if at >= len(instructions) or instructions[at].opname in _KEEPS_OUT:
            return frozenset()
        members.add(at)
        todo += [to for to in successors(instructions[at]) if to != outer]
    return frozenset(members)


def _offsets(code: CodeType, members: frozenset[int]) -> frozenset[int]:
    instructions = read(code)
    return frozenset(
        at for i in members for at in range(instructions[i].offset, instructions[i].end, 2))


def _handled(made: CodeType, site: LoopSite, shift: int, fail: int) -> bytes:
    """With `fail` for the exception handler that the loop as a whole is in."""
    handler, rows = site.head.handler, exception_table(made)
    if handler is not None:
        outer = read(site.code)[handler.target].offset + shift
        rows = [(start, end, fail, site.depth, False) if target == outer else
                (start, end, target, depth, lasti) for start, end, target, depth, lasti in rows]
    return encode_exception_table(rows)


def _led_back(made: CodeType, site: LoopSite, shift: int, leave: int) -> bytes | None:
    """The text with a jump to offset `leave` in place of what follows the loop. As it is where only
    a constant is returned there, of which nobody sees more; None where there is no room."""
    instructions, text = read(site.code), bytearray(made.co_code)
    for exit in site.exits:
        start = instructions[exit].offset
        at = shift + start
        if site.offsets & {start, start + 2} or at + 4 > len(text):
            return made.co_code if instructions[site.end].opname == "LOAD_CONST" else None
        if not jump_back(text, at, leave):
            return None
    return bytes(text)
