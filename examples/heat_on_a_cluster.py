"""The heat equation on two worker processes, which exchange the margins of their blocks.

    python examples/heat_on_a_cluster.py [size] [steps]

The function knows nothing of blocks: it is called with an array of Dask's. Needs
`pip install 'dynamo-lite[dask]'`.
"""
import sys
import time

import dask.array as da
import numpy as np
from distributed import Client, LocalCluster

import dynamo_lite as dl


def heat(u, steps):
    for _ in range(steps):
        inner = u[1:-1, 1:-1]
        new = u.copy()
        new[1:-1, 1:-1] = inner + 0.1 * (
            u[2:, 1:-1] + u[:-2, 1:-1] + u[1:-1, 2:] + u[1:-1, :-2] - 4 * inner)
        u = new
    return u


def main(size=500, steps=10):
    start = np.zeros((int(size), int(size)))
    start[int(size) // 2] = 100
    with LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=":0") as cluster, Client(
        cluster
    ):
        u = da.from_array(start, chunks=(max(1, int(size) // 4), -1))
        lazy = dl.compile(heat)(u, int(steps))
        print(f"{len(lazy.__dask_graph__())} tasks for {steps} steps of {u.numblocks[0]} blocks")
        for _ in range(2):
            began = time.perf_counter()
            found = lazy.compute()
            print(f"computed in {time.perf_counter() - began:.2f} s")
    assert np.array_equal(found, heat(start, int(steps)))


if __name__ == "__main__":
    main(*sys.argv[1:])
