"""What this machine can do at best: measured once, and kept on disk."""
from __future__ import annotations

import marshal
import platform
import threading
import time
from collections.abc import Callable
from functools import cache

import numpy as np

from ..backends import disk
from ..base.records import dataclass
from ..native import get_num_threads

COPIED = 1 << 25
"""Bytes that each thread copies: more than caches hold."""
ORDER = 768
"""Of the matrices that are multiplied."""
RUNS = 8


@dataclass(frozen=True, slots=True)
class Limits:
    """`bandwidth` is in bytes each second, read and written; `speed` in float64 operations each
    second, as NumPy's matrix product reaches it."""

    threads: int
    bandwidth: float
    speed: float


@cache
def limits() -> Limits:
    """Of this machine with the threads that compiled code has."""
    threads = get_num_threads()
    name = f"machine/limits-{threads}-{np.__version__}.bin"
    key = (platform.processor() or platform.machine(), platform.node())
    if (stored := disk.read(name)) is not None:
        known, bandwidth, speed = marshal.loads(stored)
        if known == key:
            return Limits(threads, bandwidth, speed)
    found = Limits(threads, bandwidth_of(threads), speed_of_products())
    disk.write(name, marshal.dumps((key, found.bandwidth, found.speed)))
    return found


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
