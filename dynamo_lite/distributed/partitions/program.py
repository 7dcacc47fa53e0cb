"""A graph over arrays in blocks, node by node: each finds its partition, or is left to Dask."""
from __future__ import annotations

import inspect
import operator
from collections.abc import Callable, Sequence
from functools import cache
from typing import Any

import numpy as np

from ...base.records import dataclass, field
from ...errors import DynamoError, Unsupported
from ...ir.graph import Graph
from ...ir.node import Location, Node
from ...ir.sizes import SizeExpr, substitute, symbols
from ...ir.tree import leaves, map_leaves
from ...ir.types import ArrayType
from .cuts import Axis, Chunks, Deferred, Dim, Unknown, Value, are_unknown_wholes, outside
from .expansion import expanded
from .partition import Partition, Scalar
from .space import Operand, Space


class NotInBlocks(DynamoError):
    """The graph cannot be one over blocks; `str()` is the reason."""


@dataclass(frozen=True, slots=True)
class Note:
    """Why an operation is not a part of fused tasks."""

    what: str
    reason: str
    location: Location | None

    def __str__(self) -> str:
        return f"{self.what} is no part of a fused task: {self.reason} ({self.location})"


@dataclass(eq=False, slots=True)
class Created:
    """An array that a call makes of sizes alone: every task makes the block that it needs. With a
    `key` that adds axes, it is another one `of` these that is looked at."""

    call: Call
    shape: tuple[int, ...]
    dtype: Any
    of: Created | None = None
    key: tuple[Any, ...] = ()

    @property
    def axes(self) -> tuple[Axis, ...]:
        return tuple(Axis((size,)) for size in self.shape)


@dataclass(eq=False, slots=True)
class Call:
    """One node of the program, with what its operands stand for."""

    program: Program
    node: Node
    args: tuple[Any, ...]
    kwargs: dict[str, Any]

    @property
    def target(self) -> Any:
        return self.node.target

    @property
    def values(self) -> list[Value]:
        """The arrays among its operands."""
        return leaves((self.args, self.kwargs), Value)

    @property
    def shape(self) -> tuple[Any, ...]:
        """The sizes of its result; those that only data can tell are `Unknown`."""
        return self.program.shape_of(self.node.type)

    def place(
        self, operands: Sequence[Operand], cut: Sequence[Chunks]
    ) -> tuple[Partition, dict[int, Dim], tuple[Axis, ...]]:
        for value, _ in operands:
            settle(value)
        return self.program.space.place(operands, cut)

    def emit(
        self, partition: Partition, args: Any, kwargs: Any = None,
        target: Callable[..., Any] | None = None,
    ) -> Node:
        """Add a step that does (part of) what the node does."""
        args, kwargs = map_leaves(
            lambda leaf: partition.scalar(leaf.value) if isinstance(leaf, Scalar) else leaf,
            (tuple(args), kwargs or {}))
        return partition.graph.call_function(
            target or self.target, args, kwargs, type=None,
            location=self.node.location, errstate=self.node.errstate)

    def value(
        self, partition: Partition, node: Node, axes: Sequence[Axis], kind: Any = None
    ) -> Value:
        """The array that a node of a partition computes."""
        kind = self.node.type if kind is None else kind
        return Value(tuple(axes), kind.dtype, partition, node)

    def results(self, partition: Partition, node: Node, axes: Sequence[Axis]) -> Any:
        """The same for functions with several results that are all cut alike."""
        kinds = self.node.type
        if not isinstance(kinds, (tuple, list)):
            return self.value(partition, node, axes)
        items = [self.emit(partition, (node, at), target=operator.getitem)
                 for at in range(len(kinds))]
        return tuple(self.value(partition, each, axes, kind) for each, kind in zip(items, kinds))


@cache
def signature(target: Callable[..., Any]) -> inspect.Signature:
    return inspect.signature(target)


def given(call: Call) -> dict[str, Any]:
    """The arguments by name, with defaults."""
    bound = signature(call.target).bind(*call.args, **call.kwargs)
    bound.apply_defaults()
    return bound.arguments


def settle(value: Value) -> None:
    """Have an array made that was put off, before tasks read it."""
    if isinstance(value.outside, Deferred):
        value.outside = value.outside.make()


Rule = Callable[[Call], Any]


@dataclass(eq=False, slots=True)
class Program:
    """`rules` give what a call becomes, and `left` what becomes of those that they decline."""

    graph: Graph
    sizes: dict[str, int]
    rule_for: Callable[[Call], Rule]
    left: Callable[[Call, str], Any]
    cut_again: Callable[[Value, tuple[Chunks, ...]], Value]
    space: Space = field(default_factory=Space)
    became: dict[Node, Any] = field(default_factory=dict)
    notes: list[Note] = field(default_factory=list)
    lengths: dict[str, Callable[[], Value]] = field(default_factory=dict)
    """Sizes that data decides, as values that are computed."""
    unknown: dict[str, Unknown] = field(default_factory=dict)

    def run(self, inputs: Sequence[Any]) -> tuple[Any, ...]:
        """What the outputs become, and the final contents of placeholders (`writes`)."""
        self._bind(self.graph, inputs)
        self.go_through(self.graph)
        return tuple(self.solid(each) for each in self.mapped(self.graph.outputs))

    def solid(self, value: Any) -> Any:
        """An array that is not only looked at as a part of another one."""
        if isinstance(value, Value):
            settle(value)
        if not isinstance(value, Value) or value.window is None:
            return value
        if value.cut not in value.recut:
            onto = tuple(range(len(value.axes)))
            partition, at, axes = self.space.place([(value, onto)], value.cut)
            node = partition.graph.call_function(
                np.copy, (partition.local(value, onto, at),), {}, type=None)
            value.recut[value.cut] = Value(axes, value.dtype, partition, node)
        return value.recut[value.cut]

    def recut(self, value: Value, cut: tuple[Chunks, ...]) -> Value:
        """The same array in other blocks."""
        if value.cut == cut or all(
            one == other or are_unknown_wholes((one, other))
            for one, other in zip(value.cut, cut, strict=True)
        ):
            return value
        return self.cut_again(self.solid(value), cut)

    def nested(self, graph: Graph, sizes: dict[str, int]) -> Program:
        """A program in the place of one of this one's calls."""
        return Program(graph, sizes, self.rule_for, self.left, self.cut_again, self.space,
                       notes=self.notes)

    def expanded(self, call: Call) -> Any:
        """What a call becomes by its decomposition; None where it has none."""
        if (found := expanded(call.node, self.graph)) is None:
            return None
        graph, operands = found
        (result,) = self.nested(graph, self.sizes).run([self.became[each] for each in operands])
        return result

    def call_body(self, body: Graph, inputs: Sequence[Any]) -> tuple[Any, ...]:
        """What the outputs of a body become for one iteration."""
        self._bind(body, inputs)
        self.go_through(body)
        return self.mapped(body.outputs)

    def go_through(self, graph: Graph) -> None:
        for node in graph.calls:
            args, kwargs = self.mapped((node.args, node.kwargs))
            self.became[node] = self.made(Call(self, node, args, kwargs))

    def made(self, call: Call) -> Any:
        """What a call becomes."""
        try:
            return self.rule_for(call)(call)
        except Unsupported as declined:
            self.note(call.node, str(declined))
            return self.left(call, str(declined))

    def note(self, node: Node, reason: str) -> None:
        note = Note(str(getattr(node.target, "__name__", node.target)), reason, node.location)
        if note not in self.notes:
            self.notes.append(note)

    def mapped(self, tree: Any) -> Any:
        """A pytree with what its nodes became, and numbers in the place of sizes."""
        return map_leaves(self._mapped, tree)

    def _mapped(self, leaf: Any) -> Any:
        if isinstance(leaf, Node):
            return self.became[leaf]
        return self.size(leaf) if isinstance(leaf, SizeExpr) else leaf

    def size(self, size: Any) -> Any:
        if (length := self.lengths.get(str(size))) is not None:
            return length()
        found = substitute(size, self.sizes)
        if isinstance(found, SizeExpr):
            raise Unsupported("a size that only data can tell is an operand")
        return found

    def shape_of(self, kind: Any) -> tuple[Any, ...]:
        if not isinstance(kind, ArrayType):
            return ()
        return tuple(map(self._extent, kind.shape))

    def _extent(self, size: Any) -> Any:
        found = substitute(size, self.sizes)
        if not isinstance(found, SizeExpr):
            return found
        return self.unknown.setdefault(str(found), Unknown())

    def _bind(self, graph: Graph, inputs: Sequence[Any]) -> None:
        for node, value in zip(graph.placeholders, inputs):
            self.became[node] = value
            kind = node.type
            if isinstance(kind, ArrayType) and isinstance(kind.value, SizeExpr) and isinstance(
                value, Scalar
            ):
                self.sizes |= {name: int(value.value) for name in symbols(kind.value)}
        for node in graph.nodes:
            if node.op == "get_attr":
                self.became[node] = outside(node.target)
