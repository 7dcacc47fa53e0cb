"""Twelve programs over arrays in blocks: compiled as whole graphs, against dask.array itself.

Both run on the same cluster of two processes of one thread, with the same blocks, which lie on the
workers. Times are the least of some rounds, after one that warms up; tasks are those of the graph
as it is handed over, and as Dask optimises it. Run as
`python -m benchmarks.dask_programs [MB] [name …]`.
"""
import sys
import time
import warnings

import dask
import dask.array as da
import numpy as np
from distributed import Client, LocalCluster, wait

import dynamo_lite as dl

ROUNDS = 3


def pointwise(x, y):
    return np.sqrt(x * x + y * y) / (1 + np.abs(x - y)) + np.maximum(x, y) * 0.5 - x / (y + 2)


def statistics(x):
    return x.mean(axis=0), x.std(axis=0), x.min(axis=0), x.max(axis=0), x.var()


def kmeans_step(x, centres):
    distance = ((x[:, None, :] - centres[None, :, :]) ** 2).sum(axis=-1)
    nearest = distance.argmin(axis=1)
    members = (nearest[:, None] == np.arange(len(centres))[None, :]).astype(x.dtype)
    return members.T @ x / members.sum(axis=0)[:, None]


def heat(u):
    for _ in range(4):
        inner = u[1:-1, 1:-1]
        new = inner + 0.1 * (u[2:, 1:-1] + u[:-2, 1:-1] + u[1:-1, 2:] + u[1:-1, :-2] - 4 * inner)
        u = new
    return u


def wave(u, before):
    for _ in range(3):
        after = 2 * u[1:-1] - before[1:-1] + 0.2 * (u[2:] - 2 * u[1:-1] + u[:-2])
        before, u = u[1:-1], after
    return u


def black_scholes(s, k, t):
    root = 0.3 * np.sqrt(t)
    d1 = (np.log(s / k) + (0.05 + 0.045) * t) / root
    d2 = d1 - root

    def normal(z):
        return 1 / (1 + np.exp(-1.5976 * z - 0.07056 * z * z * z))

    return s * normal(d1) - k * np.exp(-0.05 * t) * normal(d2)


def sobel(x):
    gx = (x[2:, :-2] + 2 * x[2:, 1:-1] + x[2:, 2:]) - (x[:-2, :-2] + 2 * x[:-2, 1:-1] + x[:-2, 2:])
    gy = (x[:-2, 2:] + 2 * x[1:-1, 2:] + x[2:, 2:]) - (x[:-2, :-2] + 2 * x[1:-1, :-2] + x[2:, :-2])
    return np.sqrt(gx * gx + gy * gy)


def covariance(x):
    centred = x - x.mean(axis=0)
    return centred.T @ centred / (len(x) - 1)


def histogram(x):
    bins = np.floor(x * 16)
    return (bins[:, None] == np.arange(16.0)[None, :]).sum(axis=0)


def regression_step(x, y, w):
    p = 1 / (1 + np.exp(-(x @ w)))
    return w - 0.1 * (x.T @ (p - y)) / len(y)


def moving_average(x):
    total = np.cumsum(x)
    return (total[9:] - total[:-9]) / 9


def distances(x, y):
    squares = (x * x).sum(axis=1)[:, None] + (y * y).sum(axis=1)[None, :]
    return np.sqrt(np.maximum(squares - 2 * (x @ y.T), 0))


def softmax(x):
    e = np.exp(x - x.max(axis=1, keepdims=True))
    return e / e.sum(axis=1, keepdims=True)


def programs(megabytes, blocks=16):
    """(function, arrays, their blocks): blocks are rows."""
    rng = np.random.default_rng(0)
    n = megabytes * (1 << 17)  # elements
    line, wide = rng.random(n), rng.random((n // 16, 16))
    picture = rng.random((n // 2048, 2048))
    some = rng.random((megabytes * 40, 32))
    step = -(-n // blocks)

    def rows(array):
        return da.from_array(array, (-(-len(array) // blocks), *array.shape[1:]))

    return [
        (pointwise, (rows(line), rows(line[::-1].copy()))), (statistics, (rows(wide),)),
        (kmeans_step, (rows(wide), wide[:8])), (heat, (rows(picture),)),
        (wave, (rows(picture), rows(picture[::-1].copy()))),
        (black_scholes, (rows(line + 1), rows(line[::-1] + 1), rows(line + 0.1))),
        (sobel, (rows(picture),)), (covariance, (rows(wide),)), (histogram, (rows(line),)),
        (regression_step, (rows(wide), da.from_array(line[: n // 16], step // 16), np.zeros(16))),
        (moving_average, (rows(line),)), (distances, (rows(some), some[:64] + 0)),
        (softmax, (rows(wide),)),
    ]


def timed(call):
    """The least seconds of some rounds, and the results; a cluster computes nothing again that
    somebody still holds."""
    found, least = None, float("inf")
    for _ in range(ROUNDS + 1):
        found = None
        time.sleep(0.3)
        start = time.perf_counter()
        found = call()
        least = min(least, time.perf_counter() - start)
    return least, found


def tasks(lazy):
    """Of the graph as it is, and as Dask optimises it."""
    raw = len(dict(dask.base.collections_to_expr(lazy, optimize_graph=False).__dask_graph__()))
    return raw, len(dict(dask.base.collections_to_expr(lazy).optimize().__dask_graph__()))


def on_workers(lazy, client):
    """Results stay where they are, as in a longer program; small ones come back."""
    lazy = lazy if isinstance(lazy, tuple) else (lazy,)
    kept = client.persist(list(lazy))
    wait(kept)
    return kept


def compared(function, arguments, client):
    """How much faster one program is, and its share of the tasks."""
    kept = tuple(client.persist(a) if isinstance(a, da.Array) else a for a in arguments)
    wait([a for a in kept if isinstance(a, da.Array)])
    compiled = dl.compile(function)
    ours, found = timed(lambda: on_workers(compiled(*kept), client))
    theirs, expected = timed(lambda: on_workers(function(*kept), client))
    for one, other in zip(found, expected):
        np.testing.assert_allclose(one.compute(), other.compute(), rtol=1e-8, atol=1e-10)
    mine, plain = (tasks(list(r) if isinstance(r, tuple) else [r])
                   for r in (compiled(*kept), function(*kept)))
    print(f"{function.__name__:16} {ours * 1e3:8.1f} ms {theirs * 1e3:8.1f} ms "
          f"{theirs / ours:6.2f}x   tasks {mine[0]:5} of {plain[0]:5} "
          f"(optimised {mine[1]:5} of {plain[1]:5})", flush=True)
    return theirs / ours, mine[0] / plain[0]


def main(megabytes, names):
    warnings.filterwarnings("ignore", "Sending large graph")
    with LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as cluster, Client(
        cluster
    ) as client:
        ratios, fewer = [], []
        for function, arguments in programs(megabytes):
            if names and function.__name__ not in names:
                continue
            ratio, share = compared(function, arguments, client)
            ratios.append(ratio)
            fewer.append(share)
        print(f"geomean {np.exp(np.mean(np.log(ratios))):.2f}x, least {min(ratios):.2f}x, "
              f"tasks {np.exp(np.mean(np.log(fewer))):.3f}", flush=True)
    return ratios, fewer


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 64, sys.argv[2:])
