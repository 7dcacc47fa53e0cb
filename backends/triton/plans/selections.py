"""What a plan does with masks, positions and undo logs, by functions of the array library."""
from __future__ import annotations

from typing import Any

import numpy as np

from ..devices.device import Device, Shape


class Selections:
    """The steps that select elements, on one device."""

    def __init__(self, device: Device) -> None:
        self.device = device
        self.library: Any = device.library

    def count(self, mask: Any, n: int) -> Any:
        """The places of the true ones among the first `n` bools in the memory of a mask."""
        flat = self.device.view(mask, 0, (n,), np.dtype(bool), (1,))
        return self.library.flatnonzero(flat)

    def extract(self, out: Any, places: Any, source: Any, offset: int, stride: int, n: int) -> None:
        """The elements of `source` at these places, packed into `out`."""
        if len(places):
            size = source.dtype.itemsize
            elements = self.device.view(source, offset, (n,), source.dtype, (stride,))
            packed = self.device.view(out, 0, (len(places),), source.dtype, (size,))
            packed[...] = elements[places]

    def locate(self, out: Any, places: Any, shape: Shape) -> None:
        """The places as indices into an array of this shape, one block of int64s."""
        if len(places):
            indices = self.library.stack(self.library.unravel_index(places, shape), axis=-1)
            flat = self.device.view(out, 0, (indices.size,), np.dtype(np.int64), (8,))
            flat[...] = indices.ravel()

    def deposit(
        self, out: Any, places: Any, source: Any, start: int, step: int,
        offset: int, stride: int, n: int,
    ) -> None:
        """Elements of `source`, one after the other, into these places of `out`."""
        if len(places):
            given = self.device.view(source, start, (len(places),), source.dtype, (step,))
            elements = self.device.view(out, offset, (n,), out.dtype, (stride,))
            elements[places] = given

    def kept(self, part: Any) -> tuple[Any, Any, Any]:
        """What an undo log has of a part that is overwritten next."""
        return part, ..., part.copy()

    def kept_at(self, base: Any, offset: int, positions: Any) -> tuple[Any, Any, Any]:
        """The same of elements at these distances in bytes."""
        places, size = positions.ravel() + offset, base.dtype.itemsize
        low, high = (int(places.min()), int(places.max())) if places.size else (0, -size)
        part = self.device.view(base, low, ((high - low) // size + 1,), base.dtype, (size,))
        at = (places - low) // size
        return part, at, part[at]


def put_back(log: list[tuple[Any, Any, Any]]) -> None:
    """Restore what a call has overwritten, the latest first."""
    for part, at, before in reversed(log):
        part[at] = before
