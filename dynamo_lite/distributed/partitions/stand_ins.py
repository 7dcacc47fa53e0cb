"""Arrays that cost no memory, in the place of those in blocks while a function is captured."""
from __future__ import annotations

import mmap
from collections.abc import Sequence
from typing import Any

import numpy as np

from ...ir.graph import Graph
from .files import root_of
from .program import NotInBlocks

NO_RESERVE = getattr(mmap, "MAP_NORESERVE", 0x4000)
"""Of Linux: memory that is only there once it is touched; Python names it since 3.13."""


def stand_in(shape: Sequence[int], dtype: Any) -> np.ndarray:
    """An array of the same type and sizes, in memory that is never touched."""
    size = max(1, dtype.itemsize * int(np.prod(shape, dtype=object)))
    memory = mmap.mmap(-1, size, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | NO_RESERVE)
    made: np.ndarray = np.ndarray(shape, dtype, memory)
    return made


def memory_of(array: np.ndarray) -> Any:
    """What an array's elements lie in, which views share."""
    root = root_of(array)
    return root if root.base is None else root.base


def sizes(graph: Graph, inputs: Sequence[Any]) -> dict[str, int]:
    """The values of the symbols of a graph."""
    found: dict[str, int] = {}
    for name, origin in graph.symbols.items():
        value = inputs[origin.placeholder]
        if origin.fact == "size":
            found[name] = value.shape[origin.axis]
        elif origin.fact == "stride":
            found[name] = value.strides[origin.axis]
        elif origin.fact == "value":
            found[name] = int(value)
        else:
            raise NotInBlocks("its sizes have a sum that is an input")
    return found
