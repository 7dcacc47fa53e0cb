"""Functions of numbers that call themselves."""
from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from ....errors import Unsupported
from ....ir.graph import Graph
from ....ir.node import Node
from ....ir.printer import print_graph
from ....ir.types import ArrayType, python_number, scalar
from ...loop_ir.loops import Buffer, Scalar
from ...loop_ir.program import (
    Allocate,
    Branch,
    Call,
    CallAgain,
    Function,
    Input,
    Launch,
    Loop,
    Output,
    Program,
    Step,
    all_steps,
    with_blocks,
)
from ...passes.materialise import Access
from ..state.context import Lowering, lowers
from ..state.values import CannotLower, Value, load_of
from .bodies import assign_number, variable

OF_NUMBERS = (Allocate, Branch, Call, CallAgain, Launch, Loop)
"""The steps that a function may have."""


@lowers(reads=Access.MEMORY)
def recursive(
    low: Lowering, node: Node, body: Graph, operands: Sequence[Any]
) -> tuple[Any, ...]:
    if not low.has_functions:
        raise CannotLower("a function that calls itself")
    (kind,) = node.type
    text, kinds = print_graph(body.nodes, {}), tuple([each.type for each in body.placeholders])
    held = tuple([(name, id(value)) for name, value in text.namespace.items()])
    key = text.text, held, kinds, kind, node.errstate
    if key not in low.functions:
        low.functions[key] = function_of(low, body, kind)
    arguments = passed(low, kinds, operands)
    called = variable(low, kind)
    low.steps.append(Call(low.functions[key], arguments, load_of(called).buffer))
    return (called,)


def function_of(low: Lowering, body: Graph, kind: ArrayType) -> Function:
    """The function is a program of its own: each call of it has other memory for its numbers."""
    inputs = [
        Input(place, given.type, scalar=Scalar(low.fresh(f"{given.name}_in"), given.type.dtype))
        for place, given in enumerate(body.placeholders)
    ]
    values = [Value(one.type, (), one.scalar) for one in inputs if one.scalar is not None]
    inner, (result,) = low.lower_body(low, body, values, set())
    made = variable(inner, kind)
    assign_number(inner, made, result)
    if not all(isinstance(step, OF_NUMBERS) for step in all_steps(inner.steps)):
        raise Unsupported("a function that calls itself calls NumPy")
    output = Output(load_of(made).buffer, kind)
    return Function(
        low.fresh("recursive"), Program(tuple(inputs), (), {}, tuple(inner.steps), (output,)))


@lowers(reads=Access.MEMORY)
def call_again(low: Lowering, node: Node, *arguments: Any, levels: int) -> tuple[Any, ...]:
    (kind,) = node.type
    kinds = [argument.type if isinstance(argument, Value) else constant_type(argument)
             for argument in arguments]
    given = passed(low, kinds, arguments)
    called = variable(low, kind)
    low.steps.append(CallAgain(given, load_of(called).buffer, levels))
    return (called,)


def constant_type(value: Any) -> ArrayType:
    """The type of a known number."""
    return scalar(value.dtype) if isinstance(value, np.generic) else python_number(type(value))


def passed(
    low: Lowering, kinds: Sequence[ArrayType], values: Sequence[Any]
) -> tuple[Buffer, ...]:
    """Numbers in memory of their own, for a call."""
    given = [variable(low, kind) for kind in kinds]
    for target, value in zip(given, values):
        assign_number(low, target, value)
    return tuple([load_of(target).buffer for target in given])


def with_functions(program: Program, change: Callable[[Program], Program]) -> Program:
    """A program with its functions changed."""
    made: dict[Function, Function] = {}

    def changed(steps: Iterable[Step]) -> list[Step]:
        return [
            replace(step, function=changed_function(step.function)) if isinstance(step, Call)
            else with_blocks(step, changed) for step in steps
        ]

    def changed_function(old: Function) -> Function:
        if old not in made:
            made[old] = Function(old.name, change(old.program))
        return made[old]

    return replace(program, steps=tuple(changed(program.steps)))
