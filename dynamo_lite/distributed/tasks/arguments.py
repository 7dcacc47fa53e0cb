"""What the tasks of a partition are given: blocks, parts of blocks, numbers, partial results."""
from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from dask._task_spec import List, Task, TaskRef
from dask.highlevelgraph import MaterializedLayer

from ...base.records import dataclass
from ...ir.node import Node
from ..partitions.blocks import edges_of, ends, is_source, pieces, small
from ..partitions.cuts import Dim
from ..partitions.footprints import Footprint, Mosaic, View
from ..partitions.partition import Blocks, ByBlock, Fixed, Partition, Scalar, StackedParts
from ..partitions.sources import Piece
from .definitions import Takes
from .layers import Layers
from .partial_results import PartialResults
from .size_hints import Hints, hints


@dataclass(frozen=True, slots=True)
class Arguments:
    """`values` give the arguments of a task, `takes` says how many parameters each of them is, and
    `hints` what differs from task to task."""

    values: tuple[Callable[[Mapping[Dim, int]], Any], ...]
    takes: tuple[Takes, ...]
    hints: Hints


@dataclass(frozen=True, slots=True)
class Reading:
    """Makes the arguments of one call's tasks."""

    layers: Layers
    partial: PartialResults

    def layers_of(self, read: Any) -> tuple[str, ...]:
        """The layers that have what is read."""
        if isinstance(read, StackedParts):
            return (self.partial.tree(read.source)[0],)
        block = read.footprint if isinstance(read, View) else read
        if not isinstance(block, Blocks | Footprint) or is_source(block.value):
            return ()
        name = self.layers.array(block.value).name
        return (name, edges_of(name)) if isinstance(read, View) else (name,)

    def arguments(self, partition: Partition) -> Arguments:
        """The arguments; the parameters of the graph are brought in their order."""
        order: list[Node] = []
        found: list[Any] = []
        takes: list[Takes] = []
        for node, read in partition.reads.items():
            if node in order or isinstance(read, Fixed):
                continue
            if isinstance(read, StackedParts):
                self.partial.tree(read.source)
            nodes, count = group(partition, node, read)
            order += nodes
            takes.append(count)
            found.append(self.read(read, [partition.reads[each] for each in nodes]))
        order += [node for node, read in partition.reads.items() if isinstance(read, Fixed)]
        steps = [node for node in partition.graph.nodes if node.op != "placeholder"]
        partition.graph.nodes[:] = [*order, *steps]
        reads = [partition.reads[node] for node in order]
        return Arguments(tuple(found), tuple(takes), hints(reads))

    def read(self, read: Any, together: Sequence[Any]) -> Any:
        """What gives an argument of a task, of which these parameters are made."""
        if isinstance(read, Scalar):
            return lambda at: read.value
        if isinstance(read, StackedParts):
            return self.partial.read(read.source)
        if isinstance(read, View):
            return self.mosaic(read.footprint, together)
        if isinstance(read, ByBlock):
            return lambda at: read.numbers[at[read.dim.now]]
        if is_source(read.value):
            return pieces(read.value.outside, [dim and dim.now for dim in read.dims])
        array = self.layers.array(read.value)
        self.layers.include(array)
        name, dims = array.name, [dim and dim.now for dim in read.dims]
        return lambda at: TaskRef((name, *(0 if dim is None else at[dim] for dim in dims)))

    def mosaic(self, footprint: Footprint, views: Sequence[View]) -> Any:
        """What a task is given of its footprint: parts of its own block, and what neighbours'
        blocks have of it, which is cut off where they are."""
        if is_source(footprint.value):
            return self.read_mosaic(footprint, views)
        array = self.layers.array(footprint.value)
        self.layers.include(array)
        edges = self.layers.layers.setdefault(edges_of(array.name), MaterializedLayer({}))
        self.layers.needs[edges_of(array.name)] = {array.name}

        def read(at: Mapping[Dim, int]) -> List:
            parts, refs = [], []
            for block, part in footprint.parts(at):
                key = (array.name, *block)
                cut = small(part, footprint.value, block)
                if cut:
                    key = (edges_of(array.name), *block, *ends(part))
                    edges.mapping.setdefault(key, Task(key, part, TaskRef((array.name, *block))))
                parts.append((None if cut else part.source, part.target))
                refs.append(TaskRef(key))
            return List(mosaic_of(footprint, views, at, parts), *refs)

        return read

    def read_mosaic(self, footprint: Footprint, views: Sequence[View]) -> Any:
        """The same where tasks read the array themselves."""
        reader = footprint.value.outside.reader

        def read(at: Mapping[Dim, int]) -> list[Any]:
            parts = [*footprint.pieces(at)]
            return [mosaic_of(footprint, views, at, [(None, part.target) for part in parts]),
                    *(Piece(reader, part.source) for part in parts)]

        return read


def mosaic_of(
    footprint: Footprint, views: Sequence[View], at: Mapping[Dim, int], parts: Sequence[Any]
) -> Mosaic:
    shape = tuple(each.high - each.low for each in footprint.reaches(at))
    return Mosaic(shape, tuple(parts), tuple(view.key(at) for view in views), footprint.ends,
                  footprint.widths(at))


def group(partition: Partition, node: Node, read: Any) -> tuple[list[Node], Takes]:
    """The parameters that one argument is, and what `BlockFunction.takes` says of it."""
    if isinstance(read, StackedParts):
        same = {one: each.at for one, each in partition.reads.items()
                if isinstance(each, StackedParts) and each.source is read.source}
        place = read.source.place if read.source.tree is None or (
            read.source.tree[1] is None) else 0
        return sorted(same, key=same.__getitem__), (place, len(same))
    if isinstance(read, View):
        views = [one for one, each in partition.reads.items()
                 if isinstance(each, View) and each.footprint is read.footprint]
        return views, len(views)
    return [node], 0
