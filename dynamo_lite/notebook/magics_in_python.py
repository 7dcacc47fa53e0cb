"""The magics on a Python that the compiler does not know: cells and calls run as they are."""
from __future__ import annotations

import sys
from typing import Any

from ..api.in_python import Report, explain, marked
from .cells import explained, parser, register, run, unload

__all__ = ["load", "unload"]


def load(shell: Any) -> None:
    register(shell, run_cell, explain_call)


def run_cell(shell: Any, line: str, cell: str) -> Report | None:
    """Run a cell, and say that Python runs it. The line takes what it takes where it compiles."""
    options = parser().read(line)
    if not options.explain:
        print(Report(), file=sys.stderr)
    run(shell, cell, marked)
    return Report() if options.explain else None


def explain_call(shell: Any, line: str) -> Report:
    """Call the function, and say that Python ran it."""
    report: Report = explained(shell, line, explain)
    return report
