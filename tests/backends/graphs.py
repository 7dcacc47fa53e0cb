"""Graphs for tests, typed by running each call once with NumPy."""
from __future__ import annotations

from typing import Any

import numpy as np

from dynamo_lite.ir.graph import Graph, Node
from dynamo_lite.ir.tree import map_leaves
from dynamo_lite.ir.types import ArrayType, Form


def type_of(value: Any) -> Any:
    """The ArrayType (or sequence of them) of a real value."""
    if isinstance(value, (tuple, list)):
        return tuple(map(type_of, value))
    if isinstance(value, np.ndarray):
        flags = value.flags
        return ArrayType(
            value.dtype, value.shape, value.strides,
            writeable=flags.writeable, aligned=flags.aligned,
        )
    form = Form.SCALAR if isinstance(value, np.generic) else Form.PYTHON
    return ArrayType(np.asarray(value).dtype, form=form)


class Builder:
    """Appends calls to a graph while running them on example values."""

    def __init__(self) -> None:
        self.graph = Graph()
        self.values: dict[Node, Any] = {}

    def input(self, value: Any, name: str = "x") -> Node:
        node = self.graph.placeholder(name, type_of(value))
        self.values[node] = value
        return node

    def call(self, target: Any, *args: Any, **kwargs: Any) -> Node:
        def real(leaf: Any) -> Any:
            return self.values[leaf] if isinstance(leaf, Node) else leaf

        with np.errstate(all="ignore"):
            value = target(*map_leaves(real, args), **map_leaves(real, kwargs))
        node = self.graph.call_function(target, args, kwargs, type=type_of(value))
        self.values[node] = value
        return node

    def output(self, *nodes: Node, **kwargs: Any) -> Graph:
        self.graph.output(nodes, **kwargs)
        return self.graph


class Traced:
    """An operand in a test function: NumPy functions and operators on it append to the graph."""

    def __init__(self, builder: Builder, node: Node) -> None:
        self.builder, self.node = builder, node

    def __array_ufunc__(self, ufunc: Any, method: str, *args: Any, **kwargs: Any) -> Any:
        assert method == "__call__"
        return call(self.builder, ufunc, args, kwargs)

    def __array_function__(self, function: Any, types: Any, args: Any, kwargs: Any) -> Any:
        return call(self.builder, function, args, kwargs)

    def __getitem__(self, key: Any) -> Any:
        return call(self.builder, __import__("operator").getitem, (self, key), {})

    @property
    def T(self) -> Any:
        return call(self.builder, np.transpose, (self,), {})

    def astype(self, *args: Any, **kwargs: Any) -> Any:
        return call(self.builder, np.ndarray.astype, (self, *args), kwargs)

    def copy(self) -> Any:
        return call(self.builder, np.ndarray.copy, (self,), {})

    def flatten(self) -> Any:
        return call(self.builder, np.ndarray.flatten, (self,), {})

    def reshape(self, *shape: Any) -> Any:
        return call(self.builder, np.reshape, (self, shape), {})

    def __iter__(self) -> Any:
        value = self.builder.values[self.node]
        return (self[i] for i in range(len(value)))


OPERATORS = {
    "add": np.add, "sub": np.subtract, "mul": np.multiply, "truediv": np.true_divide,
    "floordiv": np.floor_divide, "mod": np.remainder, "pow": np.power, "matmul": np.matmul,
    "and": np.bitwise_and, "or": np.bitwise_or, "xor": np.bitwise_xor,
    "lshift": np.left_shift, "rshift": np.right_shift,
    "lt": np.less, "le": np.less_equal, "gt": np.greater, "ge": np.greater_equal,
    "eq": np.equal, "ne": np.not_equal,
}
for _name, _ufunc in OPERATORS.items():
    setattr(Traced, f"__{_name}__", lambda a, b, f=_ufunc: call(a.builder, f, (a, b), {}))
    setattr(Traced, f"__r{_name}__", lambda a, b, f=_ufunc: call(a.builder, f, (b, a), {}))
Traced.__neg__ = lambda a: call(a.builder, np.negative, (a,), {})  # type: ignore[attr-defined]
Traced.__abs__ = lambda a: call(a.builder, np.absolute, (a,), {})  # type: ignore[attr-defined]


def call(builder: Builder, target: Any, args: Any, kwargs: Any) -> Any:
    def bare(leaf: Any) -> Any:
        return leaf.node if isinstance(leaf, Traced) else leaf

    node = builder.call(target, *map_leaves(bare, args), **map_leaves(bare, kwargs))
    if isinstance(node.type, tuple):
        getitem = __import__("operator").getitem
        return tuple(
            Traced(builder, builder.call(getitem, node, i)) for i in range(len(node.type))
        )
    return Traced(builder, node)


def trace(function: Any, *values: Any) -> Graph:
    """The graph of a function of arrays; its results may be one value or a tuple."""
    builder = Builder()
    inputs = [Traced(builder, builder.input(value, f"x{i}")) for i, value in enumerate(values)]
    result = function(*inputs)
    results = result if isinstance(result, tuple) else (result,)
    return builder.output(*(item.node for item in results))
