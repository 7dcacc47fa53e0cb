"""Binding arguments to the parameters of a code object, by the rules of a Python call."""
from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from types import CodeType
from typing import TypeVar

from ..base.records import dataclass

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Parameters:
    """The names of a code object's parameters."""

    positional: tuple[str, ...]
    by_name: tuple[str, ...]
    """What can be given by name, in order."""
    named: tuple[str, ...]
    """All but `*args` and `**kwargs`."""
    rest: str | None
    table: str | None


def parameters_of(code: CodeType) -> Parameters:
    names, count = code.co_varnames, code.co_argcount
    named = names[: count + code.co_kwonlyargcount]
    extra = iter(names[len(named) :])
    rest = next(extra) if code.co_flags & inspect.CO_VARARGS else None
    table = next(extra) if code.co_flags & inspect.CO_VARKEYWORDS else None
    return Parameters(names[:count], named[code.co_posonlyargcount :], named, rest, table)


def bind(
    code: CodeType,
    args: Sequence[T],
    kwargs: Mapping[str, T],
    defaults: Callable[[], Mapping[str, T]],
    packed: Callable[[Sequence[T]], T],
    table: Callable[[Mapping[str, T]], T],
) -> dict[str, T] | None:
    """Parameter → value; None where the call does not fit. `defaults` are asked for where the given
    arguments fit, `packed` makes a tuple of the rest of them, `table` a dict."""
    known = parameters_of(code)
    count = len(known.positional)
    values, left = dict(zip(known.positional, args)), dict(kwargs)
    if known.rest is not None:
        values[known.rest] = packed(args[count:])
    elif len(args) > count:
        return None
    given = left.keys() & {*known.by_name}
    if given & values.keys() or (len(given) < len(left) and known.table is None):
        return None
    values |= {name: left.pop(name) for name in known.by_name if name in given}
    found, missing = defaults(), [name for name in known.named if name not in values]
    if not found.keys() >= {*missing}:
        return None
    values |= {name: found[name] for name in missing}
    if known.table is not None:
        values[known.table] = table(left)
    return values
