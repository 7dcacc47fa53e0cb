"""How many values are on the stack before an instruction."""
from __future__ import annotations

import dis
from collections.abc import Iterator
from types import CodeType

from .reading import Raw, exception_table, raw_instructions

ENDS = frozenset({"RETURN_VALUE", "RETURN_CONST", "RAISE_VARARGS", "RERAISE", "JUMP_FORWARD",
                  "JUMP_BACKWARD", "JUMP_BACKWARD_NO_INTERRUPT"})
"""Instructions that the next one does not follow."""


def stack_depths(code: CodeType, offsets: set[int]) -> dict[int, int]:
    """How many values are on the stack before the instructions at these offsets."""
    raws = {raw.offset: raw for raw in raw_instructions(code)}
    handlers = {at: (target, depth + lasti + 1)
                for start, end, target, depth, lasti in exception_table(code)
                for at in range(start, end, 2)}
    found: dict[int, int] = {}
    todo = [(0, 0)]
    while todo:
        at, depth = todo.pop()
        if at in found or at not in raws:
            continue
        found[at] = depth
        todo += _next(raws[at], depth)
        if at in handlers:
            todo.append(handlers[at])
    return {at: depth for at, depth in found.items() if at in offsets}


def _next(raw: Raw, depth: int) -> Iterator[tuple[int, int]]:
    """Where control goes without an exception, and the depth of the stack there."""
    if raw.opname == "FOR_ITER":
        assert raw.target is not None
        return iter([(raw.end, depth + 1), (raw.target, depth - 1)])
    arg = raw.arg if raw.opcode >= dis.HAVE_ARGUMENT else None
    found = []
    if raw.target is not None:
        found.append((raw.target, depth + dis.stack_effect(raw.opcode, arg, jump=True)))
    if raw.opname not in ENDS:
        found.append((raw.end, depth + dis.stack_effect(raw.opcode, arg, jump=False)))
    return iter(found)
