"""`dl.trace(folder)`: what is compiled meanwhile goes into a folder, with a page to look at."""
from __future__ import annotations

import importlib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from ..base.config import config
from ..runtime.artifacts import NAMES, written_records
from ..runtime.stats import FrameRecord, registry

WRITER, TORCH_TRACE = "dynamo_lite.reports.page", "dynamo_lite.reports.torch_trace"
"""Loaded when a page is written."""
PAGE, EVENTS, TLPARSE = "report.html", "events.jsonl", "torch_trace.log"
TITLES = {"output_code.txt": "generated code", NAMES["graph_code"]: "graph as Python",
          "bytecode.txt": "instructions before and after", "recompiles.txt": "why compiled again",
          "guards.txt": "guard program"}
"""Files of an entry that the page shows."""


class trace:
    """A context manager: everything compiled inside is described in a folder, which has
    `report.html` in the end: a page with every entry, its lines, graph, guards and code. `path` is
    that page. Without a folder a new one is made."""

    def __init__(self, folder: str | Path | None = None) -> None:
        if folder is None:
            folder = importlib.import_module("tempfile").mkdtemp(prefix="dynamo_lite_")
        self.folder = Path(folder)
        self.path: Path | None = None

    def __enter__(self) -> trace:
        self.known = len(registry.records)
        self.patch = config.patch(trace=str(self.folder))
        self.patch.__enter__()
        return self

    def __exit__(self, *raised: Any) -> None:
        self.patch.__exit__(*raised)
        records = registry.records[self.known :] if len(registry.records) >= self.known else (
            registry.records)
        self.path = write(self.folder, records)

    def __repr__(self) -> str:
        return f"<trace into {self.path or self.folder}>"


def write(folder: Path, records: Sequence[FrameRecord]) -> Path:
    """Write the page and the events about entries into a folder; the page's path."""
    folder.mkdir(parents=True, exist_ok=True)
    path, writer = folder / PAGE, importlib.import_module(WRITER)
    found = texts(records)
    path.write_text(writer.page(records, found), encoding="utf-8")
    lines = "".join(f"{line}\n" for line in writer.events(records))
    (folder / EVENTS).write_text(lines, encoding="utf-8")
    told = importlib.import_module(TORCH_TRACE).lines(records, found)
    (folder / TLPARSE).write_text("".join(told), encoding="utf-8")
    return path


def texts(records: Sequence[FrameRecord]) -> Mapping[str, Mapping[str, str]]:
    """The artifacts that were written about each entry."""
    found = {}
    for record in records:
        place = written_records.get(record)
        found[record.mark] = {} if place is None else {
            title: file.read_text(encoding="utf-8", errors="replace")
            for name, title in TITLES.items() if (file := place / name).exists()}
    return found


def write_at_exit(folder: Path) -> None:
    """The page of a process with `DYNAMO_TRACE`; a folder that cannot be written is not an error
    of the program."""
    records = [record for record, place in written_records.items() if place.parent == folder]
    try:
        write(folder, records)
    except OSError:
        return
