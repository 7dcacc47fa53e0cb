"""Whether a loop is worth the time that each iteration spends between Python and compiled code.

A loop that cannot be a node of the graph is left in each iteration where tracing stops, and entered
again behind that. The cost of one iteration is estimated: values that cannot be traced are unknown,
of a branch on data one arm is taken, an inner loop is passed through once and counted as often as
it iterates. What the operations found take in Python is what can be gained.
"""
from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from ...base.records import dataclass
from ...bytecode.flow import Loop
from ...bytecode.splitting import STACK_EFFECTS
from ...errors import PlanColdArm, PlanLoop, Unsupported
from ...ir.savings import ITERATIONS, SCALAR_CALL, costs, saved
from ...ir.sizes import Size
from ..state.trace import ColdArm
from ..state.tracker import ObservedException, VariableTracker
from ..trackers.containers.iterators import StepVariable

if TYPE_CHECKING:
    from ...bytecode.reading import Instruction
    from ..state.tx import Tx

CROSSING = 2000.0
"""Nanoseconds for leaving compiled code and entering it again, an iterator stepped in between:
about four times what it takes: what is saved is a rough estimate, and has to pay for compiling."""
MOST = {"BINARY_SUBSCR": SCALAR_CALL, "STORE_SUBSCR": SCALAR_CALL}
"""Opname → what it costs at most where an operand is unknown: most indices select an element."""
LONGEST = 2000
"""Instructions of an iteration that are estimated."""


class UnknownVariable(VariableTracker):
    """What an instruction gives that could not be traced."""

    def python_type(self) -> type:
        return object


UNKNOWN = UnknownVariable()


@dataclass(slots=True)
class Estimate:
    """Of one iteration: the nanoseconds that its operations take in Python, how many there are, and
    how often compiled code has to be left."""

    saved: float = 0.0
    operations: int = 0
    crossings: float = 0.0

    def why_not(self) -> str | None:
        """Why Python should run the loop, or None."""
        if self.saved >= CROSSING * max(self.crossings, 1.0):
            return None
        return "its iterations are shorter than leaving and entering compiled code"


def outermost(tx: Tx, index: int) -> Loop | None:
    """The largest loop that an instruction is part of."""
    found = [loop for loop in tx.loops.values() if index in loop.members]
    return max(found, key=lambda loop: len(loop.members), default=None)


def estimate(tx: Tx, loop: Loop, stopped: int) -> Estimate:
    """Estimate one iteration of a loop that control has arrived at; tracing stopped at
    `stopped`."""
    estimating = Estimating(tx, loop)
    for _ in range(LONGEST):
        if not estimating.step():
            break
    found = estimating.found
    found.crossings = max(found.crossings, estimating.times(stopped))
    return found


class Estimating:
    """One iteration of a loop, roughly."""

    def __init__(self, tx: Tx, loop: Loop) -> None:
        self.tx, self.loop = tx, loop
        self.found, self.hint = Estimate(), hint_of(tx)
        self.iterations: dict[int, int] = {}
        tx.region = loop

    def times(self, index: int) -> float:
        """How often an iteration comes past an instruction."""
        found = 1.0
        for loop in self.tx.loops.values():
            if index in loop.members and loop.members < self.loop.members:
                found *= self.iterations.get(loop.head, ITERATIONS)
        return found

    def step(self) -> bool:
        """Take one instruction; whether the iteration goes on."""
        tx = self.tx
        inst = tx.instructions[tx.index]
        known = len(tx.graph.nodes)
        if inst.opname == "FOR_ITER":
            self.iterations[inst.index] = iterations_of(tx.stack[-1])
        if not self.advance(inst):
            return False
        times = self.times(inst.index)
        for node in tx.graph.nodes[known:]:
            if node.op == "call_function":
                self.found.operations += 1
                self.found.saved += times * saved(node, self.hint)
        return tx.returned is None and tx.index in self.loop.members and tx.index != self.loop.head

    def advance(self, inst: Instruction) -> bool:
        tx = self.tx
        if inst.target is not None and inst.target <= inst.index:
            return self.leave(inst)
        before = tx.index, list(tx.stack), dict(tx.locals), tx.state.graph
        if "JUMP_IF" in inst.opname and not tx.stack[-1].is_constant():
            tx.index += 1
            tx.pop()
            return True
        try:
            tx.step()
            return True
        except PlanLoop as plan:
            tx.state.options.loops[plan.place] = plan.plan
        except PlanColdArm as plan:
            tx.state.options.cold_arms[plan.place] = ColdArm(str(plan), plan.location)
        except (Unsupported, ObservedException):
            pass
        tx.index, tx.stack, tx.locals, tx.state.graph = before
        tx.region = self.loop
        return inst.index in tx.loops or self.skip(inst)

    def leave(self, inst: Instruction) -> bool:
        """The end of an iteration of an inner loop, which is the only one."""
        tx, head = self.tx, self.tx.instructions[inst.target or 0]
        if "JUMP_IF" in inst.opname:
            tx.pop()
            tx.index = inst.index + 1
        elif head.opname == "FOR_ITER" and head.target is not None:
            tx.pop()
            tx.index = head.target
        else:
            return False
        return True

    def skip(self, inst: Instruction) -> bool:
        """Behind an instruction that could not be traced."""
        tx = self.tx
        if inst.opname == "FOR_ITER":
            pops, pushes = 0, 1
        elif inst.opname in STACK_EFFECTS:
            pops, pushes = STACK_EFFECTS[inst.opname](inst)
        else:
            return False
        taken = tx.popn(pops)
        if UNKNOWN not in taken:
            self.found.crossings += self.times(inst.index)
        elif kinds := [value.array_type for value in taken if hasattr(value, "array_type")]:
            cost = max(costs(kind, self.hint) for kind in kinds)
            self.found.saved += self.times(inst.index) * min(cost, MOST.get(inst.opname, cost))
        tx.stack += [UNKNOWN] * (pushes + (inst.opname == "LOAD_METHOD"))
        tx.index = inst.index + 1
        return True


def iterations_of(iterator: VariableTracker) -> int:
    ranged = getattr(iterator, "owner", None)
    known = getattr(ranged, "value", None)
    if isinstance(iterator, StepVariable) and isinstance(known, range):
        return len(known) - iterator.position
    return ITERATIONS


def hint_of(tx: Tx) -> Callable[[Size], int]:
    def hint(size: Size) -> int:
        try:
            return tx.shapes.hint(size)
        except Unsupported:
            return ITERATIONS

    return hint
