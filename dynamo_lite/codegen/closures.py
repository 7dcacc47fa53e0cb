"""Calls of closures in compiled form, where a frame is left at the call of one.

A closure is another function object at every call of the function around it. Its code is compiled
once, without the closure (`bytecode.resume.lifted_function`): the call passes the cells, as it
passes the arguments and the defaults of the ones that are missing.
"""
from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from types import CellType, FunctionType
from typing import Any

from ..bytecode.binding import bind
from ..bytecode.resume import own_cells
from ..guards.sources import AttrSource, ItemSource
from ..tracer.object_model.cells import is_empty
from ..tracer.state.emitter import Push
from ..tracer.trackers.objects.functions import (
    FunctionVariable,
    NestedFunctionVariable,
    UserFunctionVariable,
    is_known_by_code,
)
from .reconstruct import Reconstructor

ClosureCall = Callable[[Sequence[Push]], None]
"""Emits the call; what these push is needed later."""


def closure_call(
    code: Reconstructor,
    function: FunctionVariable,
    pushes: Sequence[Push],
    kwnames: Sequence[str],
    lifted: Callable[[FunctionType], Callable[..., Any] | None],
) -> ClosureCall | None:
    """What emits the call; None where the function is to be called as it is."""
    if (plain := plain_function(function)) is None or (target := lifted(plain)) is None:
        return None
    split = len(pushes) - len(kwnames)
    bound = bound_pushes(code, function, pushes[:split], dict(zip(kwnames, pushes[split:])))
    if bound is None:
        return None
    cells = dict(zip(function.code.co_freevars, held_cells(code, function)))
    flat = [bound.get(name) for name in function.code.co_varnames]
    flat += [cells.get(name) for name in (*own_cells(function.code), *cells)]

    def call(later: Sequence[Push]) -> None:
        code.load_const(target)
        for push in flat:
            if push is None:
                code.load_const(None)
            else:
                push()
        code.drop_temporaries(later)
        code.call(len(flat))

    return call


def plain_function(function: FunctionVariable) -> FunctionType | None:
    """A function of the same code, when the variable is a closure whose cells are all filled."""
    if isinstance(function, UserFunctionVariable):
        value = function.value
        usable = is_known_by_code(value) and not any(map(is_empty, value.__closure__ or ()))
        return value if usable else None
    if not isinstance(function, NestedFunctionVariable) or function.attributes:
        return None
    if any(cell.bound is None for cell in function.cells):
        return None
    empty = tuple(CellType() for _ in function.cells)
    return FunctionType(function.code, function.globals, function.code.co_name, None, empty)


def held_cells(code: Reconstructor, function: FunctionVariable) -> list[Push]:
    if isinstance(function, NestedFunctionVariable):
        return [code.hold(cell) for cell in function.cells]
    assert isinstance(function, UserFunctionVariable)
    base, count = AttrSource(function.source, "__closure__"), len(function.code.co_freevars)
    return [_loaded(code, ItemSource(base, index, tuple)) for index in range(count)]


def _loaded(code: Reconstructor, source: ItemSource) -> Push:
    code.load_source(source)
    return code.hold_top()


def bound_pushes(
    code: Reconstructor,
    function: FunctionVariable,
    args: Sequence[Push],
    kwargs: Mapping[str, Push],
) -> dict[str, Push] | None:
    """Parameter → what pushes its value; None where the call does not fit: Python says why."""
    if isinstance(function, UserFunctionVariable) and function.shares_defaults:
        return None
    return bind(
        function.code, args, kwargs, partial(held_defaults, code, function),
        lambda items: partial(_display, code, items), lambda items: partial(_table, code, items),
    )


def held_defaults(code: Reconstructor, function: FunctionVariable) -> dict[str, Push]:
    positional = function.code.co_varnames[: function.code.co_argcount]
    if isinstance(function, NestedFunctionVariable):
        items = function.positional.built_items() if function.positional is not None else []
        named = dict(zip(positional[len(positional) - len(items) :], map(code.hold, items)))
        for key, value in function.keyword.built_entries() if function.keyword is not None else ():
            named[getattr(key, "value", "")] = code.hold(value)
        return named
    assert isinstance(function, UserFunctionVariable)
    count, named = len(function.value.__defaults__ or ()), {}
    base = AttrSource(function.source, "__defaults__")
    for index, name in enumerate(positional[len(positional) - count :]):
        named[name] = _loaded(code, ItemSource(base, index, tuple))
    base = AttrSource(function.source, "__kwdefaults__")
    for name in function.value.__kwdefaults__ or ():
        named[name] = _loaded(code, ItemSource(base, name, dict))
    return named


def _display(code: Reconstructor, items: Sequence[Push]) -> None:
    for push in items:
        push()
    code.emit("BUILD_TUPLE", len(items))


def _table(code: Reconstructor, items: Mapping[str, Push]) -> None:
    for name, push in items.items():
        code.load_const(name)
        push()
    code.emit("BUILD_MAP", len(items))
