"""Partitions as tasks of Dask, and the values of a program as its arrays."""
from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import dask.array as da
from dask._task_spec import List, Task, TaskRef
from dask.base import tokenize
from dask.highlevelgraph import HighLevelGraph, MaterializedLayer

from ..base.records import dataclass, field
from ..errors import Unsupported
from ..ir.graph import Graph
from ..ir.node import Node
from ..runtime.compile_frame import Options
from .blocks import chunks, edges_of, ends, in_blocks, is_source, pieces, size_of, small
from .cuts import UNKNOWN, Chunks, Dim, Unknown, Value, outside
from .partition import Blocks, ByBlock, Fixed, Parting, Partition, Parts, Port, Scalar
from .regions import Mosaic, Region, View
from .sources import Piece, Source
from .tasks import BlockFunction, Gives, Takes, block_function

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
    rows: list[tuple[str, int, int, int]] = field(default_factory=list)
    """Of each partition: its name, how many operations a task has, tasks, bytes of its results."""

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
        if any(isinstance(size, Unknown) for sizes in value.cut for size in sizes):
            raise Unsupported(UNKNOWN)
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
        needed = graph.cull_layers([array.name])
        return da.Array(needed, array.name, array.chunks, dtype=array.dtype)

    def include(self, array: Any) -> None:
        """Take over the tasks that an array comes with; those of stubs are made elsewhere."""
        for name, layer in array.dask.layers.items():
            if layer or name not in self.layers:
                self.layers.setdefault(name, layer)
                self.needs.setdefault(name, set(array.dask.dependencies[name]))

    def report(self) -> Iterator[str]:
        """What the tasks are, and what fusion saved, in words."""
        own = sum(len(layer) for name, layer in self.layers.items()
                  if name.startswith((f"{self.name}-", "halo-")))
        single = sum(operations * tasks for _, operations, tasks, _ in self.rows)
        moved = sum(size for *_, size in self.rows)
        yield (f"{own} tasks in {len(self.rows)} partitions, {single} with one for each operation "
               f"and block; {moved} bytes of arrays from task to task")
        for name, operations, tasks, size in self.rows:
            yield f"{name}: {tasks} tasks of {operations} operations, {size} bytes of results"

    # -- one partition

    def weave(self, partition: Partition) -> None:
        """Make the tasks of a partition, and those that take its results apart."""
        operations = len(partition.graph.calls)
        ports = [*partition.ports.values()]
        partings = [one for one in partition.partings.values() if one.nodes]
        gives = outputs(partition, ports, partings)
        for port in ports:
            self.named(port, partition)
        reads, takes = self.reads(partition)
        function = block_function(
            partition.graph, label(partition.graph), self.options, takes, gives, tokenize)
        single = len(gives) == 1
        results: list[Port | Parting] = [*ports, *partings[:1]]
        if partings:
            self.name_parts(partition)
        name = results[0].name if single else self.fresh(label(partition.graph))
        tasks: dict[Key, Any] = {}
        parts: list[dict[Key, Any]] = [{} for _ in results]
        for at, constants in tasks_of(partition):
            keys = [key_of(result, at) for result in results]
            key: Key = keys[0] if single else (name, *at.values())
            tasks[key] = Task(key, function.with_constants(constants), *(
                read(at) for read in reads))
            for place, each in enumerate([] if single else keys):
                parts[place][each] = Task(each, Item(place), TaskRef(key))
        self.add(name, tasks, {each for read in partition.reads.values()
                               for each in self.layers_of(read)})
        for result, more in zip(results, [] if single else parts):
            self.add(result.name, more, {name})
        moved = sum(size_of(port.value) for port in ports)
        self.rows.append((name, operations, len(tasks), moved))

    def name_parts(self, partition: Partition) -> None:
        """All partial results of a task are one result, whatever they are combined to."""
        partings = [one for one in partition.partings.values() if one.nodes]
        name = partings[0].name or self.fresh(label(partition.graph, "parts"))
        for place, parting in enumerate(partings):
            parting.name, parting.place = name, place

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

    def reads(self, partition: Partition) -> tuple[list[Any], tuple[Takes, ...]]:
        """Functions that give the arguments of a task, and how many parameters each of them is; the
        parameters of the graph are brought in that order."""
        order: list[Node] = []
        found: list[Any] = []
        takes: list[Takes] = []
        for node, read in partition.reads.items():
            if node in order or isinstance(read, Fixed):
                continue
            if isinstance(read, Parts):
                self.tree(read.source)
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
        """What gives a task all partial results that it combines."""
        name, count = self.tree(parting)
        here = [(dim.now, target.now) for dim, target in parting.dims.items()]
        if count is None:
            keys_of = self.unfolded(parting)
            return lambda at: List(*(TaskRef(key) for key in keys_of(
                {dim: at[target] for dim, target in here})))
        return lambda at: List(*(
            TaskRef((name, group, *(at[target] for _, target in here))) for group in range(count)))

    def unfolded(self, parting: Parting) -> Callable[[Mapping[Dim, int]], list[Key]]:
        """The keys of the partition's own partial results, for a block of what is kept."""
        order = [dim.now for dim in parting.origin.now.dims]
        kept = {dim.now for dim in parting.dims}
        folded = [dim for dim in order if dim not in kept]
        spaces = [range(dim.blocks) for dim in folded]
        return lambda at: [
            (parting.name, *(at[dim] if dim in at else each[folded.index(dim)] for dim in order))
            for each in itertools.product(*spaces)]

    def tree(self, parting: Parting) -> tuple[str, int | None]:
        """The layer with the partial results that are combined last, and how many these are for
        each block of what is kept; None where they are the partition's own."""
        self.name_parts(parting.origin.now)
        if parting.tree is None:
            parting.tree = self.grown(parting) if parting.folds[0][1].in_steps else (
                parting.name, None)
        return parting.tree

    def grown(self, parting: Parting) -> tuple[str, int | None]:
        """Combine partial results until few are left."""
        kept = [dim.now for dim in parting.dims]
        keys_of = self.unfolded(parting)
        found = {index: keys_of(dict(zip(kept, index)))
                 for index in itertools.product(*(range(dim.blocks) for dim in kept))}
        name, count = parting.name, None
        while len(next(iter(found.values()))) > ARITY:
            place = parting.place if count is None else 0
            function, below = combining(parting, place, self.options), name
            name = self.fresh("combine")
            tasks: dict[Key, Any] = {}
            for index, keys in found.items():
                groups = [keys[at : at + ARITY] for at in range(0, len(keys), ARITY)]
                found[index] = [(name, group, *index) for group in range(len(groups))]
                for key, group in zip(found[index], groups):
                    tasks[key] = Task(key, function, List(*(TaskRef(one) for one in group)))
            self.add(name, tasks, {below})
            count = len(groups)
        return name, count


def combining(parting: Parting, place: int, options: Options) -> BlockFunction:
    """What makes one tuple of partial results of several, which have theirs at a place."""
    graph = Graph()
    stacks = iter([graph.placeholder("p", None) for _ in parting.nodes])  # type: ignore[arg-type]
    results = [made for count, how in parting.folds
               for made in how.combine(graph, [next(stacks) for _ in range(count)])]
    graph.output(tuple(results))
    count = len(results)
    return block_function(
        graph, "combine", options, ((place, count),), ((tuple(range(count)),),), tokenize)


def group(partition: Partition, node: Node, read: Any) -> tuple[list[Node], Takes]:
    """The parameters that one argument is, and what `BlockFunction.takes` says of it."""
    if isinstance(read, Parts):
        same = {one: each.at for one, each in partition.reads.items()
                if isinstance(each, Parts) and each.source is read.source}
        place = read.source.place if read.source.tree is None or (
            read.source.tree[1] is None) else 0
        return sorted(same, key=same.__getitem__), (place, len(same))
    if isinstance(read, View):
        views = [one for one, each in partition.reads.items()
                 if isinstance(each, View) and each.region is read.region]
        return views, len(views)
    return [node], 0


def label(graph: Graph, what: str = "fused") -> str:
    return f"{what}-{len(graph.calls)}ops"


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
