"""Entries say at which step they are, where somebody counts what calls spend their time on."""
from __future__ import annotations

from collections.abc import Sequence

from ....ir.sizes import Size, symbols
from ...loop_ir.products import Product
from ...loop_ir.program import Branch, Count, Deposit, Extern, Extract, Launch, Loop, Step
from ...loop_ir.work import work_of
from ..builder.elements import I64
from ..builder.frame import RUNTIME
from ..builder.values import Value
from .inline_kernels import is_scalar
from .state import Entry

STEPS = (Branch, Count, Deposit, Extern, Extract, Launch, Loop, Product)
"""Those that take time of their own. Kernels of single numbers count for what they stand behind."""
COUNTED_OFFSET = 40  # in the frame


def is_asked(entry: Entry) -> Value:
    """Whether somebody counts; read when the entry begins."""
    place = entry.builder.offset("%frame", COUNTED_OFFSET)
    return entry.builder.load(place, I64).ne(0)


def is_counted(step: Step) -> bool:
    return isinstance(step, STEPS) and not (isinstance(step, Launch) and is_scalar(step.kernel))


def begin(entry: Entry, step: Step) -> None:
    """Say that this step begins, and how much it moves and computes."""
    if not is_counted(step):
        return
    number = len(entry.counted)
    entry.counted.append(step)

    def tell() -> Sequence[Value]:
        sizes = dict(entry.sizes)
        work = (f"i64 {told(entry, size)}" for size in work_of(step))
        index, _ = RUNTIME["step"]
        function = entry.frame.pointer_at(entry.frame.runtime, 8 * index)
        arguments = ", ".join(("ptr %frame", f"i64 {number}", *work))
        entry.builder.void(f"call void {function}({arguments})")
        entry.sizes = sizes  # those computed here are not known elsewhere
        return ()

    entry.builder.when(entry.asked, (), tell)


def told(entry: Entry, size: Size) -> str:
    """A size; 0 where it may be too large to be computed."""
    return entry.size(size).ref if entry.wide.isdisjoint(symbols(size)) else "0"
