"""Log artifacts, switched on by `DYNAMO_LOGS` or `configure`.

`DYNAMO_LOGS="+dynamo,guards,recompiles"` is a comma-separated list: a name switches an artifact on,
`+` shows its details too, `-` leaves only errors; `all` names every one. Each line carries the
frame that is being compiled: `[frame/recompile]`, or `[frame/recompile_restart]` when its analysis
restarted, counted from zero. Nothing is formatted for an artifact that is off. `DYNAMO_LOGS=help`
lists the artifacts.
"""
from __future__ import annotations

import contextlib
import logging
import sys
from collections.abc import Iterator
from contextvars import ContextVar

from .config import follow
from .nearest import nearest

ARTIFACTS = {
    "dynamo": "the stages of compiling a frame",
    "dynamic": "symbols of sizes, and what specialised them",
    "guards": "the conditions under which compiled code is used again",
    "recompiles": "why a call matched no entry",
    "recompiles_verbose": "the same of every variant, with its line, its calls and the remedy",
    "graph_breaks": "where and why a graph ended",
    "graph_code": "captured graphs as Python",
    "trace_source": "the lines of the program as they are traced, those of inlined calls indented",
    "side_effects": "what compiled code changes outside, after the graph has run",
    "bytecode": "the instructions before and after",
    "fusion": "how many kernels the operations became, and why not fewer",
    "schedule": "the kernels, calls and arrays of the backend in the order in which they run",
    "output_code": "what the backend generated",
    "validation": "what was proved of the reasoning about sizes (config.validate)",
    "cache": "what cannot be kept on disk, or was found damaged",
    "perf": "what compiling took, and what keeps code slow",
}
HELP = "help"
_PREFIX = "dynamo_lite."
_root = logging.getLogger("dynamo_lite")
_LEVELS = {"+": logging.DEBUG, "": logging.INFO, "-": logging.ERROR}
_current: ContextVar[str] = ContextVar("dynamo_lite_frame", default="-")


def logger(artifact: str) -> logging.Logger:
    """The logger of one artifact; INFO is its normal level, DEBUG its details."""
    if artifact not in ARTIFACTS:
        raise ValueError(f"no log artifact is called {artifact!r}{nearest(artifact, ARTIFACTS)}")
    return logging.getLogger(_PREFIX + artifact)


class _MarkedLines(logging.Formatter):
    """`[0/0] [guards] text`, for every line of a message."""

    def format(self, record: logging.LogRecord) -> str:
        mark = f"[{_current.get()}] [{record.name.removeprefix(_PREFIX)}] "
        return "\n".join(mark + line for line in super().format(record).split("\n"))


class _CurrentStderr(logging.StreamHandler):
    """Writes to whatever `sys.stderr` is at the time."""

    def emit(self, record: logging.LogRecord) -> None:
        self.stream = sys.stderr
        super().emit(record)


_levels = dict.fromkeys(ARTIFACTS, logging.ERROR)
_collector: logging.Handler | None = None
_handler = _CurrentStderr()
_handler.setFormatter(_MarkedLines())
_handler.addFilter(lambda record: record.levelno >= _levels[record.name.removeprefix(_PREFIX)])


def listing() -> str:
    """The artifacts and how they are asked for."""
    width = max(map(len, ARTIFACTS))
    rows = (f"  {name.ljust(width)}  {what}" for name, what in ARTIFACTS.items())
    return "\n".join(["DYNAMO_LOGS=name,+name,-name,all: + shows details, - only errors", *rows])


def configure(spec: str) -> None:
    """Switch artifacts on as `DYNAMO_LOGS` says; an empty string switches all off."""
    levels = dict.fromkeys(ARTIFACTS, logging.ERROR)
    words = [word for part in spec.split(",") if (word := part.strip())]
    if HELP in words and sys.stderr is not None:
        print(listing(), file=sys.stderr)
    for word in words:
        if word == HELP:
            continue
        sign = word[0] if word[0] in "+-" else ""
        name = word.removeprefix(sign)
        for artifact in ARTIFACTS if name == "all" else (name,):
            logger(artifact)
            levels[artifact] = _LEVELS[sign]
    (_root.addHandler if [*words] != [HELP] * len(words) else _root.removeHandler)(_handler)
    _levels.update(levels)
    _set_levels()


def collect(handler: logging.Handler | None) -> None:
    """Give all artifacts, with their details, to a handler as well; None ends it."""
    global _collector
    if _collector is not None:
        _root.removeHandler(_collector)
    if handler is not None:
        _root.addHandler(handler)
    _collector = handler
    _set_levels()


def collector() -> logging.Handler | None:
    """What `collect` was last given."""
    return _collector


def _set_levels() -> None:
    """What nobody asked for is not made; what the program's own handlers get stays the same."""
    _root.propagate = not (_collector or _handler in _root.handlers)
    for artifact, level in _levels.items():
        logger(artifact).setLevel(logging.DEBUG if _collector is not None else level)


@contextlib.contextmanager
def frame(mark: str) -> Iterator[None]:
    """Lines logged inside carry `[mark]`."""
    token = _current.set(mark)
    try:
        yield
    finally:
        _current.reset(token)


def current_frame() -> str:
    """The mark of the frame that is being compiled, `-` outside of one."""
    return _current.get()


def restarted(count: int) -> None:
    """The analysis of the current frame starts again: later lines say `[frame/recompile_count]`."""
    _current.set(f"{_current.get().partition('_')[0]}_{count}")


follow("logs", configure)
