"""HTML for notebooks and reports, without styles of a page: what is shown is escaped here."""
from __future__ import annotations

from collections.abc import Iterable, Sequence

ESCAPES = str.maketrans({"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#x27;"})


def escape(text: object) -> str:
    return str(text).translate(ESCAPES)


def table(headers: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """Rows below headers; cells are text."""
    head = "".join(f"<th>{escape(header)}</th>" for header in headers)
    body = "".join(f"<tr>{''.join(map(cell, row))}</tr>" for row in rows)
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


def cell(content: object) -> str:
    return f"<td style='text-align:left'>{escape(content)}</td>"


def paragraph(text: object) -> str:
    return f"<p>{escape(text)}</p>"


def preformatted(text: object) -> str:
    return f"<pre>{escape(text)}</pre>"


def folded(title: object, *parts: str) -> str:
    """HTML that a click on its title unfolds."""
    return f"<details><summary>{escape(title)}</summary>{''.join(parts)}</details>"
