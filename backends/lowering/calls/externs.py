"""Calls of NumPy itself as a step of the program: whatever has no native lowering."""
from __future__ import annotations

from dataclasses import replace
from typing import Any

from ....ir import core
from ....ir.binding import bound_by
from ....ir.node import Node
from ....ir.sizes import symbol
from ....ir.tree import map_leaves
from ....ir.types import ArrayType, Form
from ...loop_ir.aliases import shared_by
from ...loop_ir.loops import Buffer, Load, Offset, Scalar
from ...loop_ir.program import Bind, Extern, Ref
from ..scalars.magnitudes import LIMIT, greatest
from ..state.context import Lowering
from ..state.limits import limits_of
from ..state.values import Value


def lower_extern(low: Lowering, node: Node, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """The results of `node.target(*args, **kwargs)`, called with real arrays and numbers."""
    args, kwargs = map_leaves(lambda leaf: reference(low, leaf, node.name), (args, kwargs))
    types = result_types(node)
    buffers = tuple(low.buffer(type_.dtype, "r") for type_ in types)
    binds = tuple(
        (name, place.result, place.axis) for name, place in bound_by(node).items()
        if name not in low.relations.bound and place.axis is not None
    )
    target = node.target
    if isinstance(node.type, (tuple, list)) and len(types) == 1:
        target, args = core.only, (target, *args)
    step = Extern(
        target, args, kwargs, buffers, types, node.location, low.errstate, binds
    )
    low.steps.append(step)
    for result, base in shared_by(step):
        low.ownership.shares(result, base)
    low.relations.bind(name for name, *_ in binds)
    values = [
        (object_value if type_.form is Form.OBJECT else low.memory_value)(type_, buffer)
        for type_, buffer in zip(types, buffers)
    ]
    if isinstance(node.type, ArrayType):
        return values[0]
    if node.type is None:
        return None
    return list(values) if isinstance(node.type, list) else tuple(values)


def bind_results(low: Lowering, node: Node, value: Any) -> None:
    """Bind the symbol that stands for the value of a Python int."""
    for name, place in bound_by(node).items():
        if name not in low.relations.bound and place.axis is None:
            if (limits := limits_of(node)) is not None and low.graph.is_body:
                low.relations.limits[name] = limits
            is_large = greatest(low, symbol(name)) >= LIMIT
            low.steps.append(Bind(name, own_number(low, value), is_large))
            low.relations.bind((name,))


def object_value(type_: ArrayType, buffer: Buffer) -> Value:
    """An object that is only passed on; there is nothing in the buffer but itself."""
    return Value(type_, (), Load(buffer, Offset()), buffer)


def result_types(node: Node) -> tuple[ArrayType, ...]:
    if node.type is None:
        return ()
    return (node.type,) if isinstance(node.type, ArrayType) else tuple(node.type)


def reference(low: Lowering, leaf: Any, reader: str) -> Any:
    """What stands for a value in the arguments of an extern step."""
    if not isinstance(leaf, Value):
        return leaf
    if isinstance(leaf.expr, Scalar):
        return Ref(scalar=leaf.expr, type=leaf.type)
    if leaf.type.form is Form.OBJECT:
        return Ref(buffer=leaf.array)
    if leaf.type.form is Form.ARRAY:
        ready = low.as_array(leaf, f"{reader} is a call of NumPy")
        return Ref(buffer=ready.array, type=leaf.type)
    return Ref(buffer=own_number(low, leaf), type=leaf.type)


def own_number(low: Lowering, value: Value) -> Buffer:
    """A 0-d buffer that holds a number, to be boxed."""
    if value.array is not None:
        return value.array
    layout = replace(value.type, dtype=value.dtype, form=Form.ARRAY)
    made = low.materialise(value, "", layout=layout)
    assert made.array is not None
    return made.array
