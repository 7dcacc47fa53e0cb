"""`%%dl`: the functions of a cell are compiled; `%dl_explain f(x)`: what compiling a call did."""
from __future__ import annotations

import time
from functools import partial
from typing import Any

from ..runtime.compile import compile_with
from ..runtime.explain import Explanation, explain
from ..runtime.stats import FrameRecord, coverage
from .cells import explained, parser, register, run, unload

__all__ = ["load", "unload"]


def load(shell: Any) -> None:
    register(shell, run_cell, explain_call)


def run_cell(shell: Any, line: str, cell: str) -> Explanation | None:
    """Run a cell whose functions are compiled as if each was decorated with `dl.compile`.

    The line takes `--backend NAME`, `--fullgraph`, `--dynamic`, `--no-dynamic`, and `--explain`,
    which shows what was compiled while the cell ran.
    """
    options = vars(parser().read(line))
    is_explained = options.pop("explain")
    records: list[FrameRecord] = []
    start = time.perf_counter()
    run(shell, cell, partial(compile_with, listener=records.append, **options))
    if not is_explained:
        return None
    seconds = time.perf_counter() - start
    return Explanation(None, tuple(records), seconds, coverage(records))


def explain_call(shell: Any, line: str) -> Explanation:
    """Compile the function of a call afresh, call it, and say what happened: `%dl_explain f(x)`."""
    found: Explanation = explained(shell, line, explain)
    return found
