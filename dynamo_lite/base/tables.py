"""Tables for people: drawn by rich where it is installed and a terminal shows them, else text."""
from __future__ import annotations

import importlib
import sys
from collections.abc import Sequence
from importlib.util import find_spec

Row = Sequence[object]


def show(title: str, headers: Sequence[str], rows: Sequence[Row]) -> None:
    """Print a table on the standard output."""
    if sys.stdout.isatty() and find_spec("rich") is not None:
        table = importlib.import_module("rich.table").Table(*headers, title=title)
        for row in rows:
            table.add_row(*map(str, row))
        importlib.import_module("rich.console").Console().print(table)
    else:
        print(plain(title, headers, rows))


def plain(title: str, headers: Sequence[str], rows: Sequence[Row]) -> str:
    """A table as text, its columns as wide as what is in them."""
    lines = [tuple(headers), *(tuple(map(str, row)) for row in rows)]
    widths = [max(map(len, column)) for column in zip(*lines)]
    told = ("  ".join(cell.ljust(width) for cell, width in zip(line, widths)) for line in lines)
    return "\n".join([title, *(line.rstrip() for line in told)])
