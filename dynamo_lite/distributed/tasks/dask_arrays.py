"""Partitions as tasks of Dask, and the values of a program as its arrays."""
from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from dask._task_spec import Task, TaskRef
from dask.highlevelgraph import HighLevelGraph, MaterializedLayer
from dask.utils import key_split

from ...base.counting import counted
from ...base.records import dataclass, field
from ...ir.node import Node
from ..partitions.blocks import size_of
from ..partitions.cuts import Dim, Value
from ..partitions.partition import Fixed, Parting, Partition, Port
from .arguments import Arguments, Reading
from .block_by_block import block_by_block
from .definitions import Gives, identity
from .in_parts import InParts, parts_of
from .layers import Key, Layers, label
from .partial_results import PartialResults, combining
from .running import BlockFunction, block_function
from .size_hints import Hints


@dataclass(frozen=True, slots=True)
class PartitionRow:
    """Of a partition: its name, how many operations a task has, how many tasks there are, the bytes
    of their results, and the layers that have them."""

    name: str
    operations: int
    tasks: int
    size: int
    layers: frozenset[str]


@dataclass(eq=False, slots=True)
class Weaver:
    """Makes the tasks of one call."""

    layers: Layers
    rows: list[PartitionRow] = field(default_factory=list)

    @property
    def partial(self) -> PartialResults:
        return PartialResults(self.layers)

    def woven(self, partitions: Sequence[Partition], values: Sequence[Value]) -> list[Any]:
        """The values as arrays with all their tasks."""
        for value in values:
            if value.home is not None:
                value.home.export(value)
        for value in values:
            self.layers.include(self.layers.array(value))
        for partition in partitions:
            if partition.ports or partition.partings:
                self.weave(partition)
        graph = HighLevelGraph(self.layers.layers, self.layers.needs)
        return [self.layers.on(graph, self.layers.array(value)) for value in values]

    def weave(self, partition: Partition) -> None:
        """Make the tasks of a partition, and those that take its results apart."""
        ports = [*partition.ports.values()]
        partings = [one for one in partition.partings.values() if one.nodes]
        gives = outputs(partition, ports, partings)
        for port in ports:
            self.layers.named(port, partition)
        reading = Reading(self.layers, self.partial)
        arguments = reading.arguments(partition)
        function = self.function(partition, partings, arguments, gives)
        results: list[Port | Parting] = [*ports, *partings[:1]]
        if partings:
            self.partial.name_all(partition)
        single = len(results) == 1
        name = results[0].name if single else self.layers.fresh(label(partition.graph))
        plain = block_by_block(self.layers, partition, ports[0].value, name, function) if (
            single and ports and isinstance(function, BlockFunction)) else None
        layer = plain or layer_of_tasks(partition, name, results, function, arguments)
        needs = {each for read in partition.reads.values() for each in reading.layers_of(read)}
        self.layers.add(name, layer, needs)
        if not single:
            self.take_apart(name, partition, results)
        self.rows.append(PartitionRow(
            name, len(partition.graph.calls), len(layer), sum(size_of(one.value) for one in ports),
            frozenset({name, *(one.name for one in results)})))

    def function(
        self, partition: Partition, partings: Sequence[Parting], arguments: Arguments,
        gives: tuple[Gives, ...],
    ) -> BlockFunction | InParts:
        """What all tasks of a partition run."""
        options, known = self.layers.options, identity(partition.graph)

        def made(hints: Hints) -> BlockFunction:
            return block_function(partition.graph, label(partition.graph), options,
                                  arguments.takes, gives, hints, known)

        if (parts := parts_of(partition, partings)) is None:
            return made(arguments.hints)
        return InParts(made(parts.fixed(arguments.hints)), made(parts.of_any(arguments.hints)),
                       combining(partings[0], 0, options, parts.counts), parts)

    def take_apart(
        self, name: str, partition: Partition, results: Sequence[Port | Parting]
    ) -> None:
        """A task for each of several results, for those that read it alone."""
        for place, result in enumerate(results):
            items: dict[Key, Any] = {}
            for at, _ in tasks_of(partition):
                key = key_of(result, at)
                items[key] = Task(key, Item(place), TaskRef((name, *at.values())))
            self.layers.add(result.name, MaterializedLayer(items), {name})

    # -- what is said of them

    def report(self) -> Iterator[str]:
        """The partitions as a drawing in lines, and what fusion saved, in words."""
        own = sum(len(layer) for name, layer in self.layers.layers.items()
                  if name.startswith((f"{self.layers.name}-", "halo-")))
        single = sum(row.operations * row.tasks for row in self.rows)
        moved = sum(row.size for row in self.rows)
        yield (f"{counted(own, 'task')} in {counted(len(self.rows), 'partition')}, "
               f"{single} with one for each operation and block; "
               f"{moved} bytes of arrays from task to task")
        for number, row in enumerate(self.rows, 1):
            origins = sorted({each for name in self.layers.needs[row.name]
                              for each in self.origins(name)})
            yield (f"[{number}] {row.name}: {counted(row.tasks, 'task')} of "
                   f"{counted(row.operations, 'operation')} on "
                   f"{', '.join(origins) or 'nothing'}, {row.size} bytes of results")

    def origins(self, name: str) -> Iterator[str]:
        """Where what a layer has comes from: numbers of partitions, names of arrays."""
        numbers = [f"[{number}]" for number, row in enumerate(self.rows, 1) if name in row.layers]
        if numbers:
            yield from numbers
        elif name.startswith((f"{self.layers.name}-", "halo-")):
            for below in self.layers.needs[name]:
                yield from self.origins(below)
        else:
            yield key_split(name)


def outputs(
    partition: Partition, ports: Sequence[Port], partings: Sequence[Parting]
) -> tuple[Gives, ...]:
    """End the graph of a partition; where the results of each port are among its outputs, and last
    those of all partial results."""
    nodes: list[Node] = [port.value.node for port in ports]  # type: ignore[misc]
    places = []
    for parting in partings:
        places.append(tuple(range(len(nodes), len(nodes) + len(parting.nodes))))
        nodes += parting.nodes
    partition.graph.output(tuple(nodes))
    return (*range(len(ports)), *((tuple(places),) if places else ()))


def layer_of_tasks(
    partition: Partition, name: str, results: Sequence[Port | Parting],
    function: BlockFunction | InParts, arguments: Arguments,
) -> MaterializedLayer:
    """A task for each block: the result, if it is a single one, or a tuple of all."""
    tasks: dict[Key, Any] = {}
    for at, constants in tasks_of(partition):
        key = key_of(results[0], at) if len(results) == 1 else (name, *at.values())
        tasks[key] = Task(key, function.with_constants(constants), *(
            value(at) for value in arguments.values))
    return MaterializedLayer(tasks)


def tasks_of(partition: Partition) -> Iterator[tuple[dict[Dim, int], tuple[Any, ...]]]:
    """The block of each task along each dimension, and the constants of its function."""
    dims = [dim.now for dim in partition.dims]
    fixed = [(node.name, read) for node, read in partition.reads.items()
             if isinstance(read, Fixed)]
    for index in itertools.product(*(range(dim.blocks) for dim in dims)):
        at = dict(zip(dims, index))
        yield at, tuple((name, read.constants[at[read.dim.now]]) for name, read in fixed)


def key_of(result: Port | Parting, at: Mapping[Dim, int]) -> Key:
    if isinstance(result, Parting):
        return (result.name, *at.values())
    axes = result.value.axes
    return (result.name, *(0 if axis.dim is None else at[axis.dim.now] for axis in axes))


@dataclass(frozen=True, slots=True)
class Item:
    """One of the results of a task."""

    at: int

    def __call__(self, results: Any) -> Any:
        return results[self.at]
