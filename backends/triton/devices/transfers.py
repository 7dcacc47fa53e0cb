"""Functions of NumPy arrays on a GPU: their arguments go there, their results come back.

Arguments that overlap go as one piece, so that they overlap there as well. What a call wrote into
them, and results that lie in them, are the caller's own arrays again; results that share memory
with each other still do.
"""
from __future__ import annotations

import ctypes
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np

from ....base.records import dataclass
from ....native import BAILOUT
from .device import Device
from .host import LINE, HostDevice

BYTE = np.dtype(np.uint8)
HOST = HostDevice()


@dataclass(frozen=True, slots=True)
class Piece:
    """Bytes of the host from address `low` on, and `there` their copy, which begins `lead` bytes
    before."""

    low: int
    size: int
    lead: int
    there: Any


class MovedPlan:
    """A launch plan for NumPy arrays; `written` are the positions of the inputs that it changes,
    `fixed` those of the results that may not be written."""

    bails_out = True

    def __init__(
        self, plan: Callable[..., Any], device: Device, written: Sequence[int],
        fixed: Sequence[int] = (),
    ) -> None:
        self.plan = plan
        self.device = device
        self.written = written
        self.fixed = fixed
        self.memory: int | None = getattr(plan, "memory", None)

    def __call__(self, *inputs: Any) -> Any:
        arrays = {i: value for i, value in enumerate(inputs) if isinstance(value, np.ndarray)}
        pieces = [self._sent(low, high) for low, high in spans(arrays.values())]
        given = [self._mirror(arrays[i], pieces) if i in arrays else value
                 for i, value in enumerate(inputs)]
        results = self.plan(*given)
        if results is BAILOUT:
            return BAILOUT
        changes = [(inputs[i], self.device.fetched(given[i])) for i in self.written]
        found = self._home(results, given, inputs, pieces)
        for i in self.fixed:
            found[i].flags.writeable = False
        for array, contents in changes:
            np.copyto(array, contents)
        return found

    def _sent(self, low: int, high: int) -> Piece:
        lead = low % LINE
        return Piece(low, high - low, lead, self.device.sent(bytes_at(low, high - low), lead))

    def _mirror(self, array: np.ndarray, pieces: Sequence[Piece]) -> Any:
        """The array there that stands for one here."""
        if not array.size:
            return self.device.empty(array.shape, array.dtype)
        address = array.ctypes.data
        piece = next(one for one in pieces if one.low <= address < one.low + one.size)
        offset = piece.lead + address - piece.low
        return self.device.view(piece.there, offset, array.shape, array.dtype, array.strides)

    def _home(
        self, results: Sequence[Any], given: Sequence[Any], inputs: Sequence[Any],
        pieces: Sequence[Piece],
    ) -> tuple[Any, ...]:
        """The results here; one object there is one object here."""
        known = {id(there): here for there, here in zip(given, inputs)}
        arrays: list[Any] = [one for one in results if isinstance(one, self.device.array)]
        distinct = {id(one): one for one in arrays}.values()
        memories = Counter(map(self.device.memory, distinct))
        fetched: dict[tuple[int, int], np.ndarray] = {}
        for there in arrays:
            if id(there) in known:
                continue
            memory = self.device.memory(there)
            if (address := self._address(there, pieces)) is not None:
                here = view_of(inputs, address, there)
            elif memories[memory] == 1 and min(there.strides, default=0) >= 0:
                here = HOST.laid_out(there.shape, there.dtype, there.strides)
                np.copyto(here, self.device.fetched(there))
            else:
                here = self._part(there, memory, fetched)
            known[id(there)] = here
        return tuple(known.get(id(one), one) for one in results)

    def _address(self, there: Any, pieces: Sequence[Piece]) -> int | None:
        """Where an array lies here, if it lies in an argument."""
        first = self.device.pointer(there)
        for piece in pieces if there.size else ():
            distance = first - self.device.pointer(piece.there) - piece.lead
            if 0 <= distance < piece.size:
                return piece.low + distance
        return None

    def _part(
        self, there: Any, memory: tuple[int, int], fetched: dict[tuple[int, int], np.ndarray]
    ) -> np.ndarray:
        """A result that shares its memory with others."""
        first = self.device.pointer(there)
        if memory not in fetched:
            begin, size = memory
            whole = self.device.view(there, begin - first, (size,), BYTE, (1,))
            fetched[memory] = self.device.fetched(whole)
        return HOST.view(
            fetched[memory], first - memory[0], there.shape, there.dtype, there.strides)


def bytes_at(address: int, size: int) -> np.ndarray:
    """Memory of this process."""
    return np.ctypeslib.as_array((ctypes.c_uint8 * size).from_address(address))


def view_of(inputs: Iterable[Any], address: int, like: Any) -> np.ndarray:
    """The part of an input that begins at an address."""
    for array in inputs:
        if isinstance(array, np.ndarray) and array.size:
            low, high = np.lib.array_utils.byte_bounds(array)
            if low <= address < high:
                distance = address - array.ctypes.data
                return HOST.view(array, distance, like.shape, like.dtype, like.strides)
    raise IndexError("a result that lies in no argument")


def spans(arrays: Iterable[np.ndarray]) -> list[tuple[int, int]]:
    """First and last address of each piece of memory that arrays lie in."""
    merged: list[tuple[int, int]] = []
    for low, high in sorted(map(np.lib.array_utils.byte_bounds, filter(np.size, arrays))):
        if merged and low < merged[-1][1]:
            merged[-1] = (merged[-1][0], max(high, merged[-1][1]))
        else:
            merged.append((low, high))
    return merged

