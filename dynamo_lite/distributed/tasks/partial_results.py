"""Partial results of folds, which tasks of their own combine until few are left."""
from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from dask._task_spec import List, Task, TaskRef
from dask.highlevelgraph import MaterializedLayer

from ...base.records import dataclass
from ...ir.graph import Graph
from ...runtime.options import Options
from ..partitions.cuts import Dim
from ..partitions.partition import Parting, Partition
from .layers import Key, Layers, label
from .running import BlockFunction, block_function
from .size_hints import of_groups

ARITY = 16
"""How many partial results one task combines."""


@dataclass(frozen=True, slots=True)
class PartialResults:
    """Of the partitions of one call."""

    layers: Layers

    def name_all(self, partition: Partition) -> None:
        """All partial results of a task are one result, whatever they are combined to."""
        partings = [one for one in partition.partings.values() if one.nodes]
        name = partings[0].name or self.layers.fresh(label(partition.graph, "parts"))
        for place, parting in enumerate(partings):
            parting.name, parting.place = name, place

    def read(self, parting: Parting) -> Any:
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
        self.name_all(parting.origin.now)
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
            groups = {index: grouped(keys) for index, keys in found.items()}
            place = parting.place if count is None else 0
            counts = [len(group) for each in groups.values() for group in each]
            function, below = combining(parting, place, self.layers.options, counts), name
            name = self.layers.fresh("combine")
            tasks: dict[Key, Any] = {}
            for index, each in groups.items():
                found[index] = [(name, at, *index) for at in range(len(each))]
                for key, group in zip(found[index], each):
                    tasks[key] = Task(key, function, List(*(TaskRef(one) for one in group)))
            self.layers.add(name, MaterializedLayer(tasks), {below})
            count = len(next(iter(found.values())))
        return name, count


def grouped(keys: Sequence[Key]) -> list[Sequence[Key]]:
    return [keys[at : at + ARITY] for at in range(0, len(keys), ARITY)]


def combining(
    parting: Parting, place: int, options: Options, counts: Sequence[int]
) -> BlockFunction:
    """What makes one tuple of partial results of several, which have theirs at a place."""
    graph = Graph()
    stacks = iter([graph.placeholder("p", None) for _ in parting.nodes])  # type: ignore[arg-type]
    results = [made for count, how in parting.folds
               for made in how.combine(graph, [next(stacks) for _ in range(count)])]
    graph.output(tuple(results))
    count = len(results)
    return block_function(
        graph, "combine", options, ((place, count),), ((tuple(range(count)),),),
        of_groups(parting, counts))
