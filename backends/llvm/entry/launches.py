"""Launches, and the commit, before which all that may report something is computed."""
from __future__ import annotations

from ....ir.sizes import symbols
from ...loop_ir.program import Commit, Launch, all_steps
from ...loop_ir.sizes_of import exact_sizes
from ...passes.schedule import may_report
from ..builder.elements import PARTS
from ..kernels.scalars import keep
from .copies import copy
from .inline_kernels import is_scalar, statements
from .kernel_calls import call_kernel
from .state import Entry, writes


@writes(Launch)
def launch(entry: Entry, step: Launch) -> None:
    kernel = step.kernel
    if kernel.errstate != entry.errstate and may_report(kernel):
        entry.begin_errstate(kernel.errstate)
    for size in exact_sizes(kernel) if entry.wide else ():
        if not entry.wide.isdisjoint(symbols(size)):
            entry.size(size)  # what the kernel computes again does not wrap
    if is_scalar(kernel):
        statements(entry, kernel)
    elif not copy(entry, kernel):
        call_kernel(entry, kernel)


@writes(Commit)
def commit(entry: Entry, step: Commit) -> None:
    compute_before(entry, step)
    entry.frame.checked("commit", "ptr %frame")


def compute_before(entry: Entry, commit: Commit) -> None:
    """Have LLVM compute numbers that are read behind the commit alone before it, which asks what
    was reported."""
    steps = entry.program.steps
    behind = all_steps(steps[steps.index(commit) + 1 :])
    for buffer in dict.fromkeys(buffer for step in behind for buffer in step.reads):
        kind = entry.types.get(buffer.name)
        if kind is None or kind.shape or buffer.dtype.kind not in "fc":
            continue
        part, pointer = PARTS.get(buffer.dtype, buffer.dtype), entry.pointer(buffer.name)
        for offset in range(0, buffer.dtype.itemsize, part.itemsize):
            keep(entry.builder.load(entry.builder.offset(pointer, offset), part))
