"""The shape of a code object's control flow: its loops, and where branches come together again."""
from __future__ import annotations

import weakref
from types import CodeType
from typing import Any

from ..base.records import dataclass, field
from .liveness import successors
from .reading import Instruction, read
from .rotating import meaning

LEAVES = frozenset({"RETURN_VALUE", "RAISE_VARARGS", "RERAISE"})


@dataclass(frozen=True, slots=True)
class Loop:
    """The instructions that a jump back to `head` can be reached from without passing `head`."""

    head: int
    members: frozenset[int]


@dataclass(frozen=True, slots=True)
class Outlet:
    """The instruction that all exits of a loop lead to (in several `places`, where CPython has
    copied a return), and what they do `before`."""

    places: tuple[int, ...]
    before: frozenset[int]


@dataclass(slots=True)
class Shape:
    """What is known about one code object; joins are computed when they are asked for."""

    code: CodeType
    loops: dict[int, Loop] = field(default_factory=dict)
    joins: dict[tuple[int, int | None], int | None] = field(default_factory=dict)
    outlets: dict[int, Outlet | None] = field(default_factory=dict)
    meetings: dict[Any, frozenset[int]] = field(default_factory=dict)
    """What `meeting.meetings` has found."""

    def join(self, branch: int, loop: Loop | None) -> int | None:
        """The first instruction that both arms of a branch lead to, or None.

        Inside of a loop only what stays in it counts, and the head of the loop is where all arms
        end; arms that end in an exception do not count.
        """
        key = branch, None if loop is None else loop.head
        if key not in self.joins:
            self.joins[key] = _join(read(self.code), branch, loop)
        return self.joins[key]

    def outlet(self, loop: Loop) -> Outlet | None:
        """Where the exits of a loop come together, if they are several."""
        if loop.head not in self.outlets:
            self.outlets[loop.head] = _outlet(read(self.code), loop)
        return self.outlets[loop.head]

    def reach(self, loop: Loop) -> frozenset[int]:
        """The instructions of a loop, and those on its way out."""
        outlet = self.outlet(loop)
        return loop.members if outlet is None else loop.members | outlet.before

    def order(self, index: int) -> int:
        """Instructions in the order in which control comes to them, the head of a loop when an
        iteration is over: behind all that is in the loop."""
        loop = self.loops.get(index)
        return 2 * index if loop is None else 2 * max(loop.members) + 1

    def inner_loop(self, index: int) -> Loop | None:
        """The smallest loop that an instruction is part of."""
        found = [loop for loop in self.loops.values() if index in loop.members]
        return min(found, key=lambda loop: len(loop.members), default=None)


    def around(self, loop: Loop) -> Loop | None:
        """The smallest loop around a loop."""
        found = [other for other in self.loops.values() if loop.members < other.members]
        return min(found, key=lambda other: len(other.members), default=None)


_shapes: weakref.WeakKeyDictionary[CodeType, Shape] = weakref.WeakKeyDictionary()


def shape_of(code: CodeType) -> Shape:
    if (found := _shapes.get(code)) is None:
        found = _shapes[code] = Shape(code, _loops(read(code)))
    return found


def plain_successors(instruction: Instruction) -> list[int]:
    """Where control goes without an exception."""
    handler = instruction.handler.target if instruction.handler is not None else None
    following = list(successors(instruction))
    if handler is not None:
        following.pop()
    return following


def up_to(code: CodeType, index: int, head: int, most: int) -> list[Instruction] | None:
    """The instructions from one on up to the head of a loop that it is part of; None if these are
    more than `most`, have a loop among them or lead out of it."""
    shape, instructions = shape_of(code), read(code)
    found, todo = set[int](), [index]
    while todo:
        at = todo.pop()
        if at in found or at == head:
            continue
        if len(found) == most or at not in shape.loops[head].members or at in shape.loops:
            return None
        found.add(at)
        todo += plain_successors(instructions[at])
    return [instructions[at] for at in sorted(found)]


def _loops(instructions: tuple[Instruction, ...]) -> dict[int, Loop]:
    back = [i for i in instructions if i.target is not None and i.target <= i.index]
    if not back:
        return {}
    before: dict[int, list[int]] = {}
    for instruction in instructions:
        for following in plain_successors(instruction):
            before.setdefault(following, []).append(instruction.index)
    found: dict[int, set[int]] = {}
    for instruction in back:
        head = instruction.target
        assert head is not None
        members = found.setdefault(head, {head})
        todo = [instruction.index]
        while todo:
            at = todo.pop()
            if at not in members and at >= head:
                members.add(at)
                todo.extend(before.get(at, ()))
    return {head: Loop(head, frozenset(members)) for head, members in found.items()}


def _outlet(instructions: tuple[Instruction, ...], loop: Loop) -> Outlet | None:
    """Of exits without branches; one that raises does not count, nor does the end of a `for`."""
    starts = {
        to for at in loop.members for to in plain_successors(instructions[at])
        if to not in loop.members and instructions[at].opname != "FOR_ITER"
    }
    paths = [path for start in sorted(starts) if (path := _straight(instructions, start))]
    bare = {next((at for at in path if _acts(instructions[at])), None) for path in paths}
    if len(bare) < 2:
        return None
    common = frozenset.intersection(*map(frozenset, paths))
    index = next((at for at in paths[0] if at in common), None)
    if index is not None:
        before = [path[: path.index(index)] for path in paths]
        return Outlet((index,), frozenset(at for part in before for at in part))
    ends = list(zip(*([meaning(instructions[at]) for at in reversed(path)] for path in paths)))
    alike = next((n for n, end in enumerate(ends) if len({*end}) > 1), len(ends))
    if any(instructions[path[-1]].opname != "RETURN_VALUE" for path in paths):
        return None
    tail = paths[0][len(paths[0]) - alike :]
    alike -= max((n + 1 for n, at in enumerate(tail) if _ends(instructions[at])), default=0)
    starts_late = (path[-alike - 1] for path in paths if len(path) > alike)
    if not alike or not all(_ends(instructions[at]) for at in starts_late):
        return None
    before = [path[:-alike] for path in paths]
    places = tuple(path[-alike] for path in paths)
    return Outlet(places, frozenset(at for part in before for at in part))


def _ends(instruction: Instruction) -> bool:
    """Whether nothing is left on the stack, other than what lies there for the loop."""
    return instruction.opname in ("STORE_FAST", "POP_TOP", "NOP", "JUMP")


def _acts(instruction: Instruction) -> bool:
    """Whether an exit does more than to leave."""
    return instruction.opname not in ("POP_TOP", "NOP", "JUMP")


def _straight(instructions: tuple[Instruction, ...], at: int) -> list[int]:
    """The instructions from one on up to the next branch; none if that is an exception."""
    found: list[int] = []
    while at not in found:
        found.append(at)
        following = plain_successors(instructions[at])
        if len(following) != 1 or instructions[at].opname in LEAVES:
            break
        (at,) = following
    return [] if instructions[found[-1]].opname in ("RAISE_VARARGS", "RERAISE") else found


def _join(instructions: tuple[Instruction, ...], branch: int, loop: Loop | None) -> int | None:
    """The immediate post-dominator, among the instructions that can come after the branch."""
    end = len(instructions) if loop is None else loop.head
    after: dict[int, list[int]] = {}
    todo = [branch]
    while todo:
        at = todo.pop()
        if at in after or at == end:
            continue
        instruction = instructions[at]
        following = plain_successors(instruction)
        if instruction.opname in LEAVES:
            following = [end] if instruction.opname == "RETURN_VALUE" and loop is None else []
        if loop is not None:
            following = [n for n in following if n in loop.members]
        after[at] = following
        todo.extend(following)
    useful = _reaching(after, end)
    if branch not in useful:
        return None
    order = sorted(useful, reverse=True)
    everywhere = sum(1 << n for n in useful)
    dominated: dict[int, int] = dict.fromkeys(useful, everywhere)
    dominated[end] = 1 << end
    changed = True
    while changed:
        changed = False
        for at in order:
            if at == end:
                continue
            common = everywhere
            for later in after[at]:
                if later in useful:
                    common &= dominated[later]
            common |= 1 << at
            if common != dominated[at]:
                dominated[at], changed = common, True
    candidates = dominated[branch] & ~(1 << branch)
    return next(
        (n for n in useful
         if candidates >> n & 1 and dominated[n] & candidates == candidates and n != end), None
    )  # fmt: skip


def _reaching(after: dict[int, list[int]], end: int) -> set[int]:
    """The instructions from which control can get to the end."""
    before: dict[int, list[int]] = {}
    for at, following in after.items():
        for n in following:
            before.setdefault(n, []).append(at)
    found, todo = {end}, [end]
    while todo:
        for at in before.get(todo.pop(), ()):
            if at not in found:
                found.add(at)
                todo.append(at)
    return found
