"""Blocks of values: where they lie, how large they are, and which parts of them are sent."""
from __future__ import annotations

import itertools
import math
from collections.abc import Mapping, Sequence
from typing import Any

import dask.array as da

from .cuts import Chunks, Dim, Unknown, Value
from .footprints import Part
from .sources import BlockSource, Piece


def is_source(value: Value) -> bool:
    """Whether tasks read it themselves."""
    return value.home is None and isinstance(value.outside, BlockSource)


def size_of(value: Value) -> int:
    """The bytes of an array; 0 where they are known only when it is computed."""
    sizes = [sum(axis.chunks) for axis in value.axes]
    return 0 if any(isinstance(size, float) for size in sizes) else int(
        value.dtype.itemsize * math.prod(sizes))


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
    if isinstance(array, BlockSource):
        return da.from_array(array.reader, cut, asarray=True, name=False)
    return da.from_array(array, cut)


def pieces(source: BlockSource, dims: Sequence[Dim | None]) -> Any:
    """What tells a task which block it reads."""
    reader = source.reader
    stops = [[*itertools.accumulate(sizes)] for sizes in source.chunks]

    def read(at: Mapping[Dim, int]) -> Piece:
        places = [0 if dim is None else at[dim] for dim in dims]
        return Piece(reader, tuple(
            slice(ends[place] - sizes[place], ends[place])
            for ends, sizes, place in zip(stops, source.chunks, places)))

    return read


def chunks(cut: Sequence[Chunks]) -> tuple[tuple[float, ...], ...]:
    return tuple(tuple(float("nan") if isinstance(size, Unknown) else size for size in sizes)
                 for sizes in cut)
