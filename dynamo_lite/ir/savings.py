"""What NumPy and Python take for the operations of a graph, roughly, where compiled code saves it,
and what compiling them takes: for decisions of speed only."""
from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from typing import Any

from . import control
from .binding import bound_in, taken_by, unbacked_in
from .node import Node
from .row import Effect, Kind, row_of
from .sizes import Size, SizeExpr, depends_on_data
from .tree import leaves
from .types import ArrayType, Form

CALL, VIEW, SCALAR_CALL, PYTHON_CALL = 600.0, 150.0, 60.0, 25.0
"""Nanoseconds that an operation of NumPy takes on an array, for a view of one, and on a scalar; and
one of Python's."""
CALLS = {Kind.REDUCTION: 2000.0, Kind.SCAN: 1200.0, Kind.STRUCTURE: 1500.0}
"""Those of kinds of operations that take longer: parts of them are written in Python."""
INDEXED = 1500.0
"""Those of reading or writing at the positions that an array gives."""
WHOLE = ("in_place", "copied")
"""Writes (`Op.version`) whose second argument is what is written to all of the first."""
STEP = 10_000.0
"""And those of one that compiled code calls too, of a small array: most are of linear algebra."""
PER_ELEMENT = 0.5
COMPILED, COMPILED_ELEMENT, DRAW, STEP_ELEMENT = 10.0, 3.0, 1000.0, 100.0
"""Nanoseconds that an operation takes at most in compiled code, and for each element; that drawing
a random number does, and for each element of such numbers and of what NumPy is called for."""
ARITHMETIC = 0.6
"""And those of an element in arithmetic, most of which is fused."""
BODY = 4
"""Operations that the backend takes as long for as for a loop or a branch without what is in it."""
ITERATIONS = 10
"""How many iterations a loop is taken to have where that is not known."""

Hint = Callable[[Size], int]


def saved(node: Node, hint: Hint, iterations: float = ITERATIONS) -> float:
    """Nanoseconds that Python spends on an operation of a graph, where compiled code saves it.

    A loop is taken to have so many `iterations` where that is not known."""
    if control.is_control(node):
        count = known if (known := iterations_of(node, hint)) < math.inf else iterations
        again = max(count - 1, 0) * sum(STEP for each in invariant(node) if is_step(each))
        return count * saved_by(inside_of(node), hint, iterations) + again
    row = row_of(node.target)
    if row is None or row.kind is Kind.EXTERN or row.effect in (Effect.RANDOM, Effect.STATE):
        return 0.0
    if row.kind is Kind.MATMUL:  # BLAS does it
        return CALL
    if row.kind is Kind.VIEW and is_indexed(node):
        return INDEXED - CALL + costs(node.type, hint)
    if row.kind is Kind.WRITE:
        written = max(costs(getattr(node.args[-1], "type", None), hint), SCALAR_CALL)
        return written + INDEXED * (row.version not in WHOLE and is_indexed(node))
    if row.kind is Kind.VIEW or not isinstance(node.type, ArrayType):
        return min(costs(node.type, hint), VIEW)
    kinds = (node.type, *read_by(node))
    takes = max(costs(kind, hint) for kind in kinds)
    if row.kind in CALLS and any(kind.form is Form.ARRAY for kind in kinds):
        takes += CALLS[row.kind] - CALL
    return takes


def read_by(node: Node) -> list[ArrayType]:
    """The types of the arrays, and scalars of NumPy's, among the arguments of an operation."""
    kinds = (getattr(leaf, "type", None) for leaf in leaves((node.args, node.kwargs)))
    return [kind for kind in kinds if isinstance(kind, ArrayType)]


def is_indexed(node: Node) -> bool:
    """Whether what it reads or writes of its first argument stands where an array says."""
    kinds = (getattr(leaf, "type", None) for leaf in leaves(node.args[1:2]))
    return any(isinstance(kind, ArrayType) and kind.form is Form.ARRAY for kind in kinds)


def is_step(node: Node) -> bool:
    """Whether compiled code calls NumPy for it."""
    row = row_of(node.target)
    return row is not None and row.kind is Kind.EXTERN


def invariant(loop: Node) -> list[Node]:
    """What every iteration computes alike, as far as it is seen without the views of arrays."""
    if loop.target in control.ONCE:
        return []
    (body,), operands = control.bodies(loop), loop.args[-1]
    inputs = body.placeholders[len(body.placeholders) - len(operands) :]
    known = set(inputs[: len(operands) - loop.kwargs.get("versions", 0)])
    effects = {node: row.effect for node in body.calls if (row := row_of(node.target)) is not None}
    pure = [node for node, effect in effects.items() if effect is Effect.PURE]
    known.difference_update(*(node.operands for node in {*body.calls}.difference(pure)))
    own, found = bound_in(body), []
    for node in pure:
        symbols = (*taken_by(node), *unbacked_in(node.type))
        if known.issuperset(node.operands) and own.isdisjoint(symbols):
            known.add(node)
            found.append(node)
    return found


def inside_of(node: Node) -> list[Node]:
    return [inner for body in control.bodies(node) for inner in body.calls]


def saved_by(nodes: Iterable[Node], hint: Hint, iterations: float = ITERATIONS) -> float:
    return sum(saved(node, hint, iterations) for node in nodes)


def taken(node: Node, hint: Hint) -> float:
    """Nanoseconds that compiled code takes for an operation, rather more than less; infinite where
    that is not known."""
    if control.is_control(node):
        iterations = iterations_of(node)
        return iterations * taken_by_all(inside_of(node), hint) if iterations else 0.0
    row = row_of(node.target)
    own = [node.type] if isinstance(node.type, ArrayType) else []
    elements = max((hint(kind.size) for kind in (*own, *read_by(node))), default=1)
    if row is not None and row.effect in (Effect.RANDOM, Effect.STATE):
        return DRAW + STEP_ELEMENT * elements
    if row is None or row.kind is Kind.EXTERN:
        return STEP + STEP_ELEMENT * elements
    if row.kind is Kind.VIEW:
        return COMPILED
    is_arithmetic = row.kind is Kind.POINTWISE and not row.approximated
    each = ARITHMETIC if is_arithmetic else COMPILED_ELEMENT
    each = STEP_ELEMENT if row.kind is Kind.MATMUL else each
    return COMPILED + each * elements


def taken_by_all(nodes: Iterable[Node], hint: Hint) -> float:
    return sum(taken(node, hint) for node in nodes)


def iterations_of(node: Node, hint: Hint | None = None) -> float:
    """How often the bodies of a loop or branch run; infinite where that is not known. With a
    `hint`, how often they do where sizes are what they are now."""
    if node.target in control.ONCE:
        return 1 if node.target is control.cond else math.inf
    ends = node.args[:3] if node.target is control.for_loop else ()
    if hint is not None:
        ends = tuple(hint(end) if is_of_arguments(end) else end for end in ends)
    if not ends or not all(isinstance(end, int) for end in ends):
        return math.inf
    start, stop, step = ends
    return max(0, -((start - stop) // step))


def is_of_arguments(end: Any) -> bool:
    """Whether what a loop ends at is a size that follows from a call's arguments."""
    return isinstance(end, SizeExpr) and not depends_on_data(end)


def to_lower(nodes: Iterable[Node]) -> int:
    """How many operations the backend takes as long for as for these: those inside of loops and
    branches count as well, and each of those as some more."""
    return sum(1 + (BODY + to_lower(inside_of(node)) if control.is_control(node) else 0)
               for node in nodes)


def costs(kind: Any, hint: Hint) -> float:
    """Nanoseconds for an operation that gives or reads such a value."""
    if not isinstance(kind, ArrayType):
        return CALL
    if kind.form is Form.ARRAY:
        return CALL + PER_ELEMENT * hint(kind.size)
    return SCALAR_CALL if kind.form is Form.SCALAR else PYTHON_CALL
