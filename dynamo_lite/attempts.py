"""Graphs run by Python code, as attempts that can be abandoned without an effect.

Native entries keep this promise themselves. A callable that a Python backend returns is wrapped:
when it raises, or NumPy has something to say about floating point, what it wrote into its inputs is
undone and the user's function runs instead, so that exceptions and warnings come from the user's
own lines.
"""
from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from .native import ABANDONED

Run = Callable[..., Sequence[Any]]


def attempt(run: Run, written: tuple[int, ...]) -> Callable[..., Any]:
    """`run` as an attempt; `written` are the positions of the inputs that it changes."""

    def entry(*inputs: Any) -> Any:
        saved = [(inputs[index], inputs[index].copy()) for index in written]
        try:
            with np.errstate(**_raising()), warnings.catch_warnings():
                warnings.simplefilter("error")
                return tuple(run(*inputs))
        except Exception:  # whatever it was, the user's function shows it again
            for array, before in saved:
                np.copyto(array, before)
            return ABANDONED

    return entry


def _raising() -> dict[str, Any]:
    """The current error state with every report turned into an exception."""
    return {
        condition: "ignore" if mode == "ignore" else "raise"
        for condition, mode in np.geterr().items()
    }
