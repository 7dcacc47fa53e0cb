"""Modules that are imported when they are needed."""
from __future__ import annotations

import gc
import importlib.util
import sys
from typing import Any

from .one_file import from_one_file


def loaded(name: str, package: str | None = None) -> Any:
    """The module. Python looks for garbage while hundreds of modules are made, and finds none: it
    looks again afterwards."""
    if (module := importlib.util.resolve_name(name, package)) in sys.modules:
        return importlib.import_module(module)
    is_enabled = gc.isenabled()
    gc.disable()
    try:
        with from_one_file():
            return importlib.import_module(name, package)
    finally:
        if is_enabled:
            gc.enable()
