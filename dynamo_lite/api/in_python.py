"""The public names on a Python that the compiler does not know yet: everything runs in Python.

Nothing of the compiler is loaded: functions come back as they are, reports say why, marks and
limits have no effect, and only derivatives, which are taken of captured programs, are refused.
"""
from __future__ import annotations

import contextlib
import functools
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from ..errors import NotDifferentiable

Function = Callable[..., Any]

VERSION = "{}.{}".format(*sys.version_info)
REASON = f"Python {VERSION} is newer than the compiler, which knows 3.11 to 3.13"


@dataclass(frozen=True)
class Report:
    """What `explain`, `why`, `stats`, `profile` and `trace` give: nothing was compiled.

    `result` is what the explained call gave.
    """

    result: Any = None
    in_python: str = REASON
    coverage: float = 0.0
    graph_count: int = 0
    graph_break_count: int = 0
    graphs: tuple[Any, ...] = ()
    breaks: tuple[Any, ...] = ()

    @property
    def reason(self) -> str:
        return self.in_python

    def __str__(self) -> str:
        return f"runs in Python: {self.in_python}"


def compile(
    fn: Any = None, *, backend: Any = "auto", dynamic: bool | None = None, fullgraph: bool = False,
    mode: str | None = None, options: Any = None, disable: bool = False, name: str | None = None,
    recompile_limit: int | None = None,
) -> Any:
    """The function itself; also as `@compile` and `@compile(...)`."""
    return marked(fn)


def stream(
    fn: Any = None, *, chunks: Any = None, out: Any = None, memory_limit: Any = None,
    threads: int = 0, progress: bool | None = None, **options: Any,
) -> Any:
    """The function itself, which takes all of its arrays at once; it cannot write into `out`."""
    if out is not None:
        raise NotImplementedError(f"stream cannot write into out=: {REASON}")
    return marked(fn)


def marked(fn: Any = None, **told: Any) -> Any:
    """Of decorators with or without arguments: what is decorated, as it is."""
    if fn is None:
        return marked
    if isinstance(fn, type) or (not callable(fn) and not hasattr(fn, "__get__")):
        raise TypeError(f"expected a function or another callable, not {fn!r}")
    return fn


disable = allow_in_graph = assume_constant_result = checkpoint = marked


def unmarked(*arguments: Any, **told: Any) -> None:
    """Of marks and requests without effect here."""


mark_dynamic = maybe_mark_dynamic = mark_static = mark_unbacked = graph_break = reset = unmarked


def is_compiling() -> bool:
    return False


def check(condition: Any, message: str | Callable[[], str] = "check failed") -> None:
    """Raise RuntimeError unless `condition` holds."""
    if not condition:
        raise RuntimeError(message() if callable(message) else message)


@contextlib.contextmanager
def no_recompile() -> Iterator[None]:
    yield


class set_stance(contextlib.ContextDecorator):
    """Every stance runs functions in Python."""

    def __init__(self, stance: str) -> None:
        self.stance = stance

    def __enter__(self) -> None:
        pass

    def __exit__(self, *raised: object) -> None:
        pass


class profile(contextlib.ContextDecorator):
    """A block or function in which no compiled function is called."""

    def __enter__(self) -> Report:
        return Report()

    def __exit__(self, *raised: object) -> None:
        pass


class trace(profile):
    """The same; nothing is written into the folder."""

    def __init__(self, folder: Any = None) -> None:
        self.folder = folder


def explain(fn: Function, *, try_remedies: bool = False, **options: Any) -> Function:
    """`explain(fn)(*args, **kwargs)` calls the function."""
    return lambda *args, **kwargs: Report(fn(*args, **kwargs))


def why(fn: Function) -> Report:
    return Report()


def stats(client: Any = None) -> Report:
    return Report()


# -- derivatives


def refused(*arguments: Any, **options: Any) -> Any:
    raise NotDifferentiable(f"derivatives are taken of captured programs: {REASON}")


def transformed(fun: Function, *places: Any, **options: Any) -> Function:
    """A derivative, which can be asked for but not be called."""
    return functools.wraps(fun)(functools.partial(refused))


grad = value_and_grad = jacobian = hessian = transformed
vjp = jvp = hvp = refused


def stop_gradient(x: Any) -> Any:
    return x


class custom_vjp:
    """The function, with a rule that nobody asks for."""

    def __init__(self, fun: Function, nondiff_argnums: Any = ()) -> None:
        functools.update_wrapper(self, fun)
        self.fun = fun

    def defvjp(self, *rule: Function) -> None:
        pass

    def defjvp(self, jvp: Function) -> Function:
        return jvp

    def __call__(self, *args: Any) -> Any:
        return self.fun(*args)


custom_jvp = custom_vjp
