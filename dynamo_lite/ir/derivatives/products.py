"""Reverse rules of matrix products."""
from __future__ import annotations

from string import ascii_letters
from typing import Any

import numpy as np

from ...errors import Unsupported
from ..node import Node
from ..row import lowering_of
from ..sizes import product
from .traced import Part, Traced, call, ndim, shape, step, unlisted


def left_of_matmul(g: Any, out: Any, a: Any, b: Any) -> Any:
    b = unlisted(b)
    if b.ndim == 1:
        return np.expand_dims(g, -1) * b if a.ndim > 1 else g * b
    if a.ndim == 1:
        return np.sum(np.expand_dims(g, -2) * b, axis=(*range(b.ndim - 2), b.ndim - 1))
    if is_transpose(b, a):
        return np.matmul(g + np.transpose(g), a)
    return None if is_transpose(a, b) else np.matmul(g, np.swapaxes(b, -1, -2))


def is_transpose(one: Any, other: Any) -> bool:
    """Whether a matrix is the transpose of another one, whose cotangent is that of both: it takes
    one product."""
    node = one.value if isinstance(one, Traced) else None
    return isinstance(node, Node) and isinstance(other, Traced) and other.ndim == 2 and (
        lowering_of(node.target) == "transpose" and node.args == (other.value,))


def right_of_matmul(g: Any, out: Any, a: Any, b: Any) -> Any:
    a = unlisted(a)
    if a.ndim == 1:
        return np.expand_dims(g, -2) * np.expand_dims(a, -1) if b.ndim > 1 else g * a
    if b.ndim == 1:
        return np.sum(np.expand_dims(g, -1) * a, axis=tuple(range(a.ndim - 1)))
    if b.ndim == 2 and a.ndim > 2:  # one product, not one for each matrix
        return np.matmul(np.transpose(rows(a)), rows(g))
    if is_transpose(a, b):
        return np.matmul(b, g + np.transpose(g))
    return None if is_transpose(b, a) else np.matmul(np.swapaxes(a, -1, -2), g)


def left_of_dot(g: Any, out: Any, a: Any, b: Any) -> Any:
    b = unlisted(b)
    if min(ndim(a), ndim(b)) == 0:
        return g * b
    if ndim(b) <= 2:
        return left_of_matmul(g, out, a, b) if a.ndim > 1 or ndim(b) > 1 else g * b
    return left_of_inner(g, out, a, np.moveaxis(b, -2, -1))


def right_of_dot(g: Any, out: Any, a: Any, b: Any) -> Any:
    a = unlisted(a)
    if min(ndim(a), ndim(b)) == 0:
        return g * a
    if b.ndim == 1:
        return right_of_inner(g, out, a, b)
    if a.ndim == b.ndim == 2:
        return right_of_matmul(g, out, a, b)
    return np.moveaxis(right_of_inner(g, out, a, np.moveaxis(b, -2, -1)), -1, -2)


def left_of_inner(g: Any, out: Any, a: Any, b: Any) -> Any:
    b = unlisted(b)
    if min(ndim(a), ndim(b)) == 0:
        return g * b
    return np.reshape(np.matmul(as_rows(g, a, b), rows(b)), a.shape)


def right_of_inner(g: Any, out: Any, a: Any, b: Any) -> Any:
    a = unlisted(a)
    if min(ndim(a), ndim(b)) == 0:
        return g * a
    return np.reshape(np.matmul(np.transpose(as_rows(g, a, b)), rows(a)), b.shape)


def operand_of_einsum(place: int) -> Any:
    """The product of the cotangent and the other operands, summed over what this one lacks."""

    def rule(g: Any, out: Any, subscripts: Any, *operands: Any, **kwargs: Any) -> Any:
        inputs, result = parsed(subscripts, [ndim(each) for each in operands])
        own = inputs.pop(place)
        others = [each for at, each in enumerate(operands) if at != place]
        known = set(result).union(*inputs)
        once = "".join(dict.fromkeys(own))
        kept = "".join(letter for letter in once if letter in known)
        part = call(np.einsum, f"{','.join((result, *inputs))}->{kept}", g, *others)
        sides = tuple(shape(operands[place])[own.index(letter)] for letter in once)
        axes = tuple(at for at, letter in enumerate(once) if letter not in known)
        full = np.broadcast_to(
            np.expand_dims(call(np.asarray, part), axes), sides) if axes else part
        return full if once == own else on_diagonals(full, once, own)

    return rule


def on_diagonals(g: Any, once: str, own: str) -> Part:
    """The cotangent of an operand in which letters come more than once: its diagonals have it."""
    view, left = [], own
    while len(left) > len(once):
        letter = next(each for each in left if left.count(each) > 1)
        first, second = left.index(letter), left.index(letter, left.index(letter) + 1)
        view.append(step(np.diagonal, 0, first, second))
        left = left[:first] + left[first + 1 : second] + left[second + 1 :] + letter
    return Part(tuple(view), np.transpose(g, tuple(map(once.index, left))))


def parsed(subscripts: Any, ndims: list[int]) -> tuple[list[str], str]:
    """The letters of the operands and of the result; those of "..." are other ones."""
    if not isinstance(subscripts, str):
        raise Unsupported("subscripts that are no letters")
    left, arrow, result = subscripts.replace(" ", "").partition("->")
    spare = [letter for letter in ascii_letters if letter not in subscripts]
    inputs, longest = [], ""
    for text, count in zip(left.split(","), ndims):
        dots = "".join(spare[: count - len(text) + 3][::-1]) if "..." in text else ""
        longest = max(longest, dots, key=len)
        inputs.append(text.replace("...", dots))
    if not arrow:
        letters = left.replace(",", "").replace(".", "")
        result = "..." + "".join(sorted(each for each in {*letters} if letters.count(each) == 1))
    return inputs, result.replace("...", longest)


def rows(x: Any) -> Any:
    """All vectors along the last axis, as the rows of a matrix."""
    return np.reshape(x, (product(x.shape[:-1]), x.shape[-1]))


def as_rows(g: Any, a: Any, b: Any) -> Any:
    """What belongs to a row of `a` and one of `b`, as a matrix."""
    return np.reshape(call(np.asarray, g), (product(a.shape[:-1]), product(b.shape[:-1])))
