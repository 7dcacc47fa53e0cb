"""The state of one lowering: values of nodes so far, and the steps of the program being made."""
from __future__ import annotations

from collections.abc import Callable, Container, Hashable, Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from ....base.records import dataclass, field
from ....ir.errstates import AMBIENT, Errstate
from ....ir.graph import Graph, Node
from ....ir.sizes import Size, SizeExpr
from ....ir.types import ArrayType, Form, contiguous_strides, scalar
from ...loop_ir import affine, simplify
from ...loop_ir.loops import Axis, Buffer, Expr, Kernel, Load, Offset, Statement, Store
from ...loop_ir.program import Allocate, Constant, Count, Function, Launch, Step, View
from ...passes.materialise import Access, Reading, Readings
from .limits import room_for
from .ownership import Ownership
from .readers import Readers
from .relations import Relations
from .values import NATIVE, Value, broadcast_index, load_of

Lower = Callable[..., Any]
LOWERINGS: dict[str, Lower] = {}
READINGS: Readings = {}


def lowers(reads: Access, **more: Any) -> Callable[[Lower], Lower]:
    """Register a lowering under its name, which rows refer to: `function(low, node, *args,
    **kwargs) -> Value | tuple`; the row's `using` comes with the keywords.

    Arguments come with nodes replaced by their values. It raises CannotLower for what it leaves to
    NumPy, before it has emitted anything. How it reads its operands is a `Reading`.
    """

    def register(function: Lower) -> Lower:
        LOWERINGS[function.__name__] = function
        READINGS[function.__name__] = Reading(reads, **more)
        return function

    return register


WhyExtern = Callable[[Node], "str | None"]
"""Why a node is to be a call of NumPy, as far as the code generator is concerned, or None."""

Checked = tuple[tuple[int, int], int, frozenset[Buffer]]
"""Between what the result of an operation lies, since which step, and the memory that it is made
of."""

Loops = frozenset[tuple[str, str]]
"""Operations of a code generator, by the name of the row and the letter of the dtype's kind."""

BodyLowering = Callable[
    ["Lowering", Graph, Sequence[Value], "set[Buffer]"], "tuple[Lowering, list[Any]]"
]
"""From a body and the values of its placeholders to the state with its steps, and its outputs. The
memory of the buffers may be changed."""


@dataclass
class Lowering:
    """Emits steps in an order in which they can run. `put_off` are steps that make memory which is
    not known to be looked at."""

    graph: Graph
    lower_body: BodyLowering
    blas: bool = False
    why_extern: WhyExtern = lambda _: None
    native: frozenset[np.dtype] = NATIVE  # element types that kernels compute with
    loops: Loops = frozenset()  # what kernels have beside what rows have for LLVM
    in_order: bool = False  # whether points of kernels take turns
    steps: list[Step] = field(default_factory=list)
    values: dict[Node, Any] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
    relations: Relations = field(init=False)
    ownership: Ownership = field(default_factory=Ownership)
    counts: dict[str, int] = field(default_factory=dict)
    constants: list[Constant] = field(default_factory=list)
    counts_of: dict[Node, Count] = field(default_factory=dict)
    put_off: dict[Buffer, tuple[Step, ...]] = field(default_factory=dict)
    materialised: Container[Node] = ()  # what gets memory
    errstate: Errstate = AMBIENT  # of the steps that are emitted now
    node: Node | None = None  # whose value is being computed
    origins: dict[Buffer, Node] = field(default_factory=dict)
    intervals: dict[Buffer, tuple[int, int]] = field(default_factory=dict)  # of variables
    at_least: dict[Buffer, Expr] = field(default_factory=dict)  # what variables are not below
    less_than: dict[Buffer, Expr] = field(default_factory=dict)  # what indices of loops are below
    defined: dict[Buffer, Expr] = field(default_factory=dict)  # numbers that are stored once
    numbers: set[Buffer] = field(default_factory=set)  # that hold one each
    unwritten: set[Buffer] = field(default_factory=set)  # arrays that stay as they were given
    checked: dict[Expr, Checked] = field(default_factory=dict)  # what a check has been made of
    exact: dict[Expr, Any] = field(default_factory=dict)  # numbers that are `unsigned_sums`
    has_functions: bool = False  # whether programs may have functions that call themselves
    functions: dict[Hashable, Function] = field(default_factory=dict)  # by what they compute

    def __post_init__(self) -> None:
        self.readers = Readers(self.graph)
        self.relations = Relations(self.graph, self.steps)

    def inside(self, body: Graph) -> Lowering:
        """The state for the lowering of a body, whose steps are its own."""
        inner = Lowering(
            body, self.lower_body, self.blas, self.why_extern, self.native, self.loops,
            self.in_order, notes=self.notes, ownership=self.ownership.inside(), counts=self.counts,
            constants=self.constants, errstate=self.errstate, origins=self.origins,
            intervals=self.intervals, defined=self.defined, functions=self.functions,
            has_functions=self.has_functions, at_least=self.at_least, numbers=self.numbers,
            unwritten=self.unwritten, less_than=self.less_than,
        )
        inner.relations.know(self.relations)
        inner.checked.update(self._checked_for_good())
        return inner

    def _checked_for_good(self) -> Iterator[tuple[Expr, Checked]]:
        """What has been checked of numbers, which stay what they are for as long as a body runs:
        it changes variables of its own alone."""
        for expr, (found, since, buffers) in self.checked.items():
            if buffers <= self.numbers and (
                all(buffers.isdisjoint(step.writes) for step in self.steps[since:])
            ):
                yield expr, (found, 0, buffers)

    # names
    def fresh(self, stem: str) -> str:
        count = self.counts.get(stem, 0)
        self.counts[stem] = count + 1
        return f"{stem}{count}"

    def axis(self, extent: Size) -> Axis:
        return Axis(self.fresh("i"), extent)

    def axes(self, shape: Sequence[Size]) -> tuple[Axis, ...]:
        return tuple(self.axis(size) for size in shape)

    def buffer(self, dtype: np.dtype, stem: str = "t") -> Buffer:
        made = Buffer(self.fresh(stem), dtype)
        if self.node is not None:
            self.origins[made] = self.node
        return made

    # values
    def lazy(self, type_: ArrayType, axes: tuple[Axis, ...], expr: Expr) -> Value:
        """A new array that is computed where it is used."""
        return Value(type_, axes, simplify.convert(expr, type_.dtype), fresh=True)

    def view(
        self, type_: ArrayType, value: Value, axes: tuple[Axis, ...], index: Sequence[Offset]
    ) -> Value:
        """`value` read at `index`: a view of it, lazy or not."""
        return Value(type_, axes, value.at(index), fresh=value.fresh)

    def memory_value(
        self, type_: ArrayType, buffer: Buffer, constant: Size = 0, axes: tuple[Axis, ...] = ()
    ) -> Value:
        """The value that a buffer holds with the type's shape and strides, over given axes or its
        own."""
        axes = axes or self.axes(type_.shape)
        strides = ((a, s) for a, s in zip(axes, type_.strides) if not affine.is_one(a.extent))
        return Value(type_, axes, Load(buffer, affine.affine(constant, strides)), buffer)

    def broadcast(self, value: Value, axes: Sequence[Axis]) -> Expr:
        """The element of `value` at the point `axes` of a shape that it broadcasts to."""
        if value.axes == axes:
            return value.expr
        index, unproved = broadcast_index(value.shape, axes)
        for left, right in unproved:
            self.relations.require("==", left, right)
        return value.at(index)

    # steps
    def launch(self, axes: tuple[Axis, ...], *statements: Statement) -> None:
        kernel = Kernel(self.fresh("kernel"), axes, statements, errstate=self.errstate)
        self.steps.append(Launch(kernel))

    def allocate(
        self, type_: ArrayType, stem: str = "t", *, any_contents: bool = False
    ) -> Buffer:
        buffer = self.buffer(type_.dtype, stem)
        room = room_for(type_.shape, self.relations.limits)
        self.steps.append(Allocate(buffer, type_, "scratch", room, any_contents))
        return buffer

    def materialise(self, value: Value, why: str, *, layout: ArrayType | None = None) -> Value:
        """Compute every element of `value` into memory of its own."""
        type_ = packed(layout or value.type, value.shape, value.dtype)
        buffer = self.allocate(type_)
        made = self.memory_value(type_, buffer, axes=value.axes)
        self.store(made, value)
        if value.type.form is not Form.ARRAY:
            self.defined[buffer] = value.expr
            self.numbers.add(buffer)
        if why:
            self.notes.append(f"{buffer.name}: {why}")
        return made

    def store(self, target: Value, value: Value) -> None:
        """Fill `target`, which is memory, with `value`, of a shape that broadcasts to it."""
        place = load_of(target)
        expr = simplify.convert(self.broadcast(value, target.axes), target.dtype)
        self.launch(target.axes, Store(place.buffer, place.offset, expr))

    def in_memory(self, value: Value, why: str) -> Value:
        """A value whose elements can be loaded."""
        return value if value.is_loaded else self.materialise(value, why)

    def as_array(self, value: Value, why: str) -> Value:
        """A value whose ndarray object exists, as the value's type describes it."""
        if value.is_memory:
            self.steps += self.put_off.pop(load_of(value).buffer, ())
        if value.array is not None:
            return value
        if not value.is_memory:
            return self.materialise(value, why)
        load = load_of(value)
        shaped = replace(value.type, shape=value.shape, strides=value.strides(), form=Form.ARRAY)
        return replace(value, array=self.view_of(load.buffer, load.offset.constant, shaped))

    def view_of(self, base: Buffer, offset: Size, type_: ArrayType) -> Buffer:
        """An ndarray that is a part of another one."""
        buffer = self.buffer(type_.dtype, "v")
        self.steps.append(View(buffer, base, offset, type_))
        self.ownership.shares(buffer, base)
        return buffer

    def constant(self, array: np.ndarray) -> Value:
        """An array that the program refers to."""
        type_ = ArrayType(array.dtype, array.shape, array.strides, writeable=False)
        buffer = self.buffer(array.dtype, "constant")
        self.constants.append(Constant(array, buffer, type_))
        return self.memory_value(type_, buffer)

    def number(self, value: Any) -> Value:
        """A NumPy scalar constant, or a strong Python bool, as a value."""
        dtype = np.asarray(value).dtype
        return Value(scalar(dtype), (), simplify.const(value, dtype))


def packed(type_: ArrayType, shape: tuple[Size, ...], dtype: np.dtype) -> ArrayType:
    """`type_` where it describes packed memory of this dtype; otherwise its C-ordered copy."""
    plain = replace(type_, dtype=dtype, shape=shape, writeable=True, aligned=True)
    if type_.shape == shape and type_.dtype == dtype and is_packed(shape, type_.strides, dtype):
        return plain
    return replace(plain, strides=contiguous_strides(shape, dtype.itemsize))


def is_packed(shape: Sequence[Size], strides: Sequence[Size], dtype: np.dtype) -> bool:
    """Whether the elements fill a stretch of memory in some order of the dimensions."""
    if len(strides) != len(shape):
        return False
    if any(affine.is_zero(n) for n in shape):
        return True
    pending = [(n, s) for n, s in zip(shape, strides) if not affine.is_one(n)]
    step: Size = dtype.itemsize
    while pending:
        found = next((pair for pair in pending if pair[1] == step), None)
        if found is None:
            return False
        pending.remove(found)
        step = step * found[0]
    return True


def is_size(value: Any) -> bool:
    return isinstance(value, SizeExpr) or (isinstance(value, int) and not isinstance(value, bool))
