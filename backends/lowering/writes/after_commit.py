"""The final contents of inputs that are written after the commit.

They are computed into fresh memory, for the written regions only, and copied after the commit.
"""
from __future__ import annotations

import operator
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

from ....ir.errstates import AMBIENT
from ....ir.node import Node
from ....ir.types import Form
from ...loop_ir import simplify
from ...loop_ir.loops import Buffer, Const, Expr, Load, Scalar, walk
from ...loop_ir.program import Commit
from ..arithmetic.pointwise import operand_at
from ..arithmetic.reports import rehearse
from ..indexing.masks import deposited_by
from ..indexing.strided_views import strided_view
from ..state.context import Lowering
from ..state.values import Value, load_of
from .overwriting import newest
from .pieces import Piece, is_everything, pieces
from .rehearsal import can_repeat, is_computed, tried_out
from .scatters import checked_key, elements_later, set_aside, store_at, views_of
from .updates import assign, check_number, place, squeezed, write_elements


def write_inputs(low: Lowering) -> None:
    """Compute what is written to inputs, commit, and copy it there."""
    written = {load_of(low.values[p]).buffer for p, _ in low.graph.writes}
    copies: list[Callable[[], None]] = []
    for placeholder, final in low.graph.writes:
        target, done = low.values[placeholder], newest(low, placeholder, final)
        if done is final:
            continue
        chain = pieces(low, final, placeholder, done)
        lasting = [] if chain is None else not_overwritten(low, target, chain)
        whole = [((), final, AMBIENT, final)]
        for view, value, low.errstate, node in whole if chain is None else lasting:
            operand = low.values[value] if isinstance(value, Node) else value
            part = strided_view(low, target, views_of(view))
            operand = check_number(low, operand, part.dtype)
            if views_of(view) is view:
                ready = prepared(low, part, operand, written, alone=len(lasting) == 1)
                copies.append(partial(assign, low, part, ready))
            elif deposited_by(low, node) is not None:
                ready = set_aside(low, operand, part.dtype, written)
                copies.append(partial(place, low, node, target, view, ready))
            elif (elements := elements_later(low, target, view, operand, written)) is not None:
                ready = set_aside(low, operand, part.dtype, written)
                copies.append(partial(write_elements, low, elements, ready))
            else:
                key = checked_key(low, view[-1][1][0], part.shape, written)
                steps = (*views_of(view), (operator.getitem, (key,), {}))
                ready = set_aside(low, operand, part.dtype, written)
                copies.append(partial(store_at, low, target, steps, ready))
    if copies:
        low.steps.append(Commit())
    for copy in copies:
        copy()


def not_overwritten(low: Lowering, target: Value, chain: list[Piece]) -> list[Piece]:
    """The assignments without those that a later one replaces as a whole; what these would report
    is found out."""
    last = max((k for k, (view, *_) in enumerate(chain) if is_everything(view)), default=0)
    if last == 0:
        return chain
    kept = chain[last:]
    evaluated = {(chain[last][2], part) for part in expressions_of(low, target, chain[last])}
    for piece in reversed(chain[:last]):
        view, value, low.errstate, _ = piece
        if views_of(view) is not view:
            kept.insert(0, piece)
            continue
        part = target if is_everything(view) else strided_view(low, target, view)
        operand = low.values.get(value, value)
        check_number(low, operand, part.dtype)
        element = operand_at(low, squeezed(operand, len(part.shape)), part.axes, part.dtype)
        if (low.errstate, element) not in evaluated and not tried_out(low, part, element):
            kept.insert(0, piece)
        if is_everything(view):
            evaluated |= {(low.errstate, part) for part in expressions_of(low, target, piece)}
    return kept


def expressions_of(low: Lowering, target: Value, piece: Piece) -> set[Expr]:
    """Everything that an assignment to the whole array computes for each element."""
    value = squeezed(low.values.get(piece[1], piece[1]), len(target.shape))
    return set(walk((operand_at(low, value, target.axes, target.dtype),)))


def prepared(
    low: Lowering, target: Value, value: Any, written: set[Buffer], alone: bool
) -> Any:
    """The value in memory that the copies do not touch, already of the target's dtype; or as it is,
    when it may be computed in place and is all that is written there."""
    if not isinstance(value, Value):
        return value
    value = squeezed(value, len(target.shape))
    expr = simplify.convert(value.expr, target.dtype)
    if isinstance(expr, (Const, Scalar)):
        return replace(value, expr=expr)
    if isinstance(expr, Load) and low.ownership.root(expr.buffer) not in written:
        return value
    element = operand_at(low, value, target.axes, target.dtype)
    if alone and can_repeat(low, target, element, written):
        if not is_computed(low, target, element):
            rehearse(low, target.axes, element)
        return value
    type_ = replace(value.type, dtype=target.dtype, shape=value.shape, form=Form.ARRAY)
    return low.materialise(replace(value, expr=expr, type=type_), "it is written to an input")
