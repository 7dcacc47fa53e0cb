"""Matrix products: shapes, dtypes and layout of `matmul`, `dot`, `inner` and `einsum`."""
from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ...errors import Unsupported
from ..facts import Facts
from ..sizes import Size
from ..types import ArrayType, Form, is_bfloat16
from .layout import axis_order, broadcast_shapes, is_contiguous, is_one, packed_in_order, same
from .pointwise import resolve
from .values import Wrong, as_array, as_type, result


def matmul_rule(x1: Any, x2: Any, /, out: Any = None, *, facts: Facts) -> ArrayType:
    left, right = as_type(x1), as_type(x2)
    if out is not None:
        raise Unsupported("matmul with out=")
    if left.ndim == 0 or right.ndim == 0:
        raise Wrong
    dtype = _product_dtype(left, right)
    rows = left.shape[-2:-1] if left.ndim > 1 else ()
    columns = right.shape[-1:] if right.ndim > 1 else ()
    inner = right.shape[-2] if right.ndim > 1 else right.shape[0]
    if not same(left.shape[-1], inner, facts):
        raise Wrong
    batch = broadcast_shapes((left.shape[:-2], right.shape[:-2]), facts)
    core = (*rows, *columns)
    order = _batch_order((left, right), len(batch), facts)
    axes = [*reversed(range(len(batch), len(batch) + len(core))), *order]
    return result(dtype, (*batch, *core), packed_in_order((*batch, *core), axes, dtype.itemsize))


def _product_dtype(left: ArrayType, right: ArrayType) -> np.dtype:
    """Those of bfloat16, which only CuPy's arrays hold, are of bfloat16; NumPy's are not."""
    if left.dtype == right.dtype and is_bfloat16(left.dtype):
        return left.dtype
    return resolve(np.matmul, (left, right), (None,))[-1]


def _batch_order(kinds: Sequence[ArrayType], ndim: int, facts: Facts) -> list[int]:
    moves = []
    for kind in kinds:
        own = tuple(
            0 if is_one(n, facts) else s for n, s in zip(kind.shape[:-2], kind.strides[:-2])
        )
        moves.append((0,) * (ndim - len(own)) + own)
    return axis_order(moves, ndim, facts)


def dot_rule(a: Any, b: Any, out: Any = None, *, facts: Facts) -> ArrayType:
    if isinstance(out, ArrayType) and not is_contiguous(out, facts):
        raise Wrong
    left, right = as_array(a), as_array(b)
    if out is not None or left.ndim == 0 or right.ndim == 0:
        raise Unsupported("dot of scalars, or with out=")
    inner = right.shape[-2] if right.ndim > 1 else right.shape[0]
    if not same(left.shape[-1], inner, facts):
        raise Wrong
    columns = (*right.shape[:-2], *right.shape[-1:]) if right.ndim > 1 else ()
    return result(np.result_type(left.dtype, right.dtype), (*left.shape[:-1], *columns))


def inner_rule(a: Any, b: Any, /, *, facts: Facts) -> ArrayType:
    left, right = as_array(a), as_array(b)
    if left.ndim == 0 or right.ndim == 0:
        raise Unsupported("inner of scalars")
    if not same(left.shape[-1], right.shape[-1], facts):
        raise Wrong
    dtype = np.result_type(left.dtype, right.dtype)
    return result(dtype, (*left.shape[:-1], *right.shape[:-1]))


def parse_subscripts(text: Any, kinds: Sequence[ArrayType]) -> tuple[list[str], str]:
    """Labels of each operand and of the result; Unsupported beyond plain distinct letters."""
    if not isinstance(text, str) or "." in text:
        raise Unsupported("einsum without plain subscripts")
    text = text.replace(" ", "")
    inputs, arrow, output = text.partition("->")
    operands = inputs.split(",")
    if not arrow:
        letters = inputs.replace(",", "")
        output = "".join(sorted(c for c in set(letters) if letters.count(c) == 1))
    if len(operands) != len(kinds) or any(
        len(labels) != kind.ndim for labels, kind in zip(operands, kinds)
    ):
        raise Wrong
    if any(len(set(labels)) != len(labels) for labels in (*operands, output)):
        raise Unsupported("einsum with a repeated subscript")
    if not all(c.isalpha() for c in inputs.replace(",", "")) or not set(output) <= set(inputs):
        raise Wrong
    return operands, output


def einsum_rule(
    subscripts: Any, /, *operands: Any, out: Any = None, optimize: Any = False, facts: Facts
) -> ArrayType:
    if out is not None or optimize is not False:
        raise Unsupported("einsum with out= or optimize=")
    kinds = [as_array(operand) for operand in operands]
    inputs, output = parse_subscripts(subscripts, kinds)
    if len(inputs) == 1 and len(inputs[0]) == len(output):
        raise Unsupported("einsum that gives a view")
    sizes = label_sizes(inputs, kinds, facts)
    dtype = np.result_type(*(kind.dtype for kind in kinds))
    if not output:
        return ArrayType(dtype, form=Form.SCALAR)
    summed = "".join(dict.fromkeys(c for labels in inputs for c in labels if c not in output))
    labels = output + summed
    moves = [
        tuple(_stride(kind, own, label, facts) for label in labels)
        for kind, own in zip(kinds, inputs)
    ]
    order = [i for i in axis_order(moves, len(labels), facts) if i < len(output)]
    shape = tuple(sizes[label] for label in output)
    return result(dtype, shape, packed_in_order(shape, order, dtype.itemsize))


def _stride(kind: ArrayType, own: str, label: str, facts: Facts) -> Size:
    axis = own.find(label)
    return 0 if axis < 0 or is_one(kind.shape[axis], facts) else kind.strides[axis]


def label_sizes(
    inputs: Sequence[str], kinds: Sequence[ArrayType], facts: Facts
) -> dict[str, Size]:
    """The extent of each label; sizes of 1 broadcast."""
    sizes: dict[str, Size] = {}
    for labels, kind in zip(inputs, kinds):
        for label, size in zip(labels, kind.shape):
            known = sizes.get(label, size)
            if is_one(known, facts):
                known = size
            elif not is_one(size, facts) and not same(known, size, facts):
                raise Wrong
            sizes[label] = known
    return sizes
