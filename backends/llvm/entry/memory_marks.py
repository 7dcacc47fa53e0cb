"""What LLVM is told of the memory of arrays in the entry: which of them have none in common.

An array that the program makes for itself lies nowhere else. So what a loop reads from one can stay
in a register while the loop writes into another. Arrays that come from outside, or that NumPy is
shown, may be parts of each other, and so may those that take turns in one memory.
"""
from __future__ import annotations

from collections.abc import Mapping, Sequence

from ...loop_ir.loops import Buffer
from ...loop_ir.program import Allocate, Extern, Program, Rotate, View, all_steps, blocks_of
from ..builder.emit import SCOPE

FIRST = 1
"""The number of the first metadata node; `emit.WEIGHTS` is 0."""
MOST = 64
"""Arrays that are told apart."""


def owned(program: Program) -> list[list[Buffer]]:
    """Arrays of which each group has memory of its own, those that the loops write first."""
    steps = list(all_steps(program.steps))
    shown = {b for s in steps if isinstance(s, (View, Extern)) for b in (*s.reads, *s.writes)}
    turning = {b for s in steps if isinstance(s, Rotate) for b in (*s.into, *s.taken)}
    made = [s.buffer for s in steps if isinstance(s, Allocate) and s.type.shape]
    groups = [[buffer] for buffer in made if buffer not in shown | turning]
    if turning and turning.isdisjoint(shown) and turning <= {*made}:
        groups.append(sorted(turning, key=lambda buffer: buffer.name))
    return groups[:MOST]


def marks_of(program: Program) -> tuple[Mapping[str, str], Sequence[str]]:
    """What stands behind a load or store, by the names of buffers; and what that refers to."""
    groups = owned(program) if any(map(blocks_of, program.steps)) else []
    if not groups:
        return {}, ()
    groups.append(outside(program))
    domain = FIRST
    scopes = range(domain + 1, domain + 1 + len(groups))
    text = [f"!{domain} = distinct !{{!{domain}}}"]
    text += [f"!{scope} = distinct !{{!{scope}, !{domain}}}" for scope in scopes]
    marks: dict[str, str] = {}
    for scope, mine, group in zip(scopes, range(scopes.stop, 10**9, 2), groups):
        rest = ", ".join(f"!{one}" for one in scopes if one != scope)
        text += [f"!{mine} = !{{!{scope}}}", f"!{mine + 1} = !{{{rest}}}"]
        mark = f", {SCOPE} !{mine}, !noalias !{mine + 1}"
        marks |= {buffer.name: mark for buffer in group}
    return marks, text


def outside(program: Program) -> list[Buffer]:
    """Arrays that the caller has too."""
    inputs = [one.buffer for one in program.inputs if one.buffer is not None]
    return [*inputs, *(one.buffer for one in program.constants)]
