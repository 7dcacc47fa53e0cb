"""Where the arms of a branch come together: each piece of bytecode is to be gone through once.

The arms may meet at one instruction, or at several: the conditions of an `if` that are joined by
`or` lead into its body, and on to what follows, from many places.
"""
from __future__ import annotations

from collections.abc import Iterable
from types import CodeType

from .flow import LEAVES, Loop, plain_successors, shape_of
from .reading import Instruction, read


class Reach:
    """Where control gets to from a branch without iterating again.

    In a `loop` only what stays in it counts, and its exits. Of a loop between that one and the
    branch the next iteration does not count: from its head control goes on behind it.
    """

    def __init__(self, code: CodeType, at: int, loop: Loop | None) -> None:
        shape = shape_of(code)
        self.instructions: tuple[Instruction, ...] = read(code)
        self.end = None if loop is None else loop.head
        self.inside = None if loop is None else shape.reach(loop)
        self.between = {
            other.head: other for other in shape.loops.values()
            if at in other.members and (loop is None or other.members < loop.members)
        }

    def following(self, at: int) -> list[int]:
        if at in self.between:
            members = self.between[at].members
            found = [
                to for n in members for to in plain_successors(self.instructions[n])
                if to not in members
            ]
        elif self.instructions[at].opname in LEAVES:
            return []
        else:
            found = plain_successors(self.instructions[at])
        return [to for to in found if to != self.end and (self.inside is None or to in self.inside)]

    def all_from(self, starts: Iterable[int]) -> set[int]:
        found: set[int] = set()
        todo = [*starts]
        while todo:
            if (at := todo.pop()) not in found:
                found.add(at)
                todo += self.following(at)
        return found


def meetings(
    code: CodeType, at: int, loop: Loop | None, first: tuple[int, ...], second: tuple[int, ...]
) -> frozenset[int]:
    """The instructions at which arms from `first` and arms from `second` enter what both reach;
    `at` is the branch that they began with."""
    known = shape_of(code).meetings
    key = at, None if loop is None else loop.head, first, second
    if key not in known:
        reach = Reach(code, at, loop)
        arms = reach.all_from(first), reach.all_from(second)
        common = arms[0] & arms[1]
        entered = {to for n in (arms[0] | arms[1]) - common for to in reach.following(n)}
        known[key] = frozenset(common & (entered | {*first, *second}))
    return known[key]
