"""The user's line that a library was called from: what is compiled there is not the user's code."""
from __future__ import annotations

import sys
from types import FrameType

from ..base.origins import is_library_file
from ..ir.graph import Location
from ..tracer.rules.trace_rules import OWN_FOLDER


def users_line(location: Location) -> Location:
    """The innermost line of the user's among the calls that are running, for a place in a library;
    other places as they are."""
    if not is_library_file(location.filename):
        return location
    frame: FrameType | None = sys._getframe()
    while frame is not None and is_not_users(frame.f_code.co_filename):
        frame = frame.f_back
    if frame is None:
        return location
    code = frame.f_code
    way = (*location.inside, location.function)
    return Location(code.co_filename, frame.f_lineno, code.co_qualname, way)


def is_not_users(filename: str) -> bool:
    return filename.startswith(OWN_FOLDER) or is_library_file(filename)
