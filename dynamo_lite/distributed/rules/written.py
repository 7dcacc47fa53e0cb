"""NumPy's functions that are written in Python: what they call is partitioned."""
from __future__ import annotations

from collections.abc import Callable, Sequence
from contextvars import ContextVar
from functools import cache
from typing import Any

from ...base.records import dataclass, field
from ...errors import FullGraphRequired, Unsupported
from ...ir.graph import Graph
from ...ir.row import row_of
from ...ir.tree import map_leaves
from ...runtime.compile import compile
from ..partitions.cuts import Unknown, Value
from ..partitions.expansion import optimized
from ..partitions.program import Call, Created
from ..partitions.stand_ins import sizes, stand_in


@dataclass(eq=False, slots=True)
class Inlining:
    """A call whose function is gone through: which value each stand-in is of."""

    call: Call
    values: dict[int, tuple[Any, Any]] = field(default_factory=dict)
    error: Unsupported | None = None

    def stand_in(self, leaf: Any) -> Any:
        if not isinstance(leaf, Value | Created):
            return leaf
        shape = leaf.shape if isinstance(leaf, Created) else tuple(
            axis.length for axis in leaf.axes)
        if any(isinstance(size, Unknown | float) for size in shape):
            raise Unsupported("it is computed of an array of unknown size")
        made = stand_in(shape, leaf.dtype)
        self.values[id(made)] = made, leaf
        return made

    def value_of(self, leaf: Any) -> Any:
        return self.values.get(id(leaf), (None, leaf))[1]


_inlining: ContextVar[Inlining] = ContextVar("dynamo_lite_inlining")


@dataclass(eq=False, slots=True)
class Inlined:
    """What the backend makes of the graph of such a function."""

    graph: Graph
    bails_out: bool = True
    """Not to be undone: it never raises and writes nothing."""

    def __call__(self, *inputs: Any) -> tuple[Any, ...]:
        here = _inlining.get()
        try:
            program = here.call.program.nested(self.graph, sizes(self.graph, inputs))
            return program.run([*map(here.value_of, inputs)])
        except Unsupported as declined:
            here.error = declined
        return (None,) * len(self.graph.outputs)


def backend(graph: Graph, inputs: Sequence[Any]) -> Inlined:
    return Inlined(optimized(graph))


@cache
def captured(target: Callable[..., Any]) -> Callable[..., Any]:
    """The function, compiled for partitioning."""
    row = row_of(target)
    function = target.__wrapped__ if row is None or row.written is None else (  # type: ignore
        row.written)
    return compile(function, backend=backend, fullgraph=True)


def written(call: Call) -> Any:
    """What the function itself calls, over blocks."""
    if all(value.is_whole for value in call.values):
        raise Unsupported("all of its operands are one block")
    inlining = Inlining(call)
    args, kwargs = map_leaves(inlining.stand_in, (call.args, call.kwargs))
    token = _inlining.set(inlining)
    try:
        result = captured(call.target)(*args, **kwargs)
    except FullGraphRequired as refused:
        raise Unsupported("it is no single graph") from refused
    finally:
        _inlining.reset(token)
    if inlining.error is not None:
        raise inlining.error
    return result
