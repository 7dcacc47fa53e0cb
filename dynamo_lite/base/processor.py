"""Which part of the time in which this program could run it had a processor."""
from __future__ import annotations

import time

STATISTICS = "/proc/self/schedstat"
"""Of Linux: the nanoseconds that the first thread ran, and waited for a processor."""
EVERY = 0.05
"""Seconds after which it is asked again."""


class Share:
    """Called, that part since the program began; 1 where the system does not tell."""

    def __init__(self) -> None:
        self.asked = -EVERY
        self.known = 1.0

    def __call__(self) -> float:
        now = time.monotonic()
        if now - self.asked >= EVERY:
            self.asked, self.known = now, measured()
        return self.known


def measured() -> float:
    try:
        with open(STATISTICS, "rb") as file:
            ran, waited = map(int, file.read().split()[:2])
    except (OSError, ValueError):
        return 1.0
    return ran / (ran + waited) if ran else 1.0
