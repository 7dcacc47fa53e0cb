"""What every compilation made, as files: `DYNAMO_TRACE=directory`, or `config.trace`.

Each process has a folder of its own, named by its number, and in it `index.txt` with a line for
each entry, and a folder for each: `0-0` for `[0/0]`. Its files are the log artifacts with all their
details: the instructions before and after, the graph as Python, guards, loops and generated code,
where the graph ended and why it was compiled again.
"""
from __future__ import annotations

import atexit
import importlib
import logging
import os
import sys
import weakref
from pathlib import Path

from ..base import logs
from ..ir.control import all_nodes
from ..ir.graph import Graph, step, types_of
from .stats import FrameRecord, GraphStep

IMPORTS = "import operator\n\nimport numpy as np\nfrom dynamo_lite.ir import control, core\n\n"
"""What the graphs in a file refer to, beside constants."""
REPORT = "dynamo_lite.reports.tracing"

NAMES = {"graph_code": "graph.py", "graph_breaks": "breaks.txt"}
"""Files that are not called like their artifact."""

INDEX = "index.txt"
written_records: weakref.WeakKeyDictionary[FrameRecord, Path] = weakref.WeakKeyDictionary()
"""The folders of the entries about which something was written."""
UNWRITABLE: set[str] = set()
"""Directories that could not be written into."""


class Files(logging.Handler):
    """Appends what is logged about a frame to the frame's files."""

    def __init__(self, directory: str) -> None:
        super().__init__(logging.DEBUG)
        self.directory = directory
        try:
            self.root = Path(directory).absolute()  # wherever the program goes from here
        except FileNotFoundError:  # it is nowhere: its folder is gone
            self.root = Path(directory)

    @property
    def folder(self) -> Path:
        """That of this process, also after a fork."""
        return self.root / str(os.getpid())

    def emit(self, record: logging.LogRecord) -> None:
        artifact = record.name.rpartition(".")[2]
        try:
            self.append(place(NAMES.get(artifact, f"{artifact}.txt")), record.getMessage())
        except OSError as error:
            self.give_up(error)

    def give_up(self, error: OSError) -> None:
        """Say once that nothing can be written here, and write nothing."""
        if self.directory not in UNWRITABLE:
            UNWRITABLE.add(self.directory)
            print(f"dynamo_lite cannot write into config.trace: {error}", file=sys.stderr)

    def append(self, name: str, text: str) -> None:
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if path.name == NAMES["graph_code"] and not path.exists():
            text = IMPORTS + text
        with path.open("a", encoding="utf-8") as file:
            file.write(text + "\n")


def place(name: str) -> str:
    """Where a file of the frame that is being compiled lies, whatever its analysis went through."""
    frame = logs.current_frame().partition("_")[0].replace("/", "-")
    return name if frame == "-" else f"{frame}/{name}"


def write_into(directory: str) -> None:
    """From here on artifacts go into a directory; `""` ends it."""
    current = logs.collector()
    directory = "" if directory in UNWRITABLE else directory
    if directory != (current.directory if isinstance(current, Files) else ""):
        logs.collect(Files(directory) if directory else None)


def steps_of(graph: Graph) -> tuple[GraphStep, ...]:
    return tuple(
        GraphStep(node.name, step(node), types_of(node),
                  tuple(dict.fromkeys(operand.name for operand in node.operands)),
                  str(node.location or ""))
        for node in graph.nodes if node.op != "output")


def lines_of(graph: Graph) -> frozenset[tuple[str, int]]:
    return frozenset((node.location.filename, node.location.line) for node in all_nodes(graph)
                     if node.location is not None)


def describe(record: FrameRecord, graph: Graph) -> None:
    """Note what the graph computes, where it is to be reported."""
    if isinstance(logs.collector(), Files):
        record.steps, record.lines = steps_of(graph), lines_of(graph)


_reported: set[Path] = set()


def write_report(folder: Path) -> None:
    """At exit, a page about all that lies in the folder."""
    importlib.import_module(REPORT).write_at_exit(folder)


def add_to_index(record: FrameRecord) -> None:
    """Say what became of a compilation."""
    files = logs.collector()
    if not isinstance(files, Files):
        return
    broke = f", broke at {record.broke}" if record.broke is not None else ""
    if files.folder not in _reported:
        _reported.add(files.folder)
        atexit.register(write_report, files.folder)
    written_records[record] = files.folder / record.mark.replace("/", "-")
    line = f"{record.mark} {record.name} ({record.location}): {record.timing()}{broke}"
    try:
        files.append(INDEX, line)
    except OSError as error:
        files.give_up(error)
