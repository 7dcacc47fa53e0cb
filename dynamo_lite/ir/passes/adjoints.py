"""Branches and loops backwards.

A branch becomes the branch of its arms backwards. A loop keeps the state at the beginning of every
iteration, or of every so many: from there a segment runs again, and keeps what the way back reads:
states, and what else a minimum cut finds cheaper to keep than to compute once more. With segments
of √n iterations that is the memory of 3√n states at most, for one more run of the loop.
"""
from __future__ import annotations

import operator
from collections.abc import Mapping
from typing import Any

from .. import control
from ..binding import bound_by, taken_by, unbacked_in
from ..node import Node
from ..sizes import Size
from ..tree import map_leaves
from ..types import ArrayType, python_number
from .decompose import NodeEmit
from .kept_states import KeepingLoop, Key
from .loops import branch_of, is_active, results_of
from .min_cut import kept_values, size_of
from .scopes import (
    Scope,
    conform,
    cotangent_type,
    integer,
    leading_to,
    loaded,
    truth,
)
from .sweeps import ADJOINTS, Pairs, ReverseSweep, dependent_on


def of_branch(sweep: ReverseSweep, node: Node, g: Any, emit: NodeEmit) -> Pairs:
    predicate, *arms, operands = node.args
    active = [place for place, each in enumerate(operands) if is_active(sweep, each)]
    kinds = [cotangent_type(operands[place].type) for place in active]
    found = []
    for arm in arms:
        scope = Scope(sweep.new.graph, node, sweep.facts)
        given, cotangents = scope.take((operands, g))
        inside = ReverseSweep(scope.new, (), sweep.facts)
        results = scope.inline(arm, given)
        variables = [given[place] for place in active]
        found.append((scope, inside_out(inside, scope, results, cotangents, variables)))
    made = branch_of(emit, predicate, found, kinds)
    return iter([(operands[place], value) for place, value in zip(active, made)])


def inside_out(
    sweep: ReverseSweep, scope: Scope, results: Any, given: Any, variables: Any,
    totals: Any = (),
) -> list[Any]:
    """The cotangents of variables of a body, of those of its results; `totals` are what the last
    variables have already."""
    sweep.cotangents.update(zip(variables[len(variables) - len(totals) :], totals))
    sweep.nodes = scope.new.graph.nodes[:]
    sweep.active = dependent_on([v for v in variables if isinstance(v, Node)], sweep.nodes)
    for result, cotangent in zip(results, given):
        if isinstance(result, Node) and result in sweep.active and cotangent is not None:
            sweep.add(result, cotangent, scope.emit)
    sweep.run()
    return [sweep.cotangents.get(each) for each in variables]


def of_loop(sweep: ReverseSweep, node: Node, g: Any, emit: NodeEmit) -> Pairs:
    return LoopBackwards(sweep, node, g, emit).run()


class LoopBackwards(KeepingLoop):
    def __init__(self, sweep: ReverseSweep, node: Node, g: Any, emit: NodeEmit) -> None:
        super().__init__(sweep, node, emit)
        self.g = g

    # -- what is carried backwards

    def starts(self) -> list[Any]:
        """The first cotangents of states, values of the last iteration, and constants."""
        places = [*(self.places[each] for each in self.active), *self.active_extras]
        given = [conform(self.emit, self.g[place], kind)
                 for place, kind in zip(places, self.carried_kinds())]
        constants = self.carried_kinds()[len(given) :]
        return given + [conform(self.emit, None, kind) for kind in constants]

    def carried_kinds(self) -> list[ArrayType]:
        results = [self.places[each] for each in self.active] + self.active_extras
        return [cotangent_type(kind) for kind in (
            *(self.node.type[place] for place in results),
            *(self.constants[place].type for place in self.active_constants))]

    def run(self) -> Pairs:
        needed, bound = self.needed(), self.bound()
        slots, segment = self.capacity(bound) if needed else (0, 1)
        counted, stacks = bound, dict[Key, Node]()
        if needed or self.body.outputs[0] is not True or bound is None:
            is_short = not needed or (slots == bound and segment == 1)
            kept = needed if is_short else [*range(len(self.kinds))]
            counted, stacks = self.keep_states(slots, segment, kept)
        values = self.starts()
        if segment == 1:
            found = self.backwards(self.emit, values, stacks, self.constants, self.start, counted)
        else:
            found = self.by_segments(values, stacks, segment, counted, needed)
        constants = [self.constants[place] for place in self.active_constants]
        skipped = len(self.active) + len(self.active_extras)
        starts = [self.initial[place] for place in self.active]
        pairs = (*zip(starts, found), *zip(constants, found[skipped:]))
        yield from (pair for pair in pairs if is_active(self.sweep, pair[0]))

    def needed(self) -> list[Key]:
        """What an iteration backwards reads of the one forwards: states, and values in it that are
        kept. Of an iteration that is linear there is none."""
        scope = Scope(self.emit.new.graph, self.node, self.sweep.facts)
        t = scope.placeholder("t", python_number(int))
        carried = [scope.placeholder("cotangent", kind) for kind in self.carried_kinds()]
        states = [scope.new.graph.placeholder("state", kind) for kind in self.kinds]
        found = self.iteration_backwards(scope, t, carried, states, self.constants, self.start)
        own = {scope.new.became[each]: each for each in self.body.calls}
        kept = self.kept(found, scope.new.graph.nodes, own, states)
        loads = {each: scope.new.graph.placeholder("kept", each.type) for each in kept}
        found = exchange(found, scope.new.graph.nodes, loads)
        needed = leading_to(found, scope.new.graph.nodes)
        symbols = {name for node in needed for name in taken_by(node)}
        places = [place for place, state in enumerate(states)
                  if state in needed or not symbols.isdisjoint(unbacked_in(state.type))]
        return [*places, *(own[each] for each in kept)]

    def kept(
        self, found: list[Any], nodes: list[Node], own: dict[Node, Node], states: list[Node]
    ) -> list[Node]:
        """The values of an iteration that are kept, of no more bytes than two times its states."""
        facts = self.sweep.facts
        if any(True for each in own for _ in bound_by(each)):
            return []
        inside, needed = {*own, *states}, leading_to(found, nodes)
        wanted = [each for each in found if each in inside]
        wanted += [each for node in needed - own.keys() for each in node.operands if each in inside]
        limit = 2 * sum(size_of(state, facts) for state in states)
        kept = kept_values(dict.fromkeys(wanted), states, own.keys() & needed, limit, facts)
        return [each for each in own if each in kept]

    # -- backwards

    def by_segments(
        self, values: list[Any], stacks: dict[Key, Node], segment: Size, counted: Any,
        needed: list[Key],
    ) -> list[Node]:
        """From the last segment to the first: run it again, keeping all states, then go back."""
        emit, kinds = self.emit, self.carried_kinds()
        ends = integer(emit, operator.add, counted, segment - 1)
        last = integer(emit, operator.sub, integer(emit, operator.floordiv, ends, segment), 1)
        scope = Scope(emit.new.graph, self.node, self.sweep.facts)
        inner = scope.emit
        c = scope.placeholder("segment", python_number(int))
        carried = [scope.placeholder("cotangent", kind) for kind in kinds]
        base = integer(inner, operator.mul, c, segment)
        left = integer(inner, operator.sub, scope.take(counted), base)
        is_less = truth(inner, operator.lt, left, segment)
        count = integer(inner, control.choose, is_less, left, segment)
        states = [loaded(inner, scope.take(stacks[place]), c, kind)
                  for place, kind in enumerate(self.kinds)]
        constants = scope.take(self.constants)
        first = self.index_of(inner, scope.take(self.start), base)
        own = self.run_again(scope, states, constants, first, count, segment, needed)
        found = self.backwards(inner, carried, own, constants, first, count)
        body, operands = scope.finish_needed((True, *found))
        return results_of(
            emit, control.for_loop, (last, -1, -1, body, tuple(values), operands), {}, kinds)

    def backwards(
        self, emit: NodeEmit, values: list[Any], stacks: dict[Key, Node], constants: Any,
        start: Any, count: Any,
    ) -> list[Node]:
        """From the last iteration to the first, over what is kept."""
        kinds = self.carried_kinds()
        scope = Scope(emit.new.graph, self.node, self.sweep.facts)
        t = scope.placeholder("t", python_number(int))
        carried = [scope.placeholder("cotangent", kind) for kind in kinds]
        states = [loaded(scope.emit, scope.take(stacks[place]), t, kind) if place in stacks else
                  scope.new.graph.placeholder("state", kind)
                  for place, kind in enumerate(self.kinds)]
        loads = {key: loaded(scope.emit, scope.take(stack), t, key.type)
                 for key, stack in stacks.items() if isinstance(key, Node)}
        found = self.iteration_backwards(scope, t, carried, states, constants, start)
        found = exchange(found, scope.new.graph.nodes, {
            scope.new.became[key]: value for key, value in loads.items()})
        body, operands = scope.finish_needed((True, *found))
        last = integer(emit, operator.sub, count, 1)
        return results_of(
            emit, control.for_loop, (last, -1, -1, body, tuple(values), operands), {}, kinds)

    def iteration_backwards(
        self, scope: Scope, t: Any, carried: list[Node], states: list[Any], constants: Any,
        start: Any,
    ) -> list[Any]:
        """What is carried on after an iteration backwards."""
        fixed = scope.take(constants)
        results = self.iteration(scope, t, states, constants, start)
        wanted = [*(states[place] for place in self.active),
                  *(fixed[place] for place in self.active_constants)]
        places = [*(self.places[each] for each in self.active), *self.active_extras]
        sweep = ReverseSweep(scope.new, (), self.sweep.facts)
        totals = carried[len(carried) - len(self.active_constants) :]
        found = inside_out(sweep, scope, [results[p] for p in places], carried, wanted, totals)
        return self.advanced(scope.emit, found, self.carried_kinds())

    def advanced(
        self, emit: NodeEmit, found: list[Any], kinds: list[ArrayType]
    ) -> list[Any]:
        """Cotangents for the iteration before; those of values of the last one are done with."""
        first = len(self.active)
        done: list[Any] = [None] * len(self.active_extras)
        values = [*found[:first], *done, *found[first:]]
        return [conform(emit, *each) for each in zip(values, kinds)]


def exchange(found: list[Any], nodes: list[Node], loads: Mapping[Node, Node]) -> list[Any]:
    """Have nodes read values that were kept, in the place of those computed again."""

    def read(leaf: Any) -> Any:
        return loads.get(leaf, leaf) if isinstance(leaf, Node) else leaf

    if loads:
        for node in nodes:
            node.args, node.kwargs = map_leaves(read, (node.args, node.kwargs))
    return [read(each) for each in found]


ADJOINTS.update({
    control.cond: of_branch, control.for_loop: of_loop, control.while_loop: of_loop,
})
