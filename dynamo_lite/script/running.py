"""Running a program as `python` itself runs it: as `__main__`, with nothing of ours to be seen.

The program finds `sys.argv`, `sys.path`, `__main__` and its exceptions as it would without us, and
no frame below its first one. Errors that end it are shown by its own `sys.excepthook`.
"""
from __future__ import annotations

import builtins
import importlib
import linecache
import os
import runpy
import sys
from collections.abc import Callable, Sequence
from importlib.machinery import BuiltinImporter, SourceFileLoader, SourcelessFileLoader
from types import CodeType, FunctionType, ModuleType, TracebackType
from typing import Any, TypeVar, cast

from ..bytecode.hiding import hidden
from ..native import call_at_bottom

F = TypeVar("F", bound=Callable[..., Any])
ARCHIVE_MARK, ARCHIVE_END = b"PK\x05\x06", (1 << 16) + 22
"""What archives have near their end, and how many bytes from there it may be."""
FRAME = 1 << 16
"""Words of a frame that are more than half of what CPython allocates for it, 1 MiB."""


def run_command(source: str, args: Sequence[str]) -> None:
    """As `python -c source args…`."""
    sys.argv = ["-c", *args]
    set_first_path("")
    if sys.version_info >= (3, 13):  # which shows the lines of such a program in tracebacks
        lines = [f"{line}\n" for line in source.splitlines()]
        linecache.cache["<string>"] = (len(source), None, lines, "<string>")
    run_code(lambda: compile(source, "<string>", "exec", dont_inherit=True), fresh_main())


def run_module(name: str, args: Sequence[str]) -> None:
    """As `python -m name args…`."""
    sys.argv = ["-m", *args]
    fresh_main()
    run_as_program(runpy._run_module_as_main, name)  # type: ignore[attr-defined]


def run_script(path: str, args: Sequence[str]) -> None:
    """As `python path args…`: a file, compiled or not, a folder, an archive, or `-`."""
    sys.argv = [path, *args]
    if path == "-":
        set_first_path("")
        main = fresh_main(__file__="<stdin>", __cached__=None)
        return run_code(read_stdin, main)
    if os.path.isdir(path) or is_archive(path):
        sys.path[0 : not sys.flags.safe_path] = [os.path.abspath(path)]
        fresh_main()
        return run_as_program(runpy._run_module_as_main, "__main__", False)  # type: ignore
    full = os.path.abspath(path)
    set_first_path(os.path.dirname(os.path.realpath(full)))
    try:
        with open(full, "rb"):
            pass
    except OSError as error:
        reason = f"[Errno {error.errno}] {error.strerror}"
        sys.stderr.write(f"{sys.executable}: can't open file {full!r}: {reason}\n")
        raise SystemExit(2) from None
    is_compiled = full.endswith(".pyc")
    loader = (SourcelessFileLoader if is_compiled else SourceFileLoader)("__main__", full)
    main = fresh_main(loader, __file__=full, __cached__=None)
    if is_compiled:
        return run_code(lambda: loader.get_code("__main__"), main)
    return run_code(lambda: compile(read(full), full, "exec", dont_inherit=True), main)


def is_archive(path: str) -> bool:
    """Whether it is a file that ends as archives do: only then is what reads them imported."""
    try:
        with open(path, "rb") as file:
            size = file.seek(0, os.SEEK_END)
            file.seek(max(size - ARCHIVE_END, 0))
            is_likely = ARCHIVE_MARK in file.read()
    except OSError:
        return False
    return is_likely and bool(importlib.import_module("zipfile").is_zipfile(path))


def read(path: str) -> bytes:
    with open(path, "rb") as file:
        return file.read()


def read_stdin() -> CodeType:
    data = sys.stdin.buffer.read()
    return compile(data, "<stdin>", "exec", dont_inherit=True)


def set_first_path(folder: str) -> None:
    """`python -m` put the current folder there."""
    if not sys.flags.safe_path:
        sys.path[0] = folder


def fresh_main(loader: Any = BuiltinImporter, **variables: Any) -> ModuleType:
    main = ModuleType("__main__")
    main.__loader__ = loader
    main.__dict__.update(__annotations__={}, __builtins__=builtins, **variables)
    sys.modules["__main__"] = main
    return main


def run_code(make: Callable[[], CodeType | None], main: ModuleType) -> None:
    try:
        code = make()
    except SyntaxError as error:
        show_from(error, None)
        raise
    run_as_program(exec, code, main.__dict__)


def with_room_above(function: F) -> F:
    """Decorates a plain function so that there is room for the frames of about a thousand calls in
    the memory of its own frame.

    CPython allocates frames in blocks of 16 KiB and frees a block with its first frame: calls in a
    loop at the end of one ask the system for the next each time, at three times the cost of a call.
    """
    assert isinstance(function, FunctionType)
    function.__code__ = function.__code__.replace(co_stacksize=FRAME)
    return cast(F, function)


@with_room_above
def run_as_program(function: Callable[..., Any], *args: Any) -> None:
    """Call it with no frame below; what it raises is shown as if it was raised there."""
    try:
        call_at_bottom(function, *args)
    except SystemExit:
        raise
    except BaseException as error:
        assert error.__traceback__ is not None
        show_from(error, error.__traceback__.tb_next)
        raise


def show_from(error: BaseException, traceback: TracebackType | None) -> None:
    """Make the interpreter, which ends with this error now, show this part of its traceback."""
    hook = getattr(sys, "excepthook", sys.__excepthook__)

    @hidden
    def show(kind: type[BaseException], value: BaseException, full: Any) -> None:
        sys.excepthook = hook
        if value is not error:
            hook(kind, value, full)
            return
        sys.last_traceback = value.__traceback__ = traceback
        hook(kind, value, traceback)

    sys.excepthook = show
