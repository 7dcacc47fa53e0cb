"""Reverse rules of matrix products."""
from __future__ import annotations

from typing import Any

import numpy as np

from ...errors import Unsupported
from ..sizes import product
from .traced import call, ndim


def left_of_matmul(g: Any, out: Any, a: Any, b: Any) -> Any:
    if b.ndim == 1:
        return np.expand_dims(g, -1) * b if a.ndim > 1 else g * b
    if a.ndim == 1:
        return np.sum(np.expand_dims(g, -2) * b, axis=(*range(b.ndim - 2), b.ndim - 1))
    return np.matmul(g, np.swapaxes(b, -1, -2))


def right_of_matmul(g: Any, out: Any, a: Any, b: Any) -> Any:
    if a.ndim == 1:
        return np.expand_dims(g, -2) * np.expand_dims(a, -1) if b.ndim > 1 else g * a
    if b.ndim == 1:
        return np.sum(np.expand_dims(g, -1) * a, axis=tuple(range(a.ndim - 1)))
    return np.matmul(np.swapaxes(a, -1, -2), g)


def left_of_dot(g: Any, out: Any, a: Any, b: Any) -> Any:
    if min(ndim(a), ndim(b)) == 0:
        return g * b
    if ndim(b) <= 2:
        return left_of_matmul(g, out, a, b) if a.ndim > 1 or ndim(b) > 1 else g * b
    return left_of_inner(g, out, a, np.moveaxis(b, -2, -1))


def right_of_dot(g: Any, out: Any, a: Any, b: Any) -> Any:
    if min(ndim(a), ndim(b)) == 0:
        return g * a
    if b.ndim == 1:
        return right_of_inner(g, out, a, b)
    return np.moveaxis(right_of_inner(g, out, a, np.moveaxis(b, -2, -1)), -1, -2)


def left_of_inner(g: Any, out: Any, a: Any, b: Any) -> Any:
    if min(ndim(a), ndim(b)) == 0:
        return g * b
    return np.reshape(np.matmul(as_rows(g, a, b), rows(b)), a.shape)


def right_of_inner(g: Any, out: Any, a: Any, b: Any) -> Any:
    if min(ndim(a), ndim(b)) == 0:
        return g * a
    return np.reshape(np.matmul(np.transpose(as_rows(g, a, b)), rows(a)), b.shape)


def operand_of_einsum(place: int) -> Any:
    """The product of the cotangent and the other operands, summed over what this one lacks."""

    def rule(g: Any, out: Any, subscripts: Any, *operands: Any, **kwargs: Any) -> Any:
        inputs, result = parsed(subscripts)
        own = inputs.pop(place)
        others = [each for at, each in enumerate(operands) if at != place]
        known = set(result).union(*inputs)
        kept = "".join(letter for letter in own if letter in known)
        if len(set(own)) < len(own):
            raise Unsupported("an operand with a letter twice")
        part = call(np.einsum, f"{','.join((result, *inputs))}->{kept}", g, *others)
        axes = tuple(at for at, letter in enumerate(own) if letter not in known)
        full = np.expand_dims(part, axes) if axes else part
        return np.broadcast_to(full, operands[place].shape) if axes else full

    return rule


def parsed(subscripts: Any) -> tuple[list[str], str]:
    """The letters of the operands and of the result."""
    if not isinstance(subscripts, str) or "." in subscripts:
        raise Unsupported("subscripts that are no letters")
    left, arrow, result = subscripts.replace(" ", "").partition("->")
    if not arrow:
        result = "".join(sorted(each for each in {*left} - {","} if left.count(each) == 1))
    return left.split(","), result


def rows(x: Any) -> Any:
    """All vectors along the last axis, as the rows of a matrix."""
    return np.reshape(x, (product(x.shape[:-1]), x.shape[-1]))


def as_rows(g: Any, a: Any, b: Any) -> Any:
    """What belongs to a row of `a` and one of `b`, as a matrix."""
    return np.reshape(call(np.asarray, g), (product(a.shape[:-1]), product(b.shape[:-1])))
