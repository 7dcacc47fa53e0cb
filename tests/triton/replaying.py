"""Run in a process of its own, with a fake array for the CUDA driver: calls as CUDA graphs, on CuPy
arrays in the memory of this process."""
from __future__ import annotations

import json
import operator
import timeit
from typing import Any

import cupy as cp
import numpy as np
from dynamo_lite.backends.triton.backend import compile_for
from dynamo_lite.backends.triton.binaries.launch import cuda_launcher
from dynamo_lite.backends.triton.plans.replay import MOST, ReplayedPlan

from dynamo_lite.base.config import config
from tests.backends.graphs import trace
from tests.triton.cupy_on_host import CuPyOnHost, on_host

POOL = np.zeros(1 << 22, np.uint8)
"""What allocations get parts of, in turn."""
START = POOL.ctypes.data


class StubDevice(CuPyOnHost):
    """Kernels are launched on the driver, memory is made as CuPy makes it."""

    allocator = staticmethod(cp.cuda.get_allocator)
    empty = staticmethod(cp.ndarray)
    pointer = staticmethod(operator.attrgetter("data.ptr"))

    def launcher(self, kernel: Any, aligned: bool) -> Any:
        return cuda_launcher(kernel, aligned, 90)


def allocate(size: int, used: list[int] = [0]) -> Any:
    begin, used[0] = used[0], (used[0] + size + 511) % (POOL.size // 2) & ~511
    memory = cp.cuda.UnownedMemory(START + begin, size, POOL, 0)
    return cp.cuda.MemoryPointer(memory, 0)


def three(x: Any) -> Any:
    return np.sum(x, axis=1), x * 2, np.max(x, axis=0)


def microseconds(call: Any) -> float:
    return min(timeit.repeat(call, number=2000, repeat=10)) / 2000 * 1e6


def plan(**settings: Any) -> Any:
    with config.patch(**settings):
        return compile_for(trace(three, np.ones((64, 512), "f4")), StubDevice())


def check(replayed: Any, x: Any) -> None:
    """Results are given out again when nobody has them, or parts of them."""
    for _ in range(3):
        kept = replayed(x)
    graphs = replayed.run.graphs
    assert type(replayed.run) is ReplayedPlan and len(graphs) == 2  # one is in use all the time
    known = {id(array) for array in kept}
    del kept
    assert {id(array) for array in replayed(x)} <= known | {id(a) for a in replayed(x)}
    view = replayed(x)[1].T
    assert view.base is None or all(view.data.mem is not other[1].data.mem
                                    for other in (replayed(x), replayed(x)))
    taken = [replayed(x) for _ in range(MOST + 3)]
    places = [result[0].data.ptr for result in taken]
    assert len({id(result[0]) for result in taken}) == len(taken) and len(graphs) == MOST, places
    del taken, view
    shaped = replayed(x)[1]
    shaped.shape = (512, 64)
    del shaped
    assert all(replayed(x)[1].shape == (64, 512) for _ in range(2 * MOST))


def main() -> None:
    cp.cuda.set_allocator(allocate)
    x = on_host(np.ones((64, 512), "f4"))
    plain, replayed = plan(), plan(cuda_graphs=True)
    check(replayed, x)
    replayed.run.graphs.clear()
    print(json.dumps({"plain": microseconds(lambda: plain(x)),
                      "replayed": microseconds(lambda: replayed(x))}))


if __name__ == "__main__":
    main()
