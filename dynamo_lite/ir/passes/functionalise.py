"""The functional form: in-place writes become new versions of the array that owns the memory.

Every array of the graph is a view (a chain of view operations) of one *storage*: a placeholder, or
a node that made a new array. A write into any view of a storage makes its next version,
`core.update(previous version, view chain, value)`; whoever reads a view of it afterwards reads
the same chain of the newest version. NumPy evaluates overlapping operands as if the right side
came first, and so does this form, since `value` is computed from the previous version.

In the result
- no node writes; `core.update` and `core.perform` return new arrays;
- the output's keyword `writes` lists (placeholder, node of its final contents), to be copied into
  the placeholder's memory after every node has been evaluated;
- an output that shares memory with a written placeholder is a view of the *placeholder*. Its
  elements are read by the caller, hence after the writes. No other node reads a placeholder's new
  contents;
- distinct placeholders do not overlap in memory: the guards of a graph that writes say so.
"""
from __future__ import annotations

import operator
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from ...base.records import dataclass
from ...errors import Unsupported
from .. import core
from ..control import bodies, is_control
from ..facts import Facts
from ..graph import Graph
from ..memory import strided_view_of, writes
from ..node import Node
from ..ops.inference import infer
from ..row import row_of
from ..rules.strided_views import StridedView
from ..tree import map_leaves
from ..types import ArrayType, Form
from .new_versions import WRITERS, _alike, performed
from .rebuild import Rebuild


@dataclass(eq=False, slots=True)
class Storage:
    """Memory of one array; `node` holds its newest version."""

    node: Node
    origin: Node
    version: int = 0


@dataclass(eq=False, slots=True)
class Alias:
    """One array of the old graph: a view of a storage, and the node that has it, at a version."""

    storage: Storage
    chain: core.Chain
    node: Node
    version: int


def functionalise(graph: Graph, facts: Facts) -> Graph:
    """A graph without writes comes back as it is."""
    if not any(writes(node) for node in graph.calls):
        return graph
    return Functionaliser(graph, facts).run()


Known = dict[Graph, set[Node]]
"""What `written` has found of bodies."""


class Functionaliser:
    """`leaves_bodies`: those of control nodes stay as they are, where only what a graph writes into
    is asked for."""

    def __init__(
        self, graph: Graph, facts: Facts, known: Known | None = None, leaves_bodies: bool = False
    ) -> None:
        self.old = graph
        self.known: Known = {} if known is None else known
        self.leaves_bodies = leaves_bodies
        self.new = Rebuild(graph)
        self.facts = facts
        self.aliases: dict[Node, Alias] = {}
        self.parts: dict[tuple[Node, Any], Alias] = {}
        self.returned: dict[Alias, Node] = {}

    def run(self) -> Graph:
        for node in self.old:
            if node.op == "output":
                self._output(node)
            elif is_control(node) and writes(node):
                self._control(node)
            elif node.op == "call_function" and writes(node):
                self._write(node)
            else:
                self._keep(node)
        return self.new.graph

    def value(self, leaf: Any) -> Any:
        """An operand in the new graph: the newest contents of the array it names."""
        if not isinstance(leaf, Node):
            return leaf
        alias = self.aliases.get(leaf)
        if alias is None:
            return self.new.became[leaf]
        if alias.version != alias.storage.version:
            alias.node = self._viewed(alias.storage.node, alias.chain, leaf)
            alias.version = alias.storage.version
        return alias.node

    def _viewed(self, node: Node, chain: core.Chain, like: Node) -> Node:
        """The view that `chain` makes of a node."""
        for function, args, kwargs in chain:
            kind = infer(function, (node, *args), kwargs, self.facts)
            node = self.new.call(function, (node, *args), kwargs, kind, like)
        return node

    def _keep(self, node: Node) -> None:
        if node.op != "call_function":
            made = self.new.copy(node)
        else:
            args, kwargs = map_leaves(self.value, (node.args, node.kwargs))
            made = self.new.call(node.target, args, kwargs, node.type, node)
            self.new.became[node] = made
        if isinstance(node.type, ArrayType) and node.type.form is Form.ARRAY:
            self.aliases[node] = self._alias(node, made)

    def _alias(self, node: Node, made: Node) -> Alias:
        base = node.args[0] if node.op == "call_function" and node.args else None
        if isinstance(base, Node) and isinstance(base.type, (tuple, list)):
            key = (base, node.args[1])
            return self.parts.setdefault(key, _owner(made, node))
        parent = self.aliases.get(base) if isinstance(base, Node) else None
        view: StridedView | None = None
        if parent is not None:
            view = strided_view_of(node, self.facts)
        if parent is None or view is None:
            return _owner(made, node)
        if view.same:
            return parent
        args, kwargs = map_leaves(self.value, (node.args[1:], node.kwargs))
        step = (node.target, args, kwargs)
        return Alias(parent.storage, (*parent.chain, step), made, parent.storage.version)

    def _write(self, node: Node) -> None:
        row = row_of(node.target)
        write = WRITERS.get(row.version or "", performed) if row is not None else performed
        written = write(self, node)
        if isinstance(node.type, ArrayType) and node.type.form is Form.ARRAY:
            self.aliases[node] = self.aliases[written]
        self.new.became[node] = None

    def update(self, target: Node, extra: core.Chain, value: Any, node: Node) -> None:
        """Store `value` into a view of an array, or into a further selection of it."""
        alias = self.aliases[target]
        args = (alias.storage.node, (*alias.chain, *extra), value)
        self._advance(alias.storage, core.update, args, node)

    def replace(self, target: Node, value: Node, node: Node) -> None:
        """Store what has just been computed into an array. Where that is all of an array of the
        program's own, laid out alike, the new one takes its place."""
        storage, chain = self.aliases[target].storage, self.aliases[target].chain
        is_own = storage.origin.op == "call_function" and not self.old.is_body
        is_new = self.new.graph.nodes[-1] is value
        if chain or not is_own or not is_new or not _alike(value.type, storage.node.type):
            self.update(target, (), value, node)
            return
        storage.node = value
        storage.version += 1

    def perform(
        self, target: Node, place: int | str, args: tuple[Any, ...], kwargs: dict[str, Any],
        node: Node, function: Callable[..., Any] | None = None,
    ) -> None:
        """Let NumPy write into a copy."""
        alias = self.aliases[target]
        args, kwargs = map_leaves(self.value, (args, kwargs))
        call = (function or node.target, alias.storage.node, alias.chain, place, args, kwargs)
        self._advance(alias.storage, core.perform, call, node)

    def _advance(
        self, storage: Storage, target: Callable[..., Any], args: tuple[Any, ...], node: Node
    ) -> None:
        if storage.origin.op == "get_attr":
            raise Unsupported("a write into a constant array")
        kind = storage.node.type
        storage.node = self.new.call(target, args, {}, kind, node)
        storage.version += 1

    def _control(self, node: Node) -> None:
        """Operands that bodies write into come last, and their final contents are last results."""
        given = node.args[-1]
        lead = tuple(map_leaves(self.value, arg) for arg in node.args[:-1])
        first = {body: len(body.placeholders) - len(given) for body in bodies(node)}
        changed: set[int] = set()
        for body, at in first.items():
            found = written(body, self.facts, self.known)
            operands_of = body.placeholders[at:]
            changed |= {place for place, own in enumerate(operands_of) if own in found}
        places = sorted(changed)
        order = [place for place, _ in enumerate(given) if place not in places] + places
        lead = map_leaves(
            lambda leaf: functional_body(
                leaf, first[leaf], order, len(places), self.facts, self.known
            ) if isinstance(leaf, Graph) and not self.leaves_bodies else leaf, lead,
        )
        operands = tuple(self.value(given[place]) for place in order)
        kinds = (*node.type, *(given[place].type for place in places))
        versions = {"versions": len(places)} if places else {}
        made = self.new.call(node.target, (*lead, operands), versions, kinds, node)
        self.new.became[node] = made
        for position, place in enumerate(places, len(node.type)):
            kind = kinds[position]
            new = self.new.call(operator.getitem, (made, position), {}, kind, node)
            alias = self.aliases[given[place]]
            if alias.chain:
                args = (alias.storage.node, alias.chain, new)
                self._advance(alias.storage, core.update, args, node)
            else:
                alias.storage.node = new
                alias.storage.version += 1

    def _output(self, node: Node) -> None:
        if self.old.is_body:
            self.new.graph.output(map_leaves(self.value, node.args[0]))
            return
        stored = {id(alias.storage): alias.storage for alias in self.aliases.values()}
        changed = [
            storage for storage in stored.values()
            if storage.version and storage.origin.op == "placeholder"
        ]
        values = tuple(map(self._returned, node.args[0]))
        writes = tuple((self.new.became[one.origin], one.node) for one in changed)
        self.new.graph.output(values, writes=writes)

    def _returned(self, leaf: Any) -> Any:
        alias = self.aliases.get(leaf) if isinstance(leaf, Node) else None
        if alias is None or alias.storage.origin.op != "placeholder" or (
            not alias.storage.version
        ):
            return self.value(leaf)
        if alias not in self.returned:
            placeholder = self.new.became[alias.storage.origin]
            self.returned[alias] = self._viewed(placeholder, alias.chain, leaf)
        return self.returned[alias]


def written(body: Graph, facts: Facts, known: Known | None = None) -> set[Node]:
    """The placeholders of a body that it writes into."""
    known = {} if known is None else known
    if body not in known:
        run = Functionaliser(body, facts, known, leaves_bodies=True)
        run.run()
        storages = [alias.storage for alias in run.aliases.values()]
        known[body] = {storage.origin for storage in storages if storage.version}
    return known[body]


def functional_body(
    body: Graph, first: int, order: list[int], versions: int, facts: Facts, known: Known
) -> Graph:
    """A body without writes: its operands, which begin at placeholder `first`, in another order,
    and the final contents of the last `versions` of them as further outputs."""
    given = body.placeholders
    operands = [given[first + place] for place in order]
    rest = [node for node in body.nodes if node.op not in ("placeholder", "output")]
    final = tuple(operands[len(operands) - versions :])
    ordered = replace(body, nodes=[*given[:first], *operands, *rest], _compiled=None)
    ordered.output((*body.outputs, *final))
    return Functionaliser(ordered, facts, known).run()


def _owner(made: Node, origin: Node) -> Alias:
    return Alias(Storage(made, origin), (), made, 0)
