"""What a program can say about its own functions: where to compile, where not, what to rely on."""
from __future__ import annotations

import contextlib
import functools
from collections.abc import Callable, Iterator
from contextvars import ContextVar
from typing import Any

from ..native import CompiledFunction
from ..tracer.rules.trace_rules import mark


def disable(fn: Any = None, *, reason: str | None = None) -> Any:
    """A function that is never compiled nor traced into: calling it is a graph break.

    Works as `@disable`, `@disable()` and `disable(fn)`; `fn` itself stays as it is. Graph breaks
    quote the `reason`.
    """
    if fn is None:
        return functools.partial(disable, reason=reason)
    return _passed_on(fn, "disable", reason)


def allow_in_graph(fn: Any) -> Any:
    """A function that is traced even where a rule would leave it to Python."""
    return _passed_on(fn, "allow-in-graph")


def assume_constant_result(fn: Any) -> Any:
    """A function that is called once while compiling; its result is used from then on."""
    return _passed_on(fn, "constant-result")


def _passed_on(fn: Any, rule: str, reason: str | None = None) -> Any:
    """A marked function that calls `fn`, which is not marked."""
    if isinstance(fn, CompiledFunction):
        fn = fn.__wrapped__
    if not callable(fn):
        raise TypeError(f"expected a callable, got {fn!r}")

    @functools.wraps(fn)
    def call(*args: Any, **kwargs: Any) -> Any:
        return fn(*args, **kwargs)

    return mark(call, rule, reason)


_may_recompile: ContextVar[bool] = ContextVar("dynamo_lite_may_recompile", default=True)


@contextlib.contextmanager
def no_recompile() -> Iterator[None]:
    """Inside, a call that no entry of a compiled function accepts raises `RecompileForbidden`.

    A function that was not compiled yet is.
    """
    token = _may_recompile.set(False)
    try:
        yield
    finally:
        _may_recompile.reset(token)


def may_recompile() -> bool:
    return _may_recompile.get()


def is_disabled(fn: Any) -> bool:
    return getattr(fn, "_dynamo_lite_rule", None) == "disable"


def graph_break() -> None:
    """End the graph here: code before and after is compiled separately. Does nothing in Python."""


def is_compiling() -> bool:
    """True in code that is being compiled, False in Python."""
    return False


def check(condition: Any, message: str | Callable[[], str] = "check failed") -> None:
    """Raise RuntimeError unless `condition` holds; the compiled code may rely on it.

    `message` may be a function that makes the text only when it is needed.
    """
    if not condition:
        raise RuntimeError(message() if callable(message) else message)


mark(graph_break, "graph-break")
mark(is_compiling, "is-compiling")
mark(check, "inline")
