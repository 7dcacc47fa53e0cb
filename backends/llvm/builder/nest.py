"""A loop nest under construction: which axes are bound, and which values exist at which level.

A value is emitted at the outermost level where its free axes are bound, once. Inside the loop of
the *lane axis* a value is a vector if it depends on that axis, else a scalar.
"""
from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager

from ....base.records import dataclass, field
from ....ir.sizes import Opaque, Size, Symbol
from ...loop_ir.loops import Axis, Buffer, Const, Expr, Gather, Load, Offset, Reduce
from .elements import BOOL, I64
from .emit import Builder
from .terms import Term
from .values import Value

TRIVIAL = (Const,)
EIGHT = 8  # numbers of 64 bits in the widest register


@dataclass(slots=True)
class Lane:
    """The vectorised axis at one step: lanes are `base .. base + width`; in a partial step only the
    lanes of `mask` count, the first of which is lane 0, and `last` is the last one's number."""

    axis: Axis
    base: Value
    width: int
    mask: Value | None = None
    last: Value | None = None


@dataclass(slots=True)
class Level:
    """The values that exist in one loop body, at one position along `axis`."""

    axis: Axis | None = None
    values: dict[Term, Value] = field(default_factory=dict)
    vectors: dict[Term, Value] = field(default_factory=dict)
    pointers: dict[object, str] = field(default_factory=dict)
    sizes: dict[Size, Value] = field(default_factory=dict)
    columns: dict[object, Sequence[Value]] = field(default_factory=dict)


Neighbours = Mapping[str, Mapping[tuple[tuple[Axis, Size], ...], Sequence[int]]]
"""Places in bytes by buffer, and by strides."""


class Nest:
    """Emission state of one kernel function.

    `bases` are the data pointers of the buffers, `symbols` the sizes, `scalars` the parameters.
    `zero` is 0, which LLVM must not know: from a mask that it knows it would conclude that inactive
    lanes do not matter, and let them compute (and flag) anything.
    `produce` emits one term whose operands are available; `keep` stores the value of an expression
    of `kept` as soon as it exists. Of complex numbers in `halved` only one part is asked for.
    `marks`: what LLVM is told of the memory of buffers.
    `neighbours`: of what is only read, the places that lie at fixed distances from one another."""

    def __init__(
        self,
        builder: Builder,
        width: int,
        produce: Callable[[Nest, Term], Value],
        keep: Callable[[Nest, Expr, Value], None],
    ) -> None:
        self.builder, self.width, self.produce, self.keep = builder, width, produce, keep
        self.kept: dict[Expr, Offset] = {}
        self.halved: frozenset[Expr] = frozenset()
        self.bases: dict[str, str] = {}
        self.marks: Mapping[str, str] = {}
        self.neighbours: Neighbours = {}
        self.symbols: dict[str, Value] = {}
        self.scalars: dict[str, Value] = {}
        self.zero = builder.integer(0)
        self.bound: dict[Axis, Value] = {}
        self.order: list[Axis] = []
        self.lane: Lane | None = None
        self.scopes: list[Level] = [Level()]

    # Values -----------------------------------------------------------------------------------

    def find(self, term: Term) -> Value | None:
        for scope in reversed(self.scopes):
            if (value := scope.values.get(term)) is not None:
                return value
        return None

    def value(self, root: Term) -> Value:
        """The value of a term here, emitted now if no enclosing level has it."""
        if (value := self.find(root)) is not None:
            return value
        for term in self._missing(root):
            value = self.produce(self, term)
            self.scopes[-1].values[term] = value
            if term.expr in self.kept:
                self.keep(self, term.expr, value)
        assert value is not None
        return value

    def _missing(self, root: Term) -> list[Term]:
        """What must be emitted for `root`, operands first; reductions emit their own bodies."""
        seen: set[Term] = set()
        stack = [root]
        while stack:
            term = stack.pop()
            if term in seen or self.find(term) is not None:
                continue
            seen.add(term)
            if not isinstance(term.expr, Reduce):
                stack.extend(term.args)
        return sorted(seen, key=lambda term: term.number)

    def vector(self, term: Term) -> Value:
        """The value of a term as a vector of the lane axis."""
        value = self.value(term)
        assert self.lane is not None
        if value.lanes > 1 or value.literal:
            return value.splat(self.lane.width)
        for scope in reversed(self.scopes):
            if (wide := scope.vectors.get(term)) is not None and wide.lanes == self.lane.width:
                return wide
        wide = self.scopes[-1].vectors[term] = value.splat(self.lane.width)
        return wide

    def operand(self, term: Term, vector: bool) -> Value:
        return self.vector(term) if vector else self.value(term)

    def varies(self, term: Term) -> bool:
        """Does the term differ between lanes?"""
        return self.lane is not None and self.lane.axis in term.axes

    def hoist(self, roots: Iterable[Term], widen: int = 0) -> None:
        """Emit now what the coming loop will use and does not change: the largest parts of `roots`
        whose free axes are bound. `widen`: also splat them to that many lanes."""
        roots = list(roots)
        bound = set(self.bound) | ({self.lane.axis} if self.lane else set())
        ready: list[Term] = []
        seen: set[Term] = set()
        while roots:
            term = roots.pop()
            if term in seen:
                continue
            seen.add(term)
            if term.axes <= bound:
                ready.append(term)
                continue
            roots.extend(term.args)
            if isinstance(term.expr, (Load, Gather)):
                self.prefix(term.expr.buffer, term.expr.offset)
        for term in sorted(ready, key=lambda term: term.number):
            if isinstance(term.expr, TRIVIAL):
                continue
            value = self.value(term)
            if widen and value.lanes == 1 and not value.literal:
                self.scopes[-1].vectors[term] = value.splat(widen)

    # Loops ------------------------------------------------------------------------------------

    @contextmanager
    def scope(self, axis: Axis | None = None) -> Iterator[Level]:
        self.scopes.append(Level(axis))
        yield self.scopes[-1]
        self.scopes.pop()

    @contextmanager
    def at(self, axis: Axis, index: Value) -> Iterator[None]:
        """Inside: `axis` is bound to one scalar position."""
        self.bound[axis] = index
        self.order.append(axis)
        with self.scope(axis):
            yield
        self.order.pop()
        del self.bound[axis]

    @contextmanager
    def lanes(self, lane: Lane) -> Iterator[None]:
        """Inside: the lane axis is at one vector of positions."""
        assert self.lane is None
        self.lane = lane
        self.order.append(lane.axis)
        with self.scope(lane.axis):
            yield
        self.order.pop()
        self.lane = None

    def axis_loop(
        self,
        axis: Axis,
        body: Callable[[list[Value]], Sequence[Value]],
        carried: Sequence[Value] = (),
        bounds: tuple[Value, Value] | None = None,
    ) -> list[Value]:
        """A scalar loop over the whole axis, or over `bounds`."""

        def inside(index: Value, state: list[Value]) -> Sequence[Value]:
            with self.at(axis, index):
                return body(state)

        begin, end = bounds or (self.builder.integer(0), self.size(axis.extent))
        return self.builder.loop(begin, end, 1, carried, inside)

    def partial(self, axis: Axis, base: Value, end: Value, width: int) -> Lane:
        """The lane step at `base` of which only the positions below `end` count."""
        builder = self.builder
        last = (end - base).call("umin", width) - 1 + self.zero
        if width <= EIGHT:
            mask = builder.vector(I64, range(width)).compare("le", last)
        else:  # not in several registers of numbers
            mask = first_lanes(last, width)
        return Lane(axis, base, width, mask, last)

    # Sizes ------------------------------------------------------------------------------------

    def size(self, size: Size) -> Value:
        """A size as an i64, computed in the outermost scope that asks for it."""
        if isinstance(size, int):
            return self.builder.integer(size)
        for scope in reversed(self.scopes):
            if (value := scope.sizes.get(size)) is not None:
                return value
        value = self.scopes[-1].sizes[size] = emit_size(self.builder, size, self.symbols)
        return value

    def prefix(self, buffer: Buffer, offset: Offset) -> str:
        """The address of an access as far as its axes are bound; its constant is not in it."""
        strides = [(a, s) for a, s in offset.strides if a in self.order and s != 0]
        return self.pointer(buffer, sorted(strides, key=lambda item: self.order.index(item[0])))

    def pointer(self, buffer: Buffer, terms: Sequence[tuple[Axis, Size]]) -> str:
        """The address of `buffer` moved along bound axes, sharing prefixes with other accesses."""
        if not terms:
            return self.bases[buffer.name]
        key = (buffer.name, tuple(terms))
        for scope in reversed(self.scopes):
            if (found := scope.pointers.get(key)) is not None:
                return found
        axis, stride = terms[-1]
        step = self.size(stride)
        index = self.bound[axis] if axis in self.bound else self._lane_base(axis)
        pointer = self.builder.offset(self.pointer(buffer, terms[:-1]), scaled(index, step))
        self.scopes[-1].pointers[key] = pointer
        return pointer

    def _lane_base(self, axis: Axis) -> Value:
        assert self.lane is not None and self.lane.axis == axis, axis
        return self.lane.base


def first_lanes(last: Value, width: int) -> Value:
    """The mask of the lanes up to number `last`, from as many bits; at most 64 lanes."""
    builder = last.builder
    bits = builder.integer(-1).binary("lshr", builder.integer(63) - last).ref
    if width < 64:
        bits = builder.emit(f"trunc i64 {bits} to i{width}")
    mask = builder.emit(f"bitcast i{width} {bits} to <{width} x i1>")
    return Value(builder, mask, BOOL, width)


def scaled(index: Value, step: Value) -> Value:
    """index * step, without an instruction where that is easy."""
    if index.literal and step.literal and index.lanes == 1:
        return index.builder.integer(int(index.ref) * int(step.ref))
    if step.literal and step.ref == "1":
        return index
    return index * step


def emit_size(builder: Builder, size: Size, symbols: dict[str, Value]) -> Value:
    """i64 arithmetic for a size expression, floor division and modulo as in Python."""
    if isinstance(size, int):
        return builder.integer(size)
    total: Value | None = None
    for monomial, coefficient in size.terms:
        product: Value | None = None
        for atom in monomial:
            if isinstance(atom, Symbol):
                value = symbols[atom.name]
            else:
                value = _opaque(builder, atom, symbols)
            product = value if product is None else product * value
        if product is None:
            product = builder.integer(coefficient)
        elif coefficient != 1:
            product = product * coefficient
        total = product if total is None else total + product
    assert total is not None
    return total


def _opaque(builder: Builder, atom: Opaque, symbols: dict[str, Value]) -> Value:
    left = emit_size(builder, atom.left, symbols)
    right = emit_size(builder, atom.right, symbols)
    return emit_opaque(atom.op, left, right)


def emit_opaque(op: str, left: Value, right: Value) -> Value:
    """Floor division, modulo, minimum or maximum."""
    if op in ("min", "max"):
        return left.call(f"s{op}", right)
    divisor = right.eq(0).select(1, right)
    quotient = left.binary("sdiv", divisor)
    remainder = left - quotient * divisor
    wrong = remainder.ne(0) & (remainder ^ divisor).lt(0)
    if op == "//":
        return wrong.select(quotient - 1, quotient)
    return wrong.select(remainder + divisor, remainder)


