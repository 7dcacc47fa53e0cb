"""Arrays that are computed later, elsewhere, or in parts: what runs functions that are given them.

Nothing of such a library is imported here: a call has arrays of it only if the program has imported
it, and the module that knows about them is loaded then.
"""
from __future__ import annotations

import importlib
import sys
from collections.abc import Callable, Mapping, Sequence
from types import FunctionType
from typing import Any

from ..backends.registry import lookup_backend
from ..base.config import config
from ..ir.tree import leaves

ENGINES: Mapping[tuple[str, str], str] = {
    ("dask.array.core", "Array"): "dynamo_lite.distributed.calls",
}
"""Where a class of arrays is defined, and the module that has their `Blockwise`."""


def runner(
    function: FunctionType, options: Any, flat_args: Sequence[Any]
) -> Callable[..., Any] | None:
    """What runs a function over flat arguments among which there are such arrays, or whose backend
    cuts arrays into blocks itself; None where neither is so."""
    backend = config.backend if options.backend == "auto" else options.backend
    if backend == "dask":
        backend = lookup_backend("dask")
    if (over_blocks := getattr(backend, "over_blocks", None)) is not None:
        cut: Callable[..., Any] = over_blocks(function, options)
        return cut
    for (module, name), engine in ENGINES.items():
        known = sys.modules.get(module)
        if known is not None and leaves(tuple(flat_args), getattr(known, name)):
            made: Callable[..., Any] = importlib.import_module(engine).Blockwise(function, options)
            return made
    return None
