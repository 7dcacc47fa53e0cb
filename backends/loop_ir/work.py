"""How much a step moves and computes, as sizes: what profiles compare with the machine's limits.

Bytes are those of the memory that a step reads and writes, each buffer once, as if caches kept it
until the step is done. Operations are counted at the points where they are evaluated, a function
like `exp` as the simple operations that it is worth (`costs.weight_of`).
"""
from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from ...ir.row import by_name
from ...ir.sizes import Size, product
from . import rewrite
from .loops import Apply, Axis, Buffer, Check, Gather, Kernel, Reduce
from .products import Product
from .program import Launch, Step

Work = tuple[Size, Size]
"""Bytes and operations."""


def work_of(step: Step) -> Work:
    """(0, 0) of a step whose work nobody knows: a call of NumPy, a loop."""
    match step:
        case Launch():
            return kernel_bytes(step.kernel), kernel_operations(step.kernel)
        case Product():
            return product_work(step)
    return 0, 0


def product_work(step: Product) -> Work:
    times, sizes = product([stack.extent for stack in step.stacks]), step.sizes
    whole = product(sizes)
    parts: Iterable[Size] = (whole, *sizes)
    if step.routine == "gemm":
        m, n, k = sizes
        parts = (m * k, k * n, m * n)
    return sum(parts) * times * step.out.dtype.itemsize, 2 * whole * times


def kernel_bytes(kernel: Kernel) -> Size:
    """Of each buffer the elements that the axes in its places reach. Places of the same strides, as
    neighbours and loops over the same rows have, are taken for the same elements."""
    reached: dict[tuple[Buffer, frozenset[Size | str]], dict[Size | str, Axis]] = {}
    everywhere = {*kernel.axes, *(axis for fold in kernel.folds for axis in fold.axes)}

    def reach(buffer: Buffer, places: dict[Size | str, Axis]) -> None:
        reached.setdefault((buffer, frozenset(places)), {}).update(places)

    for load in kernel.loads:
        if isinstance(load, Gather):
            reach(load.buffer, {axis.name: axis for axis in everywhere})
        else:
            reach(load.buffer, {stride: axis for axis, stride in load.offset.strides})
    for statement in kernel.statements:
        if not isinstance(statement, Check):
            strides = statement.offset.strides
            reach(statement.buffer, {stride: axis for axis, stride in strides})
    return sum((elements(axes.values()) * buffer.dtype.itemsize
                for (buffer, _), axes in reached.items()), 0)


def kernel_operations(kernel: Kernel) -> Size:
    free: rewrite.Frees = {}
    counts: Counter[frozenset[Axis]] = Counter()
    for part in kernel.parts:
        axes = frozenset(rewrite.free_axes(part, free))
        match part:
            case Apply():
                row = by_name(part.op)
                counts[axes] += 1 if row is None else row.weight
            case Reduce():
                counts[axes.union(part.axes) - numbers_of_parts(part, free)] += 1
    return sum((elements(axes) * count for axes, count in counts.items()), 0)


def numbers_of_parts(fold: Reduce, free: rewrite.Frees) -> frozenset[Axis]:
    """The axes that count the parts of a fold: all parts together are one fold over its axes."""
    return frozenset[Axis]().union(*[rewrite.free_axes(part, free) for part in fold.part])


def elements(axes: Iterable[Axis]) -> Size:
    return product([axis.extent for axis in sorted(axes, key=lambda axis: axis.name)])
