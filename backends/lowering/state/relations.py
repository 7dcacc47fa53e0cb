"""What must hold between sizes when a program runs, and what is seen to hold before."""
from __future__ import annotations

from collections.abc import Iterable

from ....base.records import dataclass, field
from ....errors import Unsupported
from ....ir.facts import graph_facts
from ....ir.graph import Graph
from ....ir.sizes import Size, depends_on_data, evaluate, symbols
from ...hints import least_of
from ...loop_ir.program import Require, Step
from .values import CannotLower


@dataclass
class Relations:
    """Relations are required once, by a step among `steps`; `bound` are the symbols that are known
    by then."""

    graph: Graph
    steps: list[Step]
    required: set[tuple[str, Size, Size]] = field(default_factory=set)
    bound: set[str] = field(default_factory=set)
    limits: dict[str, tuple[Size, Size]] = field(default_factory=dict)  # of symbols of bodies

    def know(self, around: Relations) -> None:
        """A body begins with what is known around it."""
        self.required, self.bound = set(around.required), set(around.bound)
        self.limits = around.limits

    def require(self, relation: str, left: Size, right: Size) -> None:
        """The relation must hold at run time; nothing when it can be seen to hold."""
        if isinstance(left, int) and isinstance(right, int):
            holds = {"==": left == right, "<=": left <= right, "<": left < right}[relation]
            if not holds:
                raise CannotLower(f"{left} {relation} {right} never holds")
            return
        if (relation in ("==", "<=") and left == right) or self.follows(relation, left, right):
            return
        if (relation, left, right) not in self.required:
            self.required.add((relation, left, right))
            self.steps.append(Require(relation, left, right))

    def follows(self, relation: str, left: Size, right: Size) -> bool:
        """Whether it can be seen from the least values of the sizes of inputs."""
        if relation == "==" or not isinstance(left, int):
            return False
        if depends_on_data(right):
            return self._follows_inside(relation, left, right)
        least = least_of(right, self.graph.symbols)
        return least is not None and (left < least if relation == "<" else left <= least)

    def _follows_inside(self, relation: str, left: int, right: Size) -> bool:
        """The same of sizes that a body knows, as far as it follows from their bounds."""
        facts = graph_facts(self.graph)
        try:
            return facts.less(left, right) if relation == "<" else facts.less_equal(left, right)
        except Unsupported:
            return False

    def hint(self, size: Size, unknown: int = 64) -> int:
        """A likely value, for decisions of cost only."""
        if isinstance(size, int):
            return size
        hints = {name: origin.hint for name, origin in self.graph.symbols.items()}
        hints |= {name: one.hint for name, one in self.graph.unbacked.items()}
        try:
            return evaluate(size, hints)
        except (KeyError, ZeroDivisionError):
            return unknown

    def bind(self, names: Iterable[str]) -> None:
        """A step has just bound these symbols: what is asserted of them can be checked."""
        self.bound.update(names)
        self.check_assertions()

    def check_assertions(self) -> None:
        for one in self.graph.assertions:
            known = self.bound.issuperset((*symbols(one.left), *symbols(one.right)))
            if known and (one.relation, one.left, one.right) not in self.required:
                self.required.add((one.relation, one.left, one.right))
                self.steps.append(Require(one.relation, one.left, one.right))
