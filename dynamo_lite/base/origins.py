"""Where callables come from: their module, and whether that is the standard library's."""
from __future__ import annotations

import os
import sys
import types
from typing import Any

STDLIB = frozenset(sys.stdlib_module_names) - {"__main__"}
STDLIB_FOLDER = os.path.dirname(os.__file__) + os.sep


def is_stdlib(function: Any, module: str) -> bool:
    """Decided by where the code is: a user's module may have any name."""
    if module.partition(".")[0] not in STDLIB:
        return False
    if isinstance(function, types.FunctionType):
        file = function.__code__.co_filename
    else:
        file = getattr(sys.modules.get(module), "__file__", None) or STDLIB_FOLDER
    return file.startswith((STDLIB_FOLDER, "<frozen")) and "site-packages" not in file


def module_of(function: Any) -> str:
    """Where a callable comes from; a method of a C type counts as its type's."""
    if isinstance(function, types.FunctionType):
        module = function.__globals__.get("__name__")
    else:
        module = getattr(function, "__module__", None)
    if not isinstance(module, str):
        owner = getattr(function, "__objclass__", None)
        owner = owner or type(getattr(function, "__self__", function))
        module = owner.__module__
    return module
