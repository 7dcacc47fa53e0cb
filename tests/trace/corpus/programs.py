"""The register of the corpus: a function, its arguments, and whether it is one graph."""
from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

X = np.arange(1.0, 13.0).reshape(3, 4)
V = np.array([3.0, -1.0, 2.0, 0.5])


@dataclass(frozen=True)
class Program:
    """`breaks` says why the function cannot be one graph, `missing` why it is not one yet."""

    function: Callable[..., Any]
    args: tuple[Any, ...]
    breaks: str | None = None
    missing: str | None = None

    @property
    def is_one_graph(self) -> bool:
        return self.breaks is None and self.missing is None

    def __str__(self) -> str:
        return f"{self.function.__module__.rpartition('.')[2]}-{self.function.__name__}"


PROGRAMS: list[Program] = []


def program(
    *args: Any, breaks: str | None = None, missing: str | None = None
) -> Callable[[Any], Any]:
    """Add the function to the corpus; without arguments it is called with `X`."""

    def register(function: Any) -> Any:
        PROGRAMS.append(Program(function, args or (X,), breaks, missing))
        return function

    return register
