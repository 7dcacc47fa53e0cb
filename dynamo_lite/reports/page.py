"""What was compiled, as one HTML page that needs nothing else, and as lines of JSON."""
from __future__ import annotations

import inspect
import json
import linecache
from collections.abc import Iterator, Mapping, Sequence, Set
from typing import Any

from ..base import markup
from ..base.counting import counted
from ..runtime.stats import FrameRecord, coverage, lost, percent
from .pictures import graph_picture, timeline

STYLE = """
body{font:14px/1.45 system-ui,sans-serif;margin:2em auto;max-width:1100px;color:#222}
table{border-collapse:collapse}td,th{padding:2px 9px;border-bottom:1px solid #ddd;text-align:left;
vertical-align:top}pre,code{font:12px/1.4 ui-monospace,monospace}
pre{overflow:auto;background:#f7f7f7;padding:8px}
h2{margin-top:2em;border-top:2px solid #ccc;padding-top:.6em}svg{max-width:none}
.picture{overflow:auto}.source span{display:block;white-space:pre}.compiled{background:#e4f3e4}
.elsewhere{background:#e6eefb}.broke{background:#f8d7d7}.bailed{background:#fbe8c8}
summary{cursor:pointer;margin:.3em 0}
"""
LEGEND = ("<p><span class='compiled'>compiled</span> "
          "<span class='elsewhere'>compiled in another entry</span> "
          "<span class='broke'>broke here</span> "
          "<span class='bailed'>bails out here</span>, the rest in Python</p>")
AGAIN = "why compiled again"
"""The title of the artifact that says it."""
IN_FILES = ("guard program",)
"""Titles of artifacts that speak of the compiler's own things: the page has them in plain words."""
ROOM, LEAST = 700_000, 1_000
"""Characters of the longest artifact of all entries together; and of each, however many."""
HEADERS = (
    "entry", "function", "place", "operations", "compiled in", "calls", "bailed out", "why",
)  # fmt: skip


def page(records: Sequence[FrameRecord], texts: Mapping[str, Mapping[str, str]]) -> str:
    """`texts` has the artifacts of each entry: title → text, by its mark."""
    summary = (f"{counted(len(records), 'entry', 'entries')}, "
               f"{counted(sum(r.operations for r in records), 'operation')}, "
               f"{counted(sum(r.broke is not None for r in records), 'break')}, "
               f"{percent(coverage(records))} of the operations ran compiled, "
               f"{sum(r.seconds for r in records) * 1e3:.0f} ms of compiling")
    compiled = frozenset().union(*(record.lines for record in records))
    room = max(LEAST, ROOM // max(len(records), 1))
    body = [
        "<h1>dynamo_lite</h1>", markup.paragraph(summary), index(records, texts),
        markup.folded("timeline", f"<div class='picture'>{timeline(records)}</div>"),
        *(frame(record, source(record, compiled), texts.get(record.mark, {}), room)
          for record in records),
    ]
    return (f"<!DOCTYPE html><html lang='en'><head><meta charset='utf-8'><title>dynamo_lite</title>"
            f"<style>{STYLE}</style></head><body>{''.join(body)}</body></html>")


def anchor(record: FrameRecord) -> str:
    return f"entry-{record.frame}-{record.recompile}"


def index(records: Sequence[FrameRecord], texts: Mapping[str, Mapping[str, str]]) -> str:
    head = "".join(f"<th>{title}</th>" for title in HEADERS)
    rows = []
    for record in records:
        link = f"<td><a href='#{anchor(record)}'>{record.mark}</a></td>"
        cells = "".join(map(markup.cell, row(record, texts.get(record.mark, {}))))
        rows.append(f"<tr>{link}{cells}</tr>")
    return f"<table><thead><tr>{head}</tr></thead><tbody>{''.join(rows)}</tbody></table>"


def row(record: FrameRecord, texts: Mapping[str, str]) -> tuple[object, ...]:
    hits = record.counts.hits if record.counts is not None else 0
    return (record.name, record.location.place, record.operations,
            f"{record.seconds * 1e3:.1f} ms", hits, lost(record),
            "; ".join(reasons(record, texts)))


def reasons(record: FrameRecord, texts: Mapping[str, str]) -> Iterator[str]:
    """Why it was compiled although there were variants, and why not all of it runs compiled."""
    again = texts.get(AGAIN, "").splitlines()[:1]
    yield from (f"compiled again: {line.partition('): ')[2]}" for line in again)
    yield from (f"broke at {end}" for end in [record.broke] if end is not None)
    yield from (f"bailed out at {end}" for end in [record.bailout] if end is not None)
    yield from (reason for reason in [record.unprofitable] if reason)


def frame(record: FrameRecord, text: str, texts: Mapping[str, str], room: int) -> str:
    """All about one entry, whose source is `text`; other texts are cut to `room` characters."""
    parts = [f"<h2 id='{anchor(record)}'>[{record.mark}] {markup.escape(record.name)}</h2>",
             *map(markup.paragraph, said(record)), LEGEND, text]
    if picture := graph_picture(record.steps):
        parts.append(markup.folded("graph", f"<div class='picture'>{picture}</div>"))
    if record.guards:
        parts.append(markup.folded("guards", markup.preformatted("\n".join(record.guards))))
    parts += [markup.folded(title, markup.preformatted(cut(text, room)))
              for title, text in texts.items() if title not in IN_FILES]
    return "".join(parts)


def cut(text: str, room: int) -> str:
    """Whole lines; the rest is in the folder of the entry."""
    if len(text) <= room:
        return text
    shown = text[:room].rpartition("\n")[0]
    left = len(text.splitlines()) - len(shown.splitlines())
    return f"{shown}\n… and {counted(left, 'more line')}, in the folder beside this page"


def said(record: FrameRecord) -> Iterator[str]:
    yield f"{record.location}, compiled in {record.timing()}"
    if record.broke is not None:
        yield f"broke at {record.broke}. Remedy: {record.broke.remedy}"
    if record.bailout is not None:
        yield f"bailed out: {record.bailout}. Remedy: {record.bailout.remedy}"
    yield from (f"runs in Python, where a call comes to {arm}" for arm in record.cold_arms)
    if record.unprofitable:
        yield f"runs in Python: {record.unprofitable}"


def source(record: FrameRecord, compiled: Set[tuple[str, int]]) -> str:
    """The function's lines, in the colours of what became of them; `compiled` are the lines of all
    entries."""
    filename, first = record.location.filename, record.location.line
    lines = linecache.getlines(filename)[first - 1 :]
    try:
        lines = inspect.getblock(lines)
    except (SyntaxError, IndentationError):
        lines = lines[:1]
    marks = {line: "compiled" if (name, line) in record.lines else "elsewhere"
             for name, line in compiled if name == filename}
    for end, mark in ((record.bailout, "bailed"), (record.broke, "broke")):
        if end is not None and end.location is not None and end.location.filename == filename:
            marks[end.location.line] = mark
    shown = (f"<span class='{marks.get(number, 'python')}'>{number:5}  "
             f"{markup.escape(line.rstrip())}</span>" for number, line in enumerate(lines, first))
    return f"<pre class='source'>{''.join(shown)}</pre>"


def events(records: Sequence[FrameRecord]) -> Iterator[str]:
    """A line of JSON for each entry."""
    for record in records:
        yield json.dumps(event(record))


def event(record: FrameRecord) -> dict[str, Any]:
    broke, bailout = record.broke, record.bailout
    return {
        "frame_id": record.frame, "frame_compile_id": record.recompile, "name": record.name,
        "filename": record.location.filename, "line": record.location.line,
        "operations": record.operations, "began": record.began,
        "stages": record.stage_seconds, "guards": list(record.guard_tree),
        "hits": record.counts.hits if record.counts is not None else 0, "bailed_out": lost(record),
        "graph": [{"name": s.name, "what": s.what, "type": s.type, "reads": list(s.reads),
                   "place": s.place} for s in record.steps],
        "broke": None if broke is None else ending(broke),
        "bailout": None if bailout is None else ending(bailout),
        "unprofitable": record.unprofitable or None,
    }


def ending(end: Any) -> dict[str, Any]:
    return {"reason": end.reason, "place": str(end.location or ""), "remedy": end.remedy.id}
