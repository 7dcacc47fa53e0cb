"""The state of one lowering: values of nodes so far, and the steps of the program being made."""
from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from ...base.records import dataclass, field
from ...errors import Unsupported
from ...ir.control import is_control
from ...ir.errstates import AMBIENT, Errstate
from ...ir.facts import graph_facts
from ...ir.graph import Graph, Node
from ...ir.sizes import Size, SizeExpr, depends_on_data, evaluate, product, symbols
from ...ir.tree import leaves
from ...ir.types import ArrayType, Form, contiguous_strides, scalar
from ..hints import least_of
from ..loop_ir import affine, simplify
from ..loop_ir.loops import Axis, Buffer, Expr, Gather, Kernel, Load, Offset, Statement, Store, walk
from ..loop_ir.program import Allocate, Constant, Count, Launch, LogUndo, Require, Step, View
from ..passes.materialise import Access, Reading, Readings
from .limits import room_for
from .readers import Readers
from .values import NATIVE, CannotLower, Value, broadcast_index, load_of

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
    steps: list[Step] = field(default_factory=list)
    values: dict[Node, Any] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
    required: set[tuple[str, Size, Size]] = field(default_factory=set)
    bound: set[str] = field(default_factory=set)
    counts: dict[str, int] = field(default_factory=dict)
    constants: list[Constant] = field(default_factory=list)
    own: set[Buffer] = field(default_factory=set)
    counts_of: dict[Node, Count] = field(default_factory=dict)
    put_off: dict[Buffer, tuple[Step, ...]] = field(default_factory=dict)
    fixed: set[Buffer] = field(default_factory=set)  # inputs that are changed before the commit
    unlogged: set[Buffer] = field(default_factory=set)  # those of which all changes are logged
    logged: set[tuple[Any, ...]] = field(default_factory=set)  # the parts of them that have been
    limits: dict[str, tuple[Size, Size]] = field(default_factory=dict)  # of symbols of bodies
    roots: dict[Buffer, Buffer] = field(default_factory=dict)  # of buffers in memory of others
    materialised: Container[Node] = ()  # what gets memory
    errstate: Errstate = AMBIENT  # of the steps that are emitted now
    node: Node | None = None  # whose value is being computed
    origins: dict[Buffer, Node] = field(default_factory=dict)
    intervals: dict[Buffer, tuple[int, int]] = field(default_factory=dict)  # of variables
    defined: dict[Buffer, Expr] = field(default_factory=dict)  # numbers that are stored once

    def __post_init__(self) -> None:
        self.readers = Readers(self.graph)

    def inside(self, body: Graph) -> Lowering:
        """The state for the lowering of a body, whose steps are its own."""
        return Lowering(
            body, self.lower_body, self.blas, self.why_extern, self.native, notes=self.notes,
            required=set(self.required), bound=set(self.bound), counts=self.counts,
            constants=self.constants, fixed=self.fixed, unlogged=set(self.unlogged),
            logged=set(self.logged), roots=self.roots, errstate=self.errstate,
            limits=self.limits, origins=self.origins, intervals=self.intervals,
            defined=self.defined,
        )

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

    # run-time relations
    def require(self, relation: str, left: Size, right: Size) -> None:
        """The relation must hold at run time; nothing when it can be seen to hold."""
        if isinstance(left, int) and isinstance(right, int):
            holds = {"==": left == right, "<=": left <= right, "<": left < right}[relation]
            if not holds:
                raise CannotLower(f"{left} {relation} {right} never holds")
            return
        if (relation in ("==", "<=") and left == right) or self.follows(relation, left, right):
            return
        if (relation, left, right) not in self.required:
            self.required.add((relation, left, right))
            self.steps.append(Require(relation, left, right))

    def follows(self, relation: str, left: Size, right: Size) -> bool:
        """Whether it can be seen from the least values of the sizes of inputs."""
        if relation == "==" or not isinstance(left, int):
            return False
        if depends_on_data(right):
            return self._follows_inside(relation, left, right)
        least = least_of(right, self.graph.symbols)
        return least is not None and (left < least if relation == "<" else left <= least)

    def _follows_inside(self, relation: str, left: int, right: Size) -> bool:
        """The same of sizes that a body knows, as far as it follows from their bounds."""
        facts = graph_facts(self.graph)
        try:
            return facts.less(left, right) if relation == "<" else facts.less_equal(left, right)
        except Unsupported:
            return False

    def hint(self, size: Size, unknown: int = 64) -> int:
        """A likely value, for decisions of cost only."""
        if isinstance(size, int):
            return size
        hints = {name: origin.hint for name, origin in self.graph.symbols.items()}
        hints |= {name: one.hint for name, one in self.graph.unbacked.items()}
        try:
            return evaluate(size, hints)
        except (KeyError, ZeroDivisionError):
            return unknown

    # symbols that steps bind
    def bind(self, names: Iterable[str]) -> None:
        """A step has just bound these symbols: what is asserted of them can be checked."""
        self.bound.update(names)
        self.check_assertions()

    def check_assertions(self) -> None:
        for one in self.graph.assertions:
            known = self.bound.issuperset((*symbols(one.left), *symbols(one.right)))
            if known and (one.relation, one.left, one.right) not in self.required:
                self.required.add((one.relation, one.left, one.right))
                self.steps.append(Require(one.relation, one.left, one.right))

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
            self.require("==", left, right)
        return value.at(index)

    # steps
    def launch(self, axes: tuple[Axis, ...], *statements: Statement) -> None:
        kernel = Kernel(self.fresh("kernel"), axes, statements, errstate=self.errstate)
        self.steps.append(Launch(kernel))

    def allocate(self, type_: ArrayType, stem: str = "t") -> Buffer:
        buffer = self.buffer(type_.dtype, stem)
        self.steps.append(Allocate(buffer, type_, "scratch", room_for(type_.shape, self.limits)))
        return buffer

    def materialise(self, value: Value, why: str, *, layout: ArrayType | None = None) -> Value:
        """Compute every element of `value` into memory of its own."""
        type_ = packed(layout or value.type, value.shape, value.dtype)
        buffer = self.allocate(type_)
        made = self.memory_value(type_, buffer, axes=value.axes)
        self.store(made, value)
        if value.type.form is not Form.ARRAY:
            self.defined[buffer] = value.expr
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
        self.shares(buffer, base)
        return buffer

    def shares(self, buffer: Buffer, base: Buffer) -> None:
        """The buffer is, or may be, memory of another one."""
        self.roots[buffer] = self.root(base)

    def root(self, buffer: Buffer) -> Buffer:
        """The buffer that owns the memory."""
        return self.roots.get(buffer, buffer)

    def reads(self, value: Value, buffer: Buffer) -> bool:
        """Whether a value is computed from what the buffer holds now."""
        return any(
            self.root(part.buffer) == buffer
            for part in walk((value.expr,)) if isinstance(part, (Load, Gather))
        )

    # memory that may be changed
    def take_over(self, value: Value) -> None:
        """An input is to be changed before the commit."""
        buffer = load_of(value).buffer
        self.own.add(buffer)
        self.fixed.add(buffer)
        self.unlogged.add(buffer)

    def is_unlogged(self, value: Value) -> bool:
        """Whether a value is in an input of which all changes are logged."""
        return value.is_memory and load_of(value).buffer in self.unlogged

    def log_undo(self, target: Value, *, whole: bool = False) -> None:
        """A part of an input is overwritten next; with `whole`, nobody knows which part of it."""
        place = load_of(target)
        part = place.buffer, place.offset.constant, target.shape, target.strides()
        if place.buffer in self.unlogged and part not in self.logged:
            type_ = ArrayType(target.dtype, target.shape, target.strides())
            self.steps.append(LogUndo(place.buffer, place.offset.constant, type_))
            self.logged.add(part)
        if whole:
            self.unlogged.discard(place.buffer)

    def owned(self, value: Value) -> Value:
        """Mark memory that was made for this very value, and may be changed when it is dead."""
        self.own.add(load_of(value).buffer)
        return value

    def may_change(self, node: Node, value: Value, user: Node) -> bool:
        """Whether `user` may change the memory of `node`: that was made for it, and whatever else
        reads it comes first. What has been put off until later is computed now."""
        if not self.is_owned(value) or not self.readers.is_last(user, node):
            return False
        if self.readers.is_only(node) and not is_control(user):
            return True
        buffer = load_of(value).buffer
        given = user.operands
        if given.count(node) > 1 or (is_control(user) and any(
            n is not node and isinstance(found := self.values.get(n), Value)
            and self.reads(found, buffer) for n in given
        )):
            return False
        late = [
            other for other, found in self.values.items()
            if other is not node and self.readers.come_behind(user, other)
            and any(isinstance(one, Value) and self.reads(one, buffer) for one in leaves(found))
        ]
        if not self._can_compute(late, value):
            return False
        for other in late:
            self.values[other] = self.computed(self.values[other])
        return True

    def _can_compute(self, late: Sequence[Node], changed: Value) -> bool:
        """Whether values that are read after memory has changed are computed before, rather than
        from a copy of it. Where it is an input, that is so if they are smaller."""
        values = [self.values[node] for node in late]
        if not all(isinstance(value, Value) for value in values):
            return False
        arrays = [v.is_memory and v.type.form is Form.ARRAY for v in values]
        if any(array and node in self.graph.outputs for node, array in zip(late, arrays)):
            return False
        if load_of(changed).buffer in self.fixed and not self.graph.is_body:
            elements = sum(self.hint(product(value.shape)) for value in values)
            is_small = elements <= self.hint(product(changed.shape))
            return is_small and self.readers.shared.isdisjoint(late)
        return not any(arrays) and (
            self.graph.is_body or not any(value.shape for value in values)
        )

    def computed(self, value: Value) -> Value:
        """The same value in memory of its own."""
        layout = replace(value.type, dtype=value.dtype, form=Form.ARRAY)
        if value.type.form is Form.ARRAY:
            return self.owned(self.materialise(value, "it is read before it changes"))
        made = self.materialise(value, "", layout=layout)
        return replace(value, array=made.array, expr=made.expr)

    def is_owned(self, value: Value) -> bool:
        if not value.is_memory:
            return False
        buffer = load_of(value).buffer
        return buffer in self.own and value.array == buffer

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
