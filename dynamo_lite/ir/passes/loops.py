"""Branches and loops as passes that differentiate see them."""
from __future__ import annotations

import operator
from collections.abc import Sequence
from typing import Any

from .. import control
from ..graph import Graph
from ..node import Node
from ..types import ArrayType
from .decompose import NodeEmit
from .fitting import is_continuous
from .scopes import Scope, conform
from .sweeps import Sweep, dependent_on


def is_active(sweep: Sweep, value: Any) -> bool:
    return isinstance(value, Node) and value in sweep.active


def results_of(
    emit: NodeEmit, target: Any, args: Any, kwargs: Any, kinds: list[ArrayType]
) -> list[Node]:
    made = emit.new.call(target, args, kwargs, tuple(kinds), emit.node)
    return [emit.new.call(operator.getitem, (made, place), {}, kind, emit.node)
            for place, kind in enumerate(kinds)]


def branch_of(
    emit: NodeEmit, predicate: Any, arms: Sequence[tuple[Scope, Sequence[Any]]],
    kinds: list[ArrayType],
) -> list[Node]:
    """The results of a new branch, whose arms end with values for each of `kinds`, or None."""
    outputs = [[conform(scope.emit, *pair) for pair in zip(found, kinds)] for scope, found in arms]
    scopes = [scope for scope, _ in arms]
    for scope, out in zip(scopes, outputs):
        scope.prune(out)
    taken = tuple(dict.fromkeys(each for scope in scopes for each in scope.taken))
    for scope in scopes:
        scope.taken = {each: scope.take(each) for each in taken}
    bodies = [scope.finish(out)[0] for scope, out in zip(scopes, outputs)]
    return results_of(emit, control.cond, (predicate, *bodies, taken), {}, kinds)


class Loop:
    """The state of a loop is what it carries, and the arrays of which it makes versions; operands
    that stay what they are, are its constants."""

    def __init__(self, sweep: Sweep, node: Node, emit: NodeEmit) -> None:
        self.sweep, self.node, self.emit = sweep, node, emit
        self.body: Graph = node.args[-3]
        carried, operands = node.args[-2:]
        self.versions = node.kwargs.get("versions", 0)
        self.count = len(carried)
        fixed = len(operands) - self.versions
        self.constants = operands[:fixed]
        self.initial = (*carried, *operands[fixed:])
        self.start: Any
        self.stop: Any
        self.step: Any
        self.start, self.stop, self.step = node.args[:3] if len(node.args) == 6 else (0, None, 1)
        self.at_index = int(self.stop is not None)
        self.kinds = [*node.type[: self.count], *node.type[len(node.type) - self.versions :]]
        self.places = [*range(self.count), *range(len(node.type) - self.versions, len(node.type))]
        self.extras = range(self.count, len(node.type) - self.versions)
        self.find_active()

    def find_active(self) -> None:
        """Which states, constants and values of the last iteration vary."""
        inside = self.body.placeholders[self.at_index :]
        given = [*self.node.args[-2], *self.node.args[-1]]
        active = {own for own, each in zip(inside, given) if is_active(self.sweep, each)}
        fixed = inside[self.count : len(inside) - self.versions]
        states = [*inside[: self.count], *inside[len(inside) - self.versions :]]
        results = self.body.outputs[1:]
        while True:
            varying = dependent_on(list(active), self.body.nodes)
            more = {own for own, place in zip(states, self.places)
                    if is_continuous(own.type) and isinstance(results[place], Node)
                    and results[place] in varying} - active
            if not more:
                break
            active |= more
        self.active = [place for place, own in enumerate(states) if own in active]
        self.active_constants = [place for place, own in enumerate(fixed) if own in active]
        self.active_extras = [place for place in self.extras if results[place] in varying]

    def parameters(self, scope: Scope) -> list[Node]:
        """The index and what is carried, of another body of the loop."""
        old = self.body.placeholders[: self.at_index + self.count]
        return [scope.placeholder(each.name, each.type) for each in old]

    def versions_in(self, scope: Scope) -> list[Node]:
        """The arrays of which that makes versions."""
        old = self.body.placeholders
        return [scope.version(each.name, each.type) for each in old[len(old) - self.versions :]]
