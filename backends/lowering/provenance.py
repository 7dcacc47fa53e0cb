"""Which of the user's operations a step of a program does: those whose values it puts into memory,
with all that is computed on the way there."""
from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cache

from ...base.records import dataclass
from ...ir.node import Location, Node
from ...ir.row import SIMPLE, row_of
from ...ir.sizes import Size, product
from ...ir.types import ArrayType
from ..costs import LOAD_TIME
from ..loop_ir.loops import Buffer
from ..loop_ir.program import Program, Step, all_steps, works


@dataclass(frozen=True, slots=True)
class Operation:
    """One operation of a step. `share` is what it takes by the estimate, in nanoseconds."""

    name: str
    location: Location | None
    share: float


def operations_of(
    program: Program, hint: Callable[[Size], int]
) -> Callable[[Step], tuple[Operation, ...]]:
    """For the steps of a program, what of the user's each of them does: the same tuple for all
    that put parts of the same values into memory, as hundreds do that concatenate."""
    origins: Mapping[Buffer, Node] = program.origins
    planned = [*filter(works, all_steps(program.steps))]
    firsts = [*filter(works, all_steps(program.unplanned))] or planned
    before = {id(step): first for step, first in zip(planned, firsts)}
    in_memory = {origins[b] for step in before.values() for b in step.writes if b in origins}
    readers: dict[Buffer, list[Step]] = {}
    for step in firsts:
        for buffer in {*step.reads}:
            readers.setdefault(buffer, []).append(step)

    @cache
    def of_roots(*roots: Node) -> tuple[Operation, ...]:
        nodes = {node: None for root in roots for node in computed(root, in_memory)}
        return tuple(Operation(name_of(n), n.location, time_of(n, hint)) for n in nodes)

    def of_step(step: Step) -> tuple[Operation, ...]:
        first = before.get(id(step), step)
        return of_roots(*roots_of(first, readers, origins, {id(first)}))

    return of_step


def roots_of(
    step: Step, readers: Mapping[Buffer, Sequence[Step]], origins: Mapping[Buffer, Node],
    seen: set[int],
) -> list[Node]:
    """The nodes whose values a step puts into memory, or those that later steps make of it."""
    writes = step.writes
    if made := [origins[b] for b in writes if b in origins]:
        return made
    later = {id(s): s for b in writes for s in readers.get(b, ()) if id(s) not in seen}
    seen.update(later)
    return [node for reader in later.values() for node in roots_of(reader, readers, origins, seen)]


def computed(root: Node, in_memory: Iterable[Node]) -> Iterator[Node]:
    """The node and what is computed for it alone, where it is read."""
    todo, seen = [root], {root}
    while todo:
        node = todo.pop()
        yield node
        new = [n for n in node.operands if n.op == "call_function" and n not in in_memory]
        todo += [n for n in new if n not in seen]
        seen.update(new)


def name_of(node: Node) -> str:
    name: str = getattr(node.target, "__name__", str(node.target))
    return name


def time_of(node: Node, hint: Callable[[Size], int]) -> float:
    row = row_of(node.target)
    cost = LOAD_TIME + (SIMPLE if row is None else row.cost)
    types = [node.type, *(operand.type for operand in node.operands)]
    sizes = [hint(product(type_.shape)) for type_ in types if isinstance(type_, ArrayType)]
    return cost * max(sizes, default=1)
