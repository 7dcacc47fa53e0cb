"""All partitions of a program, and which of them a node joins."""
from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Union

from ...base.records import dataclass, field
from .cuts import Axis, Chunks, Dim, Value
from .partition import Parting, Partition

Operand = tuple[Value, Sequence[Union[int, None]]]
"""A value, and for each of its axes that of the result which it becomes."""


@dataclass(eq=False, slots=True)
class Space:
    """All partitions of a program."""

    partitions: list[Partition] = field(default_factory=list)

    def place(
        self, operands: Sequence[Operand], cut: Sequence[Chunks], more: Sequence[int] = ()
    ) -> tuple[Partition, dict[int, Dim], tuple[Axis, ...]]:
        """The partition for a node with these operands whose result is cut like this, and which
        dimension each axis of the result goes along with."""
        counts = {axis: len(chunks) for axis, chunks in enumerate(cut) if len(chunks) > 1}
        found = next((fit for each in candidates(operands)
                      if (fit := fitting(each, operands, counts)) is not None), None)
        if found is None:
            dims = {axis: Dim(count) for axis, count in counts.items()}
            newest = max((value.stage for value, _ in operands), default=-1)
            found = Partition([*dims.values()], stage_after(newest, bool(dims))), dims
            self.partitions.append(found[0])
        partition, at = found
        return partition, at, tuple(Axis(chunks, at.get(axis)) for axis, chunks in enumerate(cut))

    def parting(self, partition: Partition, folded: frozenset[Dim], in_steps: bool) -> Parting:
        parting = partition.parting(folded, in_steps)
        if not any(parting.target.now is each for each in self.partitions):
            self.partitions.append(parting.target)
        return parting

    @property
    def living(self) -> list[Partition]:
        return sorted((one for one in self.partitions if one.became is None),
                      key=lambda one: one.stage)


def stage_after(newest: float, is_cut: bool) -> float:
    """The stage of a partition that reads what has the `newest` one.

    A single task comes half a stage before those of each block, which can read its result then.
    """
    return math.floor(newest) + (1 if is_cut or newest % 1 else 0.5)


def candidates(operands: Sequence[Operand]) -> list[Partition]:
    """Partitions that a node may join: the latest that an operand is computed in, or else those
    that read one of them, the earliest first."""
    newest = max((value.stage for value, _ in operands), default=-1)
    homes = [value.home for value, _ in operands
             if value.home is not None and value.stage == newest]
    read = [value if value.window is None else value.window.base for value, _ in operands]
    readers = {one.now for value in read for one in value.readers}
    later = sorted((one for one in readers if one.stage > newest), key=lambda one: one.stage)
    return [*dict.fromkeys([*homes, *later])]


def fitting(
    partition: Partition, operands: Sequence[Operand], counts: Mapping[int, int]
) -> tuple[Partition, dict[int, Dim]] | None:
    """The dimension of each axis that is cut, where a node can join the partition."""
    at: dict[int, Dim] = {}
    for value, onto in operands:
        for dim, axis in zip(partition.dims_of(value) or (), onto):
            if dim is not None and (axis is None or at.setdefault(axis, dim) is not dim):
                return None
    if {axis: dim.blocks for axis, dim in at.items()} != counts or (
        len(set(at.values())) != len(at) or {*at.values()} != {dim.now for dim in partition.dims}
    ):
        return None
    merged: dict[Partition, dict[Dim, Dim]] = {}
    for value, onto in operands:
        other = value.home
        if other is partition or value.stage < partition.stage:
            continue
        pairs = pairing(partition, value, onto, at)
        if pairs is None or other is None or merged.setdefault(other, pairs) != pairs:
            return None
    for other, pairs in merged.items():
        partition.absorb(other, pairs)
    return partition, at


def pairing(
    partition: Partition, value: Value, onto: Sequence[int | None], at: Mapping[int, Dim]
) -> dict[Dim, Dim] | None:
    """How another partition's dimensions become this one's, so that both can be one."""
    other = value.home
    if other is None or other.stage != partition.stage:
        return None
    pairs = {axis.dim.now: at[place] for axis, place in zip(value.axes, onto)
             if axis.dim is not None and place is not None}
    if {*pairs} != {dim.now for dim in other.dims} or len({*pairs.values()}) != len(pairs) or (
        {*pairs.values()} != {dim.now for dim in partition.dims}
    ):
        return None
    return pairs
