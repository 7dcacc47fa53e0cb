"""What is seen of a function without the compiler."""
from __future__ import annotations

import inspect
import sys
from types import CellType, CodeType, FunctionType, ModuleType
from typing import Any

from ..base.disabled import is_disabled
from ..base.origins import is_numpys, is_stdlib, module_of
from ..tiering.account import has_loops
from .arrays import mentions_arrays
from .loops import has_plain_loops

LEFT_ALONE = frozenset({"dynamo_lite", "dask", "distributed"})
"""Packages whose own functions are never compiled: Dask's get arrays that are half made."""


def is_of_module(function: FunctionType) -> bool:
    """Whether all that a function refers to is a module's, and lives as long as that.

    All functions of the same code are then alike; a program may make one at each call of another.
    """
    if function.__closure__ or function.__defaults__ or function.__kwdefaults__:
        return False
    module = sys.modules.get(module_of(function))
    return type(module) is ModuleType and module.__dict__ is function.__globals__


def is_candidate(function: FunctionType) -> bool:
    """Whether a function is the user's, as far as is seen without the compiler."""
    code = function.__code__
    is_nameless = code.co_name.startswith("<") and code.co_name != "<lambda>"
    if is_nameless or is_disabled(code) or counts_references(code):
        return False
    module = module_of(function)
    if module.partition(".")[0] in LEFT_ALONE:
        return False
    return not (is_numpys(function, module) or is_stdlib(function, module))


def loops_over_arrays(code: CodeType, names: dict[str, Any]) -> bool:
    """Whether a function of this code and these globals has loops and names NumPy."""
    if not code.co_flags & inspect.CO_OPTIMIZED or code.co_name.startswith("<"):
        return False
    cells = tuple(CellType() for _ in code.co_freevars)
    function = FunctionType(code, names, closure=cells)
    return (
        has_loops(code) and is_candidate(function) and mentions_arrays(function)
        and has_plain_loops(code, names)
    )  # fmt: skip


def counts_references(code: CodeType) -> bool:
    """Whether a function asks how many references there are, of which guards and calls hold some:
    it is left alone, and what it calls is not compiled there."""
    return "getrefcount" in code.co_names
