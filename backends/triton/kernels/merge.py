"""Pointwise kernels are merged into kernels of rows that read what they make.

A program that holds a row at once computes its elements once, however often it reads them, so what
would be written, and read again, is computed where it is read, and written for others only.
"""
from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from functools import partial

from ....ir.sizes import floordiv, product
from ...loop_ir import affine, rewrite
from ...loop_ir.aliases import Roots, roots_of
from ...loop_ir.loops import Axis, Buffer, Expr, Gather, Index, Kernel, Load, Offset, Reduce, Store
from ...loop_ir.program import Allocate, Launch, Program, Step
from .emit import spread_axis
from .rows import is_persistent
from .split import strides_of


def merge_kernels(program: Program) -> Program:
    """The program, with the kernels merged that come after each other."""
    merging = Merging(program)
    steps: list[Step] = []
    for number, step in enumerate(program.steps):
        if isinstance(step, Launch) and (made := merging.with_last(steps, step, number)):
            steps = made
        else:
            steps.append(step)
    return replace(program, steps=tuple(steps))


class Merging:
    def __init__(self, program: Program) -> None:
        self.program = program
        self.roots: Roots = roots_of(program.steps)
        self.made = {step.buffer for step in program.steps if isinstance(step, Allocate)}

    def with_last(self, steps: list[Step], step: Launch, number: int) -> list[Step] | None:
        """`steps` and a step, with the kernel of the last one merged into its own; or None."""
        last = next((n for n in reversed(range(len(steps)))
                     if not isinstance(steps[n], Allocate)), None)
        if last is None or not isinstance(before := steps[last], Launch):
            return None
        if (merged := self.merged(before.kernel, step.kernel, number)) is None:
            return None
        gone = set(before.kernel.writes) - set(merged.writes)
        others = [one for one in steps if one is not before
                  and not (isinstance(one, Allocate) and one.buffer in gone)]
        return [*others, Launch(merged)]

    def merged(self, first: Kernel, second: Kernel, number: int) -> Kernel | None:
        """One kernel for two, or None where that is no use or not the same."""
        store, row = only_store(first), spread_axis(second)
        if store is None or row is None or first.errstate != second.errstate or (
            self._is_in_the_way(store.buffer, first, second)
        ):
            return None
        if product(axis.extent for axis in second.axes) != first.axes[0].extent:
            return None
        whole = in_order(second.axes, store.buffer)
        loads = [load for load in second.loads if load.buffer == store.buffer]
        if not loads or not all(is_of_row(load, whole, row) for load in loads):
            return None
        values: dict[Expr, Expr] = {
            load: value_at(first, store, load.offset) for load in loads}
        change = partial(rewrite.replace_parts, parts=values)
        statements = [rewrite.map_statement(one, change) for one in second.statements]
        if self._is_used_later(store.buffer, number):
            statements.append(Store(store.buffer, whole, value_at(first, store, whole)))
        found = replace(second, statements=tuple(statements))
        return found if is_persistent(found, row.extent) else None

    def _is_in_the_way(self, made: Buffer, first: Kernel, second: Kernel) -> bool:
        """Whether a kernel writes what one of them reads, but for what the first one has made."""
        written, read = self._memory(second.writes), self._memory(first.reads)
        return not written | {made} <= self.made or bool(written & read) or (
            made in read | written | self._memory(set(second.reads) - {made}))

    def _is_used_later(self, buffer: Buffer, number: int) -> bool:
        later = [one for step in self.program.steps[number + 1 :]
                 for one in (*step.reads, *step.writes)]
        return buffer in self._memory([*later, *(one.buffer for one in self.program.outputs)])

    def _memory(self, buffers: Iterable[Buffer]) -> set[Buffer]:
        """The buffers that own that of others."""
        return {self.roots.get(buffer, buffer) for buffer in buffers}


def in_order(axes: tuple[Axis, ...], buffer: Buffer) -> Offset:
    """Where the points of a kernel are in memory that has them in order."""
    return affine.affine(0, zip(axes, strides_of(axes, buffer.dtype.itemsize)))


def only_store(kernel: Kernel) -> Store | None:
    """What a kernel over a flat range stores at each of its points, if all its arrays lie along
    the range."""
    if len(kernel.axes) != 1 or len(kernel.statements) != 1:
        return None
    (axis,), (store,) = kernel.axes, kernel.statements
    if not isinstance(store, Store) or store.indices:
        return None
    if store.offset != in_order(kernel.axes, store.buffer) or any(
        isinstance(part, (Reduce, Gather, Index)) for part in kernel.parts
    ):
        return None
    places = ((load.offset.strides, load.dtype.itemsize) for load in kernel.loads)
    return store if all(strides in ((), ((axis, unit),)) for strides, unit in places) else None


def is_of_row(load: Load | Gather, whole: Offset, row: Axis) -> bool:
    """Whether a kernel loads an element of the row that it is about."""
    if isinstance(load, Gather):
        return False
    if load.offset == whole:
        return True
    outer = [term for term in whole.strides if term[0] != row]
    others = [term for term in load.offset.strides if term not in outer]
    if len(others) != 1 or load.offset.constant != whole.constant:
        return False
    ((axis, stride),) = others
    is_whole = len(load.offset.strides) == len(outer) + 1 and axis.extent == row.extent
    return is_whole and stride == load.buffer.dtype.itemsize


def value_at(kernel: Kernel, store: Store, place: Offset) -> Expr:
    """What is stored at an offset."""
    unit = store.buffer.dtype.itemsize
    point = Offset(floordiv(place.constant, unit),
                   tuple((axis, floordiv(stride, unit)) for axis, stride in place.strides))
    return rewrite.substitute(store.value, {kernel.axes[0]: point})
