"""Element by element: ufuncs, where, clip, astype, copies."""
from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ....ir.errstates import Errstate
from ....ir.node import Node
from ....ir.ops.pointwise import IDENTITY
from ....ir.row import Op, row_of
from ....ir.sizes import Size, SizeExpr
from ....ir.tree import leaves
from ...loop_ir import simplify
from ...loop_ir.loops import Axis, Check, Const, Expr
from ...loop_ir.simplify import BOOL, Inexact, const, convert
from ...passes.materialise import Access
from ..state.context import Lowering, is_size, lowers
from ..state.values import CannotLower, Value
from .reports import report_left_out

WEAK = {"b": np.dtype(np.bool_), "i": int, "u": int, "f": float, "c": complex}
LETTER = {"b": "b", "i": "i", "u": "u", "f": "f", "c": "c"}
Operand = Any  # Value, a Python or NumPy number, or a symbolic size


def lower_ufunc(low: Lowering, node: Node, *args: Any, **kwargs: Any) -> Value:
    """A ufunc with one result, in the loop that NumPy would choose."""
    ufunc = node.target
    dtypes = loop_dtypes(ufunc, args, kwargs)
    if ufunc.nout != 1 or len(args) != ufunc.nin:
        raise CannotLower(f"{ufunc.__name__} has several results or an out argument")
    why_not = why_not_native(low, ufunc, dtypes)
    if why_not:
        raise CannotLower(why_not)
    axes = axes_like(low, node.type.shape, args)
    operands = tuple(operand_at(low, arg, axes, dtype) for arg, dtype in zip(args, dtypes))
    row = row_of(ufunc)
    assert row is not None
    for condition in checks_of(row, operands, low.errstate):
        if not simplify.is_true(condition):
            low.launch(axes, Check(condition))
    if row.llvm.get(LETTER[dtypes[0].kind]) == IDENTITY:
        return low.lazy(node.type, axes, operands[0])
    result = simplify.apply(row.name, operands, dtypes[-1])
    report_left_out(low, axes, operands, result)
    return low.lazy(node.type, axes, result)


def axes_like(low: Lowering, shape: tuple[Size, ...], args: Sequence[Operand]) -> tuple[Axis, ...]:
    """Axes for a result: those of an operand of this shape, which then is read as it is."""
    for arg in args:
        if isinstance(arg, Value) and arg.shape == shape:
            return arg.axes
    return low.axes(shape)


ALLOWED_KWARGS: dict[str, Any] = {"where": True, "casting": "same_kind", "subok": True}


def loop_dtypes(
    ufunc: np.ufunc, args: Sequence[Operand], kwargs: dict[str, Any]
) -> tuple[Any, ...]:
    """The dtypes of operands and result in NumPy's loop for these operands. The type of the node
    has the memory order."""
    rest = dict(kwargs)
    rest.pop("order", None)
    dtype = rest.pop("dtype", None)
    for name, value in rest.items():
        if name not in ALLOWED_KWARGS or value is not ALLOWED_KWARGS[name]:
            if not (isinstance(value, str) and value == ALLOWED_KWARGS.get(name)):
                raise CannotLower(f"{ufunc.__name__}({name}=…)")
    asked = tuple(map(weak_dtype, args)) + (None,) * ufunc.nout
    signature = None if dtype is None else (None,) * ufunc.nin + (np.dtype(dtype),)
    if signature is None:
        return tuple(ufunc.resolve_dtypes(asked))
    return tuple(ufunc.resolve_dtypes(asked, signature=signature))


def weak_dtype(arg: Operand) -> Any:
    """How an operand takes part in promotion (NEP 50)."""
    if isinstance(arg, Value):
        return WEAK[arg.type.dtype.kind] if arg.is_weak else arg.dtype
    if isinstance(arg, np.generic):
        return arg.dtype
    if isinstance(arg, SizeExpr):
        return int
    if type(arg) in (int, float, complex):
        return type(arg)
    if type(arg) is bool:
        return BOOL
    raise CannotLower(f"an operand of type {type(arg).__name__}")


def why_not_native(low: Lowering, ufunc: np.ufunc, dtypes: Sequence[np.dtype]) -> str | None:
    """Why kernels cannot run this loop, or None when they can."""
    if not low.native.issuperset(dtypes):
        return f"{ufunc.__name__} on {dtypes[0]}"
    inputs = dtypes[: ufunc.nin]
    if any(dtype != inputs[0] for dtype in inputs):
        return f"{ufunc.__name__} has no loop of its own for {inputs[0]} and {inputs[-1]}"
    row = row_of(ufunc)
    if not has_loop(low, row, inputs[0]):
        return f"{ufunc.__name__} has no native form for {inputs[0]}"
    return None


def has_loop(low: Lowering, row: Op | None, dtype: np.dtype) -> bool:
    return row is not None and (
        LETTER[dtype.kind] in row.llvm or (row.name, dtype.kind) in low.loops)


def operand_at(low: Lowering, arg: Operand, axes: Sequence[Axis], dtype: np.dtype) -> Expr:
    """The operand's element at `axes`, converted to the loop's dtype."""
    try:
        if isinstance(arg, Value):
            return _converted(low, low.broadcast(arg, axes), dtype, weak=arg.is_weak)
        if is_size(arg):
            return _converted(low, simplify.size_value(arg), dtype, weak=True)
        if isinstance(arg, (list, tuple, np.ndarray)):
            raise CannotLower("an operand that is a sequence")
        return const(arg, dtype)
    except Inexact as error:
        raise CannotLower(f"the constant {arg!r} as {dtype}: {error}") from None


def _converted(low: Lowering, expr: Expr, dtype: np.dtype, weak: bool) -> Expr:
    """A Python int becomes a narrow float through double, and must fit a narrow integer."""
    if dtype != expr.dtype:
        require_native(low, expr.dtype)
    if weak and expr.dtype.kind == "i" and dtype != expr.dtype:
        if isinstance(expr, Const):
            return const(int(simplify.value_of(expr)), dtype)
        if dtype.kind in "fc":
            return convert(convert(expr, np.dtype(np.float64)), dtype)
        if dtype.kind == "b":
            return convert(expr, dtype)
        raise CannotLower(f"a Python int that may not fit {dtype}")
    return convert(expr, dtype)


def checks_of(row: Op, operands: Sequence[Expr], errstate: Errstate) -> list[Expr]:
    """What must hold at every point, else NumPy has something to say that flags do not show.

    A quotient by zero is 0, which is all right where the program ignores such divisions; the
    reciprocal of 0 is another number.
    """
    last = operands[-1]
    if last.dtype.kind not in "iu":
        return []
    found = []
    is_ignored = dict(errstate).get("divide") == "ignore"
    if "zero reciprocal" in row.checks or ("zero divisor" in row.checks and not is_ignored):
        found.append(compare("not_equal", last, const(0, last.dtype)))
    if "quotient overflow" in row.checks and last.dtype.kind == "i":
        found.append(_quotient_fits(*operands))
    if "negative power" in row.checks and last.dtype.kind == "i":
        found.append(compare("greater_equal", last, const(0, last.dtype)))
    return found


def _quotient_fits(left: Expr, right: Expr) -> Expr:
    """Not the lowest integer by -1, whose quotient overflows."""
    lowest = const(np.iinfo(left.dtype).min, left.dtype)
    tests = (
        compare("not_equal", right, const(-1, right.dtype)), compare("not_equal", left, lowest)
    )
    return simplify.apply("logical_or", tests, BOOL)


def compare(name: str, left: Expr, right: Expr) -> Expr:
    return simplify.apply(name, (left, right), BOOL)


@lowers(reads=Access.SAME)
def where(low: Lowering, node: Node, condition: Any, *choices: Any) -> Value:
    """np.where of three arguments; both branches are computed, as in NumPy."""
    if len(choices) != 2:
        raise CannotLower("np.where of one argument has a size that depends on data")
    axes = low.axes(node.type.shape)
    test = operand_at(low, condition, axes, dtype_of(condition))
    if test.dtype != BOOL:
        require_native(low, test.dtype)
        test = compare("not_equal", test, const(0, test.dtype))
    true, false = (operand_at(low, choice, axes, node.type.dtype) for choice in choices)
    require_native(low, test.dtype, true.dtype)
    result = simplify.select(test, true, false)
    report_left_out(low, axes, (test, true, false), result)
    return low.lazy(node.type, axes, result)


def dtype_of(arg: Operand) -> np.dtype:
    if is_size(arg):
        return np.dtype(np.int64)
    return arg.dtype if isinstance(arg, Value) else np.asarray(arg).dtype


def require_native(low: Lowering, *dtypes: np.dtype) -> None:
    for dtype in dtypes:
        if dtype not in low.native:
            raise CannotLower(f"no kernels for {dtype}")


def require_real(low: Lowering, *dtypes: np.dtype) -> None:
    """For what complex numbers have no kernels of."""
    for dtype in dtypes:
        if dtype not in low.native or dtype.kind == "c":
            raise CannotLower(f"no kernels of this for {dtype}")


@lowers(reads=Access.SAME)
def clip(
    low: Lowering, node: Node, a: Any, a_min: Any = None, a_max: Any = None, **kwargs: Any
) -> Value:
    """np.clip: `minimum(maximum(a, low), high)` in the dtype that all three promote to."""
    a_min, a_max = kwargs.pop("min", a_min), kwargs.pop("max", a_max)
    if kwargs or isinstance(a, np.generic):
        raise CannotLower(f"np.clip with {sorted(kwargs)}")
    axes, dtype = low.axes(node.type.shape), node.type.dtype
    require_real(low, dtype)
    bounds = [("maximum", a_min), ("minimum", a_max)]
    given = [(name, bound) for name, bound in bounds if bound is not None]
    if dtype.kind == "f" or any(dtype_of(bound).kind == "f" for _, bound in given):
        raise CannotLower("np.clip of floats that has no definition")
    result = operand_at(low, a, axes, dtype)
    for name, bound in given:
        limit = operand_at(low, bound, axes, dtype)
        result = simplify.apply(name, (result, limit), dtype)
    return low.lazy(node.type, axes, result)


@lowers(reads=Access.SAME)
def astype(low: Lowering, node: Node, a: Value, dtype: Any, *args: Any, **kwargs: Any) -> Value:
    """A cast (casting is checked when the type is inferred) into new memory."""
    if kwargs.get("copy", True) is not True or args[3:]:
        raise CannotLower("astype(copy=False) may return its operand")
    return copied(low, node, a)


@lowers(reads=Access.SAME, copies=True)
def copy(low: Lowering, node: Node, a: Value, *args: Any, **kwargs: Any) -> Value:
    if kwargs.get("subok"):
        raise CannotLower("copy(subok=True)")
    return copied(low, node, a)


@lowers(reads=Access.SAME, copies=True)
def array(low: Lowering, node: Node, a: Any, *args: Any, **kwargs: Any) -> Value:
    copied_when = kwargs.get("copy", True)
    if isinstance(a, (list, tuple)) and copied_when in (True, None):
        return written_out(low, node, a)
    if copied_when is not True or not isinstance(a, Value):
        raise CannotLower("np.array of something else than one array")
    return copied(low, node, a)


def written_out(low: Lowering, node: Node, items: Sequence[Any]) -> Value:
    """Numbers that the program spells out, in an array that each call copies from."""
    numbers = list(leaves(items))
    if not all(isinstance(n, (bool, int, float, complex, np.generic)) for n in numbers):
        raise CannotLower("np.array of a sequence")
    require_native(low, node.type.dtype)
    try:
        table = low.constant(np.array(items, dtype=node.type.dtype))
    except (OverflowError, ValueError, TypeError) as error:
        raise CannotLower(f"np.array raises {error}") from None
    axes = low.axes(node.type.shape)
    return low.lazy(node.type, axes, low.broadcast(table, axes))


def copied(low: Lowering, node: Node, a: Any) -> Value:
    require_native(low, dtype_of(a), node.type.dtype)
    axes = low.axes(node.type.shape)
    return low.lazy(node.type, axes, operand_at(low, a, axes, node.type.dtype))
