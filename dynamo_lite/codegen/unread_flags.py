"""Which flags of arrays make no difference to captured code: they need no guard."""
from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from ..ir.node import Node
from ..ir.row import Kind, row_of
from ..ir.types import ArrayType, Form
from ..tracer.state.trace import Returned, Trace

BY_ELEMENT = frozenset({Kind.POINTWISE, Kind.VIEW, Kind.CREATION})
"""What is computed so is computed alike however elements lie in memory. NumPy sums up an array that
is not aligned in parts, in another order."""


def unread_flags(trace: Trace, outputs: Sequence[Any]) -> Iterator[str]:
    """Names of flags. Blocks that came in messages, parts of files and the like are often read-only
    or not aligned, and are mixed with others."""
    guards = trace.guards
    if guards.reads_flags or not isinstance(trace.end, Returned):
        return
    if not guards.written() and all(map(_has_its_flag, outputs)):
        yield "writeable"
    rows = [row_of(call.target) for call in trace.graph.calls]
    if all(row is not None and row.kind in BY_ELEMENT for row in rows):
        yield "aligned"


def _has_its_flag(output: Any) -> bool:
    """Whether a result is writeable where an argument is, of whose memory it is a view."""
    kind = output.type if isinstance(output, Node) else None
    if not isinstance(kind, ArrayType) or kind.form is not Form.ARRAY:
        return True
    return kind.writeable or output.op == "placeholder"
