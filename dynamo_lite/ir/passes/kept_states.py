"""Loops that keep, for the way back, states of their iterations and values that these compute."""
from __future__ import annotations

import math
import operator
from typing import Any, Union

import numpy as np

from .. import control, core
from ..node import Node
from ..sizes import Size, SizeExpr, depends_on_data, floordiv, minimum, positive_part
from ..types import python_number
from .decompose import NodeEmit
from .loops import Loop, results_of
from .scopes import Scope, integer, stored, truth

Key = Union[int, Node]
"""What is kept of an iteration: a state, by its place, or a value of the body."""
SHORT = 32
"""Iterations of loops that keep all their states."""
SEGMENT = 1024
"""Iterations between the states that loops keep of which the number of iterations is not known, and
the number of these states."""


GROWS = tuple(4**exponent for exponent in range(5, 11))
"""Numbers of iterations behind which segments of loops of varying length are twice as long."""


def root_above(count: Size) -> Size:
    """A power of two that is at least the root of a count, and less than two times as much; SHORT
    for small counts, and 2048 for all large ones."""
    found: Size = SHORT
    for most in GROWS:
        found = found + math.isqrt(most) * minimum(positive_part(count - most), 1)
    return found


class KeepingLoop(Loop):
    """A loop that is made to keep all its states, or the first of every segment, which runs again
    then."""

    def bound(self) -> Any:
        """The most iterations, if that is known."""
        ends = self.start, self.stop
        if not all(isinstance(end, (int, SizeExpr)) and not depends_on_data(end) for end in ends):
            return None
        if all(isinstance(end, int) for end in ends):
            return len(range(self.start, self.stop, self.step))
        away = self.stop - self.start if self.step > 0 else self.start - self.stop
        return floordiv(positive_part(away) + abs(self.step) - 1, abs(self.step))

    def capacity(self, bound: Any) -> tuple[Size, Size]:
        """How many states are kept, and of every how many iterations."""
        if bound is None:
            return SEGMENT, SEGMENT
        if not isinstance(bound, int):
            return root_above(bound), root_above(bound)
        if bound <= SHORT:
            return bound, 1
        segment = math.isqrt(bound - 1) + 1
        return -(-bound // segment), segment

    def keep_states(
        self, slots: Size, segment: Size, kept: list[Key]
    ) -> tuple[Any, dict[Key, Node]]:
        """Make the loop count its iterations and keep some values; the count and the stacks."""
        node, emit = self.node, self.emit
        nodes = emit.new.graph.nodes
        before, end = nodes.index(node), len(nodes)
        new = [emit(np.zeros, (1,), np.dtype(np.int64))]
        new += self.stacks(emit, slots, kept)
        nodes[before:] = nodes[end:] + nodes[before:end]
        self.replace_body(new, segment, kept)
        kinds = [each.type for each in new]
        first = len(node.type)
        node.type = (*node.type, *kinds)
        made = [emit.new.call(operator.getitem, (node, first + place), {}, kind, emit.node)
                for place, kind in enumerate(kinds)]
        number = integer(emit, core.plain, emit(operator.getitem, made[0], 0))
        return number, dict(zip(kept, made[1:]))

    def stacks(self, emit: NodeEmit, slots: Size, kept: list[Key]) -> list[Node]:
        kinds = [self.kinds[key] if isinstance(key, int) else key.type for key in kept]
        return [emit(np.empty, (slots, *kind.shape), kind.dtype) for kind in kinds]

    def replace_body(self, new: list[Node], segment: Size, keys: list[Key]) -> None:
        """The body that also counts, and stores the states that it is given, and other values."""
        node, scope = self.node, Scope(self.emit.new.graph, self.node, self.sweep.facts)
        given, constants = self.parameters(scope), scope.take(self.constants)
        versions = self.versions_in(scope)
        kept = [scope.version(each.name, each.type) for each in new]
        own = [*given[self.at_index :], *versions]
        states = [own[key] for key in keys if isinstance(key, int)]
        k = integer(scope.emit, core.plain, scope.emit(operator.getitem, kept[0], 0))
        stacks = self.checkpoint(scope, k, states, kept[1 : len(states) + 1], segment)
        again, *results = scope.inline(self.body, (*given, *constants, *versions), silent=False)
        stacks += [stored(scope.emit, stack, k, scope.new.became[key])
                   for stack, key in zip(kept[1:], keys) if isinstance(key, Node)]
        following = integer(scope.emit, operator.add, k, 1)
        counter = stored(scope.emit, kept[0], 0, following)
        body, operands = scope.finish((again, *results, counter, *stacks))
        node.args = (*node.args[:-3], body, node.args[-2],
                     (*operands, *self.initial[self.count :], *new))
        node.kwargs = {"versions": self.versions + len(new)}

    def checkpoint(
        self, scope: Scope, k: Any, states: list[Any], stacks: list[Node], segment: Size
    ) -> list[Node]:
        """Store the state where a segment begins."""
        if segment == 1:
            return [stored(scope.emit, *each) for each in zip(stacks, [k] * len(states), states)]
        emit = scope.emit
        begins = truth(emit, operator.eq, integer(emit, operator.mod, k, segment), 0)
        slot = integer(emit, operator.floordiv, k, segment)
        bodies = []
        for stores in (True, False):
            arm = Scope(scope.new.graph, self.node, self.sweep.facts)
            place, *values = arm.take([slot, *states])
            own = [arm.version(each.name, each.type) for each in stacks]
            if stores:
                own = [stored(arm.emit, stack, place, value) for stack, value in zip(own, values)]
            bodies.append(arm.finish(own))
        args = (begins, bodies[0][0], bodies[1][0], (*bodies[0][1], *stacks))
        return results_of(emit, control.cond, args, {"versions": len(stacks)},
                          [each.type for each in stacks])

    def index_of(self, emit: NodeEmit, start: Any, k: Any) -> Any:
        """The index of iteration `k` after `start`."""
        step = integer(emit, operator.mul, k, self.step) if self.step != 1 else k
        if isinstance(start, int) and start == 0:
            return step
        return integer(emit, operator.add, start, step)

    def run_again(
        self, around: Scope, states: list[Any], constants: Any, start: Any, count: Any,
        segment: Size, needed: list[Key],
    ) -> dict[Key, Node]:
        """The states and values of a segment that are needed."""
        emit = around.emit
        scope = Scope(around.new.graph, self.node, self.sweep.facts)
        t = scope.placeholder("t", python_number(int))
        carried = [scope.placeholder("state", kind) for kind in self.kinds]
        new = self.stacks(emit, segment, needed)
        stacks = [scope.version("kept", each.type) for each in new]
        results = self.iteration(scope, t, carried, constants, start)
        values = [carried[key] if isinstance(key, int) else scope.new.became[key] for key in needed]
        kept = [stored(scope.emit, stack, t, value) for stack, value in zip(stacks, values)]
        body, operands = scope.finish_needed(
            (True, *(results[place] for place in self.places), *kept))
        made = results_of(
            emit, control.for_loop, (0, count, 1, body, tuple(states), (*operands, *new)),
            {"versions": len(new)}, [*self.kinds, *(each.type for each in new)])
        return dict(zip(needed, made[len(self.kinds) :]))

    def iteration(
        self, scope: Scope, t: Any, states: list[Any], constants: Any, start: Any
    ) -> list[Any]:
        """The results of one iteration, computed again."""
        index = [self.index_of(scope.emit, scope.take(start), t)] if self.at_index else []
        carried, versions = states[: self.count], states[self.count :]
        given = (*index, *carried, *scope.take(constants), *versions)
        return list(scope.inline(self.body, given)[1:])
