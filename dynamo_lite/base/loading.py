"""Modules that are imported when they are needed."""
from __future__ import annotations

import gc
import importlib.util
import sys
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from typing import Any

from .one_file import from_one_file


def loaded(name: str, package: str | None = None) -> Any:
    """The module."""
    return all_loaded((name,), package)[0]


def all_loaded(names: Collection[str], package: str | None = None) -> list[Any]:
    """Several modules."""
    if all(is_loaded(name, package) for name in names):
        return [importlib.import_module(name, package) for name in names]
    with without_garbage(), from_one_file():
        return [importlib.import_module(name, package) for name in names]


def is_loaded(name: str, package: str | None = None) -> bool:
    return importlib.util.resolve_name(name, package) in sys.modules


@contextmanager
def without_garbage() -> Iterator[None]:
    """Python looks for garbage while hundreds of modules are made, and finds none. It looks again
    afterwards, at what there is by then when it looks at all objects."""
    is_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if is_enabled:
            if not gc.get_freeze_count():  # what the program has frozen would not be any more
                gc.freeze()
                gc.unfreeze()
            gc.enable()
