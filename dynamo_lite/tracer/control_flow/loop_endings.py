"""What a loop of the graph carries along to tell how it ended."""
from __future__ import annotations

import operator
from typing import TYPE_CHECKING, Any

from ...base.records import dataclass
from ...ir.node import Node
from ...ir.sizes import Size, SizeExpr
from ...ir.types import ArrayType, python_number
from ..recording.nodes import adding_to, record
from ..state.tracker import VariableTracker
from .bodies import Body, identifier
from .capture import tracker_of
from .iterations import Iterations
from .side_exits import COUNT, EXIT, LAST, PROCEED

if TYPE_CHECKING:
    from ..state.tx import Tx

ANSWERS = frozenset({PROCEED, LAST, EXIT, COUNT})


@dataclass(slots=True)
class Told:
    """A number that a loop carries along for who goes on behind it; `output` is its value after an
    iteration."""

    initial: Any
    kind: ArrayType
    placeholder: Node
    output: Any = None


class Endings:
    """How many iterations there were, whether the next was to follow, at which side exit the loop
    was left; and numbers that are read at side exits only, by their names."""

    def __init__(self, tx: Tx, body: Body, iterations: Iterations | None, breaks: bool) -> None:
        self.tx, self.body, self.iterations, self.breaks = tx, body, iterations, breaks
        self.told: dict[str, Told] = {}

    @property
    def is_left(self) -> bool:
        """Whether there is a side exit."""
        return bool(self.body.side_exits and self.body.side_exits.at)

    def tell(self, proceed: Any) -> None:
        """Have the loop carry along what tells how it ended: whether the next iteration of a range
        was to follow, its last item where an iterator is to go on behind it, and at which side exit
        it was left."""
        if self.iterations is not None:
            if self.breaks:
                self.told_by(PROCEED, True, python_number(bool)).output = proceed
            if self.is_left or self.iterations.is_outside:
                before = 0 if self.before_first is None else self.before_first
                self.told_by(LAST, before, python_number(int)).output = self.body.index
        if self.is_left:
            number = self.told_by(EXIT, 0, python_number(int))
            number.output = self.body.after[EXIT].as_argument(self.tx)
            if self.before_first is None:
                self.count_up()

    def told_by(self, name: str, initial: Any, kind: ArrayType) -> Told:
        """One more number that the loop carries along."""
        placeholder = self.body.graph.placeholder(identifier(name), kind)
        told = self.told[name] = Told(initial, kind, placeholder)
        return told

    @property
    def before_first(self) -> Size | None:
        """What an iterator over a range would have given last, from which its last item tells how
        many there were; None where data decides, or there is no range."""
        if self.iterations is None or not isinstance(self.iterations.ends[0], (int, SizeExpr)):
            return None
        start, _, step = self.iterations.ends
        first: Size = start - step
        return first

    def count_up(self) -> None:
        """Have the loop count its iterations."""
        count = self.told_by(COUNT, 0, python_number(int))
        with adding_to(self.tx, self.body.graph):
            more = record(self.tx, operator.add, (count.placeholder, 1))
        count.output = more.as_argument(self.tx)

    def counted(self, last: VariableTracker) -> VariableTracker:
        """How many iterations there were up to the item `last`."""
        assert self.iterations is not None
        tx, step = self.tx, self.iterations.ends[2]
        behind = record(tx, operator.sub, (last.as_argument(tx), self.before_first))
        return record(tx, operator.floordiv, (behind.as_argument(tx), step))

    def answers(self, made: list[Node]) -> tuple[dict[str, VariableTracker], ...]:
        """What the loop's results for these numbers say of its end, and the other variables."""
        found = dict(zip(self.told, map(tracker_of, made)))
        ending = {name: tracker for name, tracker in found.items() if name in ANSWERS}
        if self.is_left and COUNT not in ending:
            ending[COUNT] = self.counted(ending[LAST])
        return ending, {
            name: ending[LAST] if self.is_last_item(name) else value
            for name, value in found.items() if name not in ANSWERS
        }

    def is_last_item(self, name: str) -> bool:
        """Whether a variable that is read at side exits only is the item of the iteration there."""
        one, last = self.told[name], self.told.get(LAST)
        return last is not None and one.output is last.output and one.kind == last.kind
