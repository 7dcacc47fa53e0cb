"""Modules that are imported when they are needed."""
from __future__ import annotations

import gc
import importlib.util
import sys
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from typing import Any

from .one_file import PACKAGE, from_one_file

CORE = f"{PACKAGE}.native._core"
"""What tells the garbage collector, once it is loaded itself."""


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
    afterwards, at what there is by then when it looks at all objects; not at these, which stay,
    where others are frozen already."""
    is_enabled = gc.isenabled()
    gc.disable()
    core = sys.modules.get(CORE)
    begin_keeping = getattr(core, "_begin_keeping", None)
    first = begin_keeping() if begin_keeping is not None else None
    try:
        yield
    finally:
        if core is not None and first is not None:
            core._keep_since(first)
        elif is_enabled and not gc.get_freeze_count():  # what is frozen would not be any more
            gc.freeze()
            gc.unfreeze()
        if is_enabled:
            gc.enable()
