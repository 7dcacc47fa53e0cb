"""Kernels that only copy packed memory: the C library does, where there is much of it."""
from __future__ import annotations

from typing import TYPE_CHECKING

from ..loops import Kernel, Load, Store
from .launches import call_kernel

if TYPE_CHECKING:
    from .entry import EntryWriter

LARGE = 1 << 15  # bytes


def copy(writer: EntryWriter, kernel: Kernel) -> bool:
    """Write the copy that a kernel is; False where it is something else, or small."""
    if (found := copied(kernel)) is None:
        return False
    store, load = found
    builder, nbytes = writer.builder, writer.size(kernel.axes[0].extent) * store.dtype.itemsize
    if nbytes.literal and int(nbytes.ref) < LARGE:
        return False
    places = [writer.start(at.buffer.name, at.offset.constant) for at in (store, load)]
    args = ("ptr %frame", *(f"ptr {place}" for place in places), f"i64 {nbytes.ref}")
    if nbytes.literal:
        writer.frame.call("copy", *args)
        return True
    large, small, done = (builder.fresh(stem) for stem in ("large", "small", "done"))
    builder.branch(nbytes.lt(LARGE), small, large)
    builder.label(small)
    call_kernel(writer, kernel)
    builder.jump(done)
    builder.label(large)
    writer.frame.call("copy", *args)
    builder.jump(done)
    builder.label(done)
    return True


def copied(kernel: Kernel) -> tuple[Load, Load] | None:
    """The packed memory that a kernel stores to, and what it copies there."""
    (first, *more) = kernel.statements
    if more or len(kernel.axes) != 1 or not isinstance(first, Store) or first.indices:
        return None
    to, source = Load(first.buffer, first.offset), first.value
    if not isinstance(source, Load) or source.buffer == to.buffer or source.dtype != to.dtype:
        return None
    packed = ((kernel.axes[0], to.dtype.itemsize),)
    return (to, source) if to.offset.strides == source.offset.strides == packed else None
