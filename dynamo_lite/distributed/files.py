"""Files behind arrays of NumPy's `memmap`, read without being mapped."""
from __future__ import annotations

import math
import mmap
import os
from typing import Any

import numpy as np

from ..base.records import dataclass

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
        row = math.prod(self.shape[1:])
        with open(self.filename, "rb", buffering=0) as file:
            file.seek(self.offset + start * row * self.dtype.itemsize)
            read = np.fromfile(file, self.dtype, (stop - start) * row)
        return read.reshape((stop - start, *self.shape[1:]))[(slice(None), *others)]


def file_of(array: Any) -> Rows | None:
    """The part of a file that an array maps, if reading it there gives what the array holds."""
    root = array
    while isinstance(root.base, np.ndarray):
        root = root.base
    if type(array) not in (np.memmap, np.ndarray) or type(root) is not np.memmap or (
        type(root.base) is not mmap.mmap or root.filename is None or root.mode == "c"
        or not (array.ndim and array.size and array.flags.c_contiguous)
    ):
        return None
    name, place = os.fspath(root.filename), address(array)
    if inode_at(place) != inode_of(name):
        return None
    return Rows(name, root.offset + place - address(root), array.dtype, array.shape)


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
