"""Arrays that lie in memory or in files, cut into blocks that tasks read for themselves."""
from __future__ import annotations

import math
import os
from collections.abc import Sequence
from typing import Any

import numpy as np

from ..base.records import dataclass

SMALL = 1 << 20
"""Bytes of an array that is not cut unless somebody says how."""


def is_dataset(value: Any) -> bool:
    """Whether it is an array in a file, as those of Zarr and HDF5 are."""
    return not isinstance(value, np.ndarray | np.generic) and all(
        hasattr(value, name) for name in ("shape", "dtype", "ndim", "__getitem__")
    ) and isinstance(getattr(value, "dtype", None), np.dtype) and not hasattr(value, "dask")


@dataclass(frozen=True, slots=True)
class Rows:
    """A file of NumPy's `memmap`, read without being mapped: what was read is given back at once,
    and the file goes to other processes by its name."""

    filename: str
    offset: int
    dtype: Any
    shape: tuple[int, ...]

    def __getitem__(self, key: tuple[slice, ...]) -> np.ndarray:
        first, *others = key
        start, stop, _ = first.indices(self.shape[0])
        row = math.prod(self.shape[1:])
        with open(self.filename, "rb") as file:
            file.seek(self.offset + start * row * self.dtype.itemsize)
            read = np.fromfile(file, self.dtype, (stop - start) * row)
        return read.reshape((stop - start, *self.shape[1:]))[(slice(None), *others)]


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
        if type(array) is np.memmap and array.filename is not None and array.ndim and (
            array.flags.c_contiguous and array.base is not None and is_all_of_its_file(array)
        ):
            return Rows(os.fspath(array.filename), array.offset, array.dtype, array.shape)
        return array


def is_all_of_its_file(array: np.memmap) -> bool:
    """Whether it is what was mapped, and no view of a part."""
    return array.base is array._mmap  # type: ignore[attr-defined]


@dataclass(frozen=True, slots=True)
class Piece:
    """A block that a task reads when it begins."""

    reader: Any
    key: tuple[slice, ...]

    def read(self) -> np.ndarray:
        read: np.ndarray = np.asarray(self.reader[self.key])
        return read


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
