"""Derivatives along many directions: one sweep, along a direction that is not known yet.

What depends on the direction becomes the body of a loop over all of them. What does not, the value
itself among it, is computed once.
"""
from __future__ import annotations

import operator
from typing import Any

import numpy as np

from .. import control
from ..facts import Facts
from ..node import Node
from ..tree import map_leaves
from ..types import ArrayType, python_number
from .decompose import NodeEmit
from .fitting import unknown_of
from .loops import results_of
from .rebuild import Rebuild
from .scopes import Scope, conform, leading_to, silent_emit, stored
from .sweeps import ForwardSweep, ReverseSweep


def by_rows(new: Rebuild, node: Node, facts: Facts) -> list[Any]:
    """The pullbacks of many cotangents."""
    output, cotangents, variables = new.mapped(node.args)
    emit = silent_emit(new, node, facts)
    sweep = ReverseSweep(new, variables, facts)
    if not isinstance(output, Node) or output not in sweep.active:
        return along_each(emit, None, cotangents, [None] * len(variables), node.type)
    direction = unknown_of(emit, output.type)
    sweep.add(output, direction, emit)
    sweep.run()
    found = [sweep.cotangents.get(variable) for variable in variables]
    return along_each(emit, direction, cotangents, found, node.type)


def by_columns(new: Rebuild, node: Node, facts: Facts) -> list[Any]:
    """The pushforwards of many tangents."""
    outputs, tangents, variable = new.mapped(node.args)
    emit = silent_emit(new, node, facts)
    direction = unknown_of(emit, variable.type)
    sweep = ForwardSweep(new, {variable: direction}, facts)
    sweep.run(outputs)
    found = [sweep.tangents.get(output) if isinstance(output, Node) else None
             for output in outputs]
    return along_each(emit, direction, tangents, found, node.type)


def along_each(
    emit: NodeEmit, direction: Any, directions: Any, found: list[Any], kinds: Any
) -> list[Any]:
    """What is found along each direction, of what is found along one; zeros for None."""
    stacks = [emit(np.zeros if each is None else np.empty, kind.shape, kind.dtype)
              for each, kind in zip(found, kinds)]
    places = [place for place, each in enumerate(found) if each is not None]
    if places:
        own = loop_over(emit, direction, directions, [found[place] for place in places],
                        [stacks[place] for place in places])
        for place, stack in zip(places, own):
            stacks[place] = stack
    return stacks


def loop_over(
    emit: NodeEmit, direction: Node, directions: Any, found: list[Any], stacks: list[Node]
) -> list[Node]:
    """The stacks, with what is found along each direction in its place."""
    scope = Scope(emit.new.graph, emit.node, emit.facts)
    place = scope.placeholder("place", python_number(int))
    versions = [scope.version("stack", stack.type) for stack in stacks]
    one = scope.emit(operator.getitem, scope.take(directions), place)
    values = outlined(emit.new, scope, direction, conform(scope.emit, one, direction.type), found)
    body, operands = scope.finish((True, *(
        stored(scope.emit, stack, place, value) for stack, value in zip(versions, values))))
    kinds: list[ArrayType] = [stack.type for stack in stacks]
    count = kinds[0].shape[0]
    return results_of(emit, control.for_loop, (0, count, 1, body, (), (*operands, *stacks)),
                      {"versions": len(stacks)}, kinds)


def outlined(new: Rebuild, scope: Scope, old: Node, own: Any, found: list[Any]) -> list[Any]:
    """Move what depends on a node into a scope, where another takes its place."""
    became, needed = {old: own}, leading_to(found, new.graph.nodes)

    def inside(leaf: Any) -> Any:
        return became[leaf] if isinstance(leaf, Node) and leaf in became else scope.take(leaf)

    kept = []
    for node in new.graph.nodes:
        if node is old or not any(operand in became for operand in node.operands):
            kept.append(node)
            continue
        if node in needed:
            args, kwargs = map_leaves(inside, (node.args, node.kwargs))
            became[node] = scope.new.call(node.target, args, kwargs, node.type, node)
        else:
            became[node] = None
    new.graph.nodes = kept
    return [map_leaves(inside, value) for value in found]
