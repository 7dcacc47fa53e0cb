"""Walking and rebuilding expressions. Expressions are shared graphs: every walk keeps a memo."""
from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from . import affine
from .loops import (
    Apply,
    Axis,
    Check,
    Convert,
    Expr,
    Gather,
    Index,
    Load,
    Offset,
    Reduce,
    Scan,
    Select,
    SizeValue,
    Statement,
    Store,
)

INT64 = np.dtype(np.int64)
Change = Callable[[Expr], Expr]


Operands = tuple[Expr, ...]


def _regathered(gather: Gather, operands: Operands) -> Gather:
    pairs = tuple((new, stride) for new, (_, stride) in zip(operands, gather.indices))
    return Gather(gather.buffer, gather.offset, pairs)


REBUILT: Mapping[type[Expr], Callable[[Any, Operands], Expr]] = {
    Apply: lambda old, operands: Apply(old.op, operands, old.dtype),
    Convert: lambda old, operands: Convert(operands[0], old.dtype),
    Select: lambda old, operands: Select(*operands),
    Reduce: lambda old, operands: Reduce(
        old.op, operands[0], old.axes, old.dtype, operands[1:], old.row
    ),
    Gather: _regathered,
}
"""The same operation on other operands."""


def transform(expr: Expr, rule: Callable[[Expr], Expr], memo: dict[Expr, Expr]) -> Expr:
    """Rebuild bottom-up, applying `rule` to every node after its operands."""
    if (done := memo.get(expr)) is not None:
        return done
    made = expr
    if operands := expr.operands:
        changed = tuple([transform(operand, rule, memo) for operand in operands])
        if changed != operands:
            made = REBUILT[type(expr)](expr, changed)
    memo[expr] = result = rule(made)
    return result


def replace_parts(expr: Expr, parts: dict[Expr, Expr]) -> Expr:
    """Replace whole subexpressions; a replacement is not looked into."""
    if not parts:
        return expr
    memo = dict(parts)
    return transform(expr, lambda made: made, memo)


def substitute(expr: Expr, replaced: affine.Substitution) -> Expr:
    """Replace axes by affine functions of other axes, everywhere in an expression."""
    if not replaced:
        return expr

    def move(made: Expr) -> Expr:
        moved = MOVED.get(type(made))
        return made if moved is None else moved(made, replaced)

    return transform(expr, move, {})


def _moved_load(load: Load, replaced: affine.Substitution) -> Load:
    return Load(load.buffer, affine.substitute(load.offset, replaced))


def _moved_gather(gather: Gather, replaced: affine.Substitution) -> Gather:
    return Gather(gather.buffer, affine.substitute(gather.offset, replaced), gather.indices)


def _moved_index(index: Index, replaced: affine.Substitution) -> Expr:
    return position(replaced[index.axis]) if index.axis in replaced else index


def _moved_fold(fold: Reduce, replaced: affine.Substitution) -> Reduce:
    axes = tuple(_renamed(axis, replaced) for axis in fold.axes)
    return Reduce(fold.op, fold.body, axes, fold.dtype, fold.part, fold.row)


MOVED: Mapping[type[Expr], Callable[[Any, affine.Substitution], Expr]] = {
    Load: _moved_load, Gather: _moved_gather, Index: _moved_index, Reduce: _moved_fold,
}
"""The expressions that name axes, with these replaced; their operands are done."""


def _renamed(axis: Axis, replaced: affine.Substitution) -> Axis:
    """A bound axis may only be renamed."""
    if (target := replaced.get(axis)) is None:
        return axis
    ((renamed, factor),) = target.strides
    assert affine.is_one(factor) and target.constant == 0
    return renamed


def position(offset: Offset) -> Expr:
    """The value of an affine function, as int64 arithmetic."""
    total: Expr | None = None
    for axis, factor in offset.strides:
        term: Expr = Index(axis)
        if not affine.is_one(factor):
            term = Apply("multiply", (term, SizeValue(factor)), INT64)
        total = term if total is None else Apply("add", (total, term), INT64)
    if total is None:
        return SizeValue(offset.constant)
    if affine.is_zero(offset.constant):
        return total
    return Apply("add", (total, SizeValue(offset.constant)), INT64)


Frees = dict[Expr, frozenset[Axis]]


def free_axes(expr: Expr, memo: Frees) -> frozenset[Axis]:
    """The axes that the value of an expression depends on."""
    if (known := memo.get(expr)) is not None:
        return known
    named = NAMED_AXES.get(type(expr))
    own: frozenset[Axis] = frozenset() if named is None else frozenset(named(expr))
    found = own.union(*[free_axes(operand, memo) for operand in expr.operands])
    if isinstance(expr, Reduce):
        found -= frozenset(expr.axes)
    memo[expr] = found
    return found


def _stepped(access: Load | Gather) -> list[Axis]:
    return [axis for axis, _ in access.offset.strides]


NAMED_AXES: Mapping[type[Expr], Callable[[Any], Iterable[Axis]]] = {
    Load: _stepped, Gather: _stepped, Index: lambda index: (index.axis,),
}
"""The axes that an expression itself goes along."""


def map_statement(
    statement: Statement,
    value: Callable[[Expr], Expr],
    offset: Callable[[Offset], Offset] = lambda same: same,
) -> Statement:
    """A statement with its expression and its place replaced."""
    match statement:
        case Check():
            return Check(value(statement.condition))
        case Store():
            indices = tuple((value(index), stride) for index, stride in statement.indices)
            new, place = value(statement.value), offset(statement.offset)
            return Store(statement.buffer, place, new, indices)
        case Scan():
            new, place = value(statement.value), offset(statement.offset)
            return Scan(statement.op, statement.buffer, place, new, statement.axis)


def move_statement(statement: Statement, replaced: affine.Substitution) -> Statement:
    """A statement over other axes."""
    moved = map_statement(
        statement,
        lambda expr: substitute(expr, replaced),
        lambda offset: affine.substitute(offset, replaced),
    )
    if isinstance(moved, Scan):
        return replace(moved, axis=_renamed(moved.axis, replaced))
    return moved
