"""dynamo_lite: torch.compile for NumPy."""
from __future__ import annotations

import importlib
from typing import Any

__version__ = "0.1.0"

_PUBLIC = {
    "allow_in_graph": ".directives",
    "assume_constant_result": ".directives",
    "check": ".directives",
    "compile": ".compile",
    "config": ".config",
    "disable": ".directives",
    "explain": ".explain",
    "graph_break": ".directives",
    "is_compiling": ".directives",
    "list_backends": ".backends.registry",
    "mark_dynamic": ".guards.dynamic",
    "mark_static": ".guards.dynamic",
    "maybe_mark_dynamic": ".guards.dynamic",
    "register_backend": ".backends.registry",
    "reset": ".stats",
    "stats": ".stats",
}
__all__ = ["compile"]


def __getattr__(name: str) -> Any:
    if name not in _PUBLIC:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    for public, module in _PUBLIC.items():
        globals()[public] = getattr(importlib.import_module(module, __name__), public)
    return globals()[name]


