"""The log artifact `trace_source`: each line of the program when its tracing begins."""
from __future__ import annotations

import linecache
import logging
from typing import Any

from ...base import logs

TRACE_SOURCE = logs.logger("trace_source")


class TracedLines:
    """Logs a line when another one than before is come to."""

    def __init__(self) -> None:
        self.last: tuple[Any, int | None] = None, None

    def at(self, frame: Any, line: int | None) -> None:
        if line is None or (frame, line) == self.last:
            return
        self.last = frame, line
        code = frame.code
        text = linecache.getline(code.co_filename, line, frame.globals).strip()
        TRACE_SOURCE.info("%s%s:%d in %s: %s", "  " * frame.depth, code.co_filename, line,
                          code.co_qualname, text)


def traced_lines() -> TracedLines | None:
    """None where nobody wants to know."""
    return TracedLines() if TRACE_SOURCE.isEnabledFor(logging.INFO) else None
