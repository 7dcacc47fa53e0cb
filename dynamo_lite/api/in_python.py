"""The public names on a Python that the compiler does not know yet: everything runs in Python.

Nothing of the compiler is loaded: functions come back as they are, reports say why, marks and
limits have no effect, and only derivatives, which are taken of captured programs, are refused.
"""
from __future__ import annotations

import contextlib
import functools
import sys
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any

from ..base import markup
from ..base.tables import Table
from ..errors import NotDifferentiable

Function = Callable[..., Any]

VERSION = "{}.{}".format(*sys.version_info)
REASON = f"Python {VERSION} is newer than the compiler, which knows 3.11 to 3.13"


EMPTY: Mapping[str, Any] = MappingProxyType({})


class Report:
    """What `explain` and `why` give: nothing was compiled. It has all that theirs have, empty.

    `result` is what the explained call gave.
    """

    in_python = reason = REASON
    name, watched = "", False
    coverage = seconds = compile_seconds = 0.0
    graph_count = graph_break_count = op_count = variants = limit = 0
    graphs: Any = ()
    breaks = bailouts = records = code = guards = sizes = relations = trials = costs = ()
    recompiled: Any = ()
    break_reasons: Any = ()
    compile_times = EMPTY

    def __init__(self, result: Any = None) -> None:
        self.result = result

    @property
    def summary(self) -> str:
        return f"runs in Python: {self.in_python}"

    text = summary

    @property
    def table(self) -> Table:
        return Table("", ("runs in Python",), [(self.in_python,)])

    def __str__(self) -> str:
        return self.summary

    def __repr__(self) -> str:
        return f"<{self.summary}>"

    def _repr_html_(self) -> str:
        return markup.paragraph(self.summary)


class Counts(Report):
    """What `stats` gives."""

    frames = graphs = graph_breaks = recompiles = errors = retired = bailouts = 0  # type: ignore
    compiled_operations = python_operations = traced = generated = 0
    symbolic_questions = symbolic_answers = 0
    symbolic_seconds = 0.0
    break_reasons = recompile_reasons = bailout_reasons = workers = EMPTY

    @property
    def reasons(self) -> tuple[tuple[str, Mapping[str, int]], ...]:
        return ()

    @property
    def totals(self) -> list[str]:
        return [self.summary]


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


class profile(contextlib.ContextDecorator, Report):
    """A block or function in which no compiled function is called."""

    kernels = lines = functions = slices = ()
    spent = totals = limits = EMPTY
    waiting, is_cut = 0.0, False

    def __enter__(self) -> profile:
        return self

    def __exit__(self, *raised: object) -> None:
        pass

    def __call__(self, func: Any) -> Any:
        measured = super().__call__(func)
        measured.profile = self
        return measured

    def text(self, stream: Any = None) -> str:  # type: ignore[override]
        return self.summary

    def export(self, path: Any) -> None:
        """Write a timeline on which there is nothing."""
        Path(path).write_text('{"traceEvents": []}', encoding="utf-8")


class trace(contextlib.ContextDecorator):
    """Nothing is written into the folder."""

    path = None

    def __init__(self, folder: Any = None) -> None:
        self.folder = Path(folder or ".")

    def __enter__(self) -> trace:
        return self

    def __exit__(self, *raised: object) -> None:
        pass


def explain(fn: Function, *, try_remedies: bool = False, **options: Any) -> Function:
    """`explain(fn)(*args, **kwargs)` calls the function."""
    return lambda *args, **kwargs: Report(fn(*args, **kwargs))


def why(fn: Function) -> Report:
    if not callable(fn):
        raise TypeError(f"why takes a callable, not {fn!r}")
    return Report()


def stats(client: Any = None) -> Counts:
    return Counts()


# -- derivatives


def refused(*arguments: Any, **options: Any) -> Any:
    raise NotDifferentiable(f"derivatives are taken of captured programs: {REASON}")


def transformed(fun: Function, *places: Any, **options: Any) -> Function:
    """A derivative, which can be asked for but not be called."""
    return functools.wraps(fun)(functools.partial(refused))


grad = value_and_grad = jacobian = jacfwd = jacrev = hessian = transformed
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

    def defjvps(self, *rules: Function | None) -> None:
        pass

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self.fun(*args, **kwargs)


custom_jvp = custom_vjp
