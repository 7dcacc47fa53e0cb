"""Tracing into Python functions: calls of functions and generators."""
from __future__ import annotations

import inspect
from collections.abc import Mapping, Sequence
from types import CodeType
from typing import TYPE_CHECKING

from .binding import bind
from .errors import GraphBreak
from .onlookers import why_seen
from .trace_rules import TWIN_MODULES
from .variables.base import VariableTracker
from .variables.functions import FunctionVariable, UserFunctionVariable
from .variables.generators import GeneratorVariable

if TYPE_CHECKING:
    from .translator import Translator

ASYNCHRONOUS = inspect.CO_COROUTINE | inspect.CO_ASYNC_GENERATOR | inspect.CO_ITERABLE_COROUTINE


def inline(
    tx: Translator,
    function: FunctionVariable,
    args: Sequence[VariableTracker],
    kwargs: Mapping[str, VariableTracker],
    frame: type[Translator],
) -> VariableTracker:
    """Interpret a callee in a frame of its own; a generator function gives a suspended frame."""
    code = function.code
    if code.co_flags & ASYNCHRONOUS:
        raise GraphBreak(f"{function.describe()} is asynchronous")
    if isinstance(function, UserFunctionVariable) and (seen := why_seen(function.value)):
        raise GraphBreak(f"{function.describe()}: {seen}")
    if (depth := recursions(tx, code)) >= (limit := tx.state.options.recursion):
        times = f"{limit} times inside each other" if limit > 1 else "as deep as its arguments say"
        raise GraphBreak(f"{function.describe()} calls itself {times}")
    if tx.depth >= tx.state.options.inline_depth:
        raise GraphBreak(f"{function.describe()} is called too deep to be followed")
    function.guard_code(tx)
    if depth:
        tx.check_budget()
    values = bind(tx, function, args, kwargs)
    child = frame(tx.state, code, function.globals, values, function.closure(tx), tx)
    if code.co_flags & inspect.CO_GENERATOR:
        is_twin = function.globals.get("__name__") in TWIN_MODULES
        name = function.qualname.lstrip("_") if is_twin else function.qualname
        return GeneratorVariable(child, name)
    result = child.run()
    tx.state.locate = tx.location
    return result


def recursions(tx: Translator, code: CodeType) -> int:
    """How many of the frames that are running run the code."""
    frame: Translator | None = tx
    count = 0
    while frame is not None:
        count += frame.code is code
        frame = frame.parent
    return count
