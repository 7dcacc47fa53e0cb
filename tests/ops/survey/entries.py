"""The register of the survey: a function, its arguments, and how many graphs it is."""
from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

rng = np.random.default_rng(7)
V = rng.standard_normal(12)
W = rng.standard_normal(12)
P = np.abs(V) + 0.1
M = rng.standard_normal((4, 6))
S = M[:, :4] @ M[:, :4].T + 5 * np.eye(4)
T = rng.standard_normal((2, 3, 4))
I = rng.integers(0, 9, 12)  # noqa: E741
J = rng.integers(1, 5, (3, 4))
C = V[:6] + 1j * W[:6]
B = V > 0
F = M.astype("f4")
N = np.where(M > 1, np.nan, M)


@dataclass(frozen=True)
class Entry:
    """`breaks` is the most graph breaks there may be, `why` the reason for them.

    `close`: transcendental functions, which may differ in their last digits.
    """

    function: Callable[..., Any]
    args: tuple[Any, ...]
    breaks: int = 0
    why: str = ""
    close: bool = False

    def __str__(self) -> str:
        return f"{self.function.__module__.rpartition('.')[2]}-{self.function.__name__}"


ENTRIES: list[Entry] = []


def survey(
    *args: Any, breaks: int = 0, why: str = "", close: bool = False
) -> Callable[[Any], Any]:
    """Add the function to the survey; it is called with `args`."""

    def register(function: Any) -> Any:
        ENTRIES.append(Entry(function, args, breaks, why, close))
        return function

    return register
