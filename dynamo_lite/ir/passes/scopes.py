"""Bodies that passes write: what they read of the graph around them becomes an operand."""
from __future__ import annotations

import operator
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from ...errors import DataDependent, NotDifferentiable
from .. import core
from ..binding import bound_by, taken_by
from ..errstates import CONDITIONS
from ..facts import Facts
from ..graph import Graph
from ..memory import changes
from ..node import Node
from ..ops.libraries import NUMPY, maker_in
from ..row import ROWS, Kind, Op, row_of
from ..rules import creation, reductions
from ..rules.layout import is_packed
from ..sizes import Size
from ..tree import leaves, map_leaves
from ..types import ArrayType, Form, array, python_number
from .decompose import NodeEmit
from .rebuild import Rebuild

SILENT = tuple((condition, "ignore") for condition in sorted(CONDITIONS))
"""What derivatives add reports nothing: where there is none they are NaN or infinite."""


def silent_emit(new: Rebuild, node: Node, facts: Facts) -> NodeEmit:
    """Makes calls on behalf of a node, which report nothing."""
    like = Node(node.op, node.name, node.target, location=node.location, errstate=SILENT)
    return SilentEmit(new, like, facts, library_of(node))


def library_of(node: Node) -> str:
    """Whose arrays a node computes with."""
    operands = leaves((node.args, node.kwargs), Node)
    foreign = (one.type.library for one in (node, *operands) if isinstance(one.type, ArrayType)
               and one.type.library != NUMPY)
    return next(foreign, NUMPY)


class SilentEmit(NodeEmit):
    """Its results lie in memory as the first operand does of which that can be seen: nothing is
    asked about sizes, of which one may be 1. New arrays are of the `library` of all others."""

    def __init__(self, new: Rebuild, node: Node, facts: Facts, library: str) -> None:
        super().__init__(new, node, facts)
        self.library = library

    def __call__(self, target: Any, *args: Any, **kwargs: Any) -> Any:
        if self.library != NUMPY:
            target, args, kwargs = self.made_by_library(target, args, kwargs)
        is_ours = self.library == NUMPY  # others lay results out in C order
        if is_ours and isinstance(target, np.ufunc) and not kwargs and is_plain(ROWS[target]):
            order = visible_order([arg.type for arg in args if isinstance(arg, Node)])
            kwargs = {} if order is None else {"order": order}
        return super().__call__(target, *args, **kwargs)

    def made_by_library(self, target: Any, args: Any, kwargs: Any) -> Any:
        """A call that makes an array, as one of another library than NumPy; others as they are."""
        row = row_of(target)
        if row is not None and row.infer in ALIKE and not args[0].type.is_c_contiguous:
            args = (super().__call__(np.positive, args[0]), *args[1:])
        if not leaves((args, kwargs), Node):
            target = maker_in(self.library, target)
        return target, args, kwargs

    def facts_about(self, target: Any) -> Facts:
        row = row_of(target)
        is_like = row is not None and row.infer in SHAPED_ALIKE
        return Unasked(self.facts) if is_like else self.facts


ALIKE = frozenset({creation.like_rule, creation.full_like_rule})
"""Rules of arrays made like another one, which other libraries do of arrays in C order alone."""
SHAPED_ALIKE = frozenset({
    creation.copy_rule, creation.method_copy_rule, creation.astype_rule, creation.like_rule,
    creation.full_like_rule, reductions.scan_rule,
})
"""Rules of results of which sizes of 0 and 1 change but the order in memory, where it does not
matter."""


class Unasked:
    """Facts, without an answer about sizes that may be 0 or 1: none is guarded."""

    def __init__(self, facts: Facts) -> None:
        self.facts = facts

    def __getattr__(self, name: str) -> Any:
        return getattr(self.facts, name)

    def equal(self, left: Size, right: Size) -> bool:
        if right in (0, 1):
            raise DataDependent(f"whether {left} is {right}")
        return self.facts.equal(left, right)

    def less(self, left: Size, right: Size) -> bool:
        if left == 0:
            raise DataDependent(f"whether {right} is positive")
        return self.facts.less(left, right)


def is_plain(row: Op) -> bool:
    """Whether a ufunc is itself, and goes element by element."""
    return row.kind is Kind.POINTWISE and row.decompose is None


def visible_order(kinds: Sequence[Any]) -> str | None:
    """The memory order to ask for; None where all have the same."""
    arrays = [kind for kind in kinds if isinstance(kind, ArrayType) and kind.ndim]
    if max((kind.ndim for kind in arrays), default=0) < 2:
        return None
    for order in "C", "F":
        if all(is_packed(kind, order) for kind in arrays):
            return None
    arrays.sort(key=lambda kind: (-kind.ndim, kind.shape.count(1)))
    return next((order for kind in arrays for order in ("C", "F") if is_packed(kind, order)), None)


class Scope:
    """A body under construction, for a control node that does what `node` is about."""

    def __init__(self, graph: Graph, node: Node, facts: Facts) -> None:
        self.new = Rebuild(replace(graph, is_body=True, nodes=[], _names={}, _compiled=None))
        self.emit = silent_emit(self.new, node, facts)
        self.given: list[Node] = []
        self.versions: list[Node] = []
        self.taken: dict[Node, Node] = {}

    def placeholder(self, name: str, kind: ArrayType) -> Node:
        """One that every call of the body gives: an index, or what is carried."""
        self.given.append(self.new.graph.placeholder(name, kind))
        return self.given[-1]

    def version(self, name: str, kind: ArrayType) -> Node:
        """An array of which the body gives a new version."""
        self.versions.append(self.new.graph.placeholder(name, kind))
        return self.versions[-1]

    def take(self, tree: Any) -> Any:
        """What the graph around has, inside."""
        return map_leaves(self._taken, tree)

    def _taken(self, leaf: Any) -> Any:
        if not isinstance(leaf, Node):
            return leaf
        if leaf not in self.taken:
            self.taken[leaf] = self.new.graph.placeholder(leaf.name, leaf.type)
        return self.taken[leaf]

    def inline(self, body: Graph, values: Sequence[Any], silent: bool = True) -> tuple[Any, ...]:
        """The nodes of another body, of these arguments; its outputs."""
        self.new.became.update(zip(body.placeholders, values))
        for node in body:
            if node.op == "call_function":
                args, kwargs = self.new.mapped((node.args, node.kwargs))
                errstate = SILENT if silent else node.errstate
                self.new.became[node] = self.new.graph.call_function(
                    node.target, args, kwargs, type=node.type, location=node.location,
                    errstate=errstate)
            elif node.op == "get_attr":
                self.new.copy(node)
        found: tuple[Any, ...] = self.new.mapped(body.outputs)
        return found

    def prune(self, outputs: Sequence[Any]) -> None:
        """Drop what the outputs are not computed from: what is computed again ran before, where it
        reported what there was to report."""
        needed = leading_to(outputs, self.new.graph.nodes)
        check_repeatable(needed)
        self.new.graph.nodes = [each for each in self.new.graph.nodes if each in needed]
        self.taken = {each: own for each, own in self.taken.items() if own in needed}

    def finish_needed(self, outputs: Sequence[Any]) -> tuple[Graph, tuple[Node, ...]]:
        """The body of what the outputs are computed from, and its operands."""
        self.prune(outputs)
        return self.finish(outputs)

    def finish(self, outputs: Sequence[Any]) -> tuple[Graph, tuple[Node, ...]]:
        """The body, and the operands that it takes before those of which it gives versions."""
        graph = self.new.graph
        first = [*self.given, *self.taken.values(), *self.versions]
        known = set(first)
        graph.nodes = [*first, *(node for node in graph.nodes if node not in known)]
        graph.output(tuple(outputs))
        return graph, tuple(self.taken)


def check_repeatable(nodes: Iterable[Node]) -> None:
    """NotDifferentiable where one gives something else when it is computed again."""
    for node in nodes:
        if node.op == "call_function" and changes(node):
            name = getattr(node.target, "__qualname__", "a call")
            raise NotDifferentiable(
                f"derivatives compute {name} again, which draws other random numbers then\n"
                f"  at {node.location}\n  remedy: draw all numbers before the loop, the branch or "
                "the function of dl.checkpoint")


def leading_to(outputs: Sequence[Any], nodes: Sequence[Node]) -> set[Node]:
    """The nodes that outputs are computed from, and those that bind their symbols."""
    needed = {output for output in outputs if isinstance(output, Node)}
    binders = {name: node for node in reversed(nodes) for name in bound_by(node)}
    for node in reversed(nodes):
        if node in needed:
            needed.update(node.operands)
            taken = taken_by(node) if binders else ()
            needed.update(binders[name] for name in taken if name in binders)
    return needed


def integer(emit: NodeEmit, target: Any, *args: Any) -> Any:
    """Arithmetic of Python's ints, or the int in an array."""
    if all(isinstance(arg, int) for arg in args):
        return target(*args)
    return emit.new.call(target, args, {}, python_number(int), emit.node)


def truth(emit: NodeEmit, target: Any, *args: Any) -> Any:
    return emit.new.call(target, args, {}, python_number(bool), emit.node)


def cotangent_type(kind: ArrayType) -> ArrayType:
    """Of what is carried backwards: packed arrays, and numbers of NumPy's."""
    if kind.form is Form.ARRAY:
        return array(kind.dtype, *kind.shape)
    return replace(kind, form=Form.SCALAR, value=None)


def conform(emit: NodeEmit, value: Any, kind: ArrayType) -> Any:
    """A cotangent, or None for zero, in the form of its type."""
    if value is None:
        return emit(np.zeros, kind.shape, kind.dtype) if kind.form is Form.ARRAY else (
            kind.dtype.type(0))
    found = emit.type(value).form
    if kind.form is Form.ARRAY and found is not Form.ARRAY:
        return emit(np.asarray, value)
    if kind.form is not Form.ARRAY and found is Form.ARRAY:
        return emit(operator.getitem, value, ())
    return value


def loaded(emit: NodeEmit, stack: Node, slot: Any, kind: ArrayType) -> Any:
    """What has been stored in a place of a stack."""
    value = emit(operator.getitem, stack, slot)
    if kind.form is Form.PYTHON:
        return emit.new.call(core.plain, (value,), {}, replace(kind, value=None), emit.node)
    return value


def stored(emit: NodeEmit, stack: Node, slot: Any, value: Any) -> Node:
    made: Node = emit(core.update, stack, ((operator.getitem, (slot,), {}),), value)
    return made
