"""Arms behind side exits that Python runs as they are: to compile them would gain nothing.

Such an arm is a few instructions on the way to the next iteration, with values of Python's own
types and functions that are not Python code: prints, entries of a log.
"""
from __future__ import annotations

import builtins
from collections.abc import Mapping
from types import BuiltinFunctionType, FunctionType, ModuleType
from typing import Any

from ..base.classes import is_python_class
from ..bytecode.flow import up_to
from ..errors import GraphBreak
from ..tracer.state.tracker import VariableTracker
from ..tracer.trackers.arrays.arrays import ArrayVariable
from ..tracer.trackers.arrays.unions import UnionNumber

SHORT = 40
"""Instructions that are an arm at most."""
_COMPUTES = frozenset({"BINARY_OP", "BINARY_SUBSCR", "COMPARE_OP", "STORE_SUBSCR"})
_OTHER_NAMES = frozenset({"LOAD_DEREF", "LOAD_NAME", "LOAD_CLOSURE", "LOAD_CLASSDEREF",
                          "MAKE_FUNCTION", "IMPORT_NAME", "LOAD_SUPER_ATTR"})


def is_short(
    function: FunctionType, index: int, head: int, values: Mapping[str, VariableTracker]
) -> bool:
    """Whether what leads from an instruction to the head of its loop is such an arm."""
    arm = up_to(function.__code__, index, head, SHORT)
    if arm is None or any(each.opname in _OTHER_NAMES for each in arm):
        return False
    names = {each.argval for each in arm if each.opname == "LOAD_GLOBAL"}
    if any(_is_code(_global(function, name)) for name in names):
        return False
    stored = {each.argval for each in arm if each.opname == "STORE_FAST"}
    loaded = [values.get(each.argval) for each in arm
              if each.opname == "LOAD_FAST" and each.argval not in stored]
    computes = any(each.opname in _COMPUTES for each in arm)
    return all(value is not None and _is_plain(value, computes) for value in loaded)


def _global(function: FunctionType, name: str) -> Any:
    outer = function.__globals__.get("__builtins__", builtins)
    known = vars(outer) if isinstance(outer, ModuleType) else outer
    return function.__globals__.get(name, known.get(name))


def _is_code(value: Any) -> bool:
    """Whether a global may lead to Python code, or to arrays."""
    if isinstance(value, type):
        return is_python_class(value)
    return not isinstance(value, BuiltinFunctionType | ModuleType | str | int | float)


def _is_plain(value: VariableTracker, computes: bool) -> bool:
    if isinstance(value, ArrayVariable) and value.array_type.shape:
        return not computes
    try:
        return isinstance(value, UnionNumber) or not is_python_class(value.python_type())
    except GraphBreak:  # data decides which type it has
        return False
