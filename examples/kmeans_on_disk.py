"""k-means on an array that is larger than the memory it may use.

    python examples/kmeans_on_disk.py [gigabytes] [memory limit] [folder]

The step is ordinary NumPy. `dl.stream` cuts the file into blocks, computes each with one fused
kernel and adds up what they give. Needs `pip install 'dynamo-lite[dask]'`.
"""
import os
import resource
import sys
import tempfile
import time

import numpy as np

import dynamo_lite as dl


def step(x, centres):
    distance = ((x[:, None, :] - centres[None, :, :]) ** 2).sum(axis=-1)
    nearest = distance.argmin(axis=1)
    members = (nearest[:, None] == np.arange(len(centres))[None, :]).astype(x.dtype)
    return members.T @ x / np.maximum(members.sum(axis=0), 1)[:, None], distance.min(axis=1).sum()


def made(folder, gigabytes, features=16):
    """A file of so many gigabytes, most of it holes: points are zero but for some thousand rows."""
    rows = int(gigabytes * 1e9) // (8 * features)
    points = np.memmap(os.path.join(folder, "points.dat"), "f8", "w+", shape=(rows, features))
    rng = np.random.default_rng(0)
    for start in range(0, rows, max(1, rows // 16)):
        some = points[start : start + 1000]
        some[:] = rng.random(some.shape) + 5 * rng.integers(0, 4, (len(some), 1))
    points.flush()
    return np.memmap(points.filename, "f8", "r", shape=points.shape)


def main(gigabytes=0.1, limit="1GB", folder=None):
    with tempfile.TemporaryDirectory(dir=folder) as place:
        points = made(place, float(gigabytes))
        centres = np.linspace(0, 15, 4)[:, None] + np.zeros(points.shape[1])
        run = dl.stream(step, memory_limit=limit)
        run(points[:1000], centres)
        for iteration in range(3):
            start = time.perf_counter()
            centres, distance = run(points, centres)
            spent = time.perf_counter() - start
            print(f"step {iteration}: sum of distances {distance:.6g}, {spent:.2f} s, "
                  f"{points.nbytes / spent / 1e9:.2f} GB/s")
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6
        print(f"{points.nbytes / 1e9:.1f} GB, peak of memory {peak:.2f} GB")


if __name__ == "__main__":
    main(*sys.argv[1:])
