"""The compiler, as whole-script mode uses it; loaded with the first function that is worth it."""
from __future__ import annotations

from collections.abc import Callable, Iterable
from types import CodeType, FunctionType
from typing import Any

from ..bytecode.resume import is_replacement
from ..errors import FullGraphRequired
from ..guards.shapes.dynamic import SizeHistory
from ..guards.sources import LocalSource
from ..native import CompiledFunction
from ..runtime.compile_frame import compiled_function
from ..runtime.options import Options
from ..runtime.stats import FrameRecord
from ..tiering.account import Account
from ..tracer.rules.trace_rules import Action, rule_for


def may_compile(function: FunctionType) -> bool:
    """Whether it is the user's, and no rule says that Python runs it."""
    return not is_replacement(function) and rule_for(function).action is Action.INLINE


def compiled_form(
    function: FunctionType, backend: str, note: Callable[[FrameRecord], None], account: Account,
    sizes: Iterable[tuple[Any, ...]] = (),
) -> CompiledFunction:
    """Its compiled form; it is gone when the function is, unless others share it. `sizes`: those of
    earlier calls (`arrays.sizes_of`), by the places of the arguments."""
    options = Options(backend, listener=note, warn=False, account=account)
    seen = [observed(each, function.__code__) for each in sizes]
    return compiled_function(clone_of(function), options, history=SizeHistory(seen))


def observed(sizes: tuple[Any, ...], code: CodeType) -> dict[Any, int]:
    """What `SizeHistory` notes of a call with arguments of these sizes."""
    found: dict[Any, int] = {}
    for index, (name, size) in enumerate(zip(code.co_varnames[: code.co_argcount], sizes)):
        source = LocalSource(index, name)
        if isinstance(size, tuple):
            found.update({(source, "size", axis): length for axis, length in enumerate(size)})
        elif size is not None:
            found[source, "value", 0] = size
    return found


def compiled_loop(
    function: FunctionType, args: tuple[Any, ...], as_whole: bool, backend: str, account: Account
) -> CompiledFunction | None:
    """The compiled form of a loop's function (`bytecode.loop_functions`), for these arguments; None
    where Python is to run it. `as_whole`: all of the loop has to be in the graph, and where its
    iterations begin is no matter of the compilation."""
    start = len(args) - 3
    symbolic = frozenset({(start, "value", 0)}) if as_whole else frozenset()
    options = Options(backend, fullgraph=as_whole, warn=False, account=account)
    compiled = compiled_function(function, options, history=SizeHistory(symbolic=symbolic))
    try:
        compiled.miss(compiled, args)
    except FullGraphRequired:
        return None
    is_left = all(runs_in_python(function, entry.target) for entry in compiled.entries())
    return None if is_left and not compiled.miss.awaits_kept else compiled


def runs_in_python(function: FunctionType, target: Any) -> bool:
    """Whether the target of an entry is the function itself."""
    return isinstance(target, FunctionType) and target.__code__ is function.__code__


def clone_of(function: FunctionType) -> FunctionType:
    """The same function as another object: compiled code must not keep the user's own alive."""
    clone = FunctionType(
        function.__code__,
        function.__globals__,
        function.__name__,
        function.__defaults__,
        function.__closure__,
    )
    clone.__kwdefaults__ = function.__kwdefaults__
    clone.__qualname__ = function.__qualname__
    clone.__module__ = function.__module__
    return clone
