"""The driver: every node of a graph in order, then the outputs, then the passes over steps."""
from __future__ import annotations

import operator
from collections.abc import Callable, Container, Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType
from typing import Any

import numpy as np

from ...base.config import config
from ...ir import core
from ...ir.control import all_nodes, is_control
from ...ir.facts import graph_facts
from ...ir.graph import Graph
from ...ir.node import Node
from ...ir.ops.inference import why_whole
from ...ir.row import row_of
from ...ir.tree import leaves, map_leaves
from ...ir.types import ArrayType, Form
from ..hints import Hint, hints_of
from ..loop_ir.loops import Buffer, Load, Offset, Scalar
from ..loop_ir.program import Constant, Input, Output, Program
from ..loop_ir.simplify import Inexact
from ..loop_ir.verify import verify
from ..passes.fuse import merge
from ..passes.hoist import hoist
from ..passes.materialise import Access, choose_materialised, reading_of
from ..passes.memory import plan_memory
from ..passes.overflow_checks import drop_overflow_checks
from ..passes.points import expand_points
from ..passes.repeated_checks import drop_repeated_checks
from ..passes.schedule import schedule
from .arithmetic import creation, pointwise, powers, reductions  # noqa: F401  (they register)
from .calls import matmul  # noqa: F401
from .calls.externs import bind_results, lower_extern, object_value, own_number
from .control_flow import bodies, recursion  # noqa: F401
from .control_flow.recursion import with_functions
from .indexing import masks, strided_views, structure, views  # noqa: F401
from .scalars import numbers, unbacked  # noqa: F401
from .scalars.magnitudes import check_magnitudes
from .state.changes import own_copy
from .state.context import LOWERINGS, READINGS, Loops, Lowering, WhyExtern
from .state.values import NATIVE, CannotLower, Value, load_of
from .writes import at_positions, updates  # noqa: F401
from .writes.after_commit import write_inputs
from .writes.overwriting import KeepsOldContents, is_there, overwritten
from .writes.pieces import is_everything, only_pieces

PASSES = (
    hoist, merge, expand_points, drop_overflow_checks, drop_repeated_checks, schedule, plan_memory,
)
Pass = Callable[[Program, Hint], Program]
WHOLE = tuple(run for run in PASSES if run is not expand_points)
"""Of kernels that do not go from element to element."""


def lower(
    graph: Graph, facts: Any = None, *, blas: bool = False, why_extern: WhyExtern = lambda _: None,
    native: frozenset[np.dtype] = NATIVE, loops: Loops = frozenset(), in_order: bool = False,
    functions: bool = False,
) -> Program:
    """The program of a functional graph: fused, scheduled, with its memory planned.

    Handles every graph: what has no native lowering becomes a call of NumPy. With `blas` matrix
    products are `Product` steps instead of calls of NumPy. `why_extern` tells why a code
    generator cannot compute a node itself, or None; `native` are the element types it has, `loops`
    the operations that it has and LLVM has not. With `in_order` kernels go from element
    to element, or from vector to vector, as on a CPU: they also assign at positions from arrays,
    and short folds are done for many rows at a time. With `functions` those that call themselves
    are functions of the program.
    """
    hint = hints_of(graph.symbols, likely(graph))
    return planned(
        lower_steps(graph, blas=blas, why_extern=why_extern, native=native, loops=loops,
                    in_order=in_order, functions=functions), hint, PASSES if in_order else WHOLE)


def planned(program: Program, hint: Hint, passes: Sequence[Pass] = PASSES) -> Program:
    """The program after all passes, and the functions in it."""
    program = with_functions(program, lambda inner: planned(inner, hint, passes))
    for run in passes:
        program = run(program, hint)
        if config.strict:
            verify(program, planned=run is plan_memory)
    return program


def lower_steps(
    graph: Graph, *, blas: bool = False, why_extern: WhyExtern = lambda _: None,
    preserved: frozenset[Node] = frozenset(), native: frozenset[np.dtype] = NATIVE,
    loops: Loops = frozenset(), in_order: bool = False, functions: bool = False,
) -> Program:
    """The program before fusion: one kernel per value that must be in memory. Nothing is written
    into the inputs in `preserved` before the commit."""
    low = Lowering(graph, lower_body, blas, why_extern, native, loops, in_order,
                   has_functions=functions)
    inputs = tuple(_input(low, i, node) for i, node in enumerate(graph.placeholders))
    for node in graph.nodes:
        if node.op == "get_attr":
            _constant(low, node)
    low.relations.bound.update(graph.symbols)
    low.relations.check_assertions()
    check_magnitudes(low, all_nodes(graph.nodes))
    unread = only_pieces(low)
    whole = {n for n in graph.calls if n.target is core.update and is_everything(n.args[1])}
    early = overwritten(low, unread, whole, preserved)
    for placeholder, final in graph.writes:
        low.readers.look_last(placeholder, final, early)
    try:
        lower_nodes(low, unread, early)
    except KeepsOldContents as needed:
        preserved |= {*needed.args}
        return lower_steps(graph, blas=blas, why_extern=why_extern, preserved=preserved,
                           native=native, loops=loops, in_order=in_order,
                           functions=functions)
    outputs = tuple(_output(low, item) for item in graph.outputs)
    write_inputs(low)
    symbols, constants = dict(graph.symbols), tuple(low.constants)
    return Program(
        inputs, constants, symbols, tuple(low.steps), outputs, tuple(low.notes), likely(graph),
        low.origins,
    )


def lower_nodes(
    low: Lowering, unread: Container[Node] = (), early: Mapping[Node, Node] = MappingProxyType({})
) -> None:
    """Every call of the graph, in order. Those in `early` change an input."""
    calls = [node for node in low.graph.calls if low.why_extern(node) is not None]
    low.materialised = wanted = choose_materialised(
        low.graph, READINGS, {*calls}, low.in_order)
    for node in low.graph.calls:
        if node in unread:
            continue
        low.errstate, low.node = node.errstate, node
        value = lower_call(low, node)
        bind_results(low, node, value)
        if node in wanted and isinstance(value, Value) and not value.is_memory:
            value = _materialised(low, value, wanted[node])
        low.values[node] = value
        if node in early and not is_there(low, node, early[node]):
            raise KeepsOldContents(early[node])


def likely(graph: Graph) -> dict[str, int]:
    """Guesses at what the graph itself binds."""
    return {name: one.hint for name, one in graph.unbacked.items()}


def lower_body(
    low: Lowering, body: Graph, given: Sequence[Value], own: set[Buffer]
) -> tuple[Lowering, list[Any]]:
    """The steps of a body whose placeholders have these values, and its outputs. The memory of
    `own` may be changed."""
    inner = low.inside(body)
    inner.ownership.own |= own
    inner.values.update(zip(body.placeholders, given))
    lower_nodes(inner)
    return inner, [_resolved(inner, leaf) for leaf in body.outputs]


def _materialised(low: Lowering, value: Value, why: str) -> Value:
    if value.type.form is Form.ARRAY:
        return own_copy(low, value, why)
    return replace(value, array=(buffer := own_number(low, value)), expr=Load(buffer, Offset()))


def _input(low: Lowering, index: int, node: Node) -> Input:
    if node.type.form is Form.ARRAY:
        buffer = low.buffer(node.type.dtype, f"{node.name}_in")
        low.values[node] = low.memory_value(node.type, buffer)
        if all(node is not written for written, _ in low.graph.writes):
            low.unwritten.add(buffer)
        return Input(index, node.type, buffer=buffer)
    if node.type.form is Form.OBJECT or node.type.dtype.kind == "c":
        buffer = low.buffer(node.type.dtype, f"{node.name}_in")
        low.values[node] = object_value(node.type, buffer)
        return Input(index, node.type, buffer=buffer)
    number = Scalar(low.fresh(f"{node.name}_in"), node.type.dtype)
    low.values[node] = Value(node.type, (), number)
    return Input(index, node.type, scalar=number)


def _constant(low: Lowering, node: Node) -> None:
    buffer = low.buffer(node.type.dtype, "constant")
    low.values[node] = low.memory_value(node.type, buffer)
    low.unwritten.add(buffer)
    low.constants.append(Constant(np.asarray(node.target), buffer, node.type))


def lower_call(low: Lowering, node: Node) -> Any:
    """The value of one call; a call without a native lowering is made as an extern step."""
    check_magnitudes(low, [node])
    args, kwargs = map_leaves(lambda leaf: _resolved(low, leaf), (node.args, node.kwargs))
    try:
        value = _native(low, node, args, kwargs)
        given = leaves((args, kwargs))
        if not is_result(node) and any(value is leaf for leaf in given) and value.is_memory:
            low.ownership.own.discard(load_of(value).buffer)  # two nodes, one object
        return value
    except (CannotLower, Inexact) as reason:
        low.notes.append(f"{node.name} is a call of NumPy: {reason}")
        return lower_extern(low, node, args, kwargs)


def is_result(node: Node) -> bool:
    """Whether a node names one of the results of a loop or branch."""
    first = node.args[0] if node.target is operator.getitem else None
    return isinstance(first, Node) and is_control(first)


def _resolved(low: Lowering, leaf: Any) -> Any:
    return low.values[leaf] if isinstance(leaf, Node) else leaf


def _native(low: Lowering, node: Node, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    if node.target is operator.getitem and isinstance(args[0], (tuple, list)):
        return args[0][args[1]]
    if (why := low.why_extern(node)) is not None:
        raise CannotLower(why)
    facts = graph_facts(low.graph)
    if (why := why_whole(node.target, node.args, node.kwargs, facts)) is not None:
        raise CannotLower(why)
    row = row_of(node.target)
    found = LOWERINGS.get(row.lowering or "") if row is not None else None
    if found is None and isinstance(node.target, np.ufunc):
        found = pointwise.lower_ufunc
    if found is None:
        raise CannotLower("no lowering")
    if not isinstance(node.type, (ArrayType, tuple, list)):
        raise CannotLower("its type is not known")
    reading = reading_of(node, READINGS)
    if reading is not None and reading.first is Access.VIEW and isinstance(args[0], (tuple, list)):
        raise CannotLower("a view of a sequence")
    return found(low, node, *args, **kwargs, **(row.using if row is not None else {}))


def _output(low: Lowering, item: Any) -> Output:
    """The buffer whose ndarray (or single element) is the result; equal nodes share it."""
    value, low.errstate, low.node = low.values[item], item.errstate, item
    if value.type.form is Form.ARRAY:
        ready = low.as_array(value, "it is an output")
        low.values[item] = ready
        assert ready.array is not None
        return Output(ready.array, value.type)
    if value.array is None:
        low.values[item] = value = replace(value, array=own_number(low, value))
    assert value.array is not None
    return Output(value.array, value.type)
