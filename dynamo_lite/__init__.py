"""dynamo_lite: torch.compile for NumPy."""
from .api.control_flow import cond, scan, while_loop
from .api.directives import (
    allow_in_graph,
    assume_constant_result,
    check,
    disable,
    graph_break,
    is_compiling,
    no_recompile,
)
from .backends.registry import list_backends, register_backend
from .base.config import config
from .guards.shapes.dynamic import mark_dynamic, mark_static, mark_unbacked, maybe_mark_dynamic
from .runtime.compile import compile
from .runtime.explain import explain, why
from .runtime.stats import reset, stats

__version__ = "0.1.0"

__all__ = [
    "allow_in_graph",
    "assume_constant_result",
    "check",
    "compile",
    "cond",
    "config",
    "disable",
    "explain",
    "graph_break",
    "is_compiling",
    "list_backends",
    "mark_dynamic",
    "mark_static",
    "mark_unbacked",
    "maybe_mark_dynamic",
    "no_recompile",
    "register_backend",
    "reset",
    "scan",
    "stats",
    "while_loop",
    "why",
]
