"""What functions take: by position, by name, or not at all."""
from __future__ import annotations

import ast
import functools
import inspect
from collections import OrderedDict, defaultdict, deque
from collections.abc import Callable, Mapping, Sequence
from types import MethodDescriptorType, WrapperDescriptorType
from typing import Any

import numpy as np

from ..errors import GraphBreak


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


def by_name(
    names: Sequence[str], args: Sequence[Any], kwargs: Mapping[str, Any]
) -> dict[str, Any]:
    """The arguments of a call by the names of their parameters."""
    return {**dict(zip(names, args)), **kwargs}


def mismatch(
    target: Callable[..., Any], args: Sequence[Any], kwargs: Mapping[str, Any]
) -> str | None:
    """Why a function of Python's cannot be called so; None where it can."""
    try:
        inspect.signature(target).bind(*args, **kwargs)
    except TypeError as error:
        return str(error)
    return None


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


def check_names(target: Callable[..., Any], kwargs: Mapping[str, Any]) -> None:
    """Leave it to Python to refuse what a function, or a method of C, does not take by name."""
    for name in kwargs:
        if not _takes_by_name(target, name):
            raise GraphBreak(f"{target.__name__}() takes no argument named {name!r}")


def check_call_of_method(
    kind: type, name: str, args: Sequence[Any], kwargs: Mapping[str, Any]
) -> None:
    """Leave it to Python to refuse a call of a method that a class has from C."""
    found = next((vars(base)[name] for base in kind.__mro__ if name in vars(base)), None)
    if isinstance(found, MethodDescriptorType | WrapperDescriptorType):
        check_call(found, args, kwargs)


def check_call(method: Any, args: Sequence[Any], kwargs: Mapping[str, Any]) -> None:
    """The same for the method itself."""
    kind, name = method.__objclass__, method.__name__
    if isinstance(method, MethodDescriptorType):
        check_names(method, kwargs)
    elif kwargs and name not in BY_NAME:
        raise GraphBreak(f"{kind.__name__}.{name}() takes nothing by name")
    if kind in CONTAINERS and _refuses(method, len(args), tuple(kwargs)):
        raise GraphBreak(f"{kind.__name__}.{name}() is called in a way that it refuses")


BY_NAME = ("__init__", "__call__")
"""Of the methods behind Python's syntax, those that may take arguments by name."""
CONTAINERS = (list, tuple, dict, set, frozenset, deque, OrderedDict, defaultdict)
MISFITS = (" takes ", "expected at ", " arguments, got ", " argument, got ", "keyword argument",
           "required argument")  # fmt: skip
"""What C says of a call with too few or too many arguments, or of names that it does not know."""


@functools.lru_cache(1024)
def _refuses(method: Any, count: int, names: tuple[str, ...]) -> bool:
    """Whether a method of C refuses so many arguments and these names, whatever they are: it is
    asked, of a container that has nothing in it."""
    try:
        method(method.__objclass__(), *[None] * count, **dict.fromkeys(names))
    except TypeError as error:
        return any(misfit in str(error) for misfit in MISFITS)
    except (LookupError, ValueError):  # of None, and of containers with nothing in them
        return False
    return False


NAMELESS = (dict.pop, functools.reduce)
"""What takes nothing by name, and has no signature that says so."""


@functools.lru_cache(512)
def _takes_by_name(target: Callable[..., Any], name: str) -> bool:
    """Whether a function takes an argument by this name, or nobody knows."""
    if target in NAMELESS:
        return False
    try:
        parameters = inspect.signature(target).parameters
    except (TypeError, ValueError):
        return True
    named = name in parameters and parameters[name].kind is not inspect.Parameter.POSITIONAL_ONLY
    return named or any(p.kind is p.VAR_KEYWORD for p in parameters.values())


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
    given, either = inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD
    found = [inspect.Parameter(each.arg, given) for each in function.args.posonlyargs]
    found += [inspect.Parameter(each.arg, either) for each in function.args.args]
    for index in range(1, len(function.args.defaults) + 1):
        found[-index] = found[-index].replace(default=None)
    return found[1:] if is_bound and "$" in text else found
