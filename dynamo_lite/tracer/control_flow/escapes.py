"""What leaves a trace must not show that an array of the graph stands for several others."""
from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

from ...errors import PlanLoop
from ...ir.node import Node
from ...ir.sizes import SizeExpr
from ..recording.nodes import owner_of
from ..state.trace import LoopPlan, Returned, Stopped
from ..state.tracker import VariableTracker
from ..trackers.arrays.arrays import ArrayVariable
from ..trackers.arrays.phi import Phi

if TYPE_CHECKING:
    from ..state.tx import Tx


def check_escapes(tx: Tx, end: Returned | Stopped) -> None:
    """Start again without the loop or branch that made an array which cannot be handed out."""
    state = tx.state
    if not state.may_alias and not state.consumed:
        return
    owners = [
        owner_of(tx, node) for tracker in reachable(leaving(tx, end))
        for node in nodes_of(tx, tracker)
    ]
    for owner in owners:
        if (found := state.consumed.get(owner)) is None:
            found = state.may_alias.get(owner)
            if found is not None and found.sources and all(
                is_confined(tx, source, owners) for source in found.sources
            ):
                continue
        if found is not None:
            raise PlanLoop(found.place, LoopPlan(f"the result may be {found.what}"))


def shows_layout_of_nothing(tx: Tx, end: Returned | Stopped) -> bool:
    """Whether a view of an empty input leaves, whose strides are those of this very array: its
    sizes of 0 are noted, to be compiled in."""
    shapes = tx.state.shapes
    empty = {node: source for source, node in tx.state.inputs
             if any(isinstance(n, SizeExpr) and shapes.hint(n) == 0 for n in node.type.shape)}
    if not empty:
        return False
    views = {
        owner_of(tx, node) for tracker in reachable(leaving(tx, end))
        if getattr(tracker, "source", None) is None for node in nodes_of(tx, tracker)
    }
    noted = shapes.policy.history.laid_out
    known = len(noted)
    for node in views & empty.keys():
        noted.update((empty[node], "size", axis) for axis in range(node.type.ndim))
    return len(noted) > known


def leaving(tx: Tx, end: Returned | Stopped) -> list[Any]:
    """Effects and values that the program sees after the trace."""
    roots: list[Any] = list(tx.state.side_effects.records)
    return roots + (
        [end.value] if isinstance(end, Returned) else [*end.values]
    )


def is_confined(tx: Tx, node: Node, visible: Iterable[Node]) -> bool:
    """Whether nobody can have an array but the graph, which made it."""
    return node.op == "call_function" and node not in visible and (
        node not in tx.state.may_alias
    )


def nodes_of(tx: Tx, tracker: VariableTracker) -> Iterator[Node]:
    """The arrays that a tracker hands out itself."""
    if not isinstance(tracker, ArrayVariable):
        return
    alias = tx.state.may_alias.get(tracker.node)
    named = tracker.phi is not None and tracker.phi.has_names
    if not named or (alias is not None and alias.sources):
        yield tracker.node


def reachable(roots: Iterable[Any]) -> Iterator[VariableTracker]:
    """Trackers, and those that they hold."""
    seen: set[int] = set()
    todo = list(roots)
    while todo:
        value = todo.pop()
        if id(value) in seen:
            continue
        seen.add(id(value))
        if issubclass(type(value), VariableTracker):
            yield value
            todo.extend(vars(value).values() if hasattr(value, "__dict__") else ())
        elif type(value) is Phi:
            todo.extend(value.choices)
        elif type(value) in (list, tuple, set, frozenset):  # no class of the program's
            todo.extend(value)
        elif type(value) is dict:
            todo.extend([*value.keys(), *value.values()])
        elif type(value).__module__ == "dynamo_lite.tracer.state.side_effects":
            todo.extend(getattr(value, name) for name in value.__slots__)
