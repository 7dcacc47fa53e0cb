"""Tracing into Python functions: calls of functions and generators."""
from __future__ import annotations

import inspect
from collections.abc import Callable
from types import CodeType
from typing import TYPE_CHECKING

from ...bytecode.interrupts import loops_in_try
from ...errors import GraphBreak
from ..control_flow.recursion import call_recursive
from ..rules.frame_inspection import why_seen
from ..rules.trace_rules import is_polyfill
from ..state.tracker import Args, Kwargs, VariableTracker
from ..state.unrolling import check_budget
from ..trackers.containers.generators import GeneratorVariable
from ..trackers.objects.functions import FunctionVariable, UserFunctionVariable
from .binding import arguments_of

if TYPE_CHECKING:
    from ..state.tx import Tx

ASYNCHRONOUS = inspect.CO_COROUTINE | inspect.CO_ASYNC_GENERATOR | inspect.CO_ITERABLE_COROUTINE


def inline(
    tx: Tx, function: FunctionVariable, args: Args, kwargs: Kwargs, frame: Callable[..., Tx]
) -> VariableTracker:
    """Interpret a callee in a frame of its own; a generator function gives a suspended frame."""
    code = function.code
    if code.co_flags & ASYNCHRONOUS:
        raise GraphBreak(f"{function.describe()} is asynchronous")
    if isinstance(function, UserFunctionVariable) and (seen := why_seen(function.value)):
        raise GraphBreak(f"{function.describe()}: {seen}")
    if not tx.state.options.whole and loops_in_try(code):
        raise GraphBreak(f"{function.describe()} handles interrupts itself")
    values: dict[str, VariableTracker] | None = None
    depth = recursions(tx, code)
    if not code.co_flags & inspect.CO_GENERATOR and may_be_recursive(tx, code, depth):
        values = arguments_of(tx, function, args, kwargs)
        function.guard_code(tx)
        if (result := call_recursive(tx, function, values, depth, frame)) is not None:
            return result
    if depth >= (limit := tx.state.options.recursion):
        times = f"{limit} times inside each other" if limit > 1 else "as deep as its arguments say"
        raise GraphBreak(f"{function.describe()} calls itself {times}")
    if tx.depth >= tx.state.options.inline_depth:
        raise GraphBreak(f"{function.describe()} is called too deep to be followed")
    function.guard_code(tx)
    if depth:
        check_budget(tx)
    if values is None:
        values = arguments_of(tx, function, args, kwargs)
    child = frame(tx.state, code, function.globals, values, function.closure(tx), tx)
    if code.co_flags & inspect.CO_GENERATOR:
        is_polyfilled = is_polyfill(function.globals.get("__name__"))
        name = function.qualname.lstrip("_") if is_polyfilled else function.qualname
        return GeneratorVariable(child, name)
    result = child.run()
    tx.state.locate = tx.location
    return result


def may_be_recursive(tx: Tx, code: CodeType, depth: int) -> bool:
    """Whether a call may be one of a function that calls itself."""
    return depth > 0 or code in tx.state.options.recursions


def recursions(tx: Tx, code: CodeType) -> int:
    """How many of the frames that are running run the code."""
    frame: Tx | None = tx
    count = 0
    while frame is not None:
        count += frame.code is code
        frame = frame.parent
    return count
