"""Inputs that are changed before the commit, in their own memory.

What reads a part of an input after another part was written would need a copy of all of it, were
the writes put off until after the commit. So they are done at once; what they replace is kept
in an undo log, and restored if the call bails out.
"""
from __future__ import annotations

from collections.abc import Container, Iterable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from ....ir import core
from ....ir.node import Node
from ....ir.sizes import Size, product
from ....ir.types import ArrayType, contiguous_strides
from ...loop_ir import affine, simplify
from ...loop_ir.loops import Expr, Gather, Index, Load, Store
from ...loop_ir.program import LogUndo
from ...loop_ir.simplify import INT64
from ..indexing.structure import is_moved
from ..state.changes import copied_before, log_undo
from ..state.context import Lowering
from ..state.sharing import versions
from ..state.values import Value, load_of

SLOWER = 2
"""Copying an element of a part, rather than of a block of memory."""


class KeepsOldContents(Exception):
    """Memory of an input that was to be overwritten is needed as it is; with the placeholder."""


def overwritten(
    low: Lowering, unread: Container[Node], whole: Container[Node], preserved: Container[Node]
) -> dict[Node, Node]:
    """The first versions of written inputs that are made in the memory of the input, each with its
    placeholder: up to one that is never read, or is made as a whole; of no `preserved` input."""
    found: dict[Node, Node] = {}
    for placeholder, final in low.graph.writes:
        made: list[Node] = []
        for node in versions(placeholder, final) or () if placeholder not in preserved else ():
            if node in unread or node in whole or (
                node.target is core.perform and not (low.in_order and is_at(node.args))
            ):
                break
            made.append(node)
        if made:
            is_copied = is_copied_sooner(low, placeholder, made)
            low.ownership.take_over(low.values[placeholder], is_copied)
            found |= dict.fromkeys(made, placeholder)
    return found


def is_copied_sooner(low: Lowering, placeholder: Node, made: Sequence[Node]) -> bool:
    """Whether all of an input is copied sooner than each part that a version replaces: it lies side
    by side, parts of it do not, and those at computed places are looked up."""
    kind = placeholder.type
    if len(made) < 2 or not kind.is_c_contiguous or not low.in_order:
        return False
    parts = (v.args[2].type.shape for v in made
             if v.target is core.update and isinstance(v.args[2], Node))
    hint = low.relations.hint
    return hint(product(kind.shape)) <= SLOWER * sum(hint(product(shape)) for shape in parts)


def is_at(args: tuple[Any, ...]) -> bool:
    """Whether what `core.perform` is given is a ufunc's method `at` with an operand."""
    function, _, _, place, given, kwargs = args
    ufunc = getattr(function, "__self__", None)
    is_method = isinstance(ufunc, np.ufunc) and function.__name__ == "at"
    return is_method and place == 0 and len(given) == 2 and not kwargs


def is_there(low: Lowering, node: Node, placeholder: Node) -> bool:
    """Whether a version is in the memory of the input itself."""
    value, place = low.values.get(node), low.values[placeholder]
    return isinstance(value, Value) and value.array is not None and value.array == place.array


def newest(low: Lowering, placeholder: Node, final: Node) -> Node:
    """The last version that is in the memory of the input."""
    there = [v for v in versions(placeholder, final) or () if is_there(low, v, placeholder)]
    return there[-1] if there else placeholder


def log_positions(low: Lowering, target: Value) -> None:
    """Log elements at places that are computed, which have been checked."""
    place = target.expr
    if isinstance(place, Load):
        log_undo(low, target)
        return
    assert isinstance(place, Gather)
    if place.buffer not in low.ownership.unlogged:
        return
    if low.in_order and is_moved(target):
        log_moved(low, target, place)
        return
    shape = target.shape
    type_ = ArrayType(INT64, shape, contiguous_strides(shape, INT64.itemsize))
    positions = low.memory_value(type_, low.allocate(type_))
    where = replace(target, expr=distance(place)).at(list(map(affine.along, positions.axes)))
    at = load_of(positions)
    low.launch(positions.axes, Store(at.buffer, at.offset, where))
    logged = ArrayType(target.dtype, (product(shape),), (target.dtype.itemsize,))
    low.steps.append(LogUndo(place.buffer, 0, logged, at.buffer))


def log_moved(low: Lowering, target: Value, place: Gather) -> None:
    """Log a part that begins at a computed place."""
    number = ArrayType(INT64, (), ())
    start = load_of(low.memory_value(number, low.allocate(number)))
    low.launch((), Store(start.buffer, start.offset, sum_of(affine.ZERO.constant, place.indices)))
    strides = tuple(affine.stride_of(place.offset, axis) for axis in target.axes)
    kind = ArrayType(target.dtype, target.shape, strides)
    is_copied = copied_before(low, place.buffer)
    low.steps.append(
        LogUndo(place.buffer, place.offset.constant, kind, None, start.buffer, is_copied))


def distance(place: Gather) -> Expr:
    """How many bytes lie before an element."""
    steps = [(Index(axis), stride) for axis, stride in place.offset.strides]
    return sum_of(place.offset.constant, (*steps, *place.indices))


def sum_of(first: Size, steps: Iterable[tuple[Expr, Size]]) -> Expr:
    """A number of bytes, and steps of so many bytes each."""
    total = simplify.size_value(first)
    for count, stride in steps:
        step = simplify.apply("multiply", (count, simplify.size_value(stride)), INT64)
        total = simplify.apply("add", (total, step), INT64)
    return total

