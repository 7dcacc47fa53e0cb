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
from .partition import Blocks, ByBlock, Fixed, Parting, Partition, Parts, Port, Scalar
from .regions import Mosaic, Part, Region, View
from .sources import Piece, Source
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
                value.outside = in_blocks(value.outside, chunks(value.cut))
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
            value.recut[cut] = outside(self.cut_again(value, cut), value.stage)
        return value.recut[cut]

    def cut_again(self, value: Value, cut: tuple[Chunks, ...]) -> Any:
        array = value.outside
        if value.home is not None or isinstance(array, da.Array):
            return self.array(value).rechunk(chunks(cut))
        if isinstance(array, Source):
            return Source(array.array, cut)  # type: ignore[arg-type]
        return in_blocks(array, chunks(cut))

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
        fixed = {node.name: read for node, read in partition.reads.items()
                 if isinstance(read, Fixed)}
        single = len(gives) == 1
        results: list[Port | Parting] = [*ports, *partings]
        name = results[0].name if single else self.fresh(label(partition.graph))
        tasks: dict[Key, Any] = {}
        parts: list[dict[Key, Any]] = [{} for _ in results]
        for index in itertools.product(*(range(dim.blocks) for dim in dims)):
            at = dict(zip(dims, index))
            keys = [key_of(result, at, dims) for result in results]
            key: Key = keys[0] if single else (name, *index)
            constants = tuple((one, each.constants[at[each.dim.now]])
                              for one, each in fixed.items())
            tasks[key] = Task(key, function.with_constants(constants), *(
                read(at) for read in reads))
            for place, each in enumerate([] if single else keys):
                parts[place][each] = Task(each, Item(place), TaskRef(key))
        self.add(name, tasks, {each for read in partition.reads.values()
                               for each in self.layers_of(read)})
        for result, more in zip(results, [] if single else parts):
            self.add(result.name, more, {name})

    def add(self, name: str, tasks: Mapping[Key, Any], needs: set[str]) -> None:
        self.layers[name], self.needs[name] = MaterializedLayer(tasks), needs

    def layers_of(self, read: Any) -> tuple[str, ...]:
        """The layers that have what is read."""
        if isinstance(read, Parts):
            return (self.tree(read.source)[0],)
        block = read.region if isinstance(read, View) else read
        if not isinstance(block, Blocks | Region) or is_source(block.value):
            return ()
        name = self.array(block.value).name
        return (name, edges_of(name)) if isinstance(read, View) else (name,)

    def reads(self, partition: Partition) -> tuple[list[Any], tuple[int, ...]]:
        """Functions that give the arguments of a task, and how many parameters each of them is; the
        parameters of the graph are brought in that order."""
        order: list[Node] = []
        found: list[Any] = []
        takes: list[int] = []
        for node, read in partition.reads.items():
            if node in order or isinstance(read, Fixed):
                continue
            nodes, count = group(partition, node, read)
            order += nodes
            takes.append(count)
            found.append(self.read(read, [partition.reads[each] for each in nodes]))
        order += [node for node, read in partition.reads.items() if isinstance(read, Fixed)]
        steps = [node for node in partition.graph.nodes if node.op != "placeholder"]
        partition.graph.nodes[:] = [*order, *steps]
        return found, tuple(takes)

    def read(self, read: Any, together: Sequence[Any]) -> Any:
        """What gives an argument of a task, of which these parameters are made."""
        if isinstance(read, Scalar):
            return lambda at: read.value
        if isinstance(read, Parts):
            return self.parts(read.source)
        if isinstance(read, View):
            return self.mosaic(read.region, together)
        if isinstance(read, ByBlock):
            return lambda at: read.numbers[at[read.dim.now]]
        if is_source(read.value):
            return pieces(read.value.outside, [dim and dim.now for dim in read.dims])
        array = self.array(read.value)
        self.include(array)
        name, dims = array.name, [dim and dim.now for dim in read.dims]
        return lambda at: TaskRef((name, *(0 if dim is None else at[dim] for dim in dims)))

    def mosaic(self, region: Region, views: Sequence[View]) -> Any:
        """What a task is given of its region: parts of its own block, and what neighbours' blocks
        have of it, which is cut off where they are."""
        axes = range(len(region.dims))
        if is_source(region.value):
            reader = region.value.outside.reader
            return lambda at: [
                Mosaic((), (), tuple(view.key(at) for view in views)),
                Piece(reader, tuple(slice(*region.bounds(axis, at)) for axis in axes))]
        array = self.array(region.value)
        self.include(array)
        edges = self.layers.setdefault(edges_of(array.name), MaterializedLayer({}))
        self.needs[edges_of(array.name)] = {array.name}

        def read(at: Mapping[Dim, int]) -> List:
            ends_of = [region.bounds(axis, at) for axis in axes]
            shape = tuple(high - low for low, high in ends_of)
            parts, refs = [], []
            for block, part in region.parts(at):
                key = (array.name, *block)
                cut = small(part, region.value, block)
                if cut:
                    key = (edges_of(array.name), *block, *ends(part))
                    edges.mapping.setdefault(key, Task(key, part, TaskRef((array.name, *block))))
                parts.append((None if cut else part.source, part.target))
                refs.append(TaskRef(key))
            found = tuple(view.key(at) for view in views)
            return List(Mosaic(shape, tuple(parts), found), *refs)

        return read

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

def group(partition: Partition, node: Node, read: Any) -> tuple[list[Node], int]:
    """The parameters that one argument is, and what `BlockFunction.takes` says of it."""
    if isinstance(read, Parts):
        same = {one: each.at for one, each in partition.reads.items()
                if isinstance(each, Parts) and each.source is read.source}
        return sorted(same, key=same.__getitem__), len(same)
    if isinstance(read, View):
        views = [one for one, each in partition.reads.items()
                 if isinstance(each, View) and each.region is read.region]
        return views, -len(views)
    return [node], 0


def is_source(value: Value) -> bool:
    """Whether tasks read it themselves."""
    return value.home is None and isinstance(value.outside, Source)


def edges_of(name: str) -> str:
    """The layer of the edges of an array's blocks."""
    return f"halo-{name}"


def ends(part: Part) -> tuple[int, ...]:
    return tuple(place for each in part.source for place in (each.start, each.stop))


def small(part: Part, value: Value, block: tuple[int, ...]) -> bool:
    """Whether it is less than half of its block, so that the block is better left where it is."""
    taken, whole = 1, 1
    for piece, axis, at in zip(part.source, value.axes, block):
        taken, whole = taken * (piece.stop - piece.start), whole * int(axis.chunks[at])
    return 2 * taken < whole


def in_blocks(array: Any, cut: Any) -> Any:
    """An array of NumPy's or of a file as one of Dask's."""
    if isinstance(array, Source):
        return da.from_array(array.reader, cut, asarray=True)
    return da.from_array(array, cut)


def pieces(source: Source, dims: Sequence[Dim | None]) -> Any:
    """What tells a task which block it reads."""
    reader = source.reader
    stops = [[*itertools.accumulate(sizes)] for sizes in source.chunks]

    def read(at: Mapping[Dim, int]) -> Piece:
        places = [0 if dim is None else at[dim] for dim in dims]
        return Piece(reader, tuple(
            slice(ends[place] - sizes[place], ends[place])
            for ends, sizes, place in zip(stops, source.chunks, places)))

    return read


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
