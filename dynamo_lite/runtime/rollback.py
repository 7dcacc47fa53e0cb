"""Graphs run by Python code, as attempts that can bail out without an effect.

Native entries keep this promise themselves. A callable that a Python backend returns is wrapped:
when it raises, or NumPy has something to say about floating point, what it wrote into its inputs is
undone and the user's function runs instead, so that exceptions and warnings come from the user's
own lines.
"""
from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ..base import logs
from ..base.raised import reports_raise
from ..native import BAILOUT

PERF = logs.logger("perf")
Run = Callable[..., Sequence[Any]]


def attempt(run: Run, written: Sequence[int]) -> Callable[..., Any]:
    """`run` as an attempt; `written` are the positions of the inputs that it changes.

    A callable whose attribute `bails_out` is true keeps the promise by itself.
    """
    if getattr(run, "bails_out", False):
        return run

    def entry(*inputs: Any) -> Any:
        saved = [(inputs[index], inputs[index].copy()) for index in written]
        try:
            with reports_raise():
                return tuple(run(*inputs))
        except Exception as error:  # whatever it was, the user's function shows it again
            PERF.info("a graph bailed out: %s: %s", type(error).__name__, error)
            for array, before in saved:
                np.copyto(array, before)
            return BAILOUT

    return entry
