"""Random array programs: lowered and interpreted, they give what NumPy gives, bit for bit where no
reduction is involved."""
from __future__ import annotations

import operator
from typing import Any

import numpy as np
import pytest
from dynamo_lite.backends.lowering.lower import lower

from dynamo_lite.ir import core
from dynamo_lite.ir.graph import Graph
from dynamo_lite.ir.node import Node
from tests.backends.interpret import BailOut, run_program

from ..oracle import same
from .graphs import Builder
from .test_lowering import FEW_UNITS

DTYPES = ("f8", "f8", "f4", "i8", "i4", "u1", "?")
UNARY = (np.negative, np.absolute, np.square, np.tanh, np.sqrt, np.exp, np.logical_not, np.sign)
BINARY = (
    np.add, np.subtract, np.multiply, np.divide, np.maximum, np.minimum, np.less, np.equal,
    np.floor_divide, np.remainder, np.logical_and,
)
FOLDS = (np.sum, np.max, np.min, np.mean, np.argmin, np.any, np.std)


class Program:
    """Grows a random graph; a call that NumPy refuses is left out."""

    def __init__(self, seed: int) -> None:
        self.rng = np.random.default_rng(seed)
        self.builder = Builder()
        self.inputs: list[Any] = []
        self.nodes: list[Node] = []
        for k in range(self.rng.integers(1, 4)):
            self.add_input(k)
        for _ in range(self.rng.integers(3, 14)):
            self.step()

    def add_input(self, k: int) -> None:
        rng = self.rng
        shape = tuple(rng.choice([1, 2, 3, 4, 6], size=rng.integers(0, 4)))
        value = (rng.normal(size=shape) * 4).astype(DTYPES[rng.integers(len(DTYPES))])
        layout = rng.integers(4)
        if value.ndim > 1 and layout == 0:
            value = value.T
        if value.ndim and layout == 1:
            value = value[::-1]
        if value.ndim and layout == 2:
            value = np.repeat(value, 2, axis=-1)[..., ::2]
        if not isinstance(value, np.ndarray):
            value = np.asarray(value)
        self.inputs.append(value)
        self.nodes.append(self.builder.input(value, f"x{k}"))

    def pick(self) -> Node:
        late = self.nodes[-4:]
        pool = late if self.rng.random() < 0.7 else self.nodes
        return pool[self.rng.integers(len(pool))]

    def step(self) -> None:
        kinds = (
            self.unary, self.binary, self.binary, self.fold, self.slice, self.move, self.reshape,
            self.where, self.join, self.gather, self.cast, self.update, self.scan,
        )
        before = len(self.builder.graph.nodes)
        try:
            made = kinds[self.rng.integers(len(kinds))]()
        except (TypeError, ValueError, IndexError, OverflowError):
            assert len(self.builder.graph.nodes) == before
            return
        if self.builder.values[made].size < 3000:
            self.nodes.append(made)

    def call(self, target: Any, *args: Any, **kwargs: Any) -> Node:
        return self.builder.call(target, *args, **kwargs)

    def axis(self, node: Node) -> int:
        return int(self.rng.integers(len(node.type.shape)))

    def unary(self) -> Node:
        return self.call(UNARY[self.rng.integers(len(UNARY))], self.pick())

    def binary(self) -> Node:
        other: Any = self.pick()
        if self.rng.random() < 0.3:
            other = [2, 0.5, -1, True, np.float32(3)][self.rng.integers(5)]
        pair = (self.pick(), other)
        target = BINARY[self.rng.integers(len(BINARY))]
        return self.call(target, *(pair if self.rng.random() < 0.5 else pair[::-1]))

    def fold(self) -> Node:
        node = self.pick()
        axis = None if self.rng.random() < 0.3 else self.axis(node)
        target = FOLDS[self.rng.integers(len(FOLDS))]
        return self.call(target, node, axis=axis, keepdims=bool(self.rng.random() < 0.5))

    def slice(self) -> Node:
        node = self.pick()
        options = (
            slice(None), slice(1, None), slice(None, -1), slice(None, None, -1), None, 0, -1,
            slice(None, None, 2), Ellipsis, slice(2, 0, -1),
        )
        count = self.rng.integers(1, 4)
        key = tuple(options[self.rng.integers(len(options))] for _ in range(count))
        return self.call(operator.getitem, node, key)

    def move(self) -> Node:
        node = self.pick()
        if self.rng.random() < 0.5:
            return self.call(np.transpose, node)
        return self.call(np.moveaxis, node, self.axis(node), self.axis(node))

    def reshape(self) -> Node:
        node = self.pick()
        if self.rng.random() < 0.5:
            return self.call(np.reshape, node, (-1,))
        shape = list(node.type.shape)
        self.rng.shuffle(shape)
        return self.call(np.reshape, node, tuple(int(n) for n in shape))

    def where(self) -> Node:
        return self.call(np.where, self.pick(), self.pick(), self.pick())

    def join(self) -> Node:
        node, other = self.pick(), self.pick()
        return self.call(np.concatenate, (node, other, node), axis=self.axis(node))

    def gather(self) -> Node:
        node = self.pick()
        index = self.rng.integers(-2, 2, size=(2, 3)[: self.rng.integers(1, 3)])
        key = (slice(None),) * int(self.rng.integers(0, 2)) + (index,)
        return self.call(operator.getitem, node, key)

    def cast(self) -> Node:
        node = self.pick()
        if not isinstance(self.builder.values[node], np.ndarray):
            raise TypeError
        return self.call(np.ndarray.astype, node, np.dtype(DTYPES[self.rng.integers(7)]))

    def update(self) -> Node:
        node, value = self.pick(), self.pick()
        if not isinstance(self.builder.values[node], np.ndarray):
            raise TypeError
        key = (slice(None, None, -1), slice(1, None), 0, Ellipsis)[self.rng.integers(4)]
        return self.call(core.update, node, ((operator.getitem, (key,), {}),), value)

    def scan(self) -> Node:
        node = self.pick()
        return self.call(np.cumsum, node, axis=self.axis(node))

    def finish(self) -> Graph:
        made = [node for node in self.nodes if node.op != "placeholder"] or self.nodes
        count = min(len(made), int(self.rng.integers(1, 4)))
        chosen = [made[-1 - k] for k in range(count)]
        return self.builder.output(*chosen)


def run_one(seed: int, execute: Any = None) -> None:
    """Compare one random program with what NumPy gave while it was built."""
    program = Program(seed)
    graph = program.finish()
    before = [value.copy() for value in program.inputs]
    with np.errstate(all="ignore"):
        try:
            found = (execute or interpret)(graph, program.inputs)
        except BailOut:
            return
        for got, node in zip(found, graph.outputs, strict=True):
            assert same(got, program.builder.values[node], FEW_UNITS)
        for now, then in zip(program.inputs, before):
            np.testing.assert_array_equal(now, then)


def interpret(graph: Graph, inputs: list[Any]) -> tuple[Any, ...]:
    return run_program(lower(graph), *inputs)


@pytest.mark.parametrize("batch", range(10))
def test_random_programs(batch):
    for seed in range(batch * 40, batch * 40 + 40):
        run_one(seed)
