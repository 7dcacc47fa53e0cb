"""Loops and branches: steps that hold the steps of their bodies.

What a loop carries from iteration to iteration lies in buffers of its own: numbers in 0-d ones,
arrays in memory that a body may change in place. The values of the next iteration are all computed
before the first of them is stored.
"""
from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from ....ir.control import is_control
from ....ir.graph import Graph
from ....ir.node import Node
from ....ir.sizes import SizeExpr
from ....ir.types import ArrayType, Form
from ...loop_ir import simplify
from ...loop_ir.loops import Buffer, Check, Expr, Load, Offset, Store
from ...loop_ir.program import Branch, Loop, Rotate, Step
from ...loop_ir.simplify import BOOL, INT64, const
from ...passes.materialise import Access
from ..arithmetic.pointwise import compare, operand_at
from ..calls.externs import own_number
from ..scalars.intervals import Interval, first_of, hull, interval, of_size
from ..state.changes import computed, log_undo, may_change, own_copy
from ..state.context import Lowering, lowers, packed
from ..state.values import CannotLower, Value, load_of
from .assumptions import Assumption, is_number, of_arm
from .carried_ints import note_carried
from .proceeding import in_iterations
from .short_arms import both_arms, choosing, run_both

SHORT = 24
"""Operations of a loop that may be there in two versions."""
FARTHEST = 2**62
"""Ends of ranges up to which an index cannot overflow."""


def number_type(type_: ArrayType) -> ArrayType:
    return ArrayType(type_.dtype)


def variable(low: Lowering, type_: ArrayType) -> Value:
    """A number in memory of its own."""
    buffer = low.allocate(number_type(type_), "n")
    low.numbers.add(buffer)
    return Value(type_, (), Load(buffer, Offset()))


def assign_number(low: Lowering, target: Value, value: Any) -> None:
    expr = operand_at(low, value, (), target.dtype)
    low.launch((), Store(load_of(target).buffer, Offset(), expr))


def in_own_memory(
    low: Lowering, node: Node, leaf: Any, value: Any, type_: ArrayType, is_version: bool
) -> Value:
    """Memory with an array's contents, which may be changed: that of an input only to make the
    next version of the input."""
    if not isinstance(value, Value):
        raise CannotLower("a loop over an array that is a constant")
    same = value.type.strides == type_.strides and value.shape == type_.shape
    same &= is_version or not value.is_memory or load_of(value).buffer not in low.ownership.fixed
    if same and isinstance(leaf, Node) and may_change(low, leaf, value, node):
        return replace(value, type=type_)
    made = array_variable(low, type_)
    low.store(made, value)
    return made


def array_variable(low: Lowering, type_: ArrayType) -> Value:
    """An array in memory of its own, in which it is packed."""
    layout = packed(type_, type_.shape, type_.dtype)
    return low.ownership.owned(replace(low.memory_value(layout, low.allocate(layout)), type=type_))


def ready(low: Lowering, operands: Sequence[Any]) -> list[Any]:
    """Operands as bodies can read them: arrays in memory, numbers in memory of their own, so that
    no iteration reads elements of arrays that it was given, or known."""
    found = []
    for value in operands:
        if isinstance(value, Value):
            if value.type.form is Form.ARRAY:
                value = value if value.is_memory else low.materialise(value, "a body reads it")
            elif not isinstance(value.expr, Load) or value.expr.offset is not Offset():
                own = own_number(low, value)
                value = replace(value, array=own, expr=Load(own, Offset()))
        found.append(value)
    return found


@lowers(reads=Access.MEMORY)
def for_loop(
    low: Lowering, node: Node, start: Any, stop: Any, step: int, body: Graph,
    carried: Sequence[Any], operands: Sequence[Any], versions: int = 0,
) -> tuple[Any, ...]:
    """The index counts in a buffer of its own; it is a copy of it that the body sees."""
    ends = [_end(low, end) for end in (start, stop)]
    order = "less" if step > 0 else "greater"
    counter = variable(low, ArrayType(INT64, form=Form.PYTHON))
    index = variable(low, ArrayType(INT64, form=Form.PYTHON))
    proceed = variable(low, ArrayType(BOOL, form=Form.PYTHON))
    limits = [_limits(low, *end) for end in zip((start, stop), ends)]
    low.intervals[load_of(index).buffer] = _between(limits[0], limits[1], step)
    if step > 0 and isinstance(stop, Value) and is_number(low, stop.expr):
        low.less_than[load_of(index).buffer] = stop.expr
    most = max(0, *(-((last - first) // -step) for first in limits[0] for last in limits[1]))
    assign_number(low, counter, Value(counter.type, (), ends[0]))
    low.launch((), Store(load_of(proceed).buffer, Offset(), compare(order, counter.expr, ends[1])))

    def begin(inner: Lowering) -> None:
        assign_number(inner, index, counter)
        following = simplify.apply("add", (counter.expr, const(step, INT64)), INT64)
        assign_number(inner, counter, Value(counter.type, (), following))

    def more(inner: Lowering, again: Any) -> None:
        test = compare(order, counter.expr, ends[1])
        if again is not True:
            test = simplify.apply("logical_and", (test, operand_at(inner, again, (), BOOL)), BOOL)
        inner.launch((), Store(load_of(proceed).buffer, Offset(), test))

    known = from_zero(low, load_of(index).buffer, ends[0], limits, body) if step > 0 else None
    return _looped(
        low, node, (index,), proceed, body, carried, operands, versions, begin, more, most, known
    )


def from_zero(
    low: Lowering, index: Buffer, start: Expr, limits: Sequence[Interval], body: Graph
) -> tuple[Expr, Assumption] | None:
    """That a loop does not begin below 0, where only the data can tell and it does little: then
    its indices need not be looked at in each iteration."""
    start = first_of(low, start)
    is_number = isinstance(start, Load) and start.buffer in low.defined
    if limits[0][0] >= 0 or limits[1][1] >= FARTHEST or not is_number or not is_short(body):
        return None
    assert isinstance(start, Load)
    last = max(0, limits[1][1] - 1)
    known = Assumption({index: (0, last), start.buffer: (0, last)}, {index: start})
    return compare("greater_equal", start, const(0, INT64)), known


def is_short(body: Graph) -> bool:
    """Whether a loop with this body may be there twice."""
    return len(body.calls) <= SHORT and not any(map(is_control, body.calls))


def _end(low: Lowering, end: Any) -> Expr:
    """An end of a range, so small that an index never overflows."""
    expr = operand_at(low, end, (), INT64)
    if isinstance(end, (Value, SizeExpr)):
        least, most = _limits(low, end, expr)
        if isinstance(end, Value):
            own = own_number(low, end)
            expr = Load(own, Offset())
        if -FARTHEST < least and most < FARTHEST:
            return expr
        size = simplify.apply("absolute", (expr,), INT64)
        low.launch((), Check(compare("less", size, const(FARTHEST, INT64))))
    return expr


def _limits(low: Lowering, end: Any, expr: Expr) -> Interval:
    """Between what an end of a range lies."""
    known = interval(low, expr) if isinstance(end, Value) else of_size(low, end)
    return (-FARTHEST, FARTHEST) if known is None else (
        max(known[0], -FARTHEST), min(known[1], FARTHEST))


def _between(start: Interval, stop: Interval, step: int) -> Interval:
    """Between what the numbers of a range lie."""
    if step > 0:
        return start[0], max(start[0], stop[1] - 1)
    return min(start[1], stop[0] + 1), start[1]


@lowers(reads=Access.MEMORY)
def while_loop(
    low: Lowering, node: Node, first: Any, body: Graph, carried: Sequence[Any],
    operands: Sequence[Any], versions: int = 0,
) -> tuple[Any, ...]:
    proceed = variable(low, ArrayType(BOOL, form=Form.PYTHON))
    assign_number(low, proceed, first)

    def more(inner: Lowering, again: Any) -> None:
        assign_number(inner, proceed, again)

    return _looped(
        low, node, (), proceed, body, carried, operands, versions, lambda inner: None, more
    )


def _looped(
    low: Lowering, node: Node, index: tuple[Value, ...], proceed: Value, body: Graph,
    carried: Sequence[Any], operands: Sequence[Any], versions: int,
    begin: Callable[[Lowering], None], more: Callable[[Lowering, Any], None],
    most: int | None = None, version: tuple[Expr, Assumption] | None = None,
) -> tuple[Any, ...]:
    count = len(operands) - versions
    kinds = node.type
    given = node.args[-2], node.args[-1]
    changing = len(carried), len(kinds) - versions
    states: list[Value] = []
    leaves = [*zip(given[0], carried), *[(None, None)] * (changing[1] - changing[0]),
              *zip(given[1][count:], operands[count:])]
    for position, (kind, (leaf, value)) in enumerate(zip(kinds, leaves)):
        states.append(_state(low, node, kind, leaf, value, position >= changing[1]))
    for state in states[changing[1] :]:
        log_undo(low, state, whole=True)
    found = note_carried(low, states, index, carried, operands, body)
    most = most if found.most is None else found.most
    read = ready(low, operands[:count])
    arguments = (*index, *states[: changing[0]], *read, *states[changing[1] :])
    own = {load_of(state).buffer for state in states if state.type.form is Form.ARRAY}
    forget(low, {load_of(state).buffer for state in (*index, proceed, *states)})

    def loop() -> tuple[Loop, set[Buffer]]:
        inner, outputs = low.lower_body(low, body, _as_values(low, body, arguments), own)
        steps = [*inner.steps]
        inner.steps.clear()
        begin(inner)
        inner.steps += steps
        again, *following = outputs
        if isinstance(again, Value):
            again = _settled(inner, again)
        rotated = _advance(inner, states, following)
        more(inner, again)
        return Loop(load_of(proceed).buffer, tuple(inner.steps), most), rotated

    if version is None:
        with in_iterations(low, states, carried, operands, body, len(index)).made(low):
            made, rotated = loop()
        low.steps.append(made)
    else:
        condition, assumption = version
        with assumption.made(low):
            quick, rotated = loop()
        other, also_rotated = loop()
        rotated |= also_rotated
        test = variable(low, ArrayType(BOOL, form=Form.PYTHON))
        low.launch((), Store(load_of(test).buffer, Offset(), condition))
        low.steps.append(Branch(load_of(test).buffer, (quick,), (other,)))
    for condition in found.behind:
        low.launch((), Check(condition))
    return tuple(
        own_copy(low, state, "two arrays take turns", state.type)
        if load_of(state).buffer in rotated else state
        for state in states
    )


def forget(low: Lowering, variables: set[Buffer]) -> None:
    """What was checked of these does not hold in each iteration."""
    for expr in [expr for expr, (_, _, about) in low.checked.items() if about & variables]:
        del low.checked[expr]


def _state(
    low: Lowering, node: Node, kind: ArrayType, leaf: Any, value: Any, is_version: bool = False
) -> Value:
    if kind.form is Form.ARRAY:
        if value is None:
            return array_variable(low, kind)
        return in_own_memory(low, node, leaf, value, kind, is_version)
    state = variable(low, kind)
    assign_number(low, state, 0 if value is None else value)
    return state


def _as_values(low: Lowering, body: Graph, arguments: Sequence[Any]) -> list[Any]:
    """Values for the placeholders; known numbers are literals."""
    return [
        argument if isinstance(argument, Value)
        else Value(node.type, (), operand_at(low, argument, (), node.type.dtype))
        for node, argument in zip(body.placeholders, arguments)
    ]


def _settled(low: Lowering, value: Value) -> Value:
    """A number that does not change when others are stored."""
    return computed(low, value)


def _advance(low: Lowering, states: Sequence[Value], following: Sequence[Any]) -> set[Buffer]:
    """The values of the next iteration take their places; the buffers that changed their memory."""
    numbers: list[tuple[Value, Any]] = []
    arrays: list[tuple[Value, Value]] = []
    for state, value in zip(states, following):
        if isinstance(value, Value) and value.is_memory and (
            load_of(value).buffer == load_of(state).buffer
        ):
            continue
        if state.type.form is not Form.ARRAY:
            numbers.append((state, _settled(low, value) if isinstance(value, Value) else value))
        else:
            arrays.append((state, value))
    rotated = _rotate(low, states, arrays)
    for state, value in numbers:
        assign_number(low, state, value)
    return rotated


def _rotate(
    low: Lowering, states: Sequence[Value], arrays: list[tuple[Value, Value]]
) -> set[Buffer]:
    """Arrays of one layout exchange their memory; others are copied, and so is what goes into the
    memory of an input."""
    ownership = low.ownership
    mine = {load_of(state).buffer for state in states if state.type.form is Form.ARRAY}
    pairs: list[tuple[Buffer, Buffer]] = []
    copies: list[tuple[Value, Value]] = []
    for state, value in arrays:
        same = isinstance(value, Value) and value.is_memory and value.array is not None and (
            load_of(value).buffer in ownership.own - ownership.fixed
            and load_of(value).offset.constant == 0
            and load_of(state).buffer not in ownership.fixed
            and value.strides() == state.strides() and value.shape == state.shape
        )
        if same and load_of(value).buffer not in [taken for _, taken in pairs]:
            pairs.append((load_of(state).buffer, load_of(value).buffer))
        else:
            copies.append((state, own_copy(low, value, "", state.type)))
    for state, value in copies:
        if load_of(state).buffer in ownership.fixed:
            low.store(state, value)
        else:
            pairs.append((load_of(state).buffer, load_of(value).buffer))
    if not pairs:
        return set()
    into, taken = map(list, zip(*pairs))
    left = [buffer for buffer in into if buffer not in taken]
    free = [buffer for buffer in taken if buffer not in into]
    low.steps.append(Rotate((*into, *free), (*taken, *left)))
    return mine & {*into, *free}


@lowers(reads=Access.MEMORY)
def cond(
    low: Lowering, node: Node, predicate: Any, true: Graph, false: Graph,
    operands: Sequence[Any], versions: int = 0,
) -> tuple[Any, ...]:
    test = variable(low, ArrayType(BOOL, form=Form.PYTHON))
    assign_number(low, test, predicate)
    count = len(operands) - versions
    fresh = len(node.type) - versions
    results = [_state(low, node, kind, None, None) for kind in node.type[:fresh]]
    results += [
        in_own_memory(low, node, leaf, value, kind, True)
        for leaf, value, kind in zip(node.args[-1][count:], operands[count:], node.type[fresh:])
    ]
    read = ready(low, operands[:count])
    blocks = []
    known: list[dict[Buffer, Interval]] = []
    condition = operand_at(low, predicate, (), BOOL)
    assumptions = [of_arm(low, condition, holds) for holds in (True, False)]
    for body, assumption in zip((true, false), assumptions):
        with assumption.made(low):
            steps, limits = arm(low, body, read, results, fresh)
        blocks.append(steps)
        known.append(limits)
    for buffer, within in known[0].items():
        low.intervals[buffer] = hull(within, known[1][buffer])

    def anew() -> list[tuple[Step, ...]]:
        return [arm(low, body, read, results, fresh)[0] for body in (true, false)]

    both = choosing(low, condition, (blocks[0], blocks[1]), results)
    if both is None:
        is_assumed = any(one.intervals or one.at_least for one in assumptions)
        both = both_arms(test, blocks, read, results, anew if is_assumed else None)
    if both is not None:
        run_both(low, both)
    else:
        low.steps.append(Branch(load_of(test).buffer, *blocks))
    return tuple(results)


def arm(
    low: Lowering, body: Graph, read: Sequence[Any], results: Sequence[Value], fresh: int
) -> tuple[tuple[Step, ...], dict[Buffer, Interval]]:
    """The steps of an arm, and between what the ints lie that it leaves."""
    arguments = (*read, *results[fresh:])
    own = {load_of(result).buffer for result in results[fresh:]}
    inner, outputs = low.lower_body(low, body, _as_values(low, body, arguments), own)
    limits: dict[Buffer, Interval] = {}
    for result, value in zip(results, outputs):
        if result.type.form is not Form.ARRAY:
            if result.dtype.kind in "iu":
                expr = operand_at(inner, value, (), result.dtype)
                limits[load_of(result).buffer] = interval(inner, expr)
            assign_number(inner, result, value)
        elif not (value.is_memory and load_of(value).buffer == load_of(result).buffer):
            log_undo(inner, result)
            inner.store(result, value)
    return tuple(inner.steps), limits
