"""How arrays are cut into blocks, and what stands for an array while a graph is partitioned."""
from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any, Union

from ...base.records import dataclass, field
from ...errors import Unsupported
from .boundaries import NOTHING, Ends

if TYPE_CHECKING:
    from ...ir.node import Node
    from .partition import Partition

UNKNOWN = "the sizes of its blocks are known only when it has been computed"


class Unknown(float):
    """The size of a block that only its data can tell; equal to itself alone."""

    __slots__ = ()

    def __new__(cls) -> Unknown:
        return super().__new__(cls, "nan")

    def __eq__(self, other: object) -> bool:
        return self is other

    def __hash__(self) -> int:
        return id(self)


Chunks = tuple[Union[int, Unknown], ...]


@dataclass(eq=False, slots=True)
class Dim:
    """A dimension of the space of blocks that the tasks of a partition go through.

    When two partitions become one, a dimension of one `became` the other's.
    """

    blocks: int
    became: Dim | None = None

    @property
    def now(self) -> Dim:
        return self if self.became is None else self.became.now


@dataclass(eq=False, slots=True)
class Axis:
    """An axis of an array: its blocks, and the dimension that they go along with.

    Without a dimension each task has all of the axis, which is one block.
    """

    chunks: Chunks
    dim: Dim | None = None

    @property
    def is_unit(self) -> bool:
        return self.chunks == (1,)

    @property
    def sizes(self) -> tuple[int, ...]:
        """How many elements each block has; Unsupported where that is not known."""
        if any(isinstance(size, Unknown) for size in self.chunks):
            raise Unsupported(UNKNOWN)
        return tuple(map(int, self.chunks))

    @property
    def starts(self) -> tuple[int, ...]:
        """Where each block begins; Unsupported where that is not known."""
        return (0, *itertools.accumulate(self.sizes[:-1]))

    @property
    def length(self) -> int:
        return sum(self.sizes)


@dataclass(eq=False, slots=True)
class Window:
    """A part of `base` that keeps all of its axes: where along each it begins, and what is read
    where it reaches beyond the ends of the base."""

    base: Value
    starts: tuple[int, ...]
    ends: Ends = NOTHING


@dataclass(frozen=True, slots=True)
class Positions:
    """Places along an `axis` of an array that is cut like this, each block's in the block of that
    number; only the first axis has several."""

    cut: tuple[Chunks, ...]
    axis: int


@dataclass(frozen=True, slots=True)
class Deferred:
    """An array of Dask's that is made when it is first read."""

    make: Callable[[], Any]


@dataclass(eq=False, slots=True)
class Value:
    """An array in blocks: computed by a partition's node, or an array of Dask's from outside.

    `stage` of an array from outside comes after those of the partitions that it is made of.
    """

    axes: tuple[Axis, ...]
    dtype: Any
    partition: Partition | None = None
    node: Node | None = None
    outside: Any = None
    outside_stage: float = -1
    readers: list[Partition] = field(default_factory=list)
    window: Window | None = None
    part: Window | None = None
    """Of what lies in one block of an array that is cut: the same as a window."""
    within: Positions | None = None
    recut: dict[tuple[Chunks, ...], Value] = field(default_factory=dict)
    cost: float | None = None
    """Nanoseconds per element to compute it once more, once that was asked."""

    @property
    def home(self) -> Partition | None:
        """The partition that it is computed in."""
        return None if self.partition is None else self.partition.now

    @property
    def stage(self) -> float:
        return self.outside_stage if self.home is None else self.home.stage

    @property
    def cut(self) -> tuple[Chunks, ...]:
        return tuple(axis.chunks for axis in self.axes)

    @property
    def is_whole(self) -> bool:
        """Whether it is one block."""
        return all(len(axis.chunks) == 1 for axis in self.axes)


def outside(array: Any, stage: float = -1) -> Value:
    """An array of NumPy's, which is one block, or one in blocks."""
    cut = getattr(array, "chunks", None) or tuple((size,) for size in array.shape)
    axes = tuple(Axis(tuple(Unknown() if size != size else size for size in sizes))
                 for sizes in cut)
    return Value(axes, array.dtype, outside=array, outside_stage=stage)


def refined(cuts: Iterable[Chunks]) -> Chunks:
    """The coarsest cut that has the borders of all; Unsupported where borders are not known."""
    different = list(dict.fromkeys(cuts))
    if len(different) == 1 or are_unknown_wholes(different):
        return different[0]
    borders: set[int] = set()
    for cut in different:
        axis = Axis(cut)
        borders |= {*axis.starts, axis.length}
    ordered = sorted(borders)
    return tuple(stop - start for start, stop in itertools.pairwise(ordered)) or (0,)


def are_unknown_wholes(cuts: Sequence[Chunks]) -> bool:
    """Whether all are of one block, of which one has a size that is not known: they are alike, or
    NumPy raises when they are computed."""
    return all(len(cut) == 1 for cut in cuts) and any(
        isinstance(size, Unknown) for cut in cuts for size in cut)


def aligned(axes: int, result: int) -> tuple[int, ...]:
    """Which axes of a broadcast result those of an operand become."""
    return tuple(range(result - axes, result))


def common_cut(
    operands: Sequence[tuple[Value, Sequence[int | None]]], shape: Sequence[Any]
) -> list[Chunks]:
    """How a result is cut whose axes come from those of its operands."""
    found: list[list[Chunks]] = [[] for _ in shape]
    for value, onto in operands:
        for axis, place in zip(value.axes, onto):
            if place is not None and not axis.is_unit:
                found[place].append(axis.chunks)
    return [refined(cuts) if cuts else (size,) for cuts, size in zip(found, shape)]
