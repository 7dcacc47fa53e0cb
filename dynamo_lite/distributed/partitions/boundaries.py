"""What lies beyond the ends of an array: its other end, copies of its edge, or a constant."""
from __future__ import annotations

from typing import Any

import numpy as np

from ...base.records import NamedTuple, dataclass


class Reach(NamedTuple):
    """What is read of an axis, and how many elements are put before and after it."""

    low: int
    high: int
    before: int = 0
    after: int = 0


@dataclass(frozen=True, slots=True)
class Ends:
    """`mode` is one of `np.pad`; "" where nothing lies there."""

    mode: str = ""
    constant: Any = None

    def reach(self, low: int, high: int, size: int) -> Reach:
        """What gives the elements between two places, one or both of them beyond the ends; some
        more may be read, but none is missing."""
        if self.mode == "wrap":
            return Reach(low, high)
        before, after = max(0, -low), max(0, high - size)
        first, last = min(max(0, low), size), max(0, min(size, high))
        if before:
            last = max(last, self.copied(before))
        if after:
            first = min(first, size - self.copied(after))
        return Reach(first, max(first, last), before, after)

    def copied(self, count: int) -> int:
        """From how many elements at an end so many others are made."""
        return {"constant": 0, "edge": 1, "reflect": count + 1, "symmetric": count}[self.mode]

    def segments(self, low: int, high: int, size: int) -> list[tuple[int, int]]:
        """The runs of elements of the array between two places."""
        if self.mode != "wrap":
            return [(low, high)]
        found = []
        while low < high:
            first = low % size
            count = min(size - first, high - low)
            found.append((first, first + count))
            low += count
        return found or [(0, 0)]

    def put(self, array: np.ndarray, widths: tuple[tuple[int, int], ...]) -> np.ndarray:
        """An array with so many elements before and after it along each axis."""
        if not any(map(any, widths)):
            return array
        filled = {"constant_values": self.constant} if self.mode == "constant" else {}
        made: np.ndarray = np.pad(array, widths, self.mode, **filled)  # type: ignore[call-overload]
        return made


NOTHING = Ends()
