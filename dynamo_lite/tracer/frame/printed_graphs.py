"""Functions that are the text of a graph: what they compute is known, and is recorded node by node.

None of their instructions is interpreted: only the types of their arguments are new.
"""
from __future__ import annotations

import operator
from collections.abc import Mapping
from dataclasses import replace
from types import FunctionType
from typing import Any
from weakref import WeakKeyDictionary

from ...base.records import dataclass
from ...errors import DynamoError, Unsupported
from ...guards.sources import LocalSource
from ...ir.graph import Graph
from ...ir.node import Location, Node
from ...ir.tree import leaves, map_leaves
from ..object_model.lazy import realise
from ..recording.nodes import record
from ..state.trace import Returned, TraceState
from ..state.tracker import VariableTracker
from ..trackers.containers.sequences import TupleVariable
from .root import RootTranslator

Fact = tuple[int, str, int]
"""A size or int of an argument: its number, "size", "stride" or "value", and the axis."""


@dataclass(frozen=True, slots=True)
class Printed:
    """What such a function is the text of; its nodes need no types. `likely` values of sizes are
    what code is made for, whichever of them a process comes to see first."""

    graph: Graph
    likely: Mapping[Fact, int]


PRINTED: WeakKeyDictionary[FunctionType, Printed] = WeakKeyDictionary()


def can_record(graph: Graph) -> bool:
    """Whether it has neither bodies nor constants nor symbols of its own."""
    plain = not graph.symbols and not any(node.op == "get_attr" for node in graph)
    return plain and not any(leaves((node.args, node.kwargs), Graph) for node in graph)


class NotRecorded(DynamoError):
    """A node is not recorded as it stands; `str()` is the reason."""


class PrintedGraph(RootTranslator):
    """The frame of such a function; `values` are the trackers of its nodes."""

    def __init__(self, state: TraceState, printed: Printed) -> None:
        super().__init__(state, None)
        self.printed = printed
        self.values: dict[Node, VariableTracker] = {}
        self.place: Location | None = None

    def location(self) -> Location:
        return self.place or super().location()

    def finish(self) -> Returned:
        """Record everything, or raise NotRecorded."""
        self.state.locate = self.location
        try:
            return self.all_recorded()
        except (Unsupported, LookupError) as error:
            raise NotRecorded(str(error)) from error

    def all_recorded(self) -> Returned:
        arguments = iter(self.locals.values())
        for node in self.printed.graph:
            if node.op == "placeholder":
                self.values[node] = realise(self, next(arguments))
            elif node.op == "call_function":
                self.state.check_time()
                self.place = node.location
                self.values[node] = self.recorded(node)
        results = [self.values[node] for node in self.printed.graph.outputs]
        return Returned(TupleVariable(results))

    def recorded(self, node: Node) -> VariableTracker:
        base = self.values[node.args[0]] if node.args and isinstance(node.args[0], Node) else None
        if node.target is operator.getitem and isinstance(base, TupleVariable):
            return base.built_items()[node.args[1]]
        args, kwargs = map_leaves(self.argument, (node.args, node.kwargs))
        known = len(self.graph.nodes)
        made = record(self, node.target, args, kwargs)
        for new in self.graph.nodes[known:]:
            new.errstate = node.errstate
        return made

    def argument(self, leaf: Any) -> Any:
        return self.values[leaf].as_argument(self) if isinstance(leaf, Node) else leaf


    def settle_hints(self) -> None:
        """Let code be made for the sizes that are likely."""
        symbols, infos = self.state.root_graph.symbols, self.shapes.infos
        for name, origin in symbols.items():
            info = infos.get(name)
            if info is not None and isinstance(info.source, LocalSource):
                fact = info.source.index, info.fact, info.axis
                symbols[name] = replace(origin, hint=self.printed.likely.get(fact, origin.hint))


def printed_graph(function: FunctionType) -> Printed | None:
    """The graph that a function is the text of, if it can be recorded."""
    found = PRINTED.get(function)
    return found if found is not None and can_record(found.graph) else None
