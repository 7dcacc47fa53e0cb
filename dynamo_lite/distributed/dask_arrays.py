"""Partitions as tasks of Dask, and the values of a program as its arrays."""
from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import dask.array as da
from dask._task_spec import List, Task, TaskRef
from dask.base import tokenize
from dask.highlevelgraph import HighLevelGraph, MaterializedLayer

from ..base.records import dataclass, field
from ..ir.graph import Graph
from ..ir.node import Node
from ..runtime.compile_frame import Options
from .cuts import Chunks, Dim, Unknown, Value, outside
from .partition import Blocks, ByBlock, Parting, Partition, Parts, Port, Scalar
from .tasks import block_function

ARITY = 16
"""How many partial results one task combines."""
Key = Any
Layers = dict[str, Any]


@dataclass(eq=False, slots=True)
class Weaver:
    """Makes the tasks of one call; `name` begins theirs, `token` tells the call from all others."""

    name: str
    token: str
    options: Options
    count: Iterator[int] = field(default_factory=itertools.count)
    layers: Layers = field(default_factory=dict)
    needs: dict[str, set[str]] = field(default_factory=dict)

    def array(self, value: Value) -> Any:
        """A value as an array of Dask's; one that is computed here has no tasks yet."""
        if value.home is None:
            if not isinstance(value.outside, da.Array):
                value.outside = da.from_array(value.outside, value.cut)
            return value.outside
        port = value.home.export(value)
        name = self.named(port, value.home)
        stub = HighLevelGraph({name: MaterializedLayer({})}, {name: set()})
        return da.Array(stub, name, chunks(value.cut), dtype=value.dtype)

    def recut(self, value: Value, cut: tuple[Chunks, ...]) -> Value:
        """The same array in other blocks."""
        if value.cut == cut:
            return value
        if cut not in value.recut:
            is_own = value.home is None and not isinstance(value.outside, da.Array)
            array = (da.from_array(value.outside, chunks(cut)) if is_own
                     else self.array(value).rechunk(chunks(cut)))
            value.recut[cut] = outside(array, value.stage)
        return value.recut[cut]

    def named(self, port: Port, partition: Partition) -> str:
        port.name = port.name or self.fresh(label(partition.graph))
        return port.name

    def fresh(self, what: str) -> str:
        """A name that is always the same for the same call."""
        return f"{self.name}-{what}-{tokenize(self.token, next(self.count))}"

    def woven(self, partitions: Sequence[Partition], values: Sequence[Value]) -> list[Any]:
        """The values as arrays with all their tasks."""
        for value in values:
            if value.home is not None:
                value.home.export(value)
        for value in values:
            self.include(self.array(value))
        for partition in partitions:
            if partition.ports or partition.partings:
                self.weave(partition)
        graph = HighLevelGraph(self.layers, self.needs)
        return [self.on(graph, self.array(value)) for value in values]

    def on(self, graph: HighLevelGraph, array: Any) -> Any:
        return da.Array(graph, array.name, array.chunks, dtype=array.dtype)

    def include(self, array: Any) -> None:
        """Take over the tasks that an array comes with; those of stubs are made elsewhere."""
        for name, layer in array.dask.layers.items():
            if layer or name not in self.layers:
                self.layers.setdefault(name, layer)
                self.needs.setdefault(name, set(array.dask.dependencies[name]))

    # -- one partition

    def weave(self, partition: Partition) -> None:
        dims = [dim.now for dim in partition.dims]
        ports = [*partition.ports.values()]
        partings = [one for one in partition.partings.values() if one.nodes]
        gives = outputs(partition, ports, partings)
        for parting in partings:
            parting.name = parting.name or self.fresh(label(partition.graph, "parts"))
        for port in ports:
            self.named(port, partition)
        reads, takes = self.reads(partition)
        function = block_function(
            partition.graph, label(partition.graph), self.options, takes, gives, tokenize)
        single = len(gives) == 1
        results: list[Port | Parting] = [*ports, *partings]
        name = results[0].name if single else self.fresh(label(partition.graph))
        tasks: dict[Key, Any] = {}
        parts: list[dict[Key, Any]] = [{} for _ in results]
        for index in itertools.product(*(range(dim.blocks) for dim in dims)):
            at = dict(zip(dims, index))
            keys = [key_of(result, at, dims) for result in results]
            key: Key = keys[0] if single else (name, *index)
            tasks[key] = Task(key, function, *(read(at) for read in reads))
            for place, each in enumerate([] if single else keys):
                parts[place][each] = Task(each, Item(place), TaskRef(key))
        self.add(name, tasks, {self.layer_of(read) for read in partition.reads.values()} - {""})
        for result, more in zip(results, [] if single else parts):
            self.add(result.name, more, {name})

    def add(self, name: str, tasks: Mapping[Key, Any], needs: set[str]) -> None:
        self.layers[name], self.needs[name] = MaterializedLayer(tasks), needs

    def layer_of(self, read: Any) -> str:
        if isinstance(read, Blocks):
            return str(self.array(read.value).name)
        return self.tree(read.source)[0] if isinstance(read, Parts) else ""

    def reads(self, partition: Partition) -> tuple[list[Any], tuple[int, ...]]:
        """Functions that give the arguments of a task, and how many parameters each of them is; the
        parameters of the graph are brought in that order."""
        order: list[Node] = []
        found: list[Any] = []
        takes: list[int] = []
        for node, read in partition.reads.items():
            if node in order:
                continue
            if isinstance(read, Parts):
                order += sorted((other for other, one in partition.reads.items()
                                 if isinstance(one, Parts) and one.source is read.source),
                                key=lambda other: partition.reads[other].at)  # type: ignore[union-attr]
                takes.append(len(read.source.nodes))
                found.append(self.parts(read.source))
            else:
                order.append(node)
                takes.append(0)
                found.append(self.read(read))
        steps = [node for node in partition.graph.nodes if node.op != "placeholder"]
        partition.graph.nodes[:] = [*order, *steps]
        return found, tuple(takes)

    def read(self, read: Any) -> Any:
        if isinstance(read, Scalar):
            return lambda at: read.value
        if isinstance(read, ByBlock):
            return lambda at: read.numbers[at[read.dim.now]]
        array = self.array(read.value)
        self.include(array)
        name, dims = array.name, [dim and dim.now for dim in read.dims]
        return lambda at: TaskRef((name, *(0 if dim is None else at[dim] for dim in dims)))

    # -- partial results

    def parts(self, parting: Parting) -> Any:
        name, count = self.tree(parting)
        here = [(dim.now, target.now) for dim, target in parting.dims.items()]
        order = [dim.now for dim in parting.origin.now.dims]
        folded = [dim for dim in order if dim not in dict(here)]

        def read(at: Mapping[Dim, int]) -> List:
            kept = {dim: at[target] for dim, target in here}
            keys: list[Key]
            if count is not None:
                keys = [(name, group, *kept.values()) for group in range(count)]
            else:
                keys = [(name, *((kept | dict(zip(folded, each)))[dim] for dim in order))
                        for each in itertools.product(*(range(dim.blocks) for dim in folded))]
            return List(*(TaskRef(key) for key in keys))

        return read

    def tree(self, parting: Parting) -> tuple[str, int | None]:
        """The layer that has the last partial results, and how many each fold takes of it; None
        where these are the tasks of the partition themselves."""
        parting.name = parting.name or self.fresh(label(parting.origin.now.graph, "parts"))
        return parting.name, None

def label(graph: Graph, what: str = "fused") -> str:
    return f"{what}-{len(graph.calls)}ops"


def outputs(
    partition: Partition, ports: Sequence[Port], partings: Sequence[Parting]
) -> tuple[int | tuple[int, ...], ...]:
    """End the graph of a partition; where each port's results are among its outputs."""
    nodes: list[Node] = []
    gives: list[int | tuple[int, ...]] = []
    for port in ports:
        gives.append(len(nodes))
        nodes.append(port.value.node)  # type: ignore[arg-type]
    for parting in partings:
        gives.append(tuple(range(len(nodes), len(nodes) + len(parting.nodes))))
        nodes += parting.nodes
    partition.graph.output(tuple(nodes))
    return tuple(gives)


def key_of(result: Port | Parting, at: Mapping[Dim, int], dims: Sequence[Dim]) -> Key:
    if isinstance(result, Parting):
        return (result.name, *(at[dim] for dim in dims))
    axes = result.value.axes
    return (result.name, *(0 if axis.dim is None else at[axis.dim.now] for axis in axes))


def chunks(cut: Sequence[Chunks]) -> tuple[tuple[float, ...], ...]:
    return tuple(tuple(float("nan") if isinstance(size, Unknown) else size for size in sizes)
                 for sizes in cut)


@dataclass(frozen=True, slots=True)
class Item:
    """One of the results of a task."""

    at: int

    def __call__(self, results: Any) -> Any:
        return results[self.at]
