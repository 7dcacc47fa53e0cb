"""dynamo_lite: torch.compile for NumPy.

Nothing is imported before the first of its names is used: `python -m dynamo_lite` starts a program
before it knows whether anything in it is worth compiling.

To pytest, whose plugin is a part of the package: PYTEST_DONT_REWRITE
"""
from __future__ import annotations

import importlib
import os
import sys
import warnings

TYPE_CHECKING = False
"""As in `typing`, which takes longer to load than all of this."""

if TYPE_CHECKING:
    from typing import Any

    from .api.control_flow import cond, scan, while_loop
    from .api.directives import (
        allow_in_graph,
        assume_constant_result,
        check,
        disable,
        graph_break,
        is_compiling,
        no_recompile,
        set_stance,
    )
    from .backends.registry import list_backends, register_backend
    from .base.config import config
    from .derivatives.api import (
        grad,
        hessian,
        hvp,
        jacfwd,
        jacobian,
        jacrev,
        jvp,
        stop_gradient,
        value_and_grad,
        vjp,
    )
    from .derivatives.custom import checkpoint, custom_jvp, custom_vjp
    from .distributed.stream import stream
    from .guards.shapes.dynamic import mark_dynamic, mark_static, mark_unbacked, maybe_mark_dynamic
    from .reports.profiling import profile
    from .reports.tracing import trace
    from .runtime.compile import compile
    from .runtime.explain import explain, why
    from .runtime.stats import reset, stats

__version__ = "0.1.0"

__all__ = [
    "allow_in_graph",
    "assume_constant_result",
    "check",
    "checkpoint",
    "compile",
    "cond",
    "config",
    "custom_jvp",
    "custom_vjp",
    "disable",
    "explain",
    "grad",
    "graph_break",
    "hessian",
    "hvp",
    "is_compiling",
    "jacfwd",
    "jacobian",
    "jacrev",
    "jvp",
    "list_backends",
    "mark_dynamic",
    "mark_static",
    "mark_unbacked",
    "maybe_mark_dynamic",
    "no_recompile",
    "profile",
    "register_backend",
    "reset",
    "scan",
    "set_stance",
    "stats",
    "stop_gradient",
    "stream",
    "trace",
    "value_and_grad",
    "vjp",
    "while_loop",
    "why",
]

MODULES = {
    ".api.control_flow": ("cond", "scan", "while_loop"),
    ".api.directives": ("allow_in_graph", "assume_constant_result", "check", "disable",
                        "graph_break", "is_compiling", "no_recompile", "set_stance"),
    ".backends.registry": ("list_backends", "register_backend"),
    ".base.config": ("config",),
    ".derivatives.custom": ("checkpoint", "custom_jvp", "custom_vjp"),
    ".derivatives.api": ("grad", "hessian", "hvp", "jacfwd", "jacobian", "jacrev", "jvp",
                         "stop_gradient", "value_and_grad", "vjp"),
    ".distributed.stream": ("stream",),
    ".guards.shapes.dynamic": ("mark_dynamic", "mark_static", "mark_unbacked",
                               "maybe_mark_dynamic"),
    ".reports.profiling": ("profile",),
    ".reports.tracing": ("trace",),
    ".runtime.compile": ("compile",),
    ".runtime.explain": ("explain", "why"),
    ".runtime.stats": ("reset", "stats"),
}
"""Where the public names are at home."""
ANYWHERE = (".api.control_flow", ".backends.registry", ".base.config")
"""Those of them that need no compiler."""
NEAREST, IN_PYTHON, LOADING = ".base.nearest", ".api.in_python", ".base.loading"
MAGICS = ".notebook.magics" if sys.version_info < (3, 14) else ".notebook.magics_in_python"


def in_python() -> dict[str, tuple[str, ...]]:
    """Where the public names are on a Python that the compiler does not know, as a warning says."""
    home = importlib.import_module(IN_PYTHON, __name__)
    warning = importlib.import_module(".errors", __name__).DynamoWarning
    warnings.warn(f"{home.REASON}: all functions run in Python", warning, stacklevel=3)
    kept = {module: MODULES[module] for module in ANYWHERE}
    known = {name for names in kept.values() for name in names}
    return {IN_PYTHON: tuple(name for name in __all__ if name not in known), **kept}


if sys.version_info >= (3, 14):
    MODULES = in_python()


def installed() -> list[str]:
    """Where the package is: in a source tree that is not installed itself, at an installed one, of
    which alone the core is built."""
    if os.path.isdir(os.path.join(__path__[0], "guards")) or (
        importlib.import_module("importlib.util").find_spec(f"{__name__}.guards") is not None
    ):
        return __path__
    folders = (os.path.join(entry, __name__) for entry in sys.path)
    return next(([one] for one in folders if os.path.isdir(os.path.join(one, "guards"))), __path__)


__path__ = installed()


def __getattr__(name: str) -> Any:
    """The first name that is asked for brings them all: what traced functions read of this module
    does not change again."""
    if name == "errors":
        return importlib.import_module(".errors", __name__)
    if name not in __all__:
        hint = "" if name.startswith("_") else importlib.import_module(NEAREST, __name__).meant(
            name, __all__)
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}{hint}")
    homes = importlib.import_module(LOADING, __name__).all_loaded(MODULES, __name__)
    for home, names in zip(homes, MODULES.values()):
        globals().update({each: getattr(home, each) for each in names})
    return globals()[name]


def load_ipython_extension(shell: Any) -> None:
    """`%load_ext dynamo_lite`: the magics `%%dl` and `%dl_explain`."""
    importlib.import_module(MAGICS, __name__).load(shell)


def unload_ipython_extension(shell: Any) -> None:
    importlib.import_module(MAGICS, __name__).unload(shell)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
