"""How large blocks are, where nobody says it: by what tasks, caches and memory cost."""
from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from .partitions.caches import last_cache

LEAST = 1 << 20
"""Bytes that take as long to compute as Dask takes for a task."""
MOST = 16 << 20
"""Bytes from which on blocks are no faster. Beyond twice as many, C's allocator gives memory back
to the system each time (glibc: `DEFAULT_MMAP_THRESHOLD_MAX`), and every page of the next block is
new."""
MOST_TASKS = 20_000
"""For which Dask's own graph stays small: each of them takes some kilobytes."""
ROUNDS = 4
"""Blocks for each worker at least, so that none waits long for the last one."""
COPIES = 4
"""How often the memory of a block is needed while a task works on it: read, converted, computed."""


def bytes_per_block(sizes: Sequence[int], workers: int, limit: int | None) -> int:
    """Of arrays of these sizes, which tasks read together: what was read is still in the cache when
    it is computed. The limit of memory is the only one that is never exceeded."""
    if not sizes:
        return LEAST
    fitting = min(last_cache() // (COPIES * workers * len(sizes)), MOST)
    balanced = max(sizes) // (ROUNDS * workers)
    found = max(min(max(fitting, LEAST), balanced), LEAST >> 2, max(sizes) // MOST_TASKS)
    if limit is not None:
        found = min(found, limit // (2 * COPIES * workers * len(sizes)))
    return max(1, found)


def rows_per_block(arrays: Iterable[Any], target: int) -> Mapping[int, int]:
    """How many rows the blocks of arrays of each length have, so that those that go together are
    cut alike."""
    most: dict[int, int] = {}
    for array in arrays:
        if array.ndim:
            row = array.dtype.itemsize * math.prod(array.shape[1:])
            most[array.shape[0]] = max(most.get(array.shape[0], 1), row)
    return {length: max(1, target // row) for length, row in most.items()}
