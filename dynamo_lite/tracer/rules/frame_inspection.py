"""Functions that look at the variables of their callers, as `numexpr.evaluate` and `pandas.eval`
do: those must be in the callers' frames, under their names, also when nothing needs them any more.

What they are called in is left to Python. They are found by what their code names, before anything
is traced: a frame that has stopped once has lost what it does not need.
"""
from __future__ import annotations

import sys
from collections.abc import Iterator
from functools import partial
from types import FunctionType, MethodType, ModuleType
from typing import Any
from weakref import WeakKeyDictionary

from ...bytecode.reading import codes_in

FRAMES = frozenset(("_getframe", "currentframe", "f_back", "stack", "getouterframes"))
BY_NAME = frozenset(("breakpoint", "set_trace", "bmat"))
"""Debuggers, and `np.bmat("a, b")`."""
LEVELS = 3
"""So many calls lie at most between a function and the one that looks at its variables."""
TRUSTED = frozenset((*sys.stdlib_module_names, "numpy", "cupy", "dynamo_lite")) - {"__main__"}
"""Libraries whose other functions do not look at the variables of who calls them."""


def why_seen(function: FunctionType) -> str:
    """Why the function, or one that it calls, may look at the variables of its frame; or ""."""
    name = "" if _top_module(function) in TRUSTED else _inspector(function, LEVELS)
    return f"{name} looks at the variables of its callers" if name else ""


def _inspector(function: FunctionType, levels: int) -> str:
    """The name of the one that looks at its callers' variables."""
    known = _known.setdefault(function, {})
    if levels not in known:
        known[levels] = ""  # while it is found out: a function may call itself
        known[levels] = next(_found(function, levels), "")
    return known[levels]


def _found(function: FunctionType, levels: int) -> Iterator[str]:
    for code in codes_in(function.__code__):
        if "f_locals" in code.co_names and not FRAMES.isdisjoint(code.co_names):
            yield code.co_name
        yield from BY_NAME.intersection(code.co_names)
    for callee in _callees(function) if levels else ():
        if name := _inspector(callee, levels - 1):
            yield name


_known: WeakKeyDictionary[FunctionType, dict[int, str]] = WeakKeyDictionary()
"""Function → what is found, for so many levels of calls."""


def _callees(function: FunctionType) -> Iterator[FunctionType]:
    """Functions that the code reaches by the names in it."""
    for cell in function.__closure__ or ():
        yield from _functions(_contents(cell))
    for code in codes_in(function.__code__):
        for name in code.co_names:
            found = function.__globals__.get(name)
            if isinstance(found, ModuleType):
                for attribute in code.co_names:
                    yield from _functions(vars(found).get(attribute))
            else:
                yield from _functions(found)


def _contents(cell: Any) -> Any:
    try:
        return cell.cell_contents
    except ValueError:  # the variable has no value yet
        return None


def _functions(value: Any) -> Iterator[FunctionType]:
    """The functions that calling the value runs."""
    if isinstance(value, partial):
        value = value.func
    if isinstance(value, MethodType):
        value = value.__func__
    if isinstance(value, type):
        made = (vars(value).get(name) for name in ("__init__", "__new__", "__call__"))
        candidates = [getattr(method, "__func__", method) for method in made]
    else:
        candidates = [value]
    for candidate in candidates:
        if isinstance(candidate, FunctionType) and _top_module(candidate) not in TRUSTED:
            yield candidate


def _top_module(function: FunctionType) -> str:
    return str(function.__globals__.get("__name__", "")).partition(".")[0]
