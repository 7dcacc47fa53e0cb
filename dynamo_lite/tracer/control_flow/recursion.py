"""Functions of numbers that call themselves: a node of the graph, whose body calls itself again.

The body is traced once, from placeholders for the arguments that are numbers; what else is passed
on must stay the same. A call inside of it gives a number whose type is guessed, and the guess has
to come true. A call that has an effect, reads an array or gives anything but a number is followed,
as any other function is, for as long as it may be.
"""
from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

from ...base.records import dataclass
from ...errors import GraphBreak, PlanRecursion
from ...ir import control
from ...ir.control import all_nodes
from ...ir.graph import Graph
from ...ir.node import Node
from ...ir.row import Effect, Kind, row_of
from ...ir.sizes import SizeExpr
from ...ir.tree import leaves
from ...ir.types import ArrayType, Form, python_number
from ...native import c_function
from ..object_model.lazy import realise
from ..state.tracker import ObservedException, VariableTracker
from ..trackers.arrays.numbers import ConstantNumber, NumberVariable
from ..trackers.arrays.unions import UnionNumber
from ..trackers.arrays.words import WordVariable
from ..trackers.objects.functions import FunctionVariable, UserFunctionVariable
from .bodies import fits, identifier
from .capture import PYTHON_TYPES, capturing, close, results, tracker_of, type_of
from .merging import same_constant
from .parts import settled

if TYPE_CHECKING:
    from ..state.tx import Tx

FEW = 64
"""Calls of a function inside itself that are followed where all its arguments are known."""

Values = Mapping[str, VariableTracker]


@dataclass(eq=False, slots=True)
class Recursion:
    """A function whose body is being traced, by a call of the frame at `depth`: the types of the
    arguments that are numbers, the values of the others, and the type that the result should have.
    """

    function: FunctionVariable
    depth: int
    kinds: dict[str, ArrayType]
    fixed: dict[str, VariableTracker]
    result: ArrayType

    def call_again(self, tx: Tx, function: FunctionVariable, values: Values) -> VariableTracker:
        """The node of a call inside of the body."""
        if not is_same_function(function, self.function):
            raise GraphBreak(f"{function.describe()} calls another function with the same code")
        for name, value in self.fixed.items():
            if not is_same(value, realise(tx, values[name])):
                raise GraphBreak(f"{function.describe()} calls itself with another {name!r}")
        numbers = {name: realise(tx, values[name]) for name in self.kinds}
        for name, kind in self.kinds.items():
            if number_type(numbers[name]) != kind:
                other = f"{name!r} of another type"
                raise GraphBreak(f"{function.describe()} calls itself with {other}")
        args = tuple([value.as_argument(tx) for value in numbers.values()])
        made = results(tx, control.call_again, args, (self.result,), levels=tx.depth - self.depth)
        return tracker_of(made[0])


def call_recursive(
    tx: Tx, function: FunctionVariable, values: Values, depth: int, frame: Callable[..., Tx]
) -> VariableTracker | None:
    """The result of a call of a function that calls itself, as a node of the graph; None where it
    is followed instead. `depth` of its calls are running."""
    active, plans = tx.state.recursions, tx.state.options.recursions
    if any(one.function.code is function.code for one in active):
        if active[-1].function.code is not function.code:
            raise GraphBreak(f"{function.describe()} is called by a function that it calls")
        return active[-1].call_again(tx, function, values)
    if plans.get(function.code) or active or not CAN_COUNT or is_differentiated(tx):
        return None
    if function.code not in plans and not (depth and is_given_data(tx, function, values)):
        return None
    try:
        return traced(tx, function, values, frame)
    except GraphBreak as stop:
        plans[function.code] = str(stop)
        return None


DERIVATIVES = f"{__package__.partition('.')[0]}.derivatives"
CAN_COUNT = c_function("calls_left") is not None


def is_differentiated(tx: Tx) -> bool:
    """Whether derivatives are taken of what is traced: of such nodes there are none."""
    frame: Tx | None = tx
    while frame is not None:
        if str(frame.globals.get("__name__")).startswith(DERIVATIVES):
            return True
        frame = frame.parent
    return False


def is_given_data(tx: Tx, function: FunctionVariable, values: Values) -> bool:
    """Whether an argument is a number that is not known, and all others are numbers or functions.
    Where a function is called with known numbers again and again, it is planned."""
    found = [realise(tx, value) for value in values.values()]
    kinds = [number_type(value) for value in found]
    if any(kind is None and not is_passed_on(value) for kind, value in zip(kinds, found)):
        return False
    if any(isinstance(value, NumberVariable) and not isinstance(value, ConstantNumber)
           for value in found):
        return True
    calls = tx.state.self_calls
    calls[function.code] = calls.get(function.code, 0) + 1
    if calls[function.code] > FEW and any(kinds):
        raise PlanRecursion(function.code)
    return False


def is_passed_on(value: VariableTracker) -> bool:
    """Whether it is a function, which a body can call as if it were named there."""
    return isinstance(value, FunctionVariable)


def number_type(value: VariableTracker) -> ArrayType | None:
    """The type of a number that can be an argument or result, without what is known of it."""
    if isinstance(value, UnionNumber | WordVariable) or not fits(value):
        return None
    kind = type_of(value)
    if kind is None or kind.form is Form.ARRAY or kind.dtype.kind not in "biuf":
        return None
    return python_number(value.python_type()) if kind.form is Form.PYTHON else kind


def is_same(value: VariableTracker, other: VariableTracker) -> bool:
    value, other = settled(value), settled(other)
    if isinstance(value, FunctionVariable) and isinstance(other, FunctionVariable):
        return is_same_function(value, other)
    return value is other or same_constant(value, other)


def is_same_function(function: FunctionVariable, other: FunctionVariable) -> bool:
    if isinstance(function, UserFunctionVariable) and isinstance(other, UserFunctionVariable):
        return function.value is other.value
    return function is other


def traced(
    tx: Tx, function: FunctionVariable, values: Values, frame: Callable[..., Tx]
) -> VariableTracker:
    """The node of a call, with the first guess of the result's type that comes true."""
    found = {name: realise(tx, value) for name, value in values.items()}
    types = {name: number_type(value) for name, value in found.items()}
    kinds = {name: kind for name, kind in types.items() if kind is not None}
    fixed = {name: value for name, value in found.items() if name not in kinds}
    reason = GraphBreak(f"{function.describe()} calls itself without a number")
    for guess in guesses(kinds):
        made = Recursion(function, tx.depth, kinds, fixed, guess)
        try:
            body = body_of(tx, made, frame)
        except GraphBreak as stop:
            reason = stop
            continue
        if body is not None:
            return called(tx, made, found, body)
    raise reason


def guesses(kinds: Mapping[str, ArrayType]) -> Iterator[ArrayType]:
    """The types that a result may have, likely ones first."""
    is_float = any(kind.dtype.kind == "f" for kind in kinds.values())
    order = (float, int, bool) if is_float else (int, float, bool)
    first = dict.fromkeys([*(PYTHON_TYPES[kind] for kind in order), *kinds.values()])
    yield from first


def body_of(tx: Tx, made: Recursion, frame: Callable[..., Tx]) -> Graph | None:
    """The body, traced; None where its result has another type than it was taken to have."""
    function, code = made.function, made.function.code
    with capturing(tx, f"the calls of {function.describe()}") as graph:
        inside = {
            name: tracker_of(graph.placeholder(identifier(name), kind))
            for name, kind in made.kinds.items()
        }
        tx.state.recursions.append(made)
        try:
            values = {**made.fixed, **inside}
            child = frame(tx.state, code, function.globals, values, function.closure(tx), tx)
            value = settled(returned(child))
            if number_type(value) != made.result:
                return None
            graph.output((value.as_argument(tx),))
        finally:
            tx.state.recursions.pop()
    return graph


def returned(child: Tx) -> VariableTracker:
    try:
        return child.run()
    except ObservedException:
        raise GraphBreak("a function that calls itself raises an exception") from None


def called(tx: Tx, made: Recursion, values: Values, body: Graph) -> VariableTracker:
    operands = close(tx, [body])
    if (why := why_not_native(body)) is not None:
        raise GraphBreak(f"{made.function.describe()} calls itself: {why}")
    given = tuple([values[name].as_argument(tx) for name in made.kinds])
    tx.state.locate = tx.location
    return tracker_of(results(
        tx, control.recursive, (body, (*given, *operands)), (made.result,))[0])


def why_not_native(body: Graph) -> str | None:
    """Why a body would not be machine code that works on numbers alone."""
    for node in all_nodes(body):
        if node.op == "output":
            continue
        if not all(is_number(kind) for kind in leaves(node.type)) or node.op == "get_attr":
            return f"{node.name} is no number"
        if any(isinstance(leaf, SizeExpr) for leaf in leaves((node.args, node.kwargs))):
            return "it uses an int of the program that may be another one in the next call"
        if node.op == "call_function" and not is_of_numbers(node):
            return f"{node.name} is not computed by machine code"
    return None


def is_number(kind: Any) -> bool:
    return isinstance(kind, ArrayType) and kind.form in (Form.PYTHON, Form.SCALAR) and (
        kind.dtype.kind in "biuf" and kind.value is None)


def is_of_numbers(node: Node) -> bool:
    row = row_of(node.target)
    if row is None or row.effect is not Effect.PURE:
        return False
    return row.kind not in (Kind.EXTERN, Kind.MATMUL, Kind.WRITE)
