"""The user's line that a library was called from: what is compiled there is not the user's code."""
from __future__ import annotations

import sys
from functools import lru_cache
from types import FrameType

from ..base.origins import code_name, is_library_file, namespace_of, public_name
from ..ir.graph import Location
from ..tracer.rules.trace_rules import OWN_FOLDERS

UNSEEN = "…"
"""Stands for what the user calls where its frame runs compiled, or is not there yet."""


def users_line(location: Location) -> Location:
    """The innermost line of the user's among the calls that are running, for a place in a library;
    other places as they are. The way from there begins with the function that the user calls."""
    if not is_library_file(location.filename):
        return location
    frame: FrameType | None = sys._getframe()
    called = UNSEEN
    while frame is not None and is_not_users(frame.f_code.co_filename):
        if is_library_file(frame.f_code.co_filename):
            held = map(frame.f_locals.get, frame.f_code.co_freevars)
            name = code_name(frame.f_code, frame.f_globals, held)
            called = name if called == UNSEEN or "<locals>" not in name else called
        frame = frame.f_back
    if frame is None:
        return location
    own = public_name(module_at(location.filename), location.function)
    is_wrapper = "<locals>" in own and called != UNSEEN
    way = (called,) if own == called or is_wrapper else (called, own)
    code = frame.f_code
    return Location(code.co_filename, frame.f_lineno, code.co_qualname, (*way, *location.inside))


def line_of_call(location: Location | None) -> Location | None:
    """For a place in code of ours that is compiled, as what `grad` returns, the innermost line of
    the user's among the calls that are running; other places as they are."""
    if location is None or not location.filename.startswith(OWN_FOLDERS):
        return location
    frame: FrameType | None = sys._getframe()
    while frame is not None and is_not_users(frame.f_code.co_filename):
        frame = frame.f_back
    if frame is None:
        return location
    return Location(frame.f_code.co_filename, frame.f_lineno, frame.f_code.co_qualname)


@lru_cache(256)
def module_at(filename: str) -> str:
    """The module whose text is in a file."""
    found = (name for name, module in list(sys.modules.items())
             if namespace_of(module).get("__file__") == filename)
    return next(found, "")


def is_not_users(filename: str) -> bool:
    return filename.startswith(OWN_FOLDERS) or is_library_file(filename)
