"""`compile`: the decorator, for every kind of callable."""
from __future__ import annotations

import functools
import os
import sys
import warnings
from collections.abc import Callable, Mapping
from dataclasses import fields, replace
from types import BuiltinFunctionType, FunctionType, MethodType
from typing import Any, ParamSpec, TypeVar, overload

import numpy as np

from ..api.directives import is_disabled
from ..backends.registry import Backend, list_backends, lookup_backend
from ..base.config import Config, changed, config, follow
from ..base.loading import is_loaded, loaded
from ..base.nearest import nearest
from ..base.remedies import remedy_for
from ..errors import BackendError, DynamoWarning
from ..native import CompiledFunction, set_num_threads
from .compile_frame import PIPELINE, compiled_function
from .family import is_async, is_generator
from .kept import is_kept
from .options import Options
from .stats import FrameRecord

NO_ALTERNATIVES = "kernels for the CPU have no alternatives to choose from by timing them"
MODES: Mapping[str, str] = {
    "default": "",
    "reduce-overhead": "calls of compiled functions cost some tens of nanoseconds in every mode; "
        "it is for arrays of CuPy",
    "max-autotune": NO_ALTERNATIVES,
    "max-autotune-no-cudagraphs": NO_ALTERNATIVES,
}
"""torch.compile's modes, and why one changes nothing for arrays of NumPy."""
WITH_GRAPHS = ("reduce-overhead", "max-autotune")
"""Modes in which calls of functions of CuPy arrays are CUDA graphs."""
TUNED = ("max-autotune", "max-autotune-no-cudagraphs")
"""Modes in which variants of kernels for GPUs are timed."""

OF_THE_PROCESS = frozenset({"compile_watched", "disable", "logs", "threads", "warm_seconds"})
"""Settings that no single function can have."""

PRELOADED: Mapping[Any, str] = {"auto": "llvm", "llvm": "llvm", "dask": "dask"}
"""Backends whose modules are loaded when a function is decorated, not in its first call."""

FOR_GPUS = ("auto", "triton")
"""Backends that compute functions of NumPy arrays on a GPU."""


P = ParamSpec("P")
R = TypeVar("R")
D = TypeVar("D", property, staticmethod, classmethod)


@overload
def compile(fn: D) -> D: ...
@overload
def compile(
    fn: Callable[P, R],
    *,
    backend: str | Backend = ...,
    dynamic: bool | None = ...,
    fullgraph: bool = ...,
    mode: str | None = ...,
    options: Mapping[str, Any] | None = ...,
    disable: bool = ...,
    name: str | None = ...,
    recompile_limit: int | None = ...,
    device: str | None = ...,
) -> Callable[P, R]: ...
@overload
def compile(
    fn: None = None,
    *,
    backend: str | Backend = ...,
    dynamic: bool | None = ...,
    fullgraph: bool = ...,
    mode: str | None = ...,
    options: Mapping[str, Any] | None = ...,
    disable: bool = ...,
    name: str | None = ...,
    recompile_limit: int | None = ...,
    device: str | None = ...,
) -> Callable[[Callable[P, R]], Callable[P, R]]: ...
def compile(
    fn: Any = None,
    *,
    backend: str | Backend = "auto",
    dynamic: bool | None = None,
    fullgraph: bool = False,
    mode: str | None = None,
    options: Mapping[str, Any] | None = None,
    disable: bool = False,
    name: str | None = None,
    recompile_limit: int | None = None,
    device: str | None = None,
    **unknown: Any,
) -> Any:
    """Compile the NumPy operations of a function; use as `@compile`, `@compile(...)` or a call.

    `backend`: a name of `list_backends()` or `callable(graph, example_inputs) -> callable`.
    `dynamic`: None compiles for the sizes seen first and makes those that change symbolic, True
    makes all symbolic at once, False none. `fullgraph=True` raises `errors.FullGraphRequired` where
    a part of the function could not be compiled. `options`: settings of `config` for this function.
    `mode`: torch.compile's; "reduce-overhead" and "max-autotune" launch what a call does on a GPU
    in one piece (`config.cuda_graphs`), the latter (also "max-autotune-no-cudagraphs") times
    variants of its kernels (`config.autotune`). For arrays of NumPy they change nothing, as a
    warning says.
    `name`: what records and messages call the function. `recompile_limit`: its most variants.
    `device="cuda"` computes functions of NumPy arrays on a GPU, with the backend "triton".
    """
    _check_names(unknown)
    chosen = _options(backend, dynamic, fullgraph, mode, options, name, recompile_limit, device)
    is_for_gpu = backend == "triton" and mode in (*WITH_GRAPHS, *TUNED)
    if mode is not None and (why := MODES[mode]) and not is_for_gpu:
        warnings.warn(f"mode={mode!r} changes nothing: {why}", DynamoWarning, stacklevel=2)
    if fn is None:
        return functools.partial(_compile, options=chosen, disable=disable)
    if isinstance(fn, FunctionType) and is_generator(fn) and not disable:
        why = "async " if is_async(fn) else "is a generator"
        warnings.warn(f"{fn.__qualname__} is a generator or async function, which Python runs; "
                      f"{remedy_for(why).advice}", DynamoWarning, stacklevel=2)
    return _compile(fn, chosen, disable)


def _check_names(options: Mapping[str, Any]) -> None:
    """TypeError for a keyword that `compile` does not have, with the nearest that it has."""
    known = compile.__kwdefaults__ or {}
    for name in sorted(options.keys() - known.keys()):
        raise TypeError(f"compile() got an unexpected keyword argument {name!r}"
                        f"{nearest(name, known)}")


def _use_threads(count: int) -> None:
    affinity = getattr(os, "sched_getaffinity", None)
    count = min(count, sys.maxsize)  # which is refused as any that is too large
    set_num_threads(count or (len(affinity(0)) if affinity else os.cpu_count() or 1))


follow("threads", _use_threads)


def compile_with(fn: Any, listener: Callable[[FrameRecord], None], **options: Any) -> Any:
    """`compile(fn, **options)`, telling `listener` about every entry that is made."""
    _check_names(options)
    chosen = _options(**{"backend": "auto", "dynamic": None, "fullgraph": False, "mode": None,
                         "options": None, **options})  # fmt: skip
    return _compile(fn, replace(chosen, listener=listener, is_explained=True), False)


def compile_whole(
    fn: Callable[..., Any], name: str, backend: str | Backend = "auto", **settings: Any
) -> Any:
    """`compile` with `fullgraph`, but what the program itself raises is raised."""
    chosen = _options(backend, None, True, None, settings, name)
    return _compile(fn, replace(chosen, may_raise=True), False)


def _options(
    backend: str | Backend,
    dynamic: bool | None,
    fullgraph: bool,
    mode: str | None,
    options: Mapping[str, Any] | None,
    name: str | None = None,
    recompile_limit: int | None = None,
    device: str | None = None,
) -> Options:
    if dynamic is not None and not isinstance(dynamic, bool):
        raise TypeError(f"dynamic is None, True or False, not {dynamic!r}")
    if mode is not None and options is not None:
        raise ValueError("compile takes mode= or options=, not both")
    if mode is not None and mode not in MODES:
        raise ValueError(f"no mode is called {mode!r}{nearest(str(mode), MODES)}")
    if name is not None and not isinstance(name, str):
        raise TypeError(f"name is a text, not {name!r}")
    if options is not None and not isinstance(options, Mapping):
        raise TypeError(f"options is a mapping of settings, not {options!r}")
    if isinstance(backend, str) and backend not in list_backends():
        raise BackendError(f"no backend is called {backend!r}{nearest(backend, list_backends())}")
    if not isinstance(backend, str) and not callable(backend):
        raise TypeError(f"a backend is a name or callable(graph, example_inputs), not {backend!r}")
    if isinstance(backend, str) and backend in PRELOADED:
        lookup_backend(PRELOADED[backend])
    graphs, tuned = (True if mode in modes else None for modes in (WITH_GRAPHS, TUNED))
    settings = _settings(options or {}, recompile_limit=recompile_limit, device=device,
                         cuda_graphs=graphs, autotune=tuned)
    if settings.get("device") == "cuda" and backend not in FOR_GPUS:
        raise ValueError(f"device='cuda' is of the backend 'triton', not of {backend!r}: "
                         "leave backend= out")
    return Options(backend, dynamic, bool(fullgraph), name or "", tuple(settings.items()))


def _settings(options: Mapping[str, Any], **given: Any) -> Mapping[str, Any]:
    """Those of one function, all of which make sense; `given` are arguments, None without one."""
    known = [field.name for field in fields(Config)]
    for name in sorted(options.keys() - {*known}):
        raise ValueError(f"no setting is called {name!r}{nearest(name, known)}")
    if general := options.keys() & OF_THE_PROCESS:
        raise ValueError(f"{', '.join(sorted(general))}: a setting of the process, see dl.config")
    arguments = {name: value for name, value in given.items() if value is not None}
    for name in sorted(arguments.keys() & options.keys()):
        raise ValueError(f"{name} is given twice, as an argument and in options")
    changed(Config(), {**options, **arguments})
    return {**options, **arguments}


def _compile(fn: Any, options: Options, disable: bool) -> Any:
    if disable or config.disable or is_disabled(fn):
        return fn
    for kinds, wrap in WRAPPERS:
        if isinstance(fn, kinds):
            return wrap(fn, options)
    if isinstance(fn, type) or not callable(fn):
        what = f"the class {fn.__qualname__}" if isinstance(fn, type) else repr(fn)
        raise TypeError(f"compile takes a function or another callable, not {what}")
    return CompiledCallable(fn, options)


def _function(fn: FunctionType, options: Options) -> Any:
    """The compiler is loaded when a function is decorated, not in its first call; a process that
    finds all its entries on disk needs none."""
    if not is_loaded(PIPELINE, __package__) and not is_kept(fn, options):
        loaded(PIPELINE, __package__)
    return compiled_function(fn, options)


def _method(fn: MethodType, options: Options) -> Any:
    return MethodType(_compile(fn.__func__, options, False), fn.__self__)


def _descriptor(fn: Any, options: Options) -> Any:
    return type(fn)(_compile(fn.__func__, options, False))


def _property(fn: property, options: Options) -> property:
    get, put, delete = (None if part is None else _compile(part, options, False)
                        for part in (fn.fget, fn.fset, fn.fdel))
    return property(get, put, delete, fn.__doc__)


def _cached_property(fn: Any, options: Options) -> Any:
    made = type(fn)(_compile(fn.func, options, False))
    if fn.attrname is not None:
        made.__set_name__(None, fn.attrname)
    return made


def _partial(fn: functools.partial[Any], options: Options) -> Any:
    return functools.partial(_compile(fn.func, options, False), *fn.args, **fn.keywords)


def _builtin(fn: Callable[..., Any], options: Options) -> Any:
    """A function written in C becomes the call of it."""

    def call(*args: Any, **kwargs: Any) -> Any:
        return fn(*args, **kwargs)

    functools.update_wrapper(call, fn, ("__name__", "__qualname__", "__doc__"), ())
    assert isinstance(call, FunctionType)
    return _function(call, options)


WRAPPERS: tuple[tuple[Any, Callable[[Any, Options], Any]], ...] = (
    (FunctionType, _function),
    (CompiledFunction, lambda fn, options: _function(fn.__wrapped__, options)),
    (MethodType, _method),
    ((staticmethod, classmethod), _descriptor),
    (property, _property),
    (functools.cached_property, _cached_property),
    (functools.partial, _partial),
    ((BuiltinFunctionType, np.ufunc), _builtin),
)
"""Kinds of callables, and how each is compiled."""


def function_behind(fn: Any) -> Any:
    """What a call of a method, a partial or a compiled object runs; other callables as they are."""
    for kinds, function in BEHIND:
        if isinstance(fn, kinds):
            return function_behind(function(fn))
    return fn


class CompiledCallable:
    """An object whose class defines `__call__` in Python, with that method compiled."""

    def __init__(self, wrapped: Any, options: Options) -> None:
        self.__wrapped__ = wrapped
        method = type(wrapped).__call__
        self._call = _compile(method, options, False) if isinstance(method, FunctionType) else None

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        if self._call is None:
            return self.__wrapped__(*args, **kwargs)
        return self._call(self.__wrapped__, *args, **kwargs)

    def __repr__(self) -> str:
        return f"<compiled {self.__wrapped__!r}>"

    def __getattr__(self, name: str) -> Any:
        if name == "__wrapped__":
            raise AttributeError(name)
        return getattr(self.__wrapped__, name)


BEHIND: tuple[tuple[Any, Callable[[Any], Any]], ...] = (
    (MethodType, lambda fn: fn.__func__),
    (functools.partial, lambda fn: fn.func),
    (CompiledCallable, lambda fn: fn.__wrapped__ if fn._call is None else fn._call),
)
