"""Kernels that store at positions which vary: what is stored last stays, so points take turns."""
from __future__ import annotations

from . import affine
from .loops import Axis, Kernel, Store
from .rewrite import Frees, free_axes

NONE: frozenset[Axis] = frozenset()


def axes_in_turn(kernel: Kernel) -> frozenset[Axis]:
    """The axes whose points run one after the other, in the order of the kernel: different ones may
    store to the same element. Those of other axes never do."""
    stores = [s for s in kernel.statements if isinstance(s, Store) and s.indices]
    if not stores:
        return NONE
    memo: Frees = {}
    looked_up = [free_axes(index, memo) for store in stores for index, _ in store.indices]
    return NONE.union(*looked_up).union(
        axis for axis in kernel.axes if not affine.is_one(axis.extent) and any(
            affine.is_zero(affine.stride_of(store.offset, axis)) for store in stores)
    )
