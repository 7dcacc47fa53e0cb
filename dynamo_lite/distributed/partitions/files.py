"""Files behind arrays of NumPy's `memmap`, read without being mapped."""
from __future__ import annotations

import math
import mmap
import os
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ...base.records import dataclass
from ...native import empty

AT_ONCE = 8 << 20
"""Bytes of rows that are read together where only parts of them are taken."""
MAPPINGS = "/proc/self/maps"
"""Where Linux says which file is mapped at which address."""


class OpenFile:
    """A file that is open for reading as long as this lives."""

    __slots__ = ("descriptor",)

    def __init__(self, name: str) -> None:
        self.descriptor = os.open(name, os.O_RDONLY)

    def __del__(self) -> None:
        if hasattr(self, "descriptor"):  # else it was not opened
            os.close(self.descriptor)

    @property
    def inode(self) -> int:
        return os.fstat(self.descriptor).st_ino

    def read_into(self, buffer: memoryview, offset: int) -> None:
        """Fill bytes of memory with those of the file from `offset` on."""
        while len(buffer):
            count = os.preadv(self.descriptor, [buffer], offset)
            if not count:
                raise EOFError(f"the file ends at byte {offset}, in the middle of an array")
            buffer, offset = buffer[count:], offset + count


@dataclass(eq=False, slots=True)
class Rows:
    """An array whose bytes lie together in a file, from `offset` on. What was read is given back at
    once. All blocks are read through the same open file: the system sees that they follow one
    another, and reads ahead. Other processes open it by its name."""

    filename: str
    offset: int
    dtype: Any
    shape: tuple[int, ...]
    file: OpenFile | None = None

    def __reduce__(self) -> Any:
        return Rows, (self.filename, self.offset, self.dtype, self.shape)

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
        parts = empty((stop - start, *taken), self.dtype)
        for at in range(start, stop, step):
            rows = self.rows(at, min(at + step, stop))
            parts[at - start : at - start + step] = rows[(slice(None), *others)]
        return parts

    def are_whole(self, others: Sequence[slice]) -> bool:
        """Whether rows are taken with all that is in them, as it lies there."""
        return all(each.indices(n) == (0, n, 1) for each, n in zip(others, self.shape[1:]))

    def room(self, count: int) -> np.ndarray:
        """Memory for so many rows."""
        return empty((count, *self.shape[1:]), self.dtype)

    def rows(self, start: int, stop: int) -> np.ndarray:
        """The rows from one number to another."""
        return self.reading(self.room(stop - start))(start, stop)

    def reading(self, room: np.ndarray) -> Callable[[int, int], np.ndarray]:
        """What reads the rows from one number to another, always to the beginning of `room`."""
        file = self.file = self.file or OpenFile(self.filename)
        row, most = math.prod(self.shape[1:]) * self.dtype.itemsize, len(room)
        memory = room.reshape(-1).view(np.uint8).data

        def read(start: int, stop: int) -> np.ndarray:
            count = stop - start
            file.read_into(memory[: count * row], self.offset + start * row)
            return room if count == most else room[:count]

        return read


def file_of(array: Any) -> Rows | None:
    """The part of a file that an array maps, if reading it there gives what the array holds."""
    root = root_of(array)
    if type(array) not in (np.memmap, np.ndarray) or type(root) is not np.memmap or (
        type(root.base) is not mmap.mmap or root.filename is None or root.mode == "c"
        or not (array.ndim and array.size and array.flags.c_contiguous)
    ):
        return None
    name, place = os.fspath(root.filename), address(array)
    try:
        file = OpenFile(name)
    except OSError:
        return None
    if inode_at(place) != file.inode:
        return None
    return Rows(name, root.offset + place - address(root), array.dtype, array.shape, file)


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
