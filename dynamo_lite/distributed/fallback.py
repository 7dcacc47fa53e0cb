"""What no rule partitions: Dask's own method where it does what NumPy's does, else one task."""
from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import dask.array as da

from ..base.records import dataclass
from ..ir.row import row_of
from ..ir.tree import leaves, map_leaves
from .partitions.cuts import Value, outside
from .partitions.program import Call, Created
from .rules.elementwise import whole
from .tasks.layers import Layers


@dataclass(frozen=True, slots=True)
class Left:
    layers: Layers

    def __call__(self, call: Call, reason: str) -> Any:
        row = row_of(call.target)
        if row is not None and row.by_dask and not leaves((call.args, call.kwargs), Created):
            try:
                return self.by_dask(call, getattr(da, row.name, call.target))
            except (NotImplementedError, TypeError, ValueError, IndexError):
                pass  # which calls it has not is nowhere said
        return self.in_one_task(call)

    def by_dask(self, call: Call, function: Callable[..., Any]) -> Any:
        args, kwargs = map_leaves(
            lambda leaf: self.lazy(call.program.solid(leaf)), (call.args, call.kwargs))
        result = function(*args, **kwargs)
        if not isinstance(result, da.Array):
            raise TypeError("not lazy")
        if not may_be_equal(result.shape, call.shape):
            raise ValueError("Dask gives another shape than NumPy")
        return outside(result, max(value.stage for value in call.values))

    def lazy(self, leaf: Any) -> Any:
        return self.layers.array(leaf) if isinstance(leaf, Value) else leaf

    def in_one_task(self, call: Call) -> Any:
        def joined(leaf: Any) -> Any:
            if not isinstance(leaf, Value):
                return leaf
            return call.program.recut(leaf, tuple((sum(chunks),) for chunks in leaf.cut))

        args, kwargs = map_leaves(joined, (call.args, call.kwargs))
        return whole(Call(call.program, call.node, args, kwargs))


def may_be_equal(shape: Sequence[float], other: Sequence[float]) -> bool:
    """Whether two shapes agree as far as they are known: sizes that are not are no numbers."""
    return all(one == two or math.isnan(one) or math.isnan(two)
               for one, two in zip(shape, other, strict=True))
