"""Partitions: the parts of a graph that are one task for each block.

A partition goes through a space of blocks. Each of its nodes computes the blocks of one array, for
which every dimension of that space is an axis that is cut (partial results of a fold excepted).
What it reads from outside are blocks of earlier stages, so that partitions never depend on each
other in a circle. Nodes join the latest partition that their operands are in; two partitions of one
stage become one where a node needs both.
"""
from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any, Union

from ..base.records import dataclass, field
from ..ir.graph import Graph
from ..ir.node import Node
from .cuts import Axis, Chunks, Dim, Value, Window
from .ends import NOTHING, Ends
from .footprints import Footprint, Span, View

Operand = tuple[Value, Sequence[Union[int, None]]]
"""A value, and for each of its axes that of the result which it becomes."""


@dataclass(eq=False, slots=True)
class Blocks:
    """A task reads the block of a value that `dims` say, axis by axis."""

    value: Value
    dims: tuple[Dim | None, ...]


@dataclass(eq=False, slots=True)
class Scalar:
    """Every task is given this."""

    value: Any


@dataclass(eq=False, slots=True)
class ByBlock:
    """A number for each block along a dimension."""

    dim: Dim
    numbers: tuple[int, ...]


@dataclass(eq=False, slots=True)
class Fixed:
    """A constant for each block along a dimension: blocks with different ones have functions of
    their own."""

    dim: Dim
    constants: tuple[Any, ...]


@dataclass(eq=False, slots=True)
class StackedParts:
    """The partial results of `source` at place `at`, stacked, from all tasks along its dimensions
    that are not in `dims`, which gives the dimensions of the reader for the others."""

    source: Parting
    at: int


Read = Union[Blocks, Scalar, ByBlock, Fixed, StackedParts, View]


@dataclass(eq=False, slots=True)
class Port:
    """One result that tasks of other partitions read, or the program: the blocks of a value."""

    value: Value
    name: str = ""


@dataclass(eq=False, slots=True)
class Parting:
    """Partial results of a partition, one tuple a task, that `target` combines.

    `dims`: dimensions of the partition, and those of the target that they become. `combine` says
    for each fold how many places of the tuple it takes, and how their stacks are combined.
    """

    origin: Partition
    target: Partition
    dims: dict[Dim, Dim]
    nodes: list[Node] = field(default_factory=list)
    cuts: list[tuple[Axis, ...]] = field(default_factory=list)
    """The axes of what each node gives, which are the target's."""
    folds: list[tuple[int, Any]] = field(default_factory=list)
    name: str = ""
    place: int = 0
    """Where its tuple is among the partial results of a task."""
    tree: tuple[str, int | None] | None = None
    """The layer of the last partial results, and how many of them one task combines."""


@dataclass(eq=False, slots=True)
class Partition:
    dims: list[Dim]
    stage: float
    graph: Graph = field(default_factory=Graph)
    reads: dict[Node, Read] = field(default_factory=dict)
    ports: dict[Node, Port] = field(default_factory=dict)
    partings: dict[tuple[Any, ...], Parting] = field(default_factory=dict)
    became: Partition | None = None
    known: dict[Any, Any] = field(default_factory=dict)
    """Values that were computed for several nodes."""

    @property
    def now(self) -> Partition:
        return self if self.became is None else self.became.now

    def local(self, value: Value, onto: Sequence[int | None], at: Mapping[int, Dim]) -> Node:
        """The node that has the task's block of a value."""
        if value.home is self:
            assert value.node is not None
            return value.node
        if value.window is not None:
            return self.part(value, value.window, onto, at)
        dims = tuple(
            None if (axis.dim is None and len(axis.chunks) == 1) or place is None else at[place].now
            for axis, place in zip(value.axes, onto))
        for node, read in self.reads.items():
            if isinstance(read, Blocks) and read.value is value and (
                tuple(dim and dim.now for dim in read.dims) == dims
            ):
                return node
            if isinstance(read, View) and read.footprint.value is value and (
                tuple(dim and dim.now for dim in read.footprint.dims) == dims
            ):
                if read.footprint.ends == NOTHING:
                    return self.part(value, Window(value, (0,) * len(dims)), onto, at)
        if value.home is not None:
            value.home.export(value)
        value.readers.append(self)
        return self.take("x", Blocks(value, dims))

    def part(
        self, value: Value, window: Window, onto: Sequence[int | None], at: Mapping[int, Dim]
    ) -> Node:
        """The node that has the task's block of a part of an array."""
        base = window.base
        dims = tuple(None if len(axis.chunks) == 1 or place is None else at[place].now
                     for axis, place in zip(value.axes, onto))
        spans = tuple(span(part, start) for part, start in zip(value.axes, window.starts))
        return self.view(base, dims, spans, window.ends)

    def view(
        self, base: Value, dims: tuple[Dim | None, ...], spans: tuple[Span, ...],
        ends: Ends = NOTHING,
    ) -> Node:
        """The node that has what lies between these places of an array."""
        footprint = self.footprint(base, dims, ends)
        for axis, (low, high) in enumerate(spans):
            footprint.include(axis, low, high)
        for node, read in self.reads.items():
            if isinstance(read, View) and read.footprint is footprint and read.spans == spans:
                return node
        return self.take("v", View(footprint, spans))

    def footprint(self, base: Value, dims: tuple[Dim | None, ...], ends: Ends) -> Footprint:
        for read in self.reads.values():
            if isinstance(read, View) and read.footprint.value is base and (
                tuple(dim and dim.now for dim in read.footprint.dims) == dims
            ) and read.footprint.ends == ends:
                return read.footprint
        if base.home is not None:
            base.home.export(base)
        base.readers.append(self)
        return Footprint(base, dims, ends)

    def take(self, stem: str, read: Read) -> Node:
        """A new parameter."""
        node = self.graph.placeholder(stem, None)  # type: ignore[arg-type]
        self.reads[node] = read
        return node

    def by_block(self, dim: Dim | None, numbers: Sequence[int]) -> Any:
        """A number that may differ from block to block along a dimension."""
        if dim is None or len(set(numbers)) == 1:
            return numbers[0]
        for node, read in self.reads.items():
            if isinstance(read, ByBlock) and read.dim.now is dim.now and (
                read.numbers == tuple(numbers)
            ):
                return node
        return self.take("n", ByBlock(dim, tuple(numbers)))

    def fixed(self, dim: Dim | None, constants: Sequence[Any]) -> Any:
        """A constant that may differ from block to block."""
        if dim is None or all(each == constants[0] for each in constants):
            return constants[0]
        return self.take("k", Fixed(dim, tuple(constants)))

    def scalar(self, value: Any) -> Node:
        for node, read in self.reads.items():
            if isinstance(read, Scalar) and read.value is value:
                return node
        return self.take("s", Scalar(value))

    def export(self, value: Value) -> Port:
        assert value.node is not None
        return self.ports.setdefault(value.node, Port(value))

    def dims_of(self, value: Value) -> tuple[Dim | None, ...] | None:
        """Which dimensions a value goes along with here; None where it does not yet."""
        if value.home is self:
            return tuple(axis.dim and axis.dim.now for axis in value.axes)
        read_here = value if value.window is None else value.window.base
        for read in self.reads.values():
            block = read.footprint if isinstance(read, View) else read
            if isinstance(block, Blocks | Footprint) and block.value is read_here:
                return tuple(dim and dim.now for dim in block.dims)
        return None

    def parting(self, folded: frozenset[Dim], in_steps: bool) -> Parting:
        """Where partial results go that are folded over these dimensions."""
        key = (folded, in_steps)
        if key not in self.partings:
            dims = {dim: Dim(dim.blocks) for dim in self.dims if dim not in folded}
            target = Partition([*dims.values()], self.stage + 1)
            self.partings[key] = Parting(self, target, dims)
        return self.partings[key]

    def absorb(self, other: Partition, pairs: Mapping[Dim, Dim]) -> None:
        """Become one with another of the same stage; `pairs` are its dimensions and these."""
        for theirs, ours in pairs.items():
            theirs.became = ours
        for node in other.graph.nodes:
            node.name = self.graph._fresh(node.name.rstrip("_0123456789") or node.name)
            self.graph.nodes.append(node)
        self.reads |= other.reads
        self.ports |= other.ports
        for (folded, *rest), parting in other.partings.items():
            here = (frozenset(dim.now for dim in folded), *rest)
            self.partings[here if here not in self.partings else (*here, id(parting))] = parting
            parting.origin = self
            parting.dims = {dim.now: target for dim, target in parting.dims.items()}
        self.known |= other.known
        other.became = self


def span(axis: Axis, start: int) -> Span:
    """Where the blocks of a part that begins there lie in the whole."""
    low = tuple(start + place for place in axis.starts)
    return low, tuple(place + int(size) for place, size in zip(low, axis.chunks))


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
