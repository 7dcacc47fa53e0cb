"""Small arrays in loops become their elements: a kernel over a few known points is one without
axes, which a code generator writes into the loop itself. Where all that uses an array is such, LLVM
keeps its elements in registers, like the numbers that a loop carries.

    for i0 < 2: c[8*i0] = a[8*i0] + b[8*i0]    becomes    c[0] = a[0] + b[0]; c[8] = a[8] + b[8]

Folds keep the order of NumPy, in which fewer than eight numbers follow one another, and eight are
added by neighbours. Arrays that would take turns by changing their memory are copied.
"""
from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import product as points_of

import numpy as np

from ...base.records import dataclass, field
from ...ir.row import by_name
from ...ir.sizes import product
from ...ir.types import array
from ..costs import weight_of
from ..hints import Hint
from ..loop_ir import rewrite
from ..loop_ir.loops import (
    Apply,
    Axis,
    Buffer,
    Expr,
    Kernel,
    Load,
    Offset,
    Reduce,
    Scan,
    Statement,
    Store,
)
from ..loop_ir.program import Allocate, Launch, Loop, Program, Rotate, Step, all_steps, with_blocks
from ..loop_ir.simplify import const
from ..loop_ir.zeros import is_extremum, may_be_negative
from .memory import IN_REGISTERS

MOST = 96
"""What a kernel may compute, in simple operations, all of its points together."""
PAIRWISE = 8
"""Floats of a row that NumPy adds by neighbours."""


def expand_points(program: Program, hint: Hint) -> Program:
    """The program with the small kernels in its loops as their points."""
    steps = [*all_steps(program.steps)]
    used = {b for s in steps if isinstance(s, Loop) for b in (*s.reads, *s.writes)}
    if not used:
        return program
    made = {step.buffer: step for step in steps if isinstance(step, Allocate)}
    small = {buffer: count for buffer, step in made.items() if (count := elements(step))}
    expansion = Expansion(small, frozenset(used.intersection(small)))
    changed = tuple(expansion.outside(program.steps))
    return replace(program, steps=(*expansion.fresh, *changed))


@dataclass(frozen=True, slots=True)
class Expansion:
    """`small`: how many elements the program's small arrays have; `used`: those that loops use;
    `fresh`: numbers that the program needs besides."""

    small: Mapping[Buffer, int]
    used: frozenset[Buffer]
    fresh: list[Allocate] = field(default_factory=list)

    def outside(self, steps: Iterable[Step]) -> Iterator[Step]:
        """Steps around loops: only those that use the same small arrays are changed."""
        for step in steps:
            if isinstance(step, Launch) and not self.used.isdisjoint((*step.reads, *step.writes)):
                yield Launch(at_points(step.kernel) or step.kernel)
            else:
                yield with_blocks(step, self.inside if isinstance(step, Loop) else self.outside)

    def inside(self, steps: Iterable[Step]) -> Iterator[Step]:
        for step in steps:
            if isinstance(step, Launch):
                yield Launch(at_points(step.kernel) or step.kernel)
            elif isinstance(step, Rotate) and self.small.keys() >= {*step.into}:
                yield from self.copies(step)
            else:
                yield with_blocks(step, self.inside)

    def copies(self, step: Rotate) -> Iterator[Step]:
        """Copies of the elements, instead of an exchange of memory."""
        read, written = list[Statement](), list[Statement]()
        for into, taken in zip(step.into, step.taken):
            for number in range(self.small[into]):
                place = Offset(number * into.dtype.itemsize)
                kept = self.number(f"{taken.name}_{number}", taken.dtype)
                read.append(Store(kept, Offset(), Load(taken, place)))
                written.append(Store(into, place, Load(kept, Offset())))
        name = "_".join(buffer.name for buffer in step.into)
        yield Launch(Kernel(f"read_{name}", (), tuple(read)))
        yield Launch(Kernel(f"exchange_{name}", (), tuple(written)))

    def number(self, name: str, dtype: np.dtype) -> Buffer:
        buffer = Buffer(name, dtype)
        if all(step.buffer is not buffer for step in self.fresh):
            self.fresh.append(Allocate(buffer, array(dtype), "scratch"))
        return buffer


def elements(step: Allocate) -> int:
    """How many elements an array has; 0 where they are too many, or unknown."""
    count = product(step.type.shape)
    is_packed = step.room is None and step.type.is_c_contiguous and is_held(step.buffer.dtype)
    return count if is_packed and isinstance(count, int) and count <= IN_REGISTERS else 0


def at_points(kernel: Kernel) -> Kernel | None:
    """A kernel as its points, or None where there are many, or each of them is much work."""
    if not (kernel.axes or kernel.folds) or not all(map(is_plain, kernel.parts)):
        return None
    counts = [count_of(kernel.axes), *(count_of(fold.axes) for fold in kernel.folds)]
    if not all(counts) or any(isinstance(s, Scan) for s in kernel.statements):
        return None
    spread = [rewrite.map_statement(statement, in_elements) for statement in kernel.statements]
    weight = weight_of(*(root for statement in spread for root in statement.roots))
    if weight * counts[0] > MOST:
        return None
    statements = [
        rewrite.move_statement(statement, place)
        for place in places(kernel.axes) for statement in spread
    ]
    return replace(kernel, axes=(), statements=tuple(statements))


def is_plain(expr: Expr) -> bool:
    """Whether LLVM has an expression in a few instructions."""
    if isinstance(expr, Reduce) and not is_joined(expr):
        return False
    row = by_name(expr.op) if isinstance(expr, Apply) else None
    is_long = row is not None and row.approximated
    return is_held(expr.dtype) and not is_long


def is_joined(fold: Reduce) -> bool:
    """Whether its elements can be put together one by one as NumPy does it."""
    is_known = not is_extremum(fold) or not may_be_negative(fold.body)
    return fold.op in JOINED and not fold.part and is_known


def is_held(dtype: np.dtype) -> bool:
    """Whether a register holds a number of this type."""
    return dtype.kind in "biuf" and dtype.itemsize <= 8


def count_of(axes: Sequence[Axis]) -> int:
    """How many points there are, at least one; 0 if they are not known, or too many."""
    count = product(axis.extent for axis in axes)
    return count if isinstance(count, int) and count <= IN_REGISTERS else 0


def places(axes: Sequence[Axis]) -> Iterator[dict[Axis, Offset]]:
    """The points, in C order."""
    extents = [range(axis.extent) for axis in axes if isinstance(axis.extent, int)]
    for point in points_of(*extents):
        yield {axis: Offset(number) for axis, number in zip(axes, point)}


def in_elements(expr: Expr) -> Expr:
    """An expression with its folds as operations on elements."""
    return rewrite.transform(expr, lambda part: (
        folded(part) if isinstance(part, Reduce) else part), {})


def folded(fold: Reduce) -> Expr:
    elements = [rewrite.substitute(fold.body, place) for place in places(fold.axes)]
    op = OF_BOOLS.get(fold.op, fold.op) if fold.dtype.kind == "b" else fold.op

    def combine(left: Expr, right: Expr) -> Expr:
        return Apply(op, (left, right), fold.dtype)

    if fold.dtype.kind != "f":
        return in_turn(elements, combine)
    return JOINED[fold.op](fold, elements, combine)


Combine = Callable[[Expr, Expr], Expr]


def in_turn(elements: Sequence[Expr], combine: Combine) -> Expr:
    """One after the other."""
    total, *others = elements
    for element in others:
        total = combine(total, element)
    return total


def in_rows(fold: Reduce, elements: Sequence[Expr], combine: Combine) -> Expr:
    """A sum or product of floats in the order of NumPy: each row, and then these."""
    length = fold.axes[-1].extent
    assert isinstance(length, int)
    if fold.row == 0:
        total = in_turn(elements, combine)
    else:
        rows = [elements[at : at + length] for at in range(0, len(elements), length)]
        join = by_neighbours if length == PAIRWISE else in_turn
        total = in_turn([join(row, combine) for row in rows], combine)
    return Apply("add", (total, const(0.0, fold.dtype)), fold.dtype) if fold.op == "add" else total


def by_neighbours(elements: Sequence[Expr], combine: Combine) -> Expr:
    while len(elements) > 1:
        elements = [combine(*pair) for pair in zip(elements[::2], elements[1::2])]
    return elements[0]


def as_they_come(fold: Reduce, elements: Sequence[Expr], combine: Combine) -> Expr:
    return in_turn(elements, combine)


OF_BOOLS = {"add": "logical_or", "multiply": "logical_and",
            "maximum": "logical_or", "minimum": "logical_and"}
JOINED: Mapping[str, Callable[[Reduce, Sequence[Expr], Combine], Expr]] = {
    "add": in_rows, "multiply": in_rows,
    **dict.fromkeys(
        ("minimum", "maximum", "logical_and", "logical_or", "bitwise_and", "bitwise_or",
         "bitwise_xor"), as_they_come),
}
"""How floats are folded; all other numbers in any order."""
