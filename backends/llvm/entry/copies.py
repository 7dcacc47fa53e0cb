"""Kernels that only copy packed rows: the C library does, where there is much of it."""
from __future__ import annotations

from ....ir.sizes import product
from ...loop_ir import affine
from ...loop_ir.loops import Kernel, Load
from .kernel_calls import call_kernel
from .state import Entry

LARGE = 1 << 15  # bytes in all
ROW = 1 << 11  # bytes of a row


def copy(entry: Entry, kernel: Kernel) -> bool:
    """Write the copy that a kernel is; False where it is something else, or small."""
    if (found := packed_rows(kernel)) is None:
        return False
    store, _ = found
    builder, itemsize = entry.builder, store.dtype.itemsize
    row = entry.size(kernel.axes[-1].extent * itemsize)
    total = entry.size(product(axis.extent for axis in kernel.axes) * itemsize)
    is_known = row.literal and total.literal
    if is_known and (int(row.ref) < ROW or int(total.ref) < LARGE):
        return False
    outer = kernel.axes[0] if len(kernel.axes) > 1 else None
    counts = [entry.size(outer.extent if outer else 1), row]
    counts += [entry.size(affine.stride_of(at.offset, outer) if outer else 0) for at in found]
    places = [entry.start(at.buffer.name, at.offset.constant) for at in found]
    args = ["ptr %frame", *(f"ptr {place}" for place in places), *(f"i64 {n.ref}" for n in counts)]
    if is_known:
        entry.frame.call("copy", *args)
        return True
    large, small, done = (builder.fresh(stem) for stem in ("large", "small", "done"))
    builder.branch(total.ge(LARGE) & row.ge(ROW), large, small)
    builder.label(small)
    sizes = dict(entry.sizes)
    call_kernel(entry, kernel)
    entry.sizes = sizes  # those computed here are not known elsewhere
    builder.jump(done)
    builder.label(large)
    entry.frame.call("copy", *args)
    builder.jump(done)
    builder.label(done)
    return True


def packed_rows(kernel: Kernel) -> tuple[Load, Load] | None:
    """The packed rows that a kernel stores to, and what it copies there."""
    if kernel.copied is None or not 1 <= len(kernel.axes) <= 2:
        return None
    to, source = kernel.copied
    if source.buffer == to.buffer or source.dtype != to.dtype:
        return None
    is_packed = all(
        affine.stride_of(at.offset, kernel.axes[-1]) == to.dtype.itemsize for at in (to, source)
    )
    return (to, source) if is_packed else None
