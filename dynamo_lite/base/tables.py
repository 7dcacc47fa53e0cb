"""Tables for people: drawn by rich where it is installed and a terminal shows them, else text."""
from __future__ import annotations

import importlib
import io
import sys
from collections.abc import Iterable, Sequence
from importlib.util import find_spec
from typing import Any, TextIO

from . import markup
from .records import dataclass

Row = Sequence[object]


@dataclass(frozen=True, slots=True)
class Table:
    """Rows below headers; `text` stands for them where nothing is drawn, if not their columns."""

    title: str
    headers: Sequence[str]
    rows: Sequence[Row]
    text: str | None = None

    def __str__(self) -> str:
        return plain(self.title, self.headers, self.rows) if self.text is None else self.text

    def _repr_html_(self) -> str:
        title = markup.paragraph(self.title) if self.title else ""
        return title + markup.table(self.headers, self.rows)

    def __rich__(self) -> Any:
        library, safe = map(importlib.import_module, ("rich.table", "rich.text"))
        table = library.Table(title=safe.Text(self.title), title_justify="left")
        for header in self.headers:
            table.add_column(header, overflow="fold")
        for row in self.rows:
            table.add_row(*[safe.Text(str(cell)) for cell in row])
        return table


def is_drawn(stream: TextIO | None) -> bool:
    """Whether rich draws what goes to a stream."""
    return stream is not None and stream.isatty() and find_spec("rich") is not None


def text(parts: Iterable[str | Table], stream: TextIO | None = None) -> str:
    """Paragraphs and tables as they are to go to a stream, `sys.stdout` if none is named."""
    if not is_drawn(sys.stdout if stream is None else stream):
        return "\n".join(map(str, parts))
    width, target = importlib.import_module("shutil").get_terminal_size().columns, io.StringIO()
    console = importlib.import_module("rich.console").Console(
        file=target, force_terminal=True, width=width, highlight=False)
    for part in parts:
        console.print(part, markup=False, soft_wrap=isinstance(part, str))
    return target.getvalue().rstrip("\n")


def show(*parts: str | Table, stream: TextIO | None = None) -> None:
    """Print paragraphs and tables."""
    stream = sys.stdout if stream is None else stream
    print(text(parts, stream), file=stream)


def plain(title: str, headers: Sequence[str], rows: Sequence[Row]) -> str:
    """A table as text, its columns as wide as what is in them."""
    lines = [tuple(headers), *(tuple(map(str, row)) for row in rows)]
    widths = [max(map(len, column)) for column in zip(*lines)]
    told = ("  ".join(cell.ljust(width) for cell, width in zip(line, widths)) for line in lines)
    return "\n".join([title, *(line.rstrip() for line in told)])
