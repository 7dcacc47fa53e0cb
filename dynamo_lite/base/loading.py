"""Modules that are imported when they are needed."""
from __future__ import annotations

import gc
import importlib
from typing import Any


def loaded(name: str, package: str | None = None) -> Any:
    """The module. Python looks for garbage while hundreds of modules are made, and finds none: it
    looks again afterwards."""
    if not gc.isenabled():
        return importlib.import_module(name, package)
    gc.disable()
    try:
        return importlib.import_module(name, package)
    finally:
        gc.enable()
