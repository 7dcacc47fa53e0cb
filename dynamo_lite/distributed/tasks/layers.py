"""The arrays of one call as Dask's, and the layers of tasks that they are made of."""
from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import Any

import dask.array as da
from dask.base import tokenize
from dask.highlevelgraph import HighLevelGraph, Layer, MaterializedLayer

from ...base.records import dataclass, field
from ...errors import Unsupported
from ...ir.graph import Graph
from ...runtime.options import Options
from ..partitions.blocks import chunks, in_blocks
from ..partitions.cuts import UNKNOWN, Chunks, Unknown, Value, outside
from ..partitions.partition import Partition, Port
from ..partitions.sources import BlockSource

Key = Any


@dataclass(eq=False, slots=True)
class Layers:
    """`name` begins those of all tasks, `token` tells the call from all others."""

    name: str
    token: str
    options: Options
    count: Iterator[int] = field(default_factory=itertools.count)
    layers: dict[str, Any] = field(default_factory=dict)
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
        if any(isinstance(size, Unknown) for sizes in value.cut for size in sizes):
            raise Unsupported(UNKNOWN)
        if cut not in value.recut:
            value.recut[cut] = outside(self.cut_again(value, cut), value.stage)
        return value.recut[cut]

    def cut_again(self, value: Value, cut: tuple[Chunks, ...]) -> Any:
        array = value.outside
        if value.home is not None or isinstance(array, da.Array):
            return self.array(value).rechunk(chunks(cut))
        if isinstance(array, BlockSource):
            return BlockSource(array.array, cut)  # type: ignore[arg-type]
        return in_blocks(array, chunks(cut))

    def named(self, port: Port, partition: Partition) -> str:
        port.name = port.name or self.fresh(label(partition.graph))
        return port.name

    def fresh(self, what: str) -> str:
        """A name that is always the same for the same call."""
        return f"{self.name}-{what}-{tokenize(self.token, next(self.count))}"

    def on(self, graph: HighLevelGraph, array: Any) -> Any:
        """An array with the tasks that it needs."""
        needed = graph.cull_layers([array.name])
        return da.Array(needed, array.name, array.chunks, dtype=array.dtype)

    def include(self, array: Any) -> None:
        """Take over the tasks that an array comes with; those of stubs are made elsewhere."""
        for name, layer in array.dask.layers.items():
            if layer or name not in self.layers:
                self.layers.setdefault(name, layer)
                self.needs.setdefault(name, set(array.dask.dependencies[name]))

    def add(self, name: str, layer: Layer, needs: set[str]) -> None:
        self.layers[name], self.needs[name] = layer, needs


def label(graph: Graph, what: str = "fused") -> str:
    return f"{what}-{len(graph.calls)}ops"
