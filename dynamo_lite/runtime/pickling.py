"""Compiled functions in other processes: by their name where it leads to them there, else by value.

What stands in `__main__` is found by its name in a process that multiprocessing spawns, not in one
of joblib's or dask's. So the value goes along, as cloudpickle writes it, where one of those is in
use: the compiled function is made anew of it, with the same options.
"""
from __future__ import annotations

import io
import operator
import sys
from collections import ChainMap
from collections.abc import Callable
from contextvars import ContextVar
from dataclasses import replace
from types import CodeType, ModuleType
from typing import Any, ClassVar

from ..native import CompiledFunction

WRITERS = ("cloudpickle", "joblib.externals.cloudpickle")
"""Modules that write functions by value."""
_writing: ContextVar[tuple[Any, ...]] = ContextVar("dynamo_lite_writing", default=())
"""The functions whose values are being written: one that calls itself is written once."""


def reduced(
    compiled: CompiledFunction, options: Any, revive: Callable[[str, str, bytes], Any]
) -> Any:
    """What `__reduce__` gives: a name, or the call of `revive` that makes the function again."""
    module, name = compiled.__module__, compiled.__qualname__
    is_found = found(module, name) is compiled
    if is_found and module != "__main__":
        return name
    value = written(compiled, options)
    return name if value is None else (revive, (module, name if is_found else "", value))


def found(module: str, name: str) -> Any:
    """What a name stands for in a module of this process; None where it does not."""
    try:
        return operator.attrgetter(name)(sys.modules[module])
    except (AttributeError, KeyError):
        return None


def written(compiled: CompiledFunction, options: Any) -> bytes | None:
    """The function by value; None where nothing here can write it."""
    writer = next((sys.modules[each] for each in WRITERS if each in sys.modules), None)
    if writer is None or compiled in _writing.get():
        return None
    token = _writing.set((*_writing.get(), compiled))
    try:
        plain = replace(options, listener=None, account=None, is_explained=False)
        value = with_files(writer, (compiled.__wrapped__, plain))
    finally:
        _writing.reset(token)
    return value


def with_files(writer: ModuleType, value: Any) -> bytes:
    """A value as cloudpickle writes it, and with the files that its code is from, which it leaves
    out: they are in tracebacks and reports."""
    by_type = writer.Pickler.dispatch_table

    def of_code(code: CodeType) -> Any:
        return in_file, (code.co_filename, *by_type[CodeType](code))

    class Pickler(writer.Pickler):  # type: ignore[name-defined]
        dispatch_table: ClassVar[Any] = ChainMap({CodeType: of_code}, by_type)

    buffer = io.BytesIO()
    Pickler(buffer).dump(value)
    return buffer.getvalue()


def in_file(name: str, make: Callable[..., CodeType], arguments: tuple[Any, ...]) -> CodeType:
    return make(*arguments).replace(co_filename=name)
