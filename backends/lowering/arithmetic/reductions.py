"""Reductions: folds over axes, and the statistics that NumPy builds from them."""
from __future__ import annotations

import operator
from collections.abc import Sequence
from typing import Any

import numpy as np

from ....base.records import dataclass
from ....base.signatures import by_name
from ....ir.node import Node
from ....ir.row import row_of
from ....ir.sizes import Size, product
from ....ir.types import ArrayType, contiguous_strides
from ...hints import goes_forward
from ...loop_ir import affine, reshaping, simplify
from ...loop_ir.loops import Axis, Expr, Offset, Reduce
from ...loop_ir.simplify import BOOL, INT64, const, convert
from ...passes.materialise import Access
from ..state.context import Lowering, is_size, lowers, packed
from ..state.values import CannotLower, Value
from .pointwise import compare, require_native, require_real
from .summation import fold_in_order, ordered

FLOAT64 = np.dtype(np.float64)
NO_VALUE = np._NoValue
EXACT_SUMS = frozenset(np.dtype(code) for code in "?bBhH")
"""What has sums that are exact in float64, in whatever order."""


@dataclass(frozen=True, slots=True)
class Folding:
    """How a reduction reads its operand: over the result's `axes` and the `folded` ones."""

    axes: tuple[Axis, ...]
    folded: tuple[Axis, ...]
    index: tuple[Offset, ...]

    @property
    def count(self) -> Size:
        return product(axis.extent for axis in self.folded)

    def again(self, low: Lowering) -> Folding:
        """The same folding with folded axes of its own, to enclose a reduction of this one."""
        fresh = {axis: low.axis(axis.extent) for axis in self.folded}
        moved = {axis: affine.along(made) for axis, made in fresh.items()}
        index = tuple(affine.substitute(one, moved) for one in self.index)
        return Folding(self.axes, tuple(fresh.values()), index)

    def reduce(self, op: str, body: Expr, dtype: np.dtype) -> Expr:
        return started(op, Reduce(op, body, self.folded, dtype) if self.folded else body)


def started(op: str, folded: Expr) -> Expr:
    """NumPy's sums start from 0.0, so they are never -0.0; the loop IR's start from nothing."""
    if op != "add" or folded.dtype.kind not in "fc":
        return folded
    return simplify.apply("add", (folded, const(0.0, folded.dtype)), folded.dtype)


def fold_over(
    low: Lowering, node: Node, shape: Sequence[Size], axis: Any, keepdims: bool
) -> Folding:
    """Pair the operand's dimensions with axes of the result, and with new axes to fold over."""
    folded_dims = dims_of(axis, len(shape))
    axes = low.axes(node.type.shape)
    kept = iter(axes)
    folded: list[Axis] = []
    index: list[Offset] = []
    for dim, size in enumerate(shape):
        if dim not in folded_dims:
            index.append(affine.along(next(kept)))
            continue
        if keepdims:
            next(kept)
        made = low.axis(size)
        if affine.is_one(size):
            index.append(affine.ZERO)
        else:
            folded.append(made)
            index.append(affine.along(made))
    return Folding(axes, tuple(folded), tuple(index))


def dims_of(axis: Any, ndim: int) -> set[int]:
    if axis is None:
        return set(range(ndim))
    given = axis if isinstance(axis, (tuple, list)) else (axis,)
    if not all(is_size(one) for one in given):
        raise CannotLower("axes that are not plain integers")
    return {operator.index(one) % ndim for one in given} if ndim else set()


def plain(kwargs: dict[str, Any], **expected: Any) -> dict[str, Any]:
    """Take known keyword arguments out of `kwargs`; whatever else was given has no lowering."""
    given = {name: value for name, value in kwargs.items() if value is not NO_VALUE}
    taken = {name: given.pop(name, default) for name, default in expected.items()}
    inert = {"out": None, "where": True}
    for name, value in given.items():
        if name not in inert or value is not inert[name]:
            raise CannotLower(f"a reduction with {name}=")
    return taken


NEEDS_ELEMENTS = frozenset(("minimum", "maximum"))


@lowers(reads=Access.FOLD)
def fold(
    low: Lowering, node: Node, a: Any, *args: Any, takes: Sequence[str],
    default_axis: int | None = None, **kwargs: Any,
) -> Value:
    """sum, prod, min, max, any, all: the accumulator has the result's dtype. `takes` is the order
    of the arguments after the first."""
    op = fold_of(node)
    given = by_name(takes, args, kwargs)
    options = plain(given, axis=default_axis, dtype=None, keepdims=False)
    dtype = node.type.dtype
    value, axis = operand(a), options["axis"]
    if dtype.kind in "fc" and op in ("add", "multiply"):
        return summed(low, node, op, value, axis, options["keepdims"])
    require = require_native if op.startswith("logical") else require_real
    require(low, value.dtype, dtype)
    over = fold_over(low, node, value.shape, axis, options["keepdims"])
    if op in NEEDS_ELEMENTS:
        low.relations.require("<", 0, over.count)
    body = value.at(over.index)
    if op.startswith("logical"):
        body = truth(body)
    expr = over.reduce(op, convert(body, dtype), dtype)
    return low.lazy(node.type, over.axes, expr)


def fold_of(node: Node) -> str:
    """The fold of the loop IR that a reduction or scan is."""
    row = row_of(node.target)
    assert row is not None and row.fold is not None
    return row.fold


def summed(
    low: Lowering, node: Node, op: str, value: Value, axis: Any, keepdims: bool
) -> Value:
    """A sum or product of floating-point numbers, in NumPy's order."""
    dtype, dims = node.type.dtype, dims_of(axis, len(value.shape))
    if dtype.kind == "c" and op == "add":
        require_native(low, value.dtype, dtype)
        if value.dtype != dtype or not value.shape:
            raise CannotLower("a sum of complex numbers in another dtype")
        if not goes_forward(value.type, low.graph.symbols):
            raise CannotLower("a sum of complex numbers in reverse order")
    else:
        require_real(low, value.dtype, dtype)
    is_exact = dtype == FLOAT64 and value.dtype in EXACT_SUMS and op == "add"
    if not is_exact:
        value, order = ordered(low, op, value, dims, node.name)
    over = fold_over(low, node, value.shape, axis, keepdims)
    body = convert(value.at(over.index), dtype)
    if is_exact:
        return low.lazy(node.type, over.axes, over.reduce(op, body, dtype))
    long = [dim for dim in sorted(dims) if not affine.is_one(value.shape[dim])]
    axis_of = dict(zip(long, over.folded, strict=True))
    expr = fold_in_order(
        op, body, [axis_of[dim] for dim in order.outer], [axis_of[dim] for dim in order.row],
        buffered=value.dtype != dtype or not value.type.aligned,
    )
    return low.lazy(node.type, over.axes, started(op, expr))


def operand(a: Any) -> Value:
    if not isinstance(a, Value):
        raise CannotLower("a reduction of a constant")
    return a


def truth(expr: Expr) -> Expr:
    return expr if expr.dtype == BOOL else compare("not_equal", expr, const(0, expr.dtype))


@lowers(reads=Access.FOLD)
def count_nonzero(low: Lowering, node: Node, a: Any, axis: Any = None, **kwargs: Any) -> Value:
    options = plain(kwargs, keepdims=False)
    value = operand(a)
    require_native(low, value.dtype)
    over = fold_over(low, node, value.shape, axis, options["keepdims"])
    body = convert(truth(value.at(over.index)), INT64)
    return low.lazy(node.type, over.axes, over.reduce("add", body, INT64))


@lowers(reads=Access.FOLD)
def arg_extremum(
    low: Lowering, node: Node, a: Any, axis: Any = None, out: Any = None, **kwargs: Any
) -> Value:
    """The position of the first extremum; over everything when there is no axis."""
    options = plain({**kwargs, "out": out}, keepdims=False)
    value = operand(a)
    require_real(low, value.dtype)
    if axis is None and len(value.shape) != 1:
        value = flattened(low, value, node.name)
        if options["keepdims"]:
            raise CannotLower("argmin of everything with keepdims")
    over = fold_over(low, node, value.shape, axis, options["keepdims"])
    low.relations.require("<", 0, over.count)
    op = fold_of(node)
    expr = over.reduce(op, value.at(over.index), INT64) if over.folded else const(0, INT64)
    return low.lazy(node.type, over.axes, expr)


def flattened(low: Lowering, value: Value, reader: str) -> Value:
    """The elements in C order along one axis."""
    flat = (low.axis(product(value.shape)),)
    if (expr := reshaping.reshape(value.expr, value.axes, flat)) is None:
        strides = contiguous_strides(value.shape, value.dtype.itemsize)
        layout = packed(value.type.with_layout(value.shape, strides), value.shape, value.dtype)
        copy = low.materialise(value, f"{reader} reads it in C order", layout=layout)
        expr = reshaping.reshape(copy.expr, copy.axes, flat)
        assert expr is not None
    return Value(ArrayType(value.dtype, (flat[0].extent,)), flat, expr, fresh=True)


@lowers(reads=Access.FOLD)
def ptp(low: Lowering, node: Node, a: Any, axis: Any = None, **kwargs: Any) -> Value:
    options = plain(kwargs, keepdims=False)
    value = operand(a)
    require_real(low, value.dtype)
    over = fold_over(low, node, value.shape, axis, options["keepdims"])
    low.relations.require("<", 0, over.count)
    body, dtype = value.at(over.index), value.dtype
    if dtype == BOOL:
        raise CannotLower("np.ptp of bool")
    high, least = over.reduce("maximum", body, dtype), over.reduce("minimum", body, dtype)
    return low.lazy(node.type, over.axes, simplify.apply("subtract", (high, least), dtype))


def _mean_dtype(value: Value, dtype: Any) -> np.dtype:
    """What NumPy adds up a mean in: float64 for integers and bools, else the operand's dtype."""
    if dtype is not None:
        return np.dtype(dtype)
    return FLOAT64 if value.dtype.kind in "iub" else value.dtype


def divided(total: Expr, count: Size, correction: Any = 0) -> Expr:
    """total / count as NumPy's mean has it: in float64, rounded to the total's dtype."""
    number = convert(simplify.size_value(count), FLOAT64)
    if correction:
        number = simplify.apply("subtract", (number, const(correction, FLOAT64)), FLOAT64)
        if isinstance(count, int):
            number = const(max(count - correction, 0), FLOAT64)
    quotient = simplify.apply("divide", (convert(total, FLOAT64), number), FLOAT64)
    return convert(quotient, total.dtype)


@lowers(reads=Access.FOLD)
def mean(low: Lowering, node: Node, a: Any, *args: Any, **kwargs: Any) -> Value:
    given = by_name(("axis", "dtype", "out", "keepdims"), args, kwargs)
    options = plain(given, axis=None, dtype=None, keepdims=False)
    value = operand(a)
    accumulator = _mean_dtype(value, options["dtype"])
    require_real(low, value.dtype, accumulator)
    over = fold_over(low, node, value.shape, options["axis"], options["keepdims"])
    low.relations.require("<", 0, over.count)
    total = over.reduce("add", convert(value.at(over.index), accumulator), accumulator)
    return low.lazy(node.type, over.axes, divided(total, over.count))


@lowers(reads=Access.FOLD)
def variance(
    low: Lowering, node: Node, a: Any, *args: Any, root: bool = False, **kwargs: Any
) -> Value:
    """The mean of squared deviations from the mean, in two passes as NumPy does; or its root."""
    given = by_name(("axis", "dtype", "out", "ddof", "keepdims"), args, kwargs)
    options = plain(given, axis=None, dtype=None, keepdims=False, ddof=0)
    value, ddof = operand(a), options["ddof"]
    accumulator = _mean_dtype(value, options["dtype"])
    require_real(low, value.dtype, accumulator)
    if accumulator.kind != "f" or (options["dtype"] is not None and accumulator != value.dtype):
        raise CannotLower("a variance in another dtype")
    if type(ddof) is not int:
        raise CannotLower("a variance with a fractional ddof")
    over = fold_over(low, node, value.shape, options["axis"], options["keepdims"])
    low.relations.require("<", max(ddof, 0), over.count)
    summed = over.reduce("add", convert(value.at(over.index), accumulator), accumulator)
    centre = divided(summed, over.count)
    over = over.again(low)
    element = convert(value.at(over.index), accumulator)
    deviation = simplify.apply("subtract", (element, centre), accumulator)
    square = simplify.apply("multiply", (deviation, deviation), accumulator)
    result = divided(over.reduce("add", square, accumulator), over.count, ddof)
    if root:
        result = simplify.apply("sqrt", (result,), accumulator)
    return low.lazy(node.type, over.axes, result)


@lowers(reads=Access.FOLD)
def norm(
    low: Lowering, node: Node, x: Any, ord: Any = None, axis: Any = None, keepdims: bool = False
) -> Value:
    """Vector norms 1, 2, inf and -inf along axes; that of everything is a product of BLAS."""
    value = operand(x)
    dtype = value.dtype if value.dtype.kind == "f" else FLOAT64
    require_real(low, value.dtype, dtype)
    dims = dims_of(axis, len(value.shape))
    kind = _norm_kind(ord, len(dims), axis is None)
    over = fold_over(low, node, value.shape, axis, keepdims)
    if kind in ("maximum", "minimum"):
        low.relations.require("<", 0, over.count)
    element = convert(value.at(over.index), dtype)
    if kind == "euclidean":
        squares = simplify.apply("multiply", (element, element), dtype)
        result = simplify.apply("sqrt", (over.reduce("add", squares, dtype),), dtype)
    else:
        result = over.reduce(kind, simplify.apply("absolute", (element,), dtype), dtype)
    return low.lazy(node.type, over.axes, result)


def _norm_kind(order: Any, ndim: int, whole: bool) -> str:
    if whole and (order is None or (order, ndim) in ((2, 1), ("fro", 2))):
        raise CannotLower("the norm of everything, which is a product of BLAS")
    if (order is None and ndim in (1, 2)) or (order == "fro" and ndim == 2):
        return "euclidean"
    kinds = {2: "euclidean", 1: "add", np.inf: "maximum", -np.inf: "minimum"}
    if ndim == 1 and isinstance(order, (int, float)) and order in kinds:
        return kinds[order]
    raise CannotLower(f"np.linalg.norm with ord={order}")
