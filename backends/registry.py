"""Backends by name. A backend is `callable(graph, example_inputs) -> callable`.

The callable it returns takes the placeholders' values and returns a tuple of the outputs. Modules
of the built-in backends are imported when they are first asked for. One that finds that NumPy alone
is as fast returns an `Unprofitable`.
"""
from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Union

from ..base.config import CHECKS
from ..base.loading import loaded
from ..base.nearest import nearest
from ..base.records import dataclass
from ..errors import BackendError

if TYPE_CHECKING:
    from ..ir.graph import Graph

Backend = Callable[["Graph", Sequence[Any]], Callable[..., Any]]


@dataclass(frozen=True, slots=True)
class Unprofitable:
    """A compiled graph, and why Python may as well run the function; called, it runs the graph."""

    run: Callable[..., Any]
    reason: str

    def __call__(self, *inputs: Any) -> Any:
        return self.run(*inputs)


def memory_of(compiled: Any) -> int | None:
    """The most bytes that a call of a compiled graph makes, where its backend tells."""
    while isinstance(compiled, Unprofitable):
        compiled = compiled.run
    found: int | None = getattr(getattr(compiled, "owner", compiled), "memory", None)
    return found


# name → module (relative to this package) and the attribute that is the backend
BUILT_IN: dict[str, tuple[str, str]] = {
    "aot_eager": (".eager", "compile_optimized"),
    "auto": (".auto", "compile_graph"),
    "dask": ("..distributed.streaming", "DEFAULT"),
    "eager": (".eager", "compile_graph"),
    "llvm": (".llvm.backend", "compile_graph"),
    "triton": (".triton.backend", "compile_graph"),
}

EXTRAS = {"dask": "dask"}
"""What to install for a backend whose libraries may be missing."""

_registered: dict[str, Backend] = {}


def register_backend(backend: Backend | None = None, *, name: str | None = None) -> Any:
    """Make `backend` available by name; also a decorator, with or without `name=`.

    Returns the backend. A later registration of the same name replaces the earlier one;
    BackendError for the name of a built-in one.
    """
    if backend is None:
        return lambda function: register_backend(function, name=name)
    if not callable(backend):
        raise TypeError(f"a backend is callable(graph, example_inputs), not {backend!r}")
    called = name or str(getattr(backend, "__name__", type(backend).__name__))
    if called in BUILT_IN:
        raise BackendError(f"{called!r} is a built-in backend: give yours another name with name=")
    _registered[called] = backend
    return backend


def list_backends() -> list[str]:
    """The names that `backend=` accepts, sorted."""
    return sorted({*BUILT_IN, *_registered})


def check_name(name: str) -> None:
    """BackendError for a name that no backend has."""
    if name not in list_backends():
        raise BackendError(f"no backend is called {name!r}{nearest(name, list_backends())}")


def lookup_backend(backend: Union[str, Backend]) -> Backend:
    """The callable for a name (or the callable itself); BackendError for an unknown name."""
    if callable(backend):
        return backend
    if backend in _registered:
        return _registered[backend]
    check_name(backend)
    module, attribute = BUILT_IN[backend]
    try:
        found: Backend = getattr(loaded(module, __package__), attribute)
    except ModuleNotFoundError as error:
        if (extra := EXTRAS.get(backend)) is None:
            raise
        raise BackendError(f"the backend {backend!r} needs {error.name}: "
                           f"pip install 'dynamo-lite[{extra}]'") from error
    return found


CHECKS["backend"] = check_name  # of the environment's, when it is asked for: it may come to be one
