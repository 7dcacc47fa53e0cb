"""How far the indices of a kernel reach, which decides whether they have 32 bits."""
from __future__ import annotations

from collections.abc import Iterator

from ....ir.sizes import Size, product
from ...loop_ir.loops import Check, Gather, Kernel, Load, Reduce, SizeValue

NARROW_LIMIT = 2**30


def narrow_condition(kernel: Kernel) -> str | None:
    """What must hold of sizes, as a line of Python, for every index and position to fit in 32 bits:
    "" where it is known, None where it is known not to."""
    reaches = list(map(reach, kernel_reaches(kernel)))
    known = [one for one in reaches if isinstance(one, int)]
    if known and max(known) >= NARROW_LIMIT:
        return None
    unknown = dict.fromkeys(one for one in reaches if isinstance(one, str))
    return " and ".join(f"{one} < {NARROW_LIMIT}" for one in unknown)


def kernel_reaches(kernel: Kernel) -> Iterator[tuple[Size, ...]]:
    """Sizes the sums of whose magnitudes no index of a kernel exceeds."""
    yield (product(axis.extent for axis in kernel.axes),)
    offsets = [s.offset for s in kernel.statements if not isinstance(s, Check)]
    for expr in kernel.parts:
        if isinstance(expr, (Load, Gather)):
            offsets.append(expr.offset)
        if isinstance(expr, Gather):
            yield tuple(stride for _, stride in expr.indices)
        elif isinstance(expr, Reduce):
            yield (product(axis.extent for axis in expr.axes),)
        elif isinstance(expr, SizeValue):
            yield (expr.size,)
    for offset in offsets:
        yield (offset.constant, *(axis.extent * stride for axis, stride in offset.strides))


def reach(sizes: tuple[Size, ...]) -> int | str:
    """The sum of magnitudes, or a line of Python for it."""
    known = sum(abs(size) for size in sizes if isinstance(size, int))
    unknown = [f"abs({size})" for size in sizes if not isinstance(size, int)]
    return " + ".join([*unknown, str(known)]) if unknown else known
