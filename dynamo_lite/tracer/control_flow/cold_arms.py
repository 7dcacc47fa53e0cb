"""Arms of branches that are left to Python: they show something, and are hardly ever taken.

A warning that something did not converge needs Python; the rest of the function does not. Such an
arm is no part of the graph. A call that would take it bails out, as where Python raises, and Python
runs the call. An arm is taken to be cold that has effects while the other one has none, that goes
on with the loop it is in, and that data decides about: what counts iterations (`i % 100 == 0`) is
bound to come true. Where it is taken often after all, the function is compiled again without.
"""
from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ...bytecode.flow import shape_of
from ...bytecode.meeting import Reach
from ...bytecode.reading import read
from ...errors import EffectBreak, PlanColdArm
from ...ir import control
from ...ir.node import Location, Node
from ...ir.tree import leaves
from ...ir.types import ArrayType, Form
from ..rules.trace_rules import FORBIDDEN
from ..state.trace import ColdArm

if TYPE_CHECKING:
    from ..state.tx import Tx

LOADS = frozenset({"LOAD_GLOBAL", "LOAD_NAME"})


class Arms:
    """The two arms of a branch at an instruction, by the instructions that they begin with; None
    where one of them does nothing more."""

    def __init__(self, tx: Tx, at: int, starts: tuple[int, int] | None) -> None:
        self.tx, self.at, self.starts = tx, at, starts or (at, at)
        self.is_wanted = starts is not None and tx.state.options.leaves_cold_arms

    def cold(self, test: Any) -> int | None:
        """Which arm is left to Python, if any: known from an earlier run, or seen in its text."""
        if not self.is_wanted:
            return None
        known = self.tx.state.options.cold_arms
        places = [(self.tx.code, self.at, start) for start in self.starts]
        if known.keys().isdisjoint(places):
            shows = [self.shows(side) for side in (0, 1)]
            if shows[0] == shows[1] or not self.may_be_cold(side := shows.index(True), test):
                return None
            known[places[side]] = self.seen(side)
        side = int(places[1] in known)
        self.tx.state.left_arms[places[side]] = known[places[side]]
        return side

    def seen(self, side: int) -> ColdArm:
        code = self.tx.code
        line = read(code)[self.starts[side]].line or code.co_firstlineno
        named = min(self.names(side).intersection(FORBIDDEN))
        reason = f"{named} has effects outside the program"
        return ColdArm(reason, Location(code.co_filename, line, code.co_qualname))

    def plan(self, side: int, test: Any, stop: EffectBreak) -> None:
        """Begin again without an arm in which tracing has come to an effect, where it is cold."""
        if self.may_be_cold(side, test):
            place = self.tx.code, self.at, self.starts[side]
            raise PlanColdArm(place, str(stop), stop.location) from None

    def may_be_cold(self, side: int, test: Any) -> bool:
        return self.is_wanted and self.goes_on(side) and is_about_data(test)

    def own(self, side: int) -> set[int]:
        """The instructions of one arm alone."""
        loop = shape_of(self.tx.code).inner_loop(self.at)
        reach = Reach(self.tx.code, self.at, loop)
        return reach.all_from([self.starts[side]]) - reach.all_from([self.starts[1 - side]])

    def goes_on(self, side: int) -> bool:
        """Whether the arm stays in the loop that it is in."""
        loop = shape_of(self.tx.code).inner_loop(self.at)
        return loop is None or self.own(side) <= loop.members

    def shows(self, side: int) -> bool:
        """Whether a builtin with effects is named in the arm: what is shown is hardly traceable."""
        shown = self.names(side).intersection(FORBIDDEN)
        return bool(shown) and shown.isdisjoint(self.tx.globals)

    def names(self, side: int) -> set[str]:
        """The globals that an arm names."""
        instructions = read(self.tx.code)
        return {instructions[n].argval for n in self.own(side) if instructions[n].opname in LOADS}


def is_about_data(test: Any) -> bool:
    """Whether arrays, floats or what loops computed decide, and not ints that are only counted."""
    seen: set[Node] = set()
    todo = [leaf for leaf in leaves((test,)) if isinstance(leaf, Node)]
    while todo:
        node = todo.pop()
        if node in seen:
            continue
        seen.add(node)
        kind = node.type
        if control.is_control(node) or not is_int(kind):
            return True
        todo += [leaf for leaf in leaves((node.args, node.kwargs)) if isinstance(leaf, Node)]
    return False


def is_int(kind: Any) -> bool:
    """Whether it is the type of a Python int, or of a bool that one gave."""
    return isinstance(kind, ArrayType) and kind.form is Form.PYTHON and kind.dtype.kind in "ib"
