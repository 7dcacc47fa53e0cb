"""No garbage collection while the compiler is at work.

What it makes either stays or is freed by its reference counts, and each collection would go through
all objects of the program in vain.
"""
from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def no_collections() -> Iterator[None]:
    if not gc.isenabled():
        yield
        return
    gc.disable()
    try:
        yield
    finally:
        gc.enable()
