"""Loops over time steps: a loop whose length is known is gone through while the graph is cut."""
from __future__ import annotations

from typing import Any

from ...errors import Unsupported
from ..partitions.partition import Scalar
from ..partitions.program import Call


def for_loop(call: Call) -> Any:
    """The body once for each step; only exits that data decide are left to one task."""
    start, stop, step, body, carried, operands = call.args
    versions = call.kwargs.get("versions", 0)
    results = (*carried, *operands[len(operands) - versions :])
    fixed = operands[: len(operands) - versions]
    for index in range(*(number(each) for each in (start, stop, step))):
        newest = results[len(results) - versions :]
        given = (Scalar(index), *results[: len(carried)], *fixed, *newest)
        proceed, *made = call.program.call_body(body, given)
        if not isinstance(proceed, bool):
            raise Unsupported("data decides when the loop ends")
        results = tuple(made)
        if not proceed:
            break
    return results


def number(value: Any) -> int:
    if isinstance(value, Scalar):
        value = value.value
    if not isinstance(value, int):
        raise Unsupported("data decides how long the loop is")
    return value
