"""Expressions as terms: an expression, and when between the stores of its kernel it is read.

Expressions are interned, so a term adds only what code generation needs: free axes, a topological
number, and the version of the memory that a load sees.
"""
from __future__ import annotations

from ...loop_ir.loops import Axis, Expr, Gather, Index, Load, Reduce

Version = int


class Term:
    """One distinct value of a kernel; `axes` are its free axes."""

    __slots__ = ("args", "axes", "expr", "number")

    def __init__(
        self, number: int, expr: Expr, args: tuple[Term, ...], axes: frozenset[Axis]
    ) -> None:
        self.number, self.expr, self.args, self.axes = number, expr, args, axes

    def __repr__(self) -> str:
        return f"t{self.number}:{type(self.expr).__name__}"


class Terms:
    """The terms of one kernel, whose axes are `everywhere`.

    A load that comes after a store to the same buffer in the same kernel is another term than the
    one before it, and belongs to the innermost level."""

    def __init__(self, everywhere: frozenset[Axis] = frozenset()) -> None:
        self.everywhere = everywhere
        self.versions: dict[str, Version] = {}
        self._numbered: dict[Expr, Term] = {}
        self._interned: dict[tuple[Expr, tuple[int, ...], Version], Term] = {}

    def store(self, buffer: str) -> None:
        """From here on loads of `buffer` see what was stored."""
        self.versions[buffer] = self.versions.get(buffer, 0) + 1
        self._numbered = {}

    def all(self) -> list[Term]:
        """Every term, operands first."""
        return list(self._interned.values())

    def of(self, root: Expr) -> Term:
        """The term of an expression; iterative, because chains of operations can be long."""
        stack = [root]
        while stack:
            expr = stack[-1]
            waiting = [e for e in expr.operands if e not in self._numbered]
            if waiting and expr not in self._numbered:
                stack.extend(waiting)
                continue
            stack.pop()
            if expr not in self._numbered:
                self._numbered[expr] = self._intern(expr)
        return self._numbered[root]

    def _intern(self, expr: Expr) -> Term:
        args = tuple(self._numbered[e] for e in expr.operands)
        version = self.versions.get(expr.buffer.name, 0) if isinstance(expr, (Load, Gather)) else 0
        key = (expr, tuple(a.number for a in args), version)
        if (term := self._interned.get(key)) is None:
            axes = _free_axes(expr, args) | (self.everywhere if version else frozenset())
            term = self._interned[key] = Term(len(self._interned), expr, args, axes)
        return term


def _free_axes(expr: Expr, args: tuple[Term, ...]) -> frozenset[Axis]:
    own: frozenset[Axis] = frozenset().union(*(a.axes for a in args))
    match expr:
        case Load() | Gather():
            return own | {axis for axis, stride in expr.offset.strides if stride != 0}
        case Index():
            return frozenset({expr.axis})
        case Reduce():
            return own - set(expr.axes)
    return own
