"""What this machine can do at best: measured on some occasions, and the best is kept on disk."""
from __future__ import annotations

import marshal
import platform
import threading
import time
from collections.abc import Callable, Iterable
from typing import Protocol

import numpy as np

from ..backends import disk
from ..base.records import dataclass
from ..native import get_num_threads

COPIED = 1 << 25
"""Bytes that each thread copies: more than caches hold."""
ORDER = 768
"""Of the matrices that are multiplied."""
RUNS = 8
OCCASIONS = 4
"""So many processes measure: other programs may have slowed one down."""


@dataclass(frozen=True, slots=True)
class Limits:
    """`bandwidth` is in bytes each second, read and written; `speed` in float64 operations each
    second, as NumPy's matrix product reaches it."""

    threads: int
    bandwidth: float
    speed: float


class ProfiledStep(Protocol):
    """A step that was profiled."""

    @property
    def kind(self) -> str: ...

    @property
    def launches(self) -> int: ...

    @property
    def nbytes(self) -> int: ...

    @property
    def bandwidth(self) -> float: ...

    @property
    def speed(self) -> float: ...


_known: dict[int, Limits] = {}
"""By the number of threads."""


def limits(rows: Iterable[ProfiledStep] = ()) -> Limits:
    """Of this machine with the threads that compiled code has. What rows of a profile have shown
    that it can do counts as measured."""
    threads = get_num_threads()
    if threads not in _known:
        _known[threads] = measured(threads)
    best = together(_known[threads], shown_by(rows, threads))
    if best != _known[threads]:
        _known[threads] = best
        _, occasions = kept(threads)
        keep(best, occasions)
    return best


def together(one: Limits, other: Limits) -> Limits:
    return Limits(one.threads, max(one.bandwidth, other.bandwidth), max(one.speed, other.speed))


def shown_by(rows: Iterable[ProfiledStep], threads: int) -> Limits:
    """Only what caches cannot hold tells of memory, and only of products the number of operations
    is known exactly."""
    rows = [*rows]
    bandwidth = (row.bandwidth for row in rows if row.nbytes > row.launches * 2 * COPIED)
    speed = (row.speed for row in rows if row.kind == PRODUCTS)
    return Limits(threads, max(bandwidth, default=0.0), max(speed, default=0.0))


PRODUCTS = "matrix products"
"""The kind of their rows."""


def measured(threads: int) -> Limits:
    """The best of what this and earlier processes have measured."""
    best, occasions = kept(threads)
    if occasions < OCCASIONS:
        best = together(best, Limits(threads, bandwidth_of(threads), speed_of_products()))
        keep(best, occasions + 1)
    return best


def place(threads: int) -> str:
    return f"machine/limits-{threads}-{np.__version__}.bin"


def machine() -> tuple[str, str]:
    return platform.processor() or platform.machine(), platform.node()


def kept(threads: int) -> tuple[Limits, int]:
    """What is on disk, and on how many occasions it was measured."""
    if (stored := disk.read(place(threads))) is not None:
        known, *found = marshal.loads(stored)
        if known == machine() and len(found) == 3:
            bandwidth, speed, occasions = found
            return Limits(threads, bandwidth, speed), occasions
    return Limits(threads, 0.0, 0.0), 0


def keep(best: Limits, occasions: int) -> None:
    found = machine(), best.bandwidth, best.speed, occasions
    disk.write(place(best.threads), marshal.dumps(found))


def bandwidth_of(threads: int) -> float:
    """All threads copy memory of their own, which NumPy does without the interpreter."""
    pairs = [(np.ones(COPIED // 8), np.ones(COPIED // 8)) for _ in range(threads)]

    def copy_all() -> None:
        copying = [threading.Thread(target=np.copyto, args=pair) for pair in pairs[1:]]
        for thread in copying:
            thread.start()
        np.copyto(*pairs[0])
        for thread in copying:
            thread.join()

    return 2 * COPIED * threads / best(copy_all)


def speed_of_products() -> float:
    left = np.ones((ORDER, ORDER))
    return 2 * ORDER**3 / best(lambda: left @ left)


def best(run: Callable[[], object]) -> float:
    """The least time of some runs, in seconds."""
    times = []
    for _ in range(RUNS):
        start = time.perf_counter()
        run()
        times.append(time.perf_counter() - start)
    return min(times)
