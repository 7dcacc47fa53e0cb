"""What a loop carries and only counts with: ints to which each iteration adds small constants.

No machine adds `MOST` to a number so often that it gets `FAR` from where it began: that takes
more than a year. So counters that begin within `START` do not overflow, those of loops in loops
among them; and one that never goes down is never less than it was.
"""
from __future__ import annotations

import operator
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from ....base.records import dataclass, field
from ....ir import control
from ....ir.graph import Graph
from ....ir.node import Node
from ....ir.sizes import SizeExpr
from ..scalars.intervals import Interval, Known, hull, interval, of_size
from ..state.context import Lowering
from ..state.values import Value

MOST, FAR = 8, 2**60
START = 2**63 - 2 * FAR
DEPTH = 40
"""Nodes that lie between what an iteration is given and what it gives."""
STAYS: Interval = (0, 0)


@dataclass(frozen=True, slots=True)
class Flow:
    """What may become of a number: something is added to it (by each step, as far as `added` says),
    or it begins anew, `within` an interval."""

    added: Known = None
    within: Known = None

    def plus(self, number: int) -> Flow:
        moved = (None if one is None else (one[0] + number, one[1] + number)
                 for one in (self.added, self.within))
        return Flow(*moved)

    def or_else(self, other: Flow) -> Flow:
        return Flow(_either(self.added, other.added), _either(self.within, other.within))

    def repeated(self, body: Flow) -> Flow:
        """The same number after a loop, of which this is what an iteration does to it."""
        found = self.or_else(Flow(None, body.within))
        steps = body.added or STAYS
        within = None if found.within is None else _far(found.within, steps)
        added = None if found.added is None else _either(found.added, found.plus_all(steps))
        return Flow(added, within)

    def plus_all(self, steps: Interval) -> Known:
        return None if self.added is None else (
            self.added[0] + steps[0], self.added[1] + steps[1])


@dataclass(eq=False, slots=True)
class Findings:
    """What was found out of the nodes of a graph; and, by node, graph and position, of those of the
    graphs inside it: each is looked at once."""

    flows: dict[Node, Flow | None]
    inside: dict[tuple[int, int, int], Findings] = field(default_factory=dict)


def counted(low: Lowering, starts: Sequence[Any], body: Graph, first: int) -> Iterator[Known]:
    """Between what each of the numbers lies that a loop carries, None where that is not known:
    `starts` are their values before, and they are placeholders of the body from the `first` on."""
    for start, given, made in zip(starts, body.placeholders[first:], body.outputs[1:]):
        before = _start(low, start)
        flow = None if before is None else _flow(Findings({given: Flow(STAYS)}), made, DEPTH)
        if before is None or flow is None:
            yield None
        else:
            begins = hull(before, flow.within or before)
            yield _far(begins, flow.added or STAYS) if max(map(abs, begins)) <= START else None


def _start(low: Lowering, start: Any) -> Known:
    if isinstance(start, Value):
        is_int = start.dtype.kind in "iu" and not start.shape
        return interval(low, start.expr) if is_int else None
    return of_size(low, start) if type(start) is int or isinstance(start, SizeExpr) else None


def _either(left: Known, right: Known) -> Known:
    return (left or right) if left is None or right is None else hull(left, right)


def _far(start: Interval, steps: Interval) -> Interval:
    return start[0] - FAR * (steps[0] < 0), start[1] + FAR * (steps[1] > 0)


def _flow(scope: Findings, value: Any, depth: int) -> Flow | None:
    """What a value is, made of those that are known; None where it is something else."""
    if type(value) is int:
        return Flow(None, (value, value))
    if not isinstance(value, Node) or not depth:
        return None
    if value not in scope.flows:
        rule = RULES.get(value.target)
        scope.flows[value] = None if rule is None else rule(scope, value.args, depth - 1)
    return scope.flows[value]


def _sum(scope: Findings, args: Sequence[Any], depth: int) -> Flow | None:
    number, other = args if type(args[0]) is int else args[::-1]
    if type(number) is not int or abs(number) > MOST:
        return None
    found = _flow(scope, other, depth)
    return None if found is None else found.plus(number)


def _difference(scope: Findings, args: Sequence[Any], depth: int) -> Flow | None:
    return None if type(args[1]) is not int else _sum(scope, (args[0], -args[1]), depth)


def _same(scope: Findings, args: Sequence[Any], depth: int) -> Flow | None:
    return _flow(scope, args[0], depth)


def _choice(scope: Findings, args: Sequence[Any], depth: int) -> Flow | None:
    return _joined(_flow(scope, args[1], depth), _flow(scope, args[2], depth))


def _joined(left: Flow | None, right: Flow | None) -> Flow | None:
    return None if left is None or right is None else left.or_else(right)


def _result(scope: Findings, args: Sequence[Any], depth: int) -> Flow | None:
    """A result of a branch or loop."""
    node, position = args
    if not isinstance(node, Node) or type(position) is not int:
        return None
    if node.target is control.cond:
        _, true, false, operands = node.args[:4]
        return _joined(*(
            _flow(_in_branch(scope, node, body, operands, depth), body.outputs[position], depth)
            for body in (true, false)
        ))
    if node.target not in (control.for_loop, control.while_loop):
        return None
    body, carried = node.args[-3:-1]
    if position >= len(carried):
        return None
    start = _flow(scope, carried[position], depth)
    given = body.placeholders[(node.target is control.for_loop) + position]
    key = id(node), id(body), position
    iteration = scope.inside.setdefault(key, Findings({given: Flow(STAYS)}))
    each = _flow(iteration, body.outputs[1 + position], depth)
    return None if start is None or each is None else start.repeated(each)


def _in_branch(
    scope: Findings, node: Node, body: Graph, operands: Sequence[Any], depth: int
) -> Findings:
    key = id(node), id(body), 0
    if key not in scope.inside:
        flows = (_flow(scope, operand, depth) for operand in operands)
        scope.inside[key] = Findings(dict(zip(body.placeholders, flows)))
    return scope.inside[key]


RULES: Mapping[Any, Callable[..., Flow | None]] = {
    operator.add: _sum, operator.sub: _difference, int: _same, control.choose: _choice,
    operator.getitem: _result,
}
