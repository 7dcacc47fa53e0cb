"""Write what becomes of NumPy's public callables: `python docs/coverage.py`.

Every public name of the modules below is in one row, by the tables that the compiler itself asks.
"""
from __future__ import annotations

import inspect
from collections import defaultdict
from pathlib import Path
from typing import Any

import numpy as np

from dynamo_lite.ir.row import Kind, row_of
from dynamo_lite.tracer import numpy as numpy_calls
from dynamo_lite.tracer.calls.dispatch import rule_of_call
from dynamo_lite.tracer.numpy.calls import python_code_of
from dynamo_lite.tracer.rules.trace_rules import Action
from dynamo_lite.tracer.trackers.arrays.arrays import ArrayVariable

SPACES: dict[str, Any] = {
    "numpy": np, "numpy.linalg": np.linalg, "numpy.fft": np.fft, "numpy.random": np.random,
    "numpy.random.Generator": np.random.Generator, "numpy.ndarray": np.ndarray,
    "numpy.lib.stride_tricks": np.lib.stride_tricks, "numpy.strings": np.strings,
    "numpy.char": np.char, "numpy.ma": np.ma, "numpy.emath": np.emath,
    "numpy.polynomial": np.polynomial, "numpy.testing": np.testing,
}
PAGE = """# What becomes of NumPy's functions

Written by `python docs/coverage.py` with NumPy {version}, from the tables that the compiler asks.

- **fused**: becomes loops of kernels, or a view; neighbours are one kernel where they can be.
- **a step**: compiled code calls NumPy's own function, or BLAS, as a step of the graph.
- **answered**: the analysis knows the answer, from types and sizes.
- **inlined**: its Python code, or code that stands for it, is followed.
- **Python**: the graph breaks there, for the reason given.

Methods of arrays are listed with `numpy.ndarray`. What is fused for numbers may be a step for other
dtypes or memory orders; `dl.explain` says so for a call.

{tables}
"""
FUSED, STEP, ANSWERED, INLINED, PYTHON = "fused", "a step", "answered", "inlined", "Python"
ORDER = (FUSED, STEP, ANSWERED, INLINED, PYTHON)


def names_of(space: Any) -> list[str]:
    """The public callables of a module or class."""
    names = getattr(space, "__all__", None) or dir(space)
    return sorted({name for name in names if not name.startswith("_")
                   and callable(getattr(space, name, None)) and not inspect.ismodule(
                       getattr(space, name))})


def fate(space: Any, name: str) -> tuple[str, str]:
    """What becomes of calls, and why where Python makes them."""
    function = getattr(space, name)
    if space in (np.strings, np.char):
        return PYTHON, "it works on arrays of text"
    if isinstance(function, type) and issubclass(function, BaseException):
        return INLINED, ""
    if space is np.ndarray and hasattr(ArrayVariable, f"method_{name}"):
        return FUSED, ""
    rule = rule_of_call(function)
    if rule.action is Action.SKIP:
        return PYTHON, rule.reason
    if rule.id in ("own-answer", "own-polyfill"):
        return (ANSWERED if rule.id == "own-answer" else INLINED), ""
    if (row := row_of(function)) is not None:
        return (STEP if row.kind is Kind.EXTERN else FUSED), ""
    if numpy_calls.handles(function):
        return ANSWERED, ""
    if space is np.ndarray and (as_function := getattr(np, name, None)) is not None:
        return fate(np, name) if as_function is not function else (INLINED, "")
    if python_code_of(function) is not None or rule.action is Action.INLINE:
        return INLINED, ""
    return PYTHON, "it is written in C, and nothing stands for it in a graph"


def table(space: Any) -> str:
    rows: dict[tuple[str, str], list[str]] = defaultdict(list)
    for name in names_of(space):
        rows[fate(space, name)].append(f"`{name}`")
    ordered = sorted(rows.items(), key=lambda item: (ORDER.index(item[0][0]), item[0][1]))
    lines = [f"| {what} | {why} | {len(names)} | {', '.join(names)} |"
             for (what, why), names in ordered]
    return "\n".join(["| | reason | | |", "|---|---|---|---|", *lines])


def page() -> str:
    tables = (f"## {name}\n{table(space)}\n" for name, space in SPACES.items())
    return PAGE.format(version=np.__version__, tables="\n".join(tables)).rstrip("\n") + "\n"


if __name__ == "__main__":
    (Path(__file__).resolve().parent / "coverage.md").write_text(page())
