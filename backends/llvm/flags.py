"""Which floating-point flags a program may miss.

Invalid, divide and overflow are raised (at least) where NumPy raises them, by everything. Underflow
is only by what the processor does in one instruction: polynomials raise it elsewhere than the
functions that they stand for, and so do products in another order.
"""
from __future__ import annotations

from collections.abc import Iterator

from .. import rewrite
from ..loops import Apply, Check, Expr, Kernel, Reduce
from ..program import Launch, Program
from .scalars import template

UNDERFLOW = 16  # FP_UNDERFLOW of the run time
EXACT = frozenset(
    f"@{name}" for name in (
        "identity", "maximum", "minimum", "fmax", "fmin", "heaviside", "isfinite", "isinf",
        "logical_and", "logical_or", "logical_xor", "reciprocal", "sign", "signbit",
    )
)


def inexact_flags(program: Program) -> int:
    """The flags with which a call must be abandoned if the user asks for reports of them."""
    kernels = (step.kernel for step in program.steps if isinstance(step, Launch))
    return UNDERFLOW if any(map(may_miss, kernels)) else 0


def may_miss(kernel: Kernel) -> bool:
    return any(_underflows_elsewhere(expr) for expr in rewrite.walk(_roots(kernel)))


def _roots(kernel: Kernel) -> Iterator[Expr]:
    for statement in kernel.statements:
        yield statement.condition if isinstance(statement, Check) else statement.value


def _underflows_elsewhere(expr: Expr) -> bool:
    if isinstance(expr, Reduce):
        return expr.op == "multiply" and expr.dtype.kind == "f"
    if not isinstance(expr, Apply) or expr.args[0].dtype.kind != "f":
        return False
    text = template(expr.op, expr.args[0].dtype) or ""
    return text.startswith("@") and text not in EXACT
