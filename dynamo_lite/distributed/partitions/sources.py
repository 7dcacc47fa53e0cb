"""Arrays that lie in memory or in files, cut into blocks that tasks read for themselves."""
from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ...base.records import dataclass
from .files import Rows, file_of

SMALL = 1 << 20
"""Bytes of an array that is not cut unless somebody says how."""


def is_dataset(value: Any) -> bool:
    """Whether it is an array in a file, as those of Zarr and HDF5 are."""
    return not isinstance(value, np.ndarray | np.generic) and all(
        hasattr(value, name) for name in ("shape", "dtype", "ndim", "__getitem__")
    ) and isinstance(getattr(value, "dtype", None), np.dtype) and not hasattr(value, "dask")


@dataclass(eq=False, slots=True)
class BlockSource:
    """An array from outside and how it is cut; a task reads its block itself."""

    array: Any
    chunks: tuple[tuple[int, ...], ...]

    @property
    def shape(self) -> tuple[int, ...]:
        return tuple(self.array.shape)

    @property
    def dtype(self) -> Any:
        return self.array.dtype

    @property
    def reader(self) -> Any:
        """What blocks are read from."""
        array = self.array
        return (file_of(array) if isinstance(array, np.ndarray) else None) or array


@dataclass(frozen=True, slots=True)
class Piece:
    """A block that a task reads when it begins."""

    reader: Any
    key: tuple[slice, ...]

    def read(self) -> np.ndarray:
        read: np.ndarray = np.asarray(self.reader[self.key])
        return read

    def rows(self, most: int) -> Callable[[int, int], np.ndarray]:
        """What reads its rows from one number to another, at most so many at once. Those that were
        read before may be overwritten then: what kernels read stays in the cache of their core."""
        reader, (first, *others) = self.reader, self.key
        begin = first.start
        if isinstance(reader, Rows) and reader.are_whole(others):
            read = reader.reading(reader.room(most))
            return lambda start, stop: read(begin + start, begin + stop)
        return lambda start, stop: np.asarray(
            reader[(slice(begin + start, begin + stop), *others)])


def cut_evenly(length: int, size: int) -> tuple[int, ...]:
    whole, rest = divmod(length, max(1, size))
    return (size,) * whole + ((rest,) if rest or not whole else ())


def explicit(shape: Sequence[int], chunks: Any) -> tuple[tuple[int, ...], ...]:
    """The blocks of an array as the user gave them: a number of rows, or one number an axis."""
    sizes = chunks if isinstance(chunks, tuple) else (chunks,)
    if len(sizes) > len(shape):
        sizes = sizes[: len(shape)]
    sizes = (*sizes, *(-1,) * (len(shape) - len(sizes)))
    return tuple((length,) if size in (-1, None) else cut_evenly(length, size)
                 for length, size in zip(shape, sizes))
