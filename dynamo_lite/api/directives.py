"""What a program can say about its own functions: where to compile, where not, what to rely on."""
from __future__ import annotations

import contextlib
import functools
from collections.abc import Callable, Iterator
from contextvars import ContextVar
from typing import Any, TypeVar, cast, overload

from ..base.disabled import note_disabled
from ..base.nearest import nearest
from ..ir.ops.foreign import allow
from ..native import CompiledFunction, run_all_in_python
from ..tracer.rules.trace_rules import mark

F = TypeVar("F", bound=Callable[..., Any])


@overload
def disable(fn: F, *, reason: str | None = ...) -> F: ...
@overload
def disable(fn: None = ..., *, reason: str | None = ...) -> Callable[[F], F]: ...
def disable(fn: Any = None, *, reason: str | None = None) -> Any:
    """A function that is never compiled nor traced into: calling it is a graph break.

    Works as `@disable`, `@disable()` and `disable(fn)`; `fn` itself stays as it is. Graph breaks
    quote the `reason`.
    """
    if fn is None:
        return functools.partial(disable, reason=reason)
    made = _passed_on(fn, "disable", reason)
    note_disabled(made.__wrapped__)
    return made


@overload
def allow_in_graph(fn: F, *, like: Callable[..., Any] | None = ...) -> F: ...
@overload
def allow_in_graph(
    fn: None = ..., *, like: Callable[..., Any] | None = ...
) -> Callable[[F], F]: ...
def allow_in_graph(fn: Any = None, *, like: Callable[..., Any] | None = None) -> Any:
    """A function that is one node of the graph: it is not looked into, and compiled code calls it.

    It takes arrays and numbers and returns new ones, changes nothing, and gives the same for the
    same. What type its results have is found by calling it with sample arrays while compiling, or
    `like`, if given: a function of the same arguments that gives any arrays of the right shape and
    dtype.
    """
    if fn is None:
        return functools.partial(allow_in_graph, like=like)
    call = _passed_on(fn, "allow-in-graph")
    allow(call, like)
    return call


def assume_constant_result(fn: F) -> F:
    """A function that is called once while compiling; its result is used from then on."""
    marked: F = _passed_on(fn, "constant-result")
    return marked


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
    return _may_recompile.get() and _stance != "fail_on_recompile"


def why_eager() -> str:
    """Why Python runs all functions now, where the program asks for it."""
    return 'dl.set_stance("force_eager") has Python run all functions' if (
        _stance == "force_eager") else ""


def recompiles_run_in_python() -> bool:
    return _stance == "eager_on_recompile"


STANCES = ("default", "force_eager", "eager_on_recompile", "fail_on_recompile")
_stance = "default"


def _take(stance: str) -> str:
    """Take a stance; the one before."""
    global _stance
    before, _stance = _stance, stance
    run_all_in_python(stance == "force_eager")
    return before


class set_stance:
    """What compiled functions do in the whole process, from here on.

    "default" compiles for each call that no variant fits; "force_eager" runs all in Python;
    "eager_on_recompile" uses the variants there are, and Python where none fits; with
    "fail_on_recompile" such a call raises `RecompileForbidden`. A function that was not compiled
    yet is, under the last two. As a context manager it holds inside, as a decorator in calls.
    """

    def __init__(self, stance: str) -> None:
        if stance not in STANCES:
            raise ValueError(f"no stance is called {stance!r}{nearest(stance, STANCES)}")
        self.stance = stance
        self.before = _take(stance)

    def __enter__(self) -> None:
        _take(self.stance)

    def __exit__(self, *raised: object) -> None:
        _take(self.before)

    def __call__(self, fn: F) -> F:
        _take(self.before)

        @functools.wraps(fn)
        def call(*args: Any, **kwargs: Any) -> Any:
            with set_stance(self.stance):
                return fn(*args, **kwargs)

        return cast(F, call)


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
