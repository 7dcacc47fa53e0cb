"""Derivatives in the shape, dtype and form of what they are the derivatives of."""
from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from .. import core
from ..derivatives.traced import Part, Traced, bare, ndim
from ..derivatives.writes import laid_out
from ..node import Node
from ..row import lowering_of
from ..tree import leaves, map_leaves
from ..types import ArrayType, Form
from .decompose import NodeEmit


def is_continuous(kind: Any) -> bool:
    """Whether a value, or one of several, is of real or complex numbers."""
    return any(
        isinstance(each, ArrayType) and each.dtype.kind in "fc"
        for each in leaves(tuple(kind) if isinstance(kind, tuple) else kind)
    )


def unknown_of(emit: NodeEmit, kind: Any) -> Node:
    """A value of this type that is not known yet, for a moment."""
    made: Node = emit(np.zeros, kind.shape, kind.dtype if is_continuous(kind) else float)
    return made


def stripped(value: Any) -> Any:
    """What a rule gives, in terms of nodes."""
    if not isinstance(value, Part):
        return bare(value)
    return Part(*map_leaves(bare, (value.view, value.value, value.repeats)))


def dense(emit: NodeEmit, part: Part, operand: Node, known: Any = None) -> Any:
    """The cotangent of an operand, of that of a part of it and what is known of it already."""
    if known is not None:
        known = bare(laid_out(Traced(emit, known), Traced(emit, operand), part.view))
    base = emit(np.zeros_like, operand) if known is None else known
    value = retyped(emit, part.value, operand.type.dtype)
    if part.repeats:
        *view, (_, (key,), _) = part.view
        return emit(core.perform, np.add.at, base, tuple(view), 0, (key, value), {})
    if is_cleared(known, part.view):
        return emit(core.update, known.args[0], part.view, value)
    if known is not None:
        before = base
        for function, args, kwargs in part.view:
            before = emit(function, before, *args, **kwargs)
        value = emit(np.add, before, value)
    return emit(core.update, base, part.view, value)


def together(emit: NodeEmit, pieces: Sequence[Part], known: Any) -> list[Part]:
    """One piece for each view, that of what was cleared first."""
    found: list[Part] = []
    for piece in pieces:
        place = next((at for at, each in enumerate(found)
                      if are_same_elements(each, piece)), None)
        if place is None:
            found.append(piece)
        else:
            total = emit(np.add, found[place].value, piece.value)
            found[place] = piece._replace(value=total)
    return sorted(found, key=lambda piece: not is_cleared(known, piece.view))


def are_same_elements(one: Part, other: Part) -> bool:
    """Whether two pieces are known to be of the same elements, each of them once."""
    views = one.view, other.view
    return not one.repeats and not other.repeats and not any(
        isinstance(leaf, np.ndarray) for leaf in leaves(views)) and one.view == other.view


def is_cleared(known: Any, view: Any) -> bool:
    """Whether what is known is 0 in the elements of a view: they were overwritten."""
    return isinstance(known, Node) and known.target is core.update and (
        not any(isinstance(leaf, np.ndarray) for leaf in leaves((known.args[1], view)))
        and known.args[1] == view and isinstance(known.args[2], int) and known.args[2] == 0)


def scaled(g: Traced, partial: Any, is_new: bool = False) -> Any:
    """The cotangent of an operand of which the partial derivative is known. `is_new`: the partial
    derivative is an array that nobody else has."""
    if isinstance(partial, int) and partial in (0, 1):
        return g if partial else None
    number = filling_of(g.value)
    if number is not None and ndim(partial) == 0:
        return filled(g, Traced(g.emit, number), partial)
    if number is None or partial.shape != g.shape:
        return product(g, partial)
    if is_new and partial.dtype == g.dtype and isinstance(number, np.generic) and number == 1:
        return partial
    return Traced(g.emit, number) * partial


def product(g: Traced, factor: Any) -> Any:
    """One that is a constant where both are."""
    if isinstance(g.value, Node) or isinstance(factor, Traced):
        return -g if isinstance(factor, int) and factor == -1 else g * factor
    with np.errstate(all="ignore"):
        return Traced(g.emit, g.value * factor)


def filled(g: Traced, number: Traced, factor: Any) -> Any:
    """As large as a cotangent that is the same number everywhere, with a multiple of it."""
    found = product(number, factor)
    return np.full_like(Traced(g.emit, g.value.args[0]), found) if found.dtype == g.dtype else (
        g * factor)


def filling_of(value: Any) -> Any:
    """The number that a cotangent is everywhere, where that is known."""
    if not isinstance(value, Node) or lowering_of(value.target) != "full_like" or value.kwargs:
        return None
    number = value.args[1]
    kind = number.type if isinstance(number, Node) else number
    is_number = isinstance(kind, np.generic) or (
        isinstance(kind, ArrayType) and kind.form is Form.SCALAR)
    return number if is_number and kind.dtype == value.type.dtype else None


def fitted(emit: NodeEmit, value: Any, kind: ArrayType) -> Any:
    """A cotangent as one of a value of this type: what was broadcast is summed."""
    found = emit.type(value)
    if kind.ndim == 0 and found.ndim and (number := filling_of(value)) is not None:
        return retyped(emit, bare(product(Traced(emit, number), found.size)), kind.dtype)
    if extra := found.ndim - kind.ndim:
        value = emit(np.sum, value, axis=tuple(range(extra)))
    if axes := stretched(emit.type(value), kind):
        value = emit(np.sum, value, axis=axes, keepdims=True)
    return retyped(emit, value, kind.dtype)


def retyped(emit: NodeEmit, value: Any, dtype: np.dtype) -> Any:
    """A derivative in a dtype: of a real value it is real."""
    if emit.type(value).dtype.kind == "c" and dtype.kind != "c":
        value = emit(np.real, value)
    if emit.type(value).dtype != dtype:
        value = emit(np.ndarray.astype, numbered(emit, value), dtype)
    return value


def wide(emit: NodeEmit, value: Any, like: Node) -> Any:
    """A tangent with the shape and dtype of the value that it is the tangent of."""
    kind = like.type
    if emit.type(value).shape != kind.shape:
        spread = np.broadcast_to if emit.type(value).ndim else None
        value = emit(np.full_like, like, value) if spread is None else emit(
            spread, value, kind.shape)
    return fitted(emit, value, kind)


def formed(emit: NodeEmit, g: Any, kind: ArrayType) -> Any:
    """A number as an array without axes, where rules expect that."""
    is_array = kind.form is Form.ARRAY and emit.type(g).form is not Form.ARRAY
    return emit(np.asarray, g) if is_array else g


def numbered(emit: NodeEmit, value: Any) -> Any:
    """A constant as a NumPy number, which has methods."""
    return value if isinstance(value, Node) else np.asarray(value)[()]


def stretched(found: ArrayType, kind: ArrayType) -> tuple[int, ...]:
    """The axes of 1 that broadcasting made longer."""
    sizes = zip(found.shape, kind.shape)
    return tuple(axis for axis, (long, size) in enumerate(sizes)
                 if isinstance(size, int) and size == 1 and long != 1)
