"""Branches and loops forwards: values and tangents are computed side by side.

The loop that gives tangents computes the values again that they depend on; what is left of the loop
before is what somebody else reads.
"""
from __future__ import annotations

from typing import Any

from .. import control
from ..node import Node
from ..row import Kind, row_of
from ..types import ArrayType
from .decompose import NodeEmit
from .fitting import is_continuous
from .loops import Loop, branch_of, results_of
from .scopes import Scope, conform, cotangent_type
from .sweeps import TANGENTS, ForwardSweep

Tangents = tuple[Any, ...]
"""Of the results of a call, None where there is none."""


def of_branch(sweep: ForwardSweep, node: Node, emit: NodeEmit) -> Tangents:
    predicate, *arms, operands = node.args
    active = [place for place, each in enumerate(operands) if each in sweep.tangents]
    varying = [place for place, kind in enumerate(node.type) if is_continuous(kind)]
    kinds = [cotangent_type(node.type[place]) for place in varying]
    found = []
    for arm in arms:
        scope = Scope(sweep.new.graph, node, sweep.facts)
        given, tangents = scope.take(
            (operands, [sweep.tangents[operands[place]] for place in active]))
        results = scope.inline(arm, given)
        known = dict(zip([given[place] for place in active], tangents))
        found.append((scope, inside(sweep, scope, known, [results[place] for place in varying])))
    made = branch_of(emit, predicate, found, kinds)
    return spread(node, varying, made)


def inside(
    sweep: ForwardSweep, scope: Scope, known: dict[Node, Any], results: list[Any]
) -> list[Any]:
    """The tangents of results of a body."""
    inner = ForwardSweep(scope.new, known, sweep.facts)
    inner.run(results)
    return [inner.tangents.get(each) if isinstance(each, Node) else None for each in results]


def spread(node: Node, places: list[int], found: list[Node]) -> Tangents:
    """Tangents in the places of the results that they belong to."""
    tangents = dict(zip(places, found))
    return tuple(map(tangents.get, range(len(node.type))))


def made_again(emit: NodeEmit, array: Node) -> Node:
    """An array that is made of nothing is made for each loop that writes into it."""
    row = row_of(array.target) if array.op == "call_function" else None
    if row is None or row.kind is not Kind.CREATION:
        return array
    return emit.new.call(array.target, array.args, array.kwargs, array.type, emit.node)


def of_loop(sweep: ForwardSweep, node: Node, emit: NodeEmit) -> Tangents:
    return LoopForwards(sweep, node, emit).run()


class LoopForwards(Loop):
    """Tangents are carried beside what the loop carries already."""

    sweep: ForwardSweep

    def run(self) -> Tangents:
        node, emit = self.node, self.emit
        places = [*(self.places[each] for each in self.active), *self.active_extras]
        kinds = [cotangent_type(node.type[place]) for place in places]
        starts = [conform(emit, self.tangent(self.initial[place]), kind)
                  for place, kind in zip(self.active, kinds)]
        body, operands = self.body_with(kinds, places)
        carried = self.initial[: self.count]
        versions = [made_again(emit, each) for each in self.initial[self.count :]]
        own = [*node.type[: self.count], *kinds, *node.type[len(node.type) - self.versions :]]
        found = results_of(
            emit, node.target,
            (*node.args[:-3], body, (*carried, *starts), (*operands, *versions)),
            {"versions": self.versions} if self.versions else {}, own)
        return spread(node, places, found[self.count : self.count + len(places)])

    def tangent(self, value: Any) -> Any:
        return self.sweep.tangents.get(value) if isinstance(value, Node) else None

    def body_with(
        self, kinds: list[ArrayType], places: list[int]
    ) -> tuple[Any, tuple[Node, ...]]:
        """The body that also gives the tangents of results in `places`, and its operands."""
        scope = Scope(self.emit.new.graph, self.node, self.sweep.facts)
        given = self.parameters(scope)
        tangents = [scope.placeholder("tangent", kind)
                    for kind in kinds[: len(self.active)]]
        constants, versions = scope.take(self.constants), self.versions_in(scope)
        states = [*given[self.at_index :], *versions]
        known = dict(zip([states[place] for place in self.active], tangents))
        for place in self.active_constants:
            if (tangent := self.tangent(self.constants[place])) is not None:
                known[constants[place]] = scope.take(tangent)
        again, *results = scope.inline(self.body, (*given, *constants, *versions))
        found = inside(self.sweep, scope, known, [results[place] for place in places])
        fitting = [conform(scope.emit, *pair) for pair in zip(found, kinds)]
        return scope.finish_needed((
            again, *results[: self.count], *fitting, *results[len(results) - self.versions :]))


TANGENTS.update({
    control.cond: of_branch, control.for_loop: of_loop, control.while_loop: of_loop,
})
