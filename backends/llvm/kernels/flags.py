"""Which floating-point flags a program may miss.

Invalid, divide and overflow are raised (at least) where NumPy raises them, by everything. Underflow
is only by what the processor does in one instruction: polynomials raise it elsewhere than the
functions that they stand for, and so do products in another order.
"""
from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ....ir.errstates import Errstate
from ....ir.node import Node
from ....ir.row import by_name, row_of
from ...loop_ir.loops import Apply, Check, Expr, Kernel, Reduce, walk
from ...loop_ir.program import Launch, Program, all_steps, functions_of
from .scalars import template

FLAGS = {"invalid": 1, "divide": 4, "over": 8, "under": 16}  # FpFlag of the run time
UNDERFLOW = FLAGS["under"]


def inexact_flags(program: Program) -> int:
    """The flags with which a call must bail out if the user asks for reports of them."""
    if any(inexact_flags(function.program) for function in functions_of(program.steps)):
        return UNDERFLOW
    kernels = (step.kernel for step in all_steps(program.steps) if isinstance(step, Launch))
    asked = (kernel for kernel in kernels if dict(kernel.errstate).get("under") is None)
    return UNDERFLOW if any(map(may_miss, asked)) else 0


def masks(errstate: Errstate) -> tuple[int, int]:
    """The flags that the program itself ignores, and those that it reports."""
    ignored = sum(FLAGS[name] for name, mode in errstate if mode == "ignore")
    return ignored, sum(FLAGS[name] for name, mode in errstate if mode != "ignore")


def why_extern(node: Node) -> str | None:
    """NumPy's own functions are called where the program asks for reports of underflow."""
    if dict(node.errstate).get("under", "ignore") == "ignore":
        return None
    row = row_of(node.target)
    if row is None or row.fold not in (None, "multiply"):
        return None
    inexact = row.fold == "multiply" or (is_written(row.llvm.get("f")) and not row.flags_exact)
    return "underflow is to be reported" if inexact else None


def is_written(text: Any) -> bool:
    """Whether what a row says for kernels is a function of several instructions."""
    return callable(text) or (text is not None and text.startswith("@"))


def may_miss(kernel: Kernel) -> bool:
    return any(_underflows_elsewhere(expr) for expr in walk(_roots(kernel)))


def _roots(kernel: Kernel) -> Iterator[Expr]:
    for statement in kernel.statements:
        yield statement.condition if isinstance(statement, Check) else statement.value


def _underflows_elsewhere(expr: Expr) -> bool:
    if isinstance(expr, Reduce):
        return expr.op == "multiply" and expr.dtype.kind == "f"
    if not isinstance(expr, Apply) or expr.args[0].dtype.kind != "f":
        return False
    row = by_name(expr.op)
    exact = row is not None and row.flags_exact
    return callable(template(expr.op, expr.args[0].dtype)) and not exact
