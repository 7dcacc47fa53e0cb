"""The loop IR: fused kernels as pure expressions over axes, neutral between code generators.

A kernel stores the values of expressions over a box of axes. Reductions are expressions with axes
of their own, so `exp(x - max(x)) / sum(exp(x - max(x)))` is one expression, and where a reduction
is evaluated (hoisted out of the loops it does not depend on) follows from its free axes. Nothing
here is a closure: everything can be compared, hashed, printed and cached.

Expressions, axes, offsets and buffers are interned: building one that exists gives the existing
object, so equality is identity, hashing is constant time, and a shared subexpression is one object
(an expression is a graph, not a tree: walk it with a memo, as `walk` does).
"""
from __future__ import annotations

from collections.abc import Iterable
from dataclasses import fields, replace
from operator import attrgetter
from typing import Any, ClassVar, Union

import numpy as np

from ...base.records import cached_property, dataclass
from ...ir.errstates import AMBIENT, Errstate
from ...ir.sizes import Size
from ...native import Interned

INT64 = np.dtype(np.int64)


class Unique(metaclass=Interned):
    """Base of what is interned."""

    __slots__ = ("__weakref__",)

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), tuple(getattr(self, item.name) for item in fields(self))  # type: ignore[arg-type]


class Expression(Unique):
    """Base of the expression nodes; `operands` are the expressions it is made of, in order."""

    __slots__ = ()
    operands: ClassVar[Any] = ()


@dataclass(frozen=True, slots=True, eq=False)
class Axis(Unique):
    """One loop variable: 0 <= axis < extent."""

    name: str
    extent: Size


@dataclass(frozen=True, slots=True, eq=False)
class Offset(Unique):
    """A position in a buffer, in bytes: constant + sum of stride * axis; affine, strides may be
    symbolic (also 0 or negative)."""

    constant: Size = 0
    strides: tuple[tuple[Axis, Size], ...] = ()


@dataclass(frozen=True, slots=True, eq=False)
class Buffer(Unique):
    """Memory of one dtype. `name` is unique in a program; its size lives in the program."""

    name: str
    dtype: np.dtype


@dataclass(frozen=True, slots=True, eq=False)
class Load(Expression):
    buffer: Buffer
    offset: Offset

    @property
    def dtype(self) -> np.dtype:
        return self.buffer.dtype


@dataclass(frozen=True, slots=True, eq=False)
class Gather(Expression):
    """Load at a computed position: affine `offset` plus, for each pair, index value * stride bytes.

    There is at least one pair. Each index expression is an int64; it has been checked and wrapped
    (see `Check`)."""

    buffer: Buffer
    offset: Offset
    indices: tuple[tuple[Expr, Size], ...]

    @property
    def dtype(self) -> np.dtype:
        return self.buffer.dtype

    @property
    def operands(self) -> tuple[Expr, ...]:
        return tuple([index for index, _ in self.indices])


@dataclass(frozen=True, slots=True, eq=False)
class Const(Expression):
    """A literal of `dtype`; `bits` is its exact bytes, native order (so NaNs and -0.0 compare)."""

    bits: bytes
    dtype: np.dtype


@dataclass(frozen=True, slots=True, eq=False)
class Scalar(Expression):
    """A kernel parameter: a Python or NumPy number that the program passes at run time."""

    name: str
    dtype: np.dtype


@dataclass(frozen=True, slots=True, eq=False)
class SizeValue(Expression):
    """A symbolic size as an integer value (int64)."""

    size: Size
    dtype: np.dtype = INT64


@dataclass(frozen=True, slots=True, eq=False)
class Index(Expression):
    """The value of an axis plus nothing else, as int64."""

    axis: Axis
    dtype: np.dtype = INT64


@dataclass(frozen=True, slots=True, eq=False)
class Apply(Expression):
    """A scalar operation of the registry (`ir.ops` row name) on operands of its loop's dtypes.

    Operand dtypes already match the row's signature: conversions are explicit `Convert`s."""

    op: str
    args: tuple[Expr, ...]
    dtype: np.dtype
    operands = property(attrgetter("args"))


@dataclass(frozen=True, slots=True, eq=False)
class Convert(Expression):
    """NumPy's `astype` (casting="unsafe") of one element."""

    arg: Expr
    dtype: np.dtype

    @property
    def operands(self) -> tuple[Expr, ...]:
        return (self.arg,)


@dataclass(frozen=True, slots=True, eq=False)
class Select(Expression):
    condition: Expr  # bool
    true: Expr
    false: Expr

    @property
    def dtype(self) -> np.dtype:
        return self.true.dtype

    @property
    def operands(self) -> tuple[Expr, ...]:
        return (self.condition, self.true, self.false)


@dataclass(frozen=True, slots=True, eq=False)
class Reduce(Expression):
    """Fold `body` over `axes`.

    `op`: add, multiply, minimum, maximum (NaN-propagating, as np.minimum), logical_and, logical_or,
    bitwise_and, bitwise_or, argmin, argmax (position as int64 along the single axis, the first of
    equals, NaN wins). `dtype` is the accumulator's and the result's; `body` already has it, except
    for argmin/argmax.
    `part` is the number of a part of the fold, where a code generator divides it.
    `row`: sums and products of floats are folded in the order of the axes, the last of which is
    added pairwise, as one row (1), or one after the other as well (0). None: in any order that is
    at least as accurate as pairwise summation.
    """

    op: str
    body: Expr
    axes: tuple[Axis, ...]
    dtype: np.dtype
    part: tuple[Expr, ...] = ()
    row: int | None = None

    @property
    def operands(self) -> tuple[Expr, ...]:
        return (self.body, *self.part)


Expr = Union[Load, Gather, Const, Scalar, SizeValue, Index, Apply, Convert, Select, Reduce]


def walk(roots: Iterable[Expr]) -> list[Expr]:
    """Every distinct subexpression, operands first."""
    found: list[Expr] = []
    left: dict[Expr, bool] = {}  # whether all of an expression is found
    for root in roots:
        stack = [root]
        while stack:
            expr = stack[-1]
            if expr not in left and (operands := expr.operands):
                left[expr] = False
                stack += operands[::-1]
                continue
            stack.pop()
            if not left.get(expr):
                left[expr] = True
                found.append(expr)
    return found


@dataclass(frozen=True, slots=True)
class Store:
    """Write `value` at `offset` for every point of the kernel's axes; `indices` are added to the
    place as in a `Gather`."""

    buffer: Buffer
    offset: Offset
    value: Expr
    indices: tuple[tuple[Expr, Size], ...] = ()

    @property
    def roots(self) -> tuple[Expr, ...]:
        """The expressions that the statement evaluates."""
        return (self.value, *[index for index, _ in self.indices])


@dataclass(frozen=True, slots=True)
class Check:
    """At every point `condition` must hold; if it ever fails the call bails out and the user's
    function runs in Python instead, which raises what NumPy raises."""

    condition: Expr

    @property
    def roots(self) -> tuple[Expr, ...]:
        return (self.condition,)


@dataclass(frozen=True, slots=True)
class Scan:
    """Running fold (`cumsum`, `cumprod`) of `value` along `axis`, stored at `offset` each step."""

    op: str
    buffer: Buffer
    offset: Offset
    value: Expr
    axis: Axis

    @property
    def roots(self) -> tuple[Expr, ...]:
        return (self.value,)


Statement = Union[Store, Check, Scan]
Buffers = tuple[Buffer, ...]


def distinct(buffers: Iterable[Buffer]) -> Buffers:
    return tuple(dict.fromkeys(buffers))


@dataclass(frozen=True, slots=True)
class Kernel:
    """`for axes: statements`. `axes` run outermost to innermost; statements run in order at each
    point, and no statement loads what another one of the same kernel stores at another point,
    unless the points take turns (`in_turn`).
    Where the box (or the range of a reduction) is empty, nothing in it is evaluated, nor loaded.

    `vector` is the axis to vectorise (one of `axes`, or the innermost axis of the reductions);
    `parallel` says that the outermost axis may be split among threads. `errstate` says what becomes
    of the floating-point flags that it raises.
    """

    name: str
    axes: tuple[Axis, ...]
    statements: tuple[Statement, ...]
    vector: Axis | None = None
    parallel: bool = False
    errstate: Errstate = AMBIENT

    @property
    def roots(self) -> list[Expr]:
        """The expressions that the statements evaluate."""
        return [root for statement in self.statements for root in statement.roots]

    @property
    def copied(self) -> tuple[Load, Load] | None:
        """What the kernel stores to and what it loads for that, if it does nothing but copy."""
        (first, *more) = self.statements
        if more or not isinstance(first, Store) or first.indices:
            return None
        value = first.value
        return (Load(first.buffer, first.offset), value) if isinstance(value, Load) else None

    def with_loops(self, **changes: Any) -> Kernel:
        """The same statements in other loops."""
        made = replace(self, **changes)
        object.__setattr__(made, "parts", self.parts)
        return made

    @cached_property
    def parts(self) -> tuple[Expr, ...]:
        """All distinct expressions, operands first."""
        return tuple(walk(self.roots))

    @cached_property
    def loads(self) -> tuple[Load | Gather, ...]:
        return tuple([part for part in self.parts if isinstance(part, (Load, Gather))])

    @cached_property
    def reads(self) -> Buffers:
        return distinct(load.buffer for load in self.loads)

    @cached_property
    def writes(self) -> Buffers:
        return distinct(s.buffer for s in self.statements if not isinstance(s, Check))

    @cached_property
    def folds(self) -> tuple[Reduce, ...]:
        return tuple([part for part in self.parts if isinstance(part, Reduce)])
