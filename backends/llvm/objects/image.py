"""A compiled graph, independent of the process that made it: machine code and what it runs with."""
from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ....base.config import config
from ....base.loading import loaded
from ....base.records import NamedTuple, dataclass
from ....errors import Unsupported
from ....ir.node import Location
from ....ir.plain import from_plain, plain, plain_dtype
from ....ir.random_memory import is_of_generator, learn_layouts
from ....native import _core
from ..builder.externals import addresses, calls_outside
from . import jit_dump, perf_map
from .flat_calls import FlatCall
from .loaded_functions import loaded_functions

LARGEST = 1 << 16  # bytes of a constant array that are kept on disk


CountedStep = tuple[str, str, tuple[tuple[str, int | None, float], ...]]
"""Its kind and name, and the user's operations in it: name, number of the line, estimated time."""


class Kept(NamedTuple):
    """Where an image is on disk: the file, and a sum of the key and the answers about sizes that it
    was kept for."""

    path: str
    sum_of_key: str


@dataclass(frozen=True, slots=True)
class LoadedCode:
    """What keeps the machine code of an entry mapped, and what its steps are."""

    code: object
    steps: tuple[CountedStep, ...]
    places: tuple[Location | None, ...]
    """The user's lines, by number."""
    memory: int
    kept: Kept | None = None


@dataclass(frozen=True, slots=True)
class Image:
    """`objects` are relocatable, each may call those before it, and the last one has the entry.
    `constants` are arrays, then the callables of extern steps; see `NativeEntry`. `unprofitable`:
    why Python may as well run the function. `steps` are those that the entry tells by number,
    `memory` the bytes that a call makes."""

    objects: tuple[bytes, ...]
    n_inputs: int
    n_slots: int
    n_outputs: int
    constants: tuple[Any, ...]
    descrs: tuple[np.dtype, ...]
    steps: tuple[CountedStep, ...]
    inexact_flags: int
    memory: int
    unprofitable: str = ""

    def load(
        self, *, single: bool = False, places: Sequence[Location | None] = (),
        kept: Kept | None = None,
    ) -> _core.NativeEntry:
        address, code = mapped(self.objects)
        if any(map(is_of_generator, self.constants)):
            learn_layouts()
        owner = LoadedCode(code, self.steps, tuple(places), self.memory, kept)
        for is_wanted, noted in ((config.perf_map, perf_map), (config.jit_dump, jit_dump)):
            if is_wanted and isinstance(code, list):
                noted.note(loaded_functions(self.objects, code, places))
        constants = tuple(c.function() if isinstance(c, FlatCall) else c for c in self.constants)
        return _core.NativeEntry(
            address, owner, self.n_inputs, self.n_slots, self.n_outputs, constants,
            self.descrs, single, inexact_flags=self.inexact_flags,
        )

    def plain(self) -> Any:
        """As plain data; Unsupported where that cannot be exact."""
        return (
            self.objects, self.n_inputs, self.n_slots, self.n_outputs,
            tuple(map(_plain_constant, self.constants)), tuple(map(plain_dtype, self.descrs)),
            self.steps, self.inexact_flags, self.memory, self.unprofitable,
        )

    @staticmethod
    def from_plain(data: Any) -> Image:
        objects, n_inputs, n_slots, n_outputs, constants, descrs, *rest = data
        return Image(
            objects, n_inputs, n_slots, n_outputs, tuple(map(_constant, constants)),
            tuple(map(from_plain, descrs)), *rest,
        )


def mapped(objects: Sequence[bytes]) -> tuple[int, object]:
    """The entry's address and what keeps it mapped; without LLVM, where the core can."""
    symbols = dict(addresses()) if any(map(calls_outside, objects)) else {}
    images = []
    for code in objects:
        if (image := _core.load_object(code, symbols)) is None:
            break
        images.append(image)
        symbols.update(image)
    if len(images) < len(objects) or "entry" not in symbols:
        compiler = loaded(".compiler", __package__)
        linked: tuple[int, object] = compiler.link(objects, "entry")
        return linked
    return symbols["entry"], images


def _plain_constant(value: Any) -> Any:
    if isinstance(value, FlatCall):
        parts = (value.target, value.args, value.kwargs)
        return ("call", *map(plain, parts))
    if type(value) is np.ndarray:
        return _plain_array(value)
    return plain(value)


def _plain_array(value: np.ndarray) -> Any:
    if value.nbytes > LARGEST:
        raise Unsupported("a large constant array")
    data = ("array", plain_dtype(value.dtype), value.shape, value.tobytes(), value.flags.writeable)
    if _array(*data[1:]).strides != value.strides:
        raise Unsupported("a constant array that is not packed")
    return data


def _constant(data: Any) -> Any:
    if data[0] == "call":
        return FlatCall(*map(from_plain, data[1:]))
    return _array(*data[1:]) if data[0] == "array" else from_plain(data)


def _array(dtype: Any, shape: tuple[int, ...], content: bytes, writeable: bool) -> np.ndarray:
    array = np.frombuffer(content, from_plain(dtype)).reshape(shape).copy()
    array.flags.writeable = writeable
    return array
