"""Products in terms of `matmul`, `dot`, multiplication and sums."""
from __future__ import annotations

import operator
from collections.abc import Sequence
from typing import Any

import numpy as np

from ...base.config import config
from ...errors import Unsupported
from ..rules.composite import Emit
from ..rules.layout import is_contiguous, same
from ..rules.products import label_sizes, parse_subscripts
from ..rules.values import Wrong, integer, normal_axis
from ..sizes import Size, product
from ..types import ArrayType, Form


def outer(emit: Emit, a: Any, b: Any, out: Any = None) -> Any:
    if out is not None:
        raise Unsupported("outer with out=")
    left, right = (_flat(emit, value) for value in (a, b))
    column = emit(operator.getitem, left, (slice(None), None))
    return emit(np.multiply, column, emit(operator.getitem, right, (None, slice(None))))


def vdot(emit: Emit, a: Any, b: Any, /) -> Any:
    if any(emit.type(value).dtype.kind == "c" for value in (a, b)):
        raise Unsupported("vdot of complex numbers")
    if not all(is_contiguous(emit.type(value), emit.facts) for value in (a, b)):
        raise Unsupported("vdot of what NumPy copies before")
    return emit(np.matmul, _flat(emit, a), _flat(emit, b))


def _flat(emit: Emit, value: Any) -> Any:
    if emit.type(value).form is not Form.ARRAY:
        raise Unsupported("a product of scalars")
    return emit(np.ravel, value)


def trace(
    emit: Emit, a: Any, offset: Any = 0, axis1: Any = 0, axis2: Any = 1, dtype: Any = None,
    out: Any = None,
) -> Any:
    if out is not None:
        raise Unsupported("trace with out=")
    return emit(np.sum, emit(np.diagonal, a, offset, axis1, axis2), axis=-1, dtype=dtype)


def tensordot(emit: Emit, a: Any, b: Any, axes: Any = 2) -> Any:
    """Both arrays as matrices, one `dot`, and the free axes back."""
    left, right = emit.type(a), emit.type(b)
    if left.form is not Form.ARRAY or right.form is not Form.ARRAY:
        raise Unsupported("tensordot of scalars")
    summed_left, summed_right = _contracted(axes, left, right)
    if len(summed_left) != len(summed_right) or not summed_left:
        raise Wrong if summed_left else Unsupported("tensordot over no axes")
    for i, j in zip(summed_left, summed_right):
        if not same(left.shape[i], right.shape[j], emit.facts):
            raise Wrong
    free_left = [i for i in range(left.ndim) if i not in summed_left]
    free_right = [i for i in range(right.ndim) if i not in summed_right]
    inner = product(left.shape[i] for i in summed_left)
    rows, columns = (
        tuple(kind.shape[i] for i in free)
        for kind, free in ((left, free_left), (right, free_right))
    )
    first = _as_matrix(emit, a, [*free_left, *summed_left], (product(rows), inner))
    second = _as_matrix(emit, b, [*summed_right, *free_right], (inner, product(columns)))
    return emit(np.reshape, emit(np.dot, first, second), (*rows, *columns))


def _contracted(axes: Any, left: ArrayType, right: ArrayType) -> tuple[list[int], list[int]]:
    if isinstance(axes, (tuple, list)):
        if len(axes) != 2:
            raise Wrong
        pair = [axis if isinstance(axis, (tuple, list)) else [axis] for axis in axes]
        return (
            [normal_axis(axis, left.ndim) for axis in pair[0]],
            [normal_axis(axis, right.ndim) for axis in pair[1]],
        )
    count = integer(axes)
    if not 0 <= count <= min(left.ndim, right.ndim):
        raise Wrong
    return list(range(left.ndim - count, left.ndim)), list(range(count))


def _as_matrix(emit: Emit, a: Any, order: Sequence[int], shape: tuple[Size, Size]) -> Any:
    return emit(np.reshape, emit(np.transpose, a, list(order)), shape)


def einsum(
    emit: Emit, subscripts: Any, /, *operands: Any, optimize: Any = False, **options: Any
) -> Any:
    """Two operands as one `matmul` where the labels allow it, else multiplied and summed.

    einsum adds every product to zero, so that no result is a negative zero. In which order it
    adds them depends on strides: sums of more than two have NumPy's bits when NumPy adds.
    """
    kinds = [emit.type(operand) for operand in operands]
    if options or optimize is not False or any(k.dtype.kind not in "f" for k in kinds):
        raise Unsupported("einsum with options, or of other dtypes than floats")
    inputs, output = parse_subscripts(subscripts, kinds)
    exact = config.math == "numpy"
    if exact and not _adds_two(label_sizes(inputs, kinds, emit.facts), output):
        raise Unsupported("an einsum that adds in NumPy's order")
    if len(operands) == 2 and not exact:
        shared = [c for c in inputs[0] if c in inputs[1]]
        summed = [c for c in shared if c not in output]
        free = [[c for c in labels if c not in shared] for labels in inputs]
        if len(summed) == 1 and all(len(own) == 1 and own[0] in output for own in free):
            batch = [c for c in shared if c in output]
            return _matmul(emit, inputs, output, operands, batch, free, summed)
    return emit(np.add, _multiplied(emit, inputs, output, operands), 0.0)


def _adds_two(sizes: dict[str, Size], output: str) -> bool:
    terms = product(size for label, size in sizes.items() if label not in output)
    return type(terms) is int and terms <= 2


def _matmul(
    emit: Emit, inputs: Sequence[str], output: str, operands: Sequence[Any],
    batch: list[str], free: list[list[str]], summed: list[str],
) -> Any:
    orders = ([*batch, *free[0], *summed], [*batch, *summed, *free[1]])
    left, right = (
        emit(np.transpose, operand, [labels.index(c) for c in order])
        for operand, labels, order in zip(operands, inputs, orders)
    )
    if not same(emit.type(left).shape[-1], emit.type(right).shape[-2], emit.facts):
        raise Unsupported("an einsum that broadcasts")
    found = [*batch, *free[0], *free[1]]
    return emit(np.transpose, emit(np.matmul, left, right), [found.index(c) for c in output])


def _multiplied(
    emit: Emit, inputs: Sequence[str], output: str, operands: Sequence[Any]
) -> Any:
    summed = "".join(dict.fromkeys(c for labels in inputs for c in labels if c not in output))
    labels = output + summed
    total = None
    for operand, own in zip(operands, inputs):
        places = [labels.index(label) for label in own]
        order = sorted(range(len(own)), key=places.__getitem__)
        turned = emit(np.transpose, operand, order)
        key = tuple(slice(None) if c in own else None for c in labels)
        spread = emit(operator.getitem, turned, key)
        total = spread if total is None else emit(np.multiply, total, spread)
    if not summed:
        return total
    return emit(np.sum, total, axis=tuple(range(len(output), len(labels))))
