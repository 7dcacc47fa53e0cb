"""What this machine can do at best: measured on some occasions, and the best is kept on disk."""
from __future__ import annotations

import marshal
import platform
import threading
import time
from bisect import bisect_right
from collections.abc import Callable, Iterable
from typing import Protocol

import numpy as np

from ..backends import disk
from ..base.records import dataclass
from ..native import get_num_threads

COPIED = (1 << 18, 1 << 20, 1 << 22, 1 << 23, 1 << 25)
"""Bytes of the arrays that each thread copies: the last are more than caches hold."""
IN_A_RUN = 1 << 24
"""A thread copies smaller arrays again until it has copied so many bytes."""
ORDER = 768
"""Of the matrices that are multiplied."""
RUNS = 8
OCCASIONS = 4
"""So many processes measure: other programs may have slowed one down."""


@dataclass(frozen=True, slots=True)
class Limits:
    """`bandwidths` are in bytes each second, read and written, for each size of `COPIED`; `speed`
    in float64 operations each second, as NumPy's matrix product reaches it."""

    threads: int
    bandwidths: tuple[float, ...]
    speed: float

    @property
    def bandwidth(self) -> float:
        """Of memory."""
        return self.bandwidths[-1]

    def bandwidth_at(self, nbytes: float) -> float:
        """For launches that move so many bytes: from caches, where they hold them."""
        return self.bandwidths[size_class(nbytes, self.threads)]


def size_class(nbytes: float, threads: int) -> int:
    """The largest size of `COPIED` of which all threads together move at most so many bytes."""
    moved = [2 * size * threads for size in COPIED]
    return max(0, bisect_right(moved, nbytes) - 1)


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
    bandwidths = tuple(map(max, one.bandwidths, other.bandwidths))
    return Limits(one.threads, bandwidths, max(one.speed, other.speed))


def shown_by(rows: Iterable[ProfiledStep], threads: int) -> Limits:
    """Only of products the number of operations is known exactly."""
    bandwidths = [0.0] * len(COPIED)
    speed = 0.0
    for row in rows:
        size = size_class(row.nbytes / max(1, row.launches), threads)
        bandwidths[size] = max(bandwidths[size], row.bandwidth)
        if row.kind == PRODUCTS:
            speed = max(speed, row.speed)
    return Limits(threads, tuple(bandwidths), speed)


PRODUCTS = "matrix products"
"""The kind of their rows."""


def measured(threads: int) -> Limits:
    """The best of what this and earlier processes have measured."""
    best, occasions = kept(threads)
    if occasions < OCCASIONS:
        bandwidths = tuple(bandwidth_of(threads, size) for size in COPIED)
        best = together(best, Limits(threads, bandwidths, speed_of_products()))
        keep(best, occasions + 1)
    return best


def place(threads: int) -> str:
    return f"machine/speeds-{threads}-{np.__version__}.bin"


def machine() -> tuple[str, str]:
    return platform.processor() or platform.machine(), platform.node()


def kept(threads: int) -> tuple[Limits, int]:
    """What is on disk, and on how many occasions it was measured."""
    if (stored := disk.read(place(threads))) is not None:
        known, *found = marshal.loads(stored)
        if known == machine() and len(found) == 3:
            bandwidths, speed, occasions = found
            return Limits(threads, bandwidths, speed), occasions
    return Limits(threads, (0.0,) * len(COPIED), 0.0), 0


def keep(best: Limits, occasions: int) -> None:
    found = machine(), best.bandwidths, best.speed, occasions
    disk.write(place(best.threads), marshal.dumps(found))


def bandwidth_of(threads: int, size: int) -> float:
    """All threads copy arrays of `size` bytes of their own, which NumPy does without the
    interpreter."""
    pairs = [(np.ones(size // 8), np.ones(size // 8)) for _ in range(threads)]
    times = max(1, IN_A_RUN // size)

    def copy(pair: tuple[np.ndarray, np.ndarray]) -> None:
        for _ in range(times):
            np.copyto(*pair)

    def copy_all() -> None:
        copying = [threading.Thread(target=copy, args=[pair]) for pair in pairs[1:]]
        for thread in copying:
            thread.start()
        copy(pairs[0])
        for thread in copying:
            thread.join()

    return 2 * size * times * threads / best(copy_all)


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
