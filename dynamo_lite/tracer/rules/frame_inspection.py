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

from ...base.origins import code_name, is_library_file
from ...base.records import NamedTuple
from ...bytecode.reading import codes_in, read
from ...ir.node import Location

FRAMES = frozenset(("_getframe", "currentframe", "f_back", "stack", "getouterframes"))
BY_NAME = frozenset(("breakpoint", "set_trace", "bmat"))
"""Debuggers, and `np.bmat("a, b")`."""
LEVELS = 3
"""So many calls lie at most between a function and the one that looks at its variables."""
TRUSTED = frozenset((*sys.stdlib_module_names, "numpy", "cupy", "dynamo_lite")) - {"__main__"}
"""Libraries whose other functions do not look at the variables of who calls them."""


class Inspector(NamedTuple):
    """What looks at its callers' variables, and the `mention` in the code that leads there."""

    name: str = ""
    mention: str = ""


def why_seen(function: FunctionType) -> str:
    """Why the function, or one that it calls, may look at the variables of its frame; or ""."""
    name = "" if _top_module(function) in TRUSTED else _inspector(function, LEVELS).name
    return f"{name} looks at the variables of its callers" if name else ""


def where_seen(function: FunctionType) -> Location:
    """The line of such a function that leads there."""
    mention = _inspector(function, LEVELS).mention
    lines = (inst.line for code in codes_in(function.__code__) for inst in read(code)
             if inst.argval == mention and inst.line)
    code = function.__code__
    line = next(lines, code.co_firstlineno)
    return Location(code.co_filename, line, code.co_qualname)


def _inspector(function: FunctionType, levels: int) -> Inspector:
    known = _known.setdefault(function, {})
    if levels not in known:
        known[levels] = Inspector()  # while it is found out: a function may call itself
        known[levels] = next(_found(function, levels), Inspector())
    return known[levels]


def _found(function: FunctionType, levels: int) -> Iterator[Inspector]:
    for code in codes_in(function.__code__):
        if "f_locals" in code.co_names and not FRAMES.isdisjoint(code.co_names):
            is_users = not is_library_file(code.co_filename)
            name = code.co_name if is_users else code_name(code, function.__globals__)
            yield Inspector(name, "f_locals")
        yield from (Inspector(name, name) for name in BY_NAME.intersection(code.co_names))
    for mention, callee in _callees(function) if levels else ():
        if name := _inspector(callee, levels - 1).name:
            yield Inspector(name, mention)


_known: WeakKeyDictionary[FunctionType, dict[int, Inspector]] = WeakKeyDictionary()
"""Function → what is found, for so many levels of calls."""


def _callees(function: FunctionType) -> Iterator[tuple[str, FunctionType]]:
    """Functions that the code reaches by the names in it."""
    for name, cell in zip(function.__code__.co_freevars, function.__closure__ or ()):
        yield from ((name, each) for each in _functions(_contents(cell)))
    for code in codes_in(function.__code__):
        for name in code.co_names:
            found = function.__globals__.get(name)
            reached = ((each, vars(found).get(each)) for each in code.co_names) if (
                isinstance(found, ModuleType)) else [(name, found)]
            for mention, value in reached:
                yield from ((mention, each) for each in _functions(value))


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
