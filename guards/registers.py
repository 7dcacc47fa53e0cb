"""Where the program around a guard has what the guard checks (`programs.flatten`)."""
from __future__ import annotations

from typing import Protocol

from .sources import Source


class Registers(Protocol):
    """What lowering a guard needs to know of the program around it."""

    def register(self, source: Source) -> int:
        """The register that holds the value of `source`, loaded before if it was not."""
        ...

    def slot(self, symbol: str) -> tuple[int, bool]:
        """The scratch slot of a symbol, and whether it was bound before."""
        ...
