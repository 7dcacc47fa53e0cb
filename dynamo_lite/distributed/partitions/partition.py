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

from ...base.records import dataclass, field
from ...ir.graph import Graph
from ...ir.node import Node
from ...ir.row import Kind, row_of
from ...ir.tree import leaves, map_leaves
from .blocks import is_source
from .boundaries import NOTHING, Ends
from .cuts import Axis, Dim, Value, Window
from .footprints import Footprint, Span, View


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
    is_placed: bool = False
    """Whether tasks know which block they have, or how large all of them are."""
    known: dict[Any, Any] = field(default_factory=dict)
    """Values that were computed for several nodes."""
    repeated: dict[Value, tuple[tuple[Dim | None, ...], Node]] = field(default_factory=dict)
    """Values of other partitions that are computed here once more: along which dimensions, and by
    which node."""

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
        value.readers.append(self)
        if (again := repeated(self, value, dims)) is not None:
            return again
        if value.home is not None:
            value.home.export(value)
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
        self.is_placed |= dim is not None
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
        self.is_placed |= dim is not None
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
        if read_here in self.repeated:
            return tuple(dim and dim.now for dim in self.repeated[read_here][0])
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
        self.is_placed |= other.is_placed
        self.reads |= other.reads
        self.ports |= other.ports
        for (folded, *rest), parting in other.partings.items():
            here = (frozenset(dim.now for dim in folded), *rest)
            self.partings[here if here not in self.partings else (*here, id(parting))] = parting
            parting.origin = self
            parting.dims = {dim.now: target for dim, target in parting.dims.items()}
        self.known |= other.known
        self.repeated |= other.repeated
        other.became = self


def span(axis: Axis, start: int) -> Span:
    """Where the blocks of a part that begins there lie in the whole."""
    low = tuple(start + place for place in axis.starts)
    return low, tuple(place + int(size) for place, size in zip(low, axis.chunks))


CHEAP, STEP = 20.0, 0.5
"""Nanoseconds per element for which a block is computed once more, rather than kept in memory until
the last block of its array is there: as many as a disk takes to write and read it. And what a step
takes at least, with compiling it once more."""
REPEATABLE = frozenset({
    Kind.POINTWISE, Kind.REDUCTION, Kind.VIEW, Kind.CREATION, Kind.SCAN, Kind.STRUCTURE})


def repeated(partition: Partition, value: Value, dims: tuple[Dim | None, ...]) -> Node | None:
    """The node that computes a block of another partition's value here once more, from what tasks
    read themselves; None where it is better kept."""
    if value in partition.repeated and (
        tuple(dim and dim.now for dim in partition.repeated[value][0]) == dims
    ):
        return partition.repeated[value][1]
    here = {axis.dim.now: dim for axis, dim in zip(value.axes, dims)
            if axis.dim is not None and dim is not None}
    if value.home is None or value.is_whole or {*here} != dims_of(value) or cost_of(value) > CHEAP:
        return None
    partition.is_placed |= value.home.is_placed
    became: dict[Node, Any] = {}
    for node in steps_of(value):
        args, kwargs = map_leaves(lambda leaf: became[leaf] if isinstance(leaf, Node) else leaf,
                                  (node.args, node.kwargs))
        became[node] = read_again(partition, value.home.reads[node], here) if (
            node.op == "placeholder") else partition.graph.call_function(
            node.target, args, kwargs, type=None, location=node.location, errstate=node.errstate)
    assert value.node is not None
    partition.repeated[value] = dims, became[value.node]
    return partition.repeated[value][1]


def steps_of(value: Value) -> list[Node]:
    """What a value's block is computed by, in order, with the parameters."""
    assert value.home is not None and value.node is not None
    pending, found = [value.node], set()
    while pending:
        node = pending.pop()
        if node not in found:
            found.add(node)
            pending += leaves((node.args, node.kwargs), Node)
    return [node for node in value.home.graph.nodes if node in found]


def dims_of(value: Value) -> set[Dim]:
    """Those that its axes go along with."""
    return {axis.dim.now for axis in value.axes if axis.dim is not None}


def cost_of(value: Value) -> float:
    """Nanoseconds per element to compute it once more; infinite where that takes more than tasks
    read themselves, and arrays of one block."""
    assert value.home is not None
    if value.cost is None:
        steps, graph, reads = steps_of(value), value.home.graph, value.home.reads
        value.cost = math.inf if any(is_written(node, graph) for node in steps) else sum(
            cost_to_read(reads[node], dims_of(value)) if node.op == "placeholder"
            else cost_of_step(node) for node in steps)
    return value.cost


def cost_of_step(node: Node) -> float:
    row = row_of(node.target)
    return math.inf if row is None or row.kind not in REPEATABLE else max(row.cost, STEP)


def is_written(node: Node, graph: Graph) -> bool:
    """Whether a step writes into what a node gives."""
    return any(node in each.args[:1] for each in graph.calls
               if (row := row_of(each.target)) is None or row.kind is Kind.WRITE)


def cost_to_read(read: Read, dims: set[Dim]) -> float:
    """The same of a parameter: nothing is what tasks read themselves."""
    if isinstance(read, Scalar):
        return 0.0
    if isinstance(read, ByBlock | Fixed):
        return 0.0 if read.dim.now in dims else math.inf
    block = read.footprint if isinstance(read, View) else read
    if isinstance(block, StackedParts) or not {dim.now for dim in block.dims if dim} <= dims:
        return math.inf
    if is_source(block.value) or (block.value.is_whole and isinstance(read, Blocks)):
        return 0.0
    if block.value.home is None or isinstance(read, View):
        return math.inf
    return cost_of(block.value)


def read_again(partition: Partition, read: Read, here: Mapping[Dim, Dim]) -> Any:
    """What a parameter reads, in another partition that has `here` in the place of its
    dimensions."""
    if isinstance(read, Scalar):
        return partition.scalar(read.value)
    if isinstance(read, ByBlock):
        return partition.by_block(here[read.dim.now], read.numbers)
    if isinstance(read, Fixed):
        return partition.fixed(here[read.dim.now], read.constants)
    if isinstance(read, View):
        base, ends = read.footprint.value, read.footprint.ends
        dims = tuple(dim and here[dim.now] for dim in read.footprint.dims)
        return partition.view(base, dims, read.spans, ends)
    assert isinstance(read, Blocks)
    at = {axis: here[dim.now] for axis, dim in enumerate(read.dims) if dim is not None}
    return partition.local(
        read.value, [axis if axis in at else None for axis in range(len(read.dims))], at)
