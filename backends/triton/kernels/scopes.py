"""Lines of single assignments, in blocks whose names are gone behind them."""
from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager


class Scopes:
    """Lines, and the names that hold what has been computed. `masks` are those of the blocks that
    are open."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self.depth = 1
        self.scopes: list[dict[object, str]] = [{}]
        self.masks: list[str | None] = [None]
        self.count = 0

    def line(self, text: str) -> None:
        self.lines.append("    " * self.depth + text)

    def assign(self, text: str) -> str:
        name = f"v{self.count}"
        self.count += 1
        self.line(f"{name} = {text}")
        return name

    @contextmanager
    def block(self, header: str, mask: str | None = None, inherit: bool = True) -> Iterator[None]:
        """An indented block whose names are gone afterwards."""
        self.line(header)
        self.depth += 1
        self.scopes.append({})
        self.masks.append(self.masks[-1] if inherit else mask)
        yield
        self.masks.pop()
        self.scopes.pop()
        self.depth -= 1

    def value(self, expr: object, make: str) -> str:
        name = self.assign(make)
        self.scopes[-1][expr] = name
        return name

    def bind(self, axis: object, name: str) -> None:
        self.scopes[-1][axis] = name

    def known(self, key: object) -> str | None:
        return next((scope[key] for scope in reversed(self.scopes) if key in scope), None)
