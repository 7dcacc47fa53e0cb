"""What was probably meant by a name that is none."""
from __future__ import annotations

import importlib
from collections.abc import Iterable


def closest(name: str, known: Iterable[str], likeness: float = 0.7) -> str | None:
    """The name that is most like another one, of those that are as like it, from 0 to 1."""
    matches = importlib.import_module("difflib").get_close_matches
    found: list[str] = matches(name, list(known), 1, likeness)
    return found[0] if found else None


def meant(name: str, known: Iterable[str]) -> str:
    """The end of a message about a name that is none: the nearest right one, if there is any."""
    found = closest(name, known)
    return f"; did you mean {found!r}?" if found else ""


def nearest(name: str, known: Iterable[str]) -> str:
    """The same, which says what names there are where none is near."""
    known = [*known]
    return meant(name, known) or f"; there are {', '.join(known)}"
