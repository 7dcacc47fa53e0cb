"""Between what the ints of a loop lie in each iteration: it would not have begun where they do not
meet the condition of a `while`."""
from __future__ import annotations

import operator
from collections.abc import Mapping, Sequence
from typing import Any

from ....base.records import dataclass, field
from ....ir import control
from ....ir.graph import Graph
from ....ir.node import Node
from ...loop_ir.loops import Buffer
from ..scalars.intervals import Interval, Known, hull, interval, limits_of
from ..state.context import Lowering
from ..state.values import Value, load_of
from .assumptions import MIRRORED, WITHIN, Assumption
from .signs import is_int

COMPARISONS: Mapping[Any, str] = {
    operator.lt: "less", operator.le: "less_equal", operator.gt: "greater",
    operator.ge: "greater_equal", operator.eq: "equal", operator.ne: "not_equal",
}


def in_iterations(
    low: Lowering, states: Sequence[Value], carried: Sequence[Any], operands: Sequence[Any],
    body: Graph, first: int,
) -> Assumption:
    """What holds of the variables of a loop at the begin of each iteration: of the first one what
    is known of their values before, of the others what the condition has been found to say."""
    others = body.placeholders[first + len(carried) :]
    condition = Condition(low, states, dict(zip(others, operands)))
    for place, node in enumerate(body.outputs[1 : 1 + len(carried)]):
        if isinstance(node, Node) and is_int(node.type):
            condition.places.setdefault(node, place)
    condition.learn(body.outputs[0], {})
    found: dict[Buffer, Interval] = {}
    for place, within in condition.found.items():
        if (before := known_of(low, carried[place])) is not None:
            least, most = condition.known(place)
            nearest, furthest = hull(before, within)
            found[load_of(states[place]).buffer] = max(least, nearest), min(most, furthest)
    return Assumption({one: within for one, within in found.items() if within[0] <= within[1]})


def known_of(low: Lowering, value: Any) -> Known:
    """Between what an int lies."""
    if isinstance(value, Value):
        return interval(low, value.expr) if value.dtype.kind == "i" and not value.shape else None
    return (value, value) if type(value) is int else None


@dataclass(frozen=True, slots=True)
class Condition:
    """What it says when it holds: `found` by the places of the variables, whose values for the next
    iteration are the nodes in `places`."""

    low: Lowering
    states: Sequence[Value]
    operands: Mapping[Node, Any]
    places: dict[Node, int] = field(default_factory=dict)
    found: dict[int, Interval] = field(default_factory=dict)

    def learn(self, value: Any, given: Mapping[Node, Any]) -> None:
        """Of a number that is true; `given` are the operands of the arm that it is in."""
        value = given.get(value, value) if isinstance(value, Node) else value
        if not isinstance(value, Node):
            return
        if value.target in COMPARISONS:
            left, right = (given.get(arg, arg) if isinstance(arg, Node) else arg
                           for arg in value.args)
            self.compare(COMPARISONS[value.target], left, right)
        elif value.target is control.choose and value.args[2] is False:
            self.learn(value.args[0], given)
            self.learn(value.args[1], given)
        elif value.target is operator.getitem and isinstance(value.args[0], Node):
            node, place = value.args
            self.learn_of_branch(node, place, given)

    def learn_of_branch(self, node: Node, place: int, given: Mapping[Node, Any]) -> None:
        """`left and right` is `right` where `left` is true, and else False."""
        if node.target is not control.cond or node.args[2].outputs[place] is not False:
            return
        predicate, true, _, operands = node.args[:4]
        self.learn(predicate, given)
        outer = [given.get(one, one) if isinstance(one, Node) else one for one in operands]
        self.learn(true.outputs[place], dict(zip(true.placeholders, outer)))

    def compare(self, op: str, left: Any, right: Any) -> None:
        between = self.between(left), self.between(right)
        if between[0] is None or between[1] is None:
            return
        self.narrow(left, WITHIN[op](between[0], between[1]))
        self.narrow(right, WITHIN[MIRRORED[op]](between[1], between[0]))

    def between(self, value: Any) -> Known:
        if isinstance(value, Node):
            if value in self.places:
                return self.found.get(self.places[value], self.known(self.places[value]))
            return known_of(self.low, self.operands.get(value))
        return known_of(self.low, value)

    def known(self, place: int) -> Interval:
        """Between what a variable lies before and behind all iterations."""
        state = self.states[place]
        return self.low.intervals.get(load_of(state).buffer, limits_of(state.dtype))

    def narrow(self, value: Any, found: Interval) -> None:
        if isinstance(value, Node) and value in self.places:
            self.found[self.places[value]] = found
