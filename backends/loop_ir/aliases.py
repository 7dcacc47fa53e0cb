"""Which buffers are the memory of others: parts of one array that have names of their own."""
from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from ...ir.row import Kind, row_of
from ...ir.tree import leaves
from .loops import Buffer
from .program import Extern, Ref, Step, View, all_steps

Roots = Mapping[Buffer, Buffer]


def roots_of(steps: Iterable[Step]) -> Roots:
    """For each buffer that shares the memory of another one, the buffer that owns it."""
    roots: dict[Buffer, Buffer] = {}
    for step in all_steps(steps):
        for shared, base in shared_by(step):
            roots[shared] = roots.get(base, base)
    return roots


def shared_by(step: Step) -> Iterator[tuple[Buffer, Buffer]]:
    """Buffers that a step makes in the memory of others: of a view, and what NumPy may give as
    one."""
    if isinstance(step, View):
        yield step.buffer, step.base
    elif isinstance(step, Extern) and step.results:
        row = row_of(step.target)
        given = (leaf for leaf in leaves(step.args) if isinstance(leaf, Ref) and leaf.buffer)
        first = next(given, None) if row is not None and row.kind is Kind.VIEW else None
        if first is not None and first.buffer is not None:
            yield from ((result, first.buffer) for result in step.results)
