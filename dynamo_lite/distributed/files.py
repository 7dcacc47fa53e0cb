"""Files behind arrays of NumPy's `memmap`, read without being mapped."""
from __future__ import annotations

import math
import mmap
import os
from typing import Any

import numpy as np

from ..base.records import dataclass

AT_ONCE = 8 << 20
"""Bytes of rows that are read together where only parts of them are taken."""
MAPPINGS = "/proc/self/maps"
"""Where Linux says which file is mapped at which address."""


@dataclass(frozen=True, slots=True)
class Rows:
    """An array whose bytes lie together in a file, from `offset` on. What was read is given back at
    once, and the file goes to other processes by its name."""

    filename: str
    offset: int
    dtype: Any
    shape: tuple[int, ...]

    @property
    def ndim(self) -> int:
        return len(self.shape)

    def __getitem__(self, key: tuple[slice, ...]) -> np.ndarray:
        first, *others = key
        start, stop, _ = first.indices(self.shape[0])
        whole = self.shape[1:]
        taken = tuple(len(range(*each.indices(size))) for each, size in zip(others, whole))
        step = max(1, AT_ONCE // max(1, math.prod(whole) * self.dtype.itemsize))
        if taken == whole or stop - start <= step:
            return self.rows(start, stop)[(slice(None), *others)]
        parts = np.empty((stop - start, *taken), self.dtype)
        for at in range(start, stop, step):
            rows = self.rows(at, min(at + step, stop))
            parts[at - start : at - start + step] = rows[(slice(None), *others)]
        return parts

    def rows(self, start: int, stop: int) -> np.ndarray:
        row = math.prod(self.shape[1:])
        with open(self.filename, "rb", buffering=0) as file:
            file.seek(self.offset + start * row * self.dtype.itemsize)
            read = np.fromfile(file, self.dtype, (stop - start) * row)
        return read.reshape((stop - start, *self.shape[1:]))


def file_of(array: Any) -> Rows | None:
    """The part of a file that an array maps, if reading it there gives what the array holds."""
    root = root_of(array)
    if type(array) not in (np.memmap, np.ndarray) or type(root) is not np.memmap or (
        type(root.base) is not mmap.mmap or root.filename is None or root.mode == "c"
        or not (array.ndim and array.size and array.flags.c_contiguous)
    ):
        return None
    name, place = os.fspath(root.filename), address(array)
    if inode_at(place) != inode_of(name):
        return None
    return Rows(name, root.offset + place - address(root), array.dtype, array.shape)


def root_of(array: np.ndarray) -> np.ndarray:
    """The array that a view is of, and its views, to the last."""
    while isinstance(array.base, np.ndarray):
        array = array.base
    return array


def address(array: np.ndarray) -> int:
    place: int = array.__array_interface__["data"][0]
    return place


def inode_at(place: int) -> int | None:
    """The inode of the file that is mapped at an address; None where the system does not say."""
    if not os.path.exists(MAPPINGS):
        return None
    with open(MAPPINGS, "rb") as mappings:
        for line in mappings:
            span, _, _, _, inode = line.split(None, 5)[:5]
            low, high = span.split(b"-")
            if int(low, 16) <= place < int(high, 16):
                return int(inode)
    return None


def inode_of(name: str) -> int:
    """The inode of the file that has a name now; -1 if there is none."""
    try:
        return os.stat(name).st_ino
    except OSError:
        return -1
