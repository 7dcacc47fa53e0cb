"""Write what becomes of NumPy's public callables: `python docs/coverage.py`.

Every public name of the modules below is in one row, by the tables that the compiler itself asks.
"""
from __future__ import annotations

import importlib
import inspect
import warnings
from collections import defaultdict
from pathlib import Path
from typing import Any

import numpy as np

from dynamo_lite.ir.row import Kind, Op, row_of
from dynamo_lite.tracer import numpy as numpy_calls
from dynamo_lite.tracer.calls.dispatch import rule_of_call
from dynamo_lite.tracer.numpy.calls import python_code_of
from dynamo_lite.tracer.rules.trace_rules import Action
from dynamo_lite.tracer.trackers.arrays.arrays import ArrayVariable

NAMES = """
numpy numpy.linalg numpy.fft numpy.random numpy.random.Generator numpy.random.RandomState
numpy.ndarray numpy.ufunc numpy.lib.stride_tricks numpy.strings numpy.char numpy.ma numpy.ma.extras
numpy.ma.mrecords numpy.emath numpy.lib numpy.lib.array_utils numpy.lib.format numpy.lib.introspect
numpy.lib.mixins numpy.lib.npyio numpy.lib.recfunctions numpy.lib.scimath numpy.rec numpy.dtypes
numpy.exceptions numpy.ctypeslib numpy.matlib numpy.polynomial numpy.polynomial.polynomial
numpy.polynomial.chebyshev numpy.polynomial.hermite numpy.polynomial.hermite_e
numpy.polynomial.laguerre numpy.polynomial.legendre numpy.polynomial.polyutils numpy.testing
numpy.typing numpy.version
""".split()
"""Every public module of NumPy's, and the classes whose methods are told of."""


def space_of(name: str) -> Any:
    """A module, or a class in one."""
    module, _, last = name.rpartition(".")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # `numpy.matlib` says that nobody should use it
        found = getattr(space_of(module), last, None) if module else None
        return importlib.import_module(name) if found is None else found


SPACES: dict[str, Any] = {name: space_of(name) for name in NAMES}
PAGE = """# What becomes of NumPy's functions

Written by `python docs/coverage.py` with NumPy {version}, from the tables that the compiler asks.

- **fused**: becomes loops of kernels, or a view; neighbours are one kernel where they can be.
- **a step**: compiled code calls NumPy's own function, or BLAS, as a step of the graph.
- **answered**: the analysis knows the answer, from types and sizes.
- **inlined**: its Python code, or code that stands for it, is followed.
- **a value**: nothing that is called: a number, a type of annotations, an object such as `np.r_`.
- **Python**: the graph breaks there, for the reason given.

Methods of arrays are listed with `numpy.ndarray`, those of `numpy.add` with `numpy.ufunc`. What is
fused for numbers may be a step for other dtypes or memory orders; `dl.explain` says so for a call.

{tables}
"""
FUSED, STEP, ANSWERED, INLINED, VALUE, PYTHON = ORDER = (
    "fused", "a step", "answered", "inlined", "a value", "Python")


def names_of(space: Any) -> list[str]:
    """The public names of a module or class; of `numpy.matlib` those that are not `numpy`'s."""
    names = getattr(space, "__all__", None) or dir(space)
    return sorted({name for name in names if not name.startswith("_") and hasattr(space, name)
                   and not inspect.ismodule(found := getattr(space, name))
                   and (space is not SPACES["numpy.matlib"]
                        or found is not getattr(np, name, None))})


def fate(space: Any, name: str) -> tuple[str, str]:
    """What becomes of calls, and why where Python makes them."""
    function = getattr(np.add if space is np.ufunc else space, name)
    if not callable(function) or space is SPACES["numpy.typing"]:
        return VALUE, ""
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
        return (STEP if is_step(row) else FUSED), ""
    if numpy_calls.handles(function):
        return ANSWERED, ""
    if space is np.ndarray and (as_function := getattr(np, name, None)) is not None:
        return fate(np, name) if as_function is not function else (INLINED, "")
    if python_code_of(function) is not None or rule.action is Action.INLINE:
        return INLINED, ""
    return PYTHON, "it is written in C, and nothing stands for it in a graph"


def is_step(row: Op) -> bool:
    """Whether there are no kernels of it."""
    in_kernels = row.llvm or row.decompose or row.lowering or row.version
    return row.kind is Kind.EXTERN or not (in_kernels or row.kind is Kind.VIEW)


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
