"""The native core: the compiled callable, its guards, frame hooks, and the array runtime."""
from importlib.machinery import EXTENSION_SUFFIXES

try:
    from ._core import (
        ABANDONED,
        CompiledFunction,
        Entry,
        GuardProgram,
        WatchCell,
        watch_dict,
        watch_type,
    )
except ImportError as error:
    raise ImportError(
        f"""

Importing dynamo_lite's native core failed: {error}

If you are in the source tree of dynamo_lite, the core is not built yet. Build it in place with
    pip install -e .        (or: make)
or leave the source tree and import an installed dynamo_lite: `pip install dynamo-lite`.
Otherwise the core was built for another Python. It must end in one of
    {", ".join(EXTENSION_SUFFIXES)}
"""
    ) from error

__all__ = [
    "ABANDONED",
    "CompiledFunction",
    "Entry",
    "GuardProgram",
    "WatchCell",
    "watch_dict",
    "watch_type",
]
