"""Products of real or complex floats as calls of BLAS: of the routine that NumPy itself would call,
with the same arguments, so that the results have the same bits. What NumPy does in another way
(operands that it copies first, loops of its own) stays a call of NumPy."""
from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np

from ....base.records import dataclass
from ....ir.node import Node
from ....ir.sizes import Size, floordiv
from ....ir.types import Form, python_number
from ...loop_ir import affine
from ...loop_ir.loops import Apply, Load, Offset, Store
from ...loop_ir.products import Operand, Product, Stack
from ...loop_ir.program import Branch
from ...loop_ir.simplify import INT64, const, size_value
from ..arithmetic.pointwise import compare
from ..state.changes import computed
from ..state.context import Lowering, packed
from ..state.values import CannotLower, Value, load_of

OWN_WAY = "NumPy multiplies these by a loop of its own"


@dataclass(frozen=True, slots=True)
class Matrix:
    """The last two dimensions of an operand; a vector is a row on the left, else a column."""

    low: Lowering
    rows: Size
    columns: Size
    row_step: Size
    column_step: Size
    unit: int

    @property
    def turned(self) -> Matrix:
        return replace(
            self, rows=self.columns, columns=self.rows,
            row_step=self.column_step, column_step=self.row_step,
        )


# How a matrix lies in memory: the distance of its rows, or of its columns when transposed.
Leading = tuple[Size, bool]


def strided(matrix: Matrix) -> Leading | None:
    """np.matmul passes on what BLAS can read: rows or columns that are contiguous in themselves."""
    for turned, one in ((False, matrix), (True, matrix.turned)):
        if one.column_step == one.unit and _reaches(one, one.row_step, one.columns * one.unit):
            return one.row_step, turned
    return None


def contiguous(matrix: Matrix) -> Leading | None:
    """np.dot passes on contiguous matrices only."""
    for turned, one in ((True, matrix.turned), (False, matrix)):
        if one.column_step == one.unit and one.row_step == one.columns * one.unit:
            return one.row_step, turned
    return None


def _reaches(matrix: Matrix, step: Size, row: Size) -> bool:
    return _is_multiple(step, matrix.unit) and at_least(matrix.low, step - row, 0)


def _is_multiple(size: Size, unit: int) -> bool:
    if isinstance(size, int):
        return size % unit == 0
    return all(factor % unit == 0 for _, factor in size.terms)


def at_least(low: Lowering, size: Size, least: int) -> bool:
    """Whether that can be seen."""
    return size >= least if isinstance(size, int) else low.relations.follows("<=", least, size)


@dataclass(frozen=True, slots=True)
class Rules:
    """What one of NumPy's functions takes, and how it reads matrices. `narrow`: the run time knows
    what it does with vectors of one element or none, and with matrices of one row or column.
    `numbers`: vectors of one element are numbers to it, and those that lie backwards are copied."""

    leading: Callable[[Matrix], Leading | None]
    ranks: int
    kinds: str
    narrow: bool = False
    numbers: bool = False


LEADING = {"strided": strided, "contiguous": contiguous}


@cache
def is_suppressed(function: Callable[..., Any]) -> bool:
    """Whether NumPy ignores floating-point flags that BLAS raises for this function; np.dot does in
    older versions."""
    huge = np.array([1e200, 1e200])
    try:
        with np.errstate(all="raise"):
            function(huge, huge)
    except FloatingPointError:
        return False
    return True


def through_blas(low: Lowering, node: Node, a: Value, b: Value, rules: Rules) -> Value:
    """The product as a step of its own, of operands as they lie in memory."""
    why_not(rules, node, a, b)
    if rules.numbers and node.type.dtype.kind == "f" and len(a.shape) == len(b.shape) == 1:
        return dot_of_vectors(low, node, _forwards(low, a), _forwards(low, b))
    call = choose(rules, matrix_of(low, a, "left"), matrix_of(low, b, "right"),
                  node.type.dtype.kind == "f")
    stacks, equal = stacks_of(low, node, a, b)
    for left, right in equal:
        low.relations.require("==", left, right)
    return called(low, node, a, b, call, stacks)


def called(
    low: Lowering, node: Node, a: Value, b: Value, call: RoutineCall, stacks: tuple[Stack, ...] = ()
) -> Value:
    """The step that makes a call of BLAS, and the memory of its result."""
    low.relations.require("==", a.shape[-1], b.shape[max(-2, -len(b.shape))])
    first, second = (
        operand_of(low, value, leading, node.name)
        for value, leading in zip((a, b), call.leadings)
    )
    made = low.memory_value(node.type, low.allocate(replace(node.type, form=Form.ARRAY)))
    if call.swapped:
        first, second = second, first
        stacks = tuple(replace(stack, a=stack.b, b=stack.a) for stack in stacks)
    suppressed = is_suppressed(node.target)
    out, sizes = load_of(made).buffer, call.sizes
    low.steps.append(
        Product(call.routine, out, first, second, sizes, suppressed, stacks, low.errstate)
    )
    return low.ownership.owned(made) if node.type.form is Form.ARRAY else made


def _forwards(low: Lowering, vector: Value) -> Value:
    """The vector itself, or a copy of one whose elements lie backwards."""
    (step,) = strides_of(vector)
    backwards = step < 0 if isinstance(step, int) else low.relations.follows("<", 0, -step)
    return low.materialise(vector, "it lies backwards") if backwards else vector


def dot_of_vectors(low: Lowering, node: Node, a: Value, b: Value) -> Value:
    """`np.dot` of two vectors. One of a single element is a number to it: what BLAS adds to 0, it
    does not."""
    if is_suppressed(node.target):
        raise CannotLower(OWN_WAY)
    (length,), zero = a.shape, Offset()
    leadings = (_along(strides_of(vector)[0], matrix_of(low, vector, "right")) for vector in (a, b))
    found = called(low, node, a, b, RoutineCall("dot", (length,), (next(leadings), next(leadings))))
    if at_least(low, length, 2):
        return found
    one = low.inside(low.graph)
    only = Apply("multiply", (b.at((zero,)), a.at((zero,))), node.type.dtype)
    one.launch((), Store(load_of(found).buffer, zero, only))
    is_one = compare("equal", size_value(length), const(1, INT64))
    test = computed(low, Value(python_number(bool), (), is_one))
    low.steps.append(Branch(load_of(test).buffer, tuple(one.steps), ()))
    return found


def why_not(rules: Rules, node: Node, a: Value, b: Value) -> None:
    """Raise CannotLower for what NumPy does not hand to BLAS as it is."""
    dtype = node.type.dtype
    if max(len(a.shape), len(b.shape)) > rules.ranks or dtype.kind not in rules.kinds:
        raise CannotLower(OWN_WAY)
    if dtype.itemsize not in ((4, 8) if dtype.kind == "f" else (8, 16)):
        raise CannotLower(f"BLAS has no {dtype}")
    if not node.type.is_c_contiguous or not all(_as_it_is(x, dtype) for x in (a, b)):
        raise CannotLower("NumPy copies an operand, or uses another memory order")


def operand_of(low: Lowering, value: Value, leading: Leading, reader: str) -> Operand:
    load, (step, turned) = in_memory(low, value, reader), leading
    return Operand(load.buffer, load.offset.constant, floordiv(step, load.dtype.itemsize), turned)


def in_memory(low: Lowering, value: Value, reader: str) -> Load:
    if not value.is_memory:
        value = low.materialise(value, f"{reader} reads it through BLAS")
    return load_of(value)


def _as_it_is(value: Value, dtype: np.dtype) -> bool:
    in_memory = value.is_memory or dtype.kind == "f"
    return value.dtype == dtype and value.type.aligned and in_memory


def strides_of(value: Value) -> Sequence[Size]:
    """Of the memory where the value lies, or will lie."""
    if value.is_memory:
        return value.strides()
    return packed(value.type, value.shape, value.dtype).strides


def matrix_of(low: Lowering, value: Value, side: str) -> Matrix:
    unit, strides, shape = value.dtype.itemsize, strides_of(value), value.shape
    if len(shape) > 1:
        return Matrix(low, shape[-2], shape[-1], strides[-2], strides[-1], unit)
    if side == "left":
        return Matrix(low, 1, shape[0], 0, strides[0], unit)
    return Matrix(low, shape[0], 1, strides[0], 0, unit)


@dataclass(frozen=True, slots=True)
class RoutineCall:
    """A routine, its sizes, and the distances for the operands in NumPy's order."""

    routine: str
    sizes: tuple[Size, ...]
    leadings: tuple[Leading, Leading]
    swapped: bool = False


def choose(rules: Rules, a: Matrix, b: Matrix, real: bool) -> RoutineCall:
    """The call of BLAS that NumPy makes; sizes of one, and what cannot be told from it, matter. A
    real "gemv" of one row or one term is what np.matmul makes of it."""
    low, m, k, n = a.low, a.rows, a.columns, b.columns
    one_row, one_column = affine.is_one(m), affine.is_one(n)
    is_dot = one_row and one_column
    least = 1 if rules.narrow and real and (one_row or one_column) else 2
    fits = [at_least(low, size, least) for size in (m, k, n)]
    if not (fits[1] or (is_dot and rules.narrow)) or not (
        (fits[0] or one_row) and (fits[2] or one_column)
    ):
        raise CannotLower(OWN_WAY)
    if is_dot:
        return RoutineCall("dot", (k,), (_along(a.column_step, a), _along(b.row_step, b)))
    if one_column:
        step, turned = _found(rules.leading(a))
        return RoutineCall("gemv", _stored(a, turned), ((step, turned), _along(b.row_step, b)))
    if one_row:
        step, turned = _found(rules.leading(b.turned))
        found = (_along(a.column_step, a), (step, turned))
        return RoutineCall("gemv", _stored(b.turned, turned), found, swapped=True)
    return RoutineCall("gemm", (m, n, k), (_found(rules.leading(a)), _found(rules.leading(b))))


def _stored(matrix: Matrix, turned: bool) -> tuple[Size, Size]:
    one = matrix.turned if turned else matrix
    return one.rows, one.columns


def _found(leading: Leading | None) -> Leading:
    if leading is None:
        raise CannotLower(OWN_WAY)
    return leading


def _along(step: Size, matrix: Matrix) -> Leading:
    """A vector whose elements are a whole number of elements apart, forwards."""
    if not _is_multiple(step, matrix.unit) or not at_least(matrix.low, step, matrix.unit):
        raise CannotLower(OWN_WAY)
    return step, False


def stacks_of(
    low: Lowering, node: Node, a: Value, b: Value
) -> tuple[tuple[Stack, ...], list[tuple[Size, Size]]]:
    """The dimensions in front of the matrices, broadcast; and the sizes that must be equal."""
    count = len(node.type.shape) - (len(a.shape) > 1) - (len(b.shape) > 1)
    found: list[Stack] = []
    equal: list[tuple[Size, Size]] = []
    for dim in range(count):
        extent = node.type.shape[dim]
        steps: list[Size] = []
        if not at_least(low, extent, 1):
            raise CannotLower("perhaps a stack of nothing")
        for value in (a, b):
            place = dim - count + len(value.shape) - 2
            if place < 0 or affine.is_one(value.shape[place]):
                steps.append(0)
                continue
            steps.append(strides_of(value)[place])
            equal.append((value.shape[place], extent))
        found.append(Stack(extent, steps[0], steps[1], node.type.strides[dim]))
    return tuple(found), equal


def multiplied_out(a: Value, b: Value, one_term: bool) -> bool:
    """Whether NumPy's own loop does what a kernel does: products of nothing, and for some functions
    those of one term."""
    if max(len(a.shape), len(b.shape)) > 2:
        return False
    inner: Any = a.shape[-1]
    is_empty = any(affine.is_zero(size) for size in (*a.shape, *b.shape))
    return is_empty or (one_term and affine.is_one(inner))
