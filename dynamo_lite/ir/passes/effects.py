"""What a pass may do with a node: remove it, merge it, run it early."""
from __future__ import annotations

import operator
from typing import Any

import numpy as np

from .. import core
from ..memory import changes
from ..node import Node
from ..row import Kind, Op, row_of
from ..sizes import SizeExpr
from ..tree import leaves
from ..types import ArrayType, Form

CASTING_KINDS = frozenset({Kind.POINTWISE, Kind.CREATION, Kind.STRUCTURE})
SILENT_KINDS = frozenset({Kind.VIEW, Kind.CREATION, Kind.STRUCTURE})


def is_pure(node: Node) -> bool:
    """Only its value matters, apart from what it may report."""
    if node.op != "call_function":
        return node.op != "output"
    return not changes(node)


def is_silent(node: Node) -> bool:
    """It can neither warn nor raise, so nobody can tell whether it ran."""
    if node.op != "call_function":
        return node.op == "get_attr"
    row = row_of(node.target)
    if row is None or not is_pure(node):
        return False
    if node.target is operator.getitem:  # a view; gathers check their bounds
        return _is_basic(node.args[1])
    if node.target is core.update:
        return _fits_in_place(*node.args)
    return not row.checks and not _may_be_of_nothing(row, node) and not _may_report(row, node)


def _is_basic(key: Any) -> bool:
    """Whether an index has no data in it, so that it is known to be within bounds."""
    items = key if isinstance(key, tuple) else (key,)
    return not any(isinstance(item, (Node, np.ndarray, list)) for item in items)


def _fits_in_place(base: Node, view: Any, value: Any) -> bool:
    """Whether a value is stored as it is, into elements that do not depend on data."""
    is_same = isinstance(value, Node) and value.type.dtype == base.type.dtype
    return is_same and all(
        _is_basic(args[0]) for step, args, _ in view if step is operator.getitem)


WITHOUT_IDENTITY = frozenset({"maximum", "minimum", "fmax", "fmin", "argmax", "argmin"})


def _may_be_of_nothing(row: Op, node: Node) -> bool:
    """The largest element of an array that may be empty, which NumPy refuses."""
    return row.fold in WITHOUT_IDENTITY and any(
        isinstance(size, SizeExpr) for operand in node.operands
        if isinstance(operand.type, ArrayType) for size in operand.type.shape
    )


def _may_report(row: Op, node: Node) -> bool:
    if row.kind in SILENT_KINDS:
        return row.kind is not Kind.VIEW and _converts(node)
    if row.kind is Kind.EXTERN:
        return True
    if row.kind is Kind.MATMUL or row.decompose is not None:
        return not _is_integer(node)
    reports = row.flags or narrows(node)
    return (reports and not _is_integer(node)) or _takes_weak_numbers(node)


def narrows(node: Node) -> bool:
    """Floating-point operands become numbers of a smaller range, as in `np.abs(x, dtype="f4")`."""
    row = row_of(node.target)
    if row is None or row.kind not in CASTING_KINDS or not isinstance(node.type, ArrayType):
        return False
    target = node.type.dtype
    return any(
        isinstance(operand.type, ArrayType) and _may_overflow(operand.type.dtype, target)
        for operand in node.operands
    )


def _may_overflow(source: np.dtype, target: np.dtype) -> bool:
    if source.kind not in "fc":
        return False
    return target.kind in "iu" or (target.kind in "fc" and _width(target) < _width(source))


def _width(dtype: np.dtype) -> int:
    """Bytes of a real number."""
    return dtype.itemsize // 2 if dtype.kind == "c" else dtype.itemsize


def _converts(node: Node) -> bool:
    """Numbers of one type become another, as in `np.array([x], dtype=int)`."""
    row = row_of(node.target)
    if row is not None and row.casts and len(node.args) + len(node.kwargs) > 1:
        return True  # with a dtype they may refuse a number
    types = [operand.type for operand in node.operands]
    return isinstance(node.type, ArrayType) and any(
        isinstance(given, ArrayType) and given.dtype != node.type.dtype for given in types
    )


def _takes_weak_numbers(node: Node) -> bool:
    """A Python number may not fit the types that the others are."""
    given = list(leaves((node.args, node.kwargs)))
    types = [leaf.type for leaf in given if isinstance(leaf, Node)]
    strong = [t.dtype for t in types if isinstance(t, ArrayType) and t.form is not Form.PYTHON]
    weak = len(strong) < len(types) or any(isinstance(leaf, (int, float)) for leaf in given)
    return weak and any(dtype in NARROW for dtype in strong)


NARROW = frozenset(map(np.dtype, ("?", "b", "B", "h", "H", "i", "I", "L", "e", "f", "F")))


def _is_integer(node: Node) -> bool:
    """Integer arithmetic wraps silently, except where a row lists checks."""
    kinds = [operand.type for operand in node.operands] + [node.type]
    return all(isinstance(kind, ArrayType) and kind.dtype.kind in "biu" for kind in kinds)
