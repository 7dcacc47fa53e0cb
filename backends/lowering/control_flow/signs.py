"""Ints that are never negative: those that a loop carries, where each iteration makes such ones of
such ones. And loops that end soon, since each iteration takes digits of such a number away."""
from __future__ import annotations

import operator
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from ....base.records import dataclass
from ....ir import control
from ....ir.graph import Graph
from ....ir.node import Node
from ....ir.sizes import SizeExpr
from ....ir.types import ArrayType, Form
from ..scalars.intervals import interval, of_size
from ..state.context import Lowering
from ..state.values import Value

LONGEST = 64
"""Iterations after which nothing is left of an int, each of which takes a digit at least."""
Holds = Callable[[Any], bool]


def is_natural(low: Lowering, value: Any) -> bool:
    """Whether a number is an int that is known not to be negative."""
    if isinstance(value, Value):
        is_one = value.dtype.kind in "iu" and not value.shape
        return is_one and interval(low, value.expr)[0] >= 0
    known = of_size(low, value) if type(value) is int or isinstance(value, SizeExpr) else None
    return known is not None and known[0] >= 0


def carried_signs(body: Graph, given: Sequence[bool], carried: range) -> list[bool]:
    """Which of the numbers that a loop carries are never negative, of those that are not before:
    `given` says it of all that an iteration is given, `carried` where these are among it."""
    known = [*given]
    while True:
        made = results(body, known)[1 : 1 + len(carried)]
        following = [*known]
        for place, is_made in zip(carried, made):
            following[place] &= is_made
        if following == known:
            return [known[place] for place in carried]
        known = following


def results(body: Graph, given: Sequence[bool]) -> list[bool]:
    """Which results of a body are ints that are not negative, by what it is given."""
    known: dict[Node, bool] = dict(zip(body.placeholders, given))
    several: dict[Node, list[bool]] = {}

    def holds(value: Any) -> bool:
        return known.get(value, False) if isinstance(value, Node) else (
            type(value) is int and value >= 0)

    for node in body.calls:
        if (rule := OF_BODIES.get(node.target)) is not None:
            several[node] = rule(holds, *node.args)
        elif node.target is operator.getitem and isinstance(node.args[0], Node):
            if (found := several.get(node.args[0])) is not None:
                known[node] = found[node.args[1]]
        elif is_int(node.type) and (of_number := RULES.get(node.target)) is not None:
            known[node] = of_number(holds, *node.args)
    return [holds(output) for output in body.outputs]


def is_int(type_: Any) -> bool:
    """Whether something is an int of Python's, which the call bails out for where it has more bits
    than a register."""
    return isinstance(type_, ArrayType) and type_.form is Form.PYTHON and type_.dtype.kind == "i"


def _of_branch(
    holds: Holds, predicate: Any, true: Graph, false: Graph, operands: Sequence[Any], *_: Any
) -> list[bool]:
    given = [*map(holds, operands)]
    return [left and right for left, right in zip(results(true, given), results(false, given))]


def _of_range(
    holds: Holds, start: Any, stop: Any, step: int, body: Graph, carried: Sequence[Any],
    operands: Sequence[Any], *_: Any,
) -> list[bool]:
    is_index = step > 0 and holds(start)
    return _of_loop(body, [is_index, *map(holds, (*carried, *operands))], 1, len(carried))


def _of_while(
    holds: Holds, proceed: Any, body: Graph, carried: Sequence[Any], operands: Sequence[Any],
    *_: Any,
) -> list[bool]:
    return _of_loop(body, [*map(holds, (*carried, *operands))], 0, len(carried))


def _of_loop(body: Graph, given: Sequence[bool], first: int, count: int) -> list[bool]:
    found = carried_signs(body, given, range(first, first + count))
    return found + [False] * (len(body.outputs) - 1 - count)


OF_BODIES: Mapping[Any, Callable[..., list[bool]]] = {
    control.cond: _of_branch, control.for_loop: _of_range, control.while_loop: _of_while,
}


def _both(holds: Holds, *operands: Any) -> bool:
    return all(map(holds, operands))


def _either(holds: Holds, *operands: Any) -> bool:
    return any(map(holds, operands))


def _first(holds: Holds, operand: Any, *_: Any) -> bool:
    return holds(operand)


def _last(holds: Holds, *operands: Any) -> bool:
    return holds(operands[-1])


RULES: Mapping[Any, Callable[..., bool]] = {
    operator.add: _both, operator.mul: _both, operator.floordiv: _both, operator.or_: _both,
    operator.xor: _both, operator.and_: _either, operator.mod: _last, operator.rshift: _first,
    operator.lshift: _first, int: _first, abs: lambda holds, operand: True,
    control.choose: lambda holds, _, true, false: holds(true) and holds(false),
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Shrinking:
    """That a loop goes on until an int that it carries, at a place, is 0, and takes digits away
    from it. It `ends_anyway`: of a negative one as well, as a register holds it."""

    place: int
    ends_anyway: bool


def shrinking(body: Graph, carried: range) -> Shrinking | None:
    """Of such a loop, what it takes digits from."""
    proceed, *made = body.outputs
    if not isinstance(proceed, Node) or proceed.target is not operator.ne:
        return None
    left, zero = proceed.args
    for place, number in zip(carried, made):
        given = body.placeholders[place]
        if number is left and type(zero) is int and zero == 0 and is_int(given.type):
            lowest, digit = takes_lowest_bit(number, given), takes_digit(number, given)
            return Shrinking(place, lowest) if lowest or digit else None
    return None


def takes_lowest_bit(made: Any, given: Node) -> bool:
    """given & (given - 1)"""
    if not isinstance(made, Node) or made.target is not operator.and_ or given not in made.args:
        return False
    other = made.args[made.args[0] is given]
    return isinstance(other, Node) and other.target is operator.sub and other.args == (given, 1)


def takes_digit(made: Any, given: Node) -> bool:
    """given >> 1, given // 10"""
    if not isinstance(made, Node) or len(made.args) != 2:
        return False
    number, least = made.args[1], {operator.rshift: 1, operator.floordiv: 2}.get(made.target)
    is_least = least is not None and type(number) is int and number >= least
    return is_least and made.args[0] is given


def is_of_numbers(body: Graph) -> bool:
    """Whether a body only computes ints of ints: it reads no memory, and has no loops in it."""
    return all(is_int(node.type) for node in body.placeholders) and not any(
        map(control.is_control, body.calls))
