"""Walking and rebuilding expressions. Expressions are shared graphs: every walk keeps a memo."""
from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from . import affine
from .loops import (
    Apply,
    Axis,
    Check,
    Const,
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


def rebuild(expr: Expr, operands: tuple[Expr, ...]) -> Expr:
    """The same operation on other operands."""
    match expr:
        case Apply():
            return Apply(expr.op, operands, expr.dtype)
        case Convert():
            return Convert(operands[0], expr.dtype)
        case Select():
            return Select(*operands)
        case Reduce():
            return Reduce(expr.op, operands[0], expr.axes, expr.dtype, operands[1:])
        case Gather():
            pairs = tuple((new, stride) for new, (_, stride) in zip(operands, expr.indices))
            return Gather(expr.buffer, expr.offset, pairs)
    return expr


def transform(expr: Expr, rule: Callable[[Expr], Expr], memo: dict[Expr, Expr]) -> Expr:
    """Rebuild bottom-up, applying `rule` to every node after its operands."""
    if (done := memo.get(expr)) is not None:
        return done
    made = expr
    if operands := expr.operands:
        changed = tuple([transform(operand, rule, memo) for operand in operands])
        if changed != operands:
            made = rebuild(expr, changed)
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
    return transform(expr, lambda made: _move(made, replaced), {}) if replaced else expr


def _move(expr: Expr, replaced: affine.Substitution) -> Expr:
    match expr:
        case Load():
            return Load(expr.buffer, affine.substitute(expr.offset, replaced))
        case Gather():
            return Gather(expr.buffer, affine.substitute(expr.offset, replaced), expr.indices)
        case Index() if expr.axis in replaced:
            return position(replaced[expr.axis])
        case Reduce():
            axes = tuple(_renamed(axis, replaced) for axis in expr.axes)
            return Reduce(expr.op, expr.body, axes, expr.dtype, expr.part)
    return expr


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
    found = _own_axes(expr).union(*(free_axes(operand, memo) for operand in expr.operands))
    if isinstance(expr, Reduce):
        found -= frozenset(expr.axes)
    memo[expr] = found
    return found


def _own_axes(expr: Expr) -> frozenset[Axis]:
    match expr:
        case Load() | Gather():
            return frozenset(axis for axis, _ in expr.offset.strides)
        case Index():
            return frozenset((expr.axis,))
    return frozenset()


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


def is_constant(expr: Expr, value: object = None) -> bool:
    """Whether the expression is a literal (equal to `value`, when given)."""
    if not isinstance(expr, Const):
        return False
    return value is None or bool(np.frombuffer(expr.bits, expr.dtype)[0] == value)
