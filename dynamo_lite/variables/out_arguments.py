"""Arguments in their places: what must be given by position, outputs in `out=`."""
from __future__ import annotations

import ast
import functools
import inspect
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ..errors import GraphBreak
from .base import VariableTracker
from .lazy import realise
from .sequences import TupleVariable

if TYPE_CHECKING:
    from ..translator import Translator

FORGETFUL = frozenset({np.fft.hfft, np.fft.ifft2, np.fft.irfft2})
"""Functions that take `out` and write nothing there."""


def with_named_out(
    target: Callable[..., Any], args: Sequence[Any], kwargs: Mapping[str, Any]
) -> tuple[Sequence[Any], Mapping[str, Any]]:
    """The same call with `out`, and what follows it, given by name."""
    if target in FORGETFUL and (len(args) > 4 or "out" in kwargs):
        raise GraphBreak(f"{target.__name__}, which forgets its output")
    names = names_from_out(target)
    if names is None or len(args) <= names[0]:
        return args, kwargs
    count, rest = names
    extra = args[count:]
    if isinstance(target, np.ufunc):
        return args[:count], {**kwargs, "out": _ufunc_out(target, extra, kwargs)}
    if len(extra) > len(rest) or kwargs.keys() & set(rest[: len(extra)]):
        raise GraphBreak(f"{target.__name__} raises TypeError")
    return args[:count], {**kwargs, **dict(zip(rest, extra))}


def outputs_given(
    tx: Translator,
    target: Callable[..., Any],
    args: Sequence[VariableTracker],
    kwargs: Mapping[str, VariableTracker],
) -> list[VariableTracker | None]:
    """The arrays that a call was given to write into, and returns; None for those it makes."""
    out: Any = with_named_out(target, args, kwargs)[1].get("out", ())
    if isinstance(out, TupleVariable):
        out = list(out.iterate(tx))
    given = out if isinstance(out, (tuple, list)) else (out,)
    outputs = [realise(tx, one) for one in given]
    return [one if hasattr(one, "array_type") else None for one in outputs]


def _ufunc_out(ufunc: np.ufunc, extra: Sequence[Any], kwargs: Mapping[str, Any]) -> Any:
    if "out" in kwargs or len(extra) > ufunc.nout:
        raise GraphBreak(f"numpy.{ufunc.__name__} raises TypeError")
    if ufunc in (np.maximum, np.minimum):
        raise GraphBreak(f"numpy.{ufunc.__name__} warns that out should be given by name")
    return extra[0] if ufunc.nout == 1 else (*extra, *[None] * (ufunc.nout - len(extra)))


@functools.lru_cache(512)
def names_from_out(target: Callable[..., Any]) -> tuple[int, tuple[str, ...]] | None:
    """The position of the parameter `out`, and the names of it and of those after it."""
    if isinstance(target, np.ufunc):
        return target.nin, ("out",)
    names = positional_names(target)
    return (names.index("out"), names[names.index("out") :]) if "out" in names else None


def positional_names(target: Callable[..., Any]) -> tuple[str, ...]:
    """The parameters that can be given by position; none where nobody knows."""
    return tuple(parameter.name for parameter in _positional(target))


@functools.lru_cache(512)
def required_names(target: Callable[..., Any]) -> tuple[str, ...]:
    """Those that must be given, by position or by name."""
    return tuple(
        parameter.name if parameter.kind is parameter.POSITIONAL_OR_KEYWORD else ""
        for parameter in _positional(target)
        if parameter.default is parameter.empty
    )


def in_position(
    target: Callable[..., Any], args: Sequence[Any], kwargs: Mapping[str, Any]
) -> tuple[Sequence[Any], Mapping[str, Any]]:
    """The same call with what must be given, as in `np.take(a=x, indices=i)`, by position."""
    if not kwargs or isinstance(target, np.ufunc):
        return args, kwargs
    return filled_in(target.__name__, required_names(target), args, kwargs)


def filled_in(
    function: str, names: Sequence[str], args: Sequence[Any], kwargs: Mapping[str, Any]
) -> tuple[Sequence[Any], Mapping[str, Any]]:
    """The arguments that a function must be given, by position; "" cannot be given by name."""
    args, kwargs = list(args), dict(kwargs)
    for name in names[len(args) :]:
        if name not in kwargs:
            raise GraphBreak(f"{function}() without arguments that it needs raises TypeError")
        args.append(kwargs.pop(name))
    return args, kwargs


def _positional(target: Callable[..., Any]) -> list[inspect.Parameter]:
    inner = inspect.unwrap(target)
    text = getattr(inner, "__text_signature__", None)
    try:
        if isinstance(text, str):
            return _parameters_in(text, is_bound=getattr(inner, "__self__", None) is not None)
        known = inspect.signature(target).parameters.values()
    except (TypeError, ValueError, SyntaxError):
        return []
    return [p for p in known if p.kind <= p.POSITIONAL_OR_KEYWORD]


def _parameters_in(text: str, is_bound: bool) -> list[inspect.Parameter]:
    """What a function in C tells; `inspect` begins with a tokenizer that takes 5 ms to set up."""
    (function,) = ast.parse(f"def f{text.replace('$', '')}: pass").body
    assert isinstance(function, ast.FunctionDef)
    kind = inspect.Parameter.POSITIONAL_ONLY
    only = [inspect.Parameter(each.arg, kind) for each in function.args.posonlyargs]
    kind = inspect.Parameter.POSITIONAL_OR_KEYWORD
    found = only + [inspect.Parameter(each.arg, kind) for each in function.args.args]
    for index in range(1, len(function.args.defaults) + 1):
        found[-index] = found[-index].replace(default=None)
    return found[1:] if is_bound and "$" in text else found
