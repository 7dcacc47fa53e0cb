"""What blocks cost beyond their programs: a task, memory, killed workers, a second run.

    python -m benchmarks.dask_limits overhead [blocks]       a task of ours against one of Dask's
    python -m benchmarks.dask_limits memory [GB] [limit]     k-means on a file larger than the limit
    python -m benchmarks.dask_limits kills [times] [seed]    a worker killed at a random moment
    python -m benchmarks.dask_limits again                   programs in a second run, cache warm
    python -m benchmarks.dask_limits workers [MB]            two workers against one thread

Clusters have two processes of one thread. What is compared takes turns, times are medians, and
every result is compared with NumPy's.
"""
import itertools
import os
import random
import re
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from contextlib import contextmanager

import dask
import dask.array as da
import numpy as np
from distributed import Client, LocalCluster, wait

import dynamo_lite as dl
from benchmarks import dask_programs
from benchmarks.measure import resident

ROUNDS = 7
PATIENCE = 300
"""Seconds for what never takes long, but on a machine that is busy with other things."""
CHUNK = 1 << 20
"""Bytes that are read at once where the speed of reading is measured."""


@contextmanager
def cluster(**options):
    with LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None, silence_logs=50,
                      **options) as made, Client(made) as client:
        yield client


def medians(*calls, rounds=ROUNDS):
    """Seconds of each call, which take turns, after one turn that warms up."""
    times = [[] for _ in calls]
    for turn in range(rounds + 1):
        for call, spent in zip(calls, times):
            start = time.perf_counter()
            kept = call()
            if turn:
                spent.append(time.perf_counter() - start)
            del kept
    return [statistics.median(spent) for spent in times]


def softened(x):
    return np.sqrt(x * x + 1)


def overhead(blocks="10000", rounds="5"):
    """A task of one small block for each, the plain function's by Dask's own `map_blocks`."""
    count = int(blocks)
    x = np.random.default_rng(0).random(count * 8)
    compiled = dl.compile(softened)
    with cluster() as client:
        kept = client.persist(da.from_array(x, 8))
        wait(kept)

        def on_workers(lazy):
            done = client.persist(lazy)
            wait(done)
            return done

        calls = (lambda: on_workers(compiled(kept)),
                 lambda: on_workers(kept.map_blocks(softened, dtype=x.dtype)))
        for call in calls:
            np.testing.assert_array_equal(call().compute(), softened(x))
        ours, theirs = medians(*calls, rounds=int(rounds))
        print(f"a task {ours / count * 1e6:.0f} us, Dask's own {theirs / count * 1e6:.0f} us: "
              f"{ours / theirs:.3f}", flush=True)
        return ours / theirs


def kmeans_step(x, centres):
    distance = ((x[:, None, :] - centres[None, :, :]) ** 2).sum(axis=-1)
    nearest = distance.argmin(axis=1)
    members = (nearest[:, None] == np.arange(len(centres))[None, :]).astype(x.dtype)
    return members.T @ x / np.maximum(members.sum(axis=0), 1)[:, None]


def memory(gigabytes="4", limit="1GB"):
    """The peak is that of a process of its own, which has the file from this one."""
    rows = int(float(gigabytes) * 1e9) // 128
    with tempfile.TemporaryDirectory() as folder:
        name = os.path.join(folder, "points.dat")
        points = np.memmap(name, "f8", "w+", shape=(rows, 16))
        rng = np.random.default_rng(0)
        expected = []
        for start in range(0, rows, max(1, rows // 16)):
            some = points[start : start + 1000]
            some[:] = 1 + rng.random(some.shape) + 5 * rng.integers(0, 4, (len(some), 1))
            expected.append(np.array(some))
        points.flush()
        del points, some
        np.save(os.path.join(folder, "expected.npy"), in_numpy(np.concatenate(expected), rows))
        done = subprocess.run([sys.executable, "-m", "benchmarks.dask_limits", "child", name,
                               str(rows), limit], check=True, stdout=subprocess.PIPE, text=True)
    print(done.stdout, end="", flush=True)
    peak, share = re.search(r"peak of memory ([\d.]+) .*: ([\d.]+)$", done.stdout).groups()
    return float(peak), float(share)


def in_numpy(points, rows):
    """The centres after one step over these points and zeros, `rows` in all."""
    centres = first_centres()
    nearest = ((points[:, None, :] - centres[None]) ** 2).sum(axis=-1).argmin(axis=1)
    counts = np.bincount(nearest, minlength=len(centres))
    sums = np.stack([points[nearest == k].sum(axis=0) for k in range(len(centres))])
    counts[0] += rows - len(points)
    return sums / np.maximum(counts, 1)[:, None]


def first_centres():
    return np.linspace(0, 15, 4)[:, None] + np.zeros(16)


def child(name, rows, limit):
    points = np.memmap(name, "f8", "r", shape=(int(rows), 16))
    centres = first_centres()
    step = dl.stream(kmeans_step, memory_limit=limit)
    before = resident("VmHWM")
    np.testing.assert_allclose(
        step(points, centres), np.load(os.path.join(os.path.dirname(name), "expected.npy")),
        rtol=1e-9)
    steps, reads = medians(lambda: step(points, centres), lambda: read(name), rounds=3)
    peak = resident("VmHWM")
    size = points.nbytes / 1e9
    print(f"{size:.1f} GB, limit {limit}: peak of memory {peak / 1e9:.2f} GB ({before / 1e9:.2f} "
          f"before), {size / steps:.2f} GB/s, reading alone {size / reads:.2f} GB/s: "
          f"{reads / steps:.2f}", flush=True)


def read(name):
    into = bytearray(CHUNK)
    with open(name, "rb", buffering=0) as file:
        while file.readinto(into):
            pass


def slowly(block):
    threading.Event().wait(0.02)
    return block


def kills(times="50", seed="0"):
    """Workers that are killed while they compute: how many results are right, and how long the last
    of them took to come."""
    rng = random.Random(int(seed))
    x = np.random.default_rng(0).random((1000, 4))
    programs = (standardised, heat)
    right, struck, slowest = 0, 0, 0.0
    with dask.config.set({"distributed.deploy.lost-worker-timeout": "1h"}), cluster() as client:
        for turn in range(int(times)):
            client.wait_for_workers(2, timeout=PATIENCE)
            program, data = programs[turn % 2], x + turn
            blocks = da.from_array(data, (20, 4)).map_blocks(slowly, dtype=x.dtype)
            future = client.compute(dl.compile(program)(blocks))
            victim = rng.choice(sorted(client.run(os.getpid).values()))
            timer = threading.Timer(0.7 * rng.random(), os.kill, (victim, 9))
            timer.start()
            start = time.perf_counter()
            found = future.result(timeout=PATIENCE)
            slowest = max(slowest, time.perf_counter() - start)
            struck += not timer.is_alive()
            timer.join()
            right += np.allclose(found, program(data), rtol=1e-9, atol=1e-12)
    print(f"{right} of {times} results are right; {struck} kills came before the result; the "
          f"slowest took {slowest:.1f} s", flush=True)
    return right


def standardised(x):
    return (x - x.mean(axis=0)) / x.std(axis=0)


def heat(u):
    for _ in range(3):
        u = u[1:-1] + 0.1 * (u[2:] + u[:-2] - 2 * u[1:-1])
    return u


def again():
    """All programs on a new cluster, with an empty cache on disk and once more with that cache."""
    with tempfile.TemporaryDirectory() as folder:
        for run in ("first", "second"):
            with cluster(env={"DYNAMO_CACHE_DIR": folder}, local_directory=folder) as client:
                for function, arguments in dask_programs.programs(1):
                    equal(dl.compile(function)(*arguments), function(*map(in_memory, arguments)))
                stats = dl.stats(client)
                print(f"{run} run: {stats.graphs} functions on workers, {stats.traced} traced, "
                      f"{stats.generated} generated", flush=True)
    return stats.traced + stats.generated


def equal(lazy, plain):
    if not isinstance(lazy, tuple):
        lazy, plain = (lazy,), (plain,)
    for one, other in zip(lazy, plain):
        np.testing.assert_allclose(one.compute(), other, rtol=1e-8, atol=1e-6)


def in_memory(value):
    return value.compute() if isinstance(value, da.Array) else value


def portfolio(s, k, t):
    return dask_programs.black_scholes(s, k, t).sum(axis=0)


def iterated(x):
    y = x * 0.4
    for _ in range(24):
        y = 3.7 * y * (1 - y)
    return y.mean(axis=0), y.std(axis=0)


def workers(megabytes="384"):
    """Programs that compute more than they read and write, and softmax, which does not: the same
    function on arrays of this process, and on blocks that were made on the workers, and that came
    there in messages."""
    dl.config.threads = 1
    found = {one.__name__: (one, given) for one, given in dask_programs.programs(int(megabytes))}
    prices = found["black_scholes"][1]
    programs = [found["kmeans_step"], (portfolio, prices), (iterated, prices[:1]), found["softmax"]]
    del found
    ratios = {}
    with cluster() as client:
        for function, arguments in programs:
            print(f"{function.__name__:16}", end="")
            for kind, place in ("made there", made), ("sent there", spread):
                alone, two = here_and_there(client, dl.compile(function), arguments, place)
                print(f"  blocks {kind}: one thread {alone * 1e3:6.1f} ms, two workers "
                      f"{two * 1e3:6.1f} ms, {alone / two:.2f}x", end="", flush=True)
                ratios[function.__name__, kind] = alone / two
            print()
    return ratios


def here_and_there(client, compiled, arguments, place):
    """Seconds in this process, and on the workers, where `place` puts the blocks."""
    here = [in_memory(one) for one in arguments]
    there = [place(one, client) if isinstance(one, da.Array) else one for one in arguments]
    equal(compiled(*there), compiled(*here))
    return medians(
        lambda: compiled(*here), lambda: dask_programs.on_workers(compiled(*there), client))


def spread(array, client):
    """The array with its blocks, along the first axis, on the workers in turn."""
    names = itertools.cycle(sorted(client.scheduler_info()["workers"]))
    blocks = [client.persist(array.blocks[at], workers=[name])
              for at, name in zip(range(array.numblocks[0]), names)]
    wait(blocks)
    return client.persist(da.concatenate(blocks))


def made(array, client):
    """The same with blocks that were made on the workers, and did not come in messages."""
    there = client.persist(spread(array, client).map_blocks(np.copy))
    wait(there)
    return there


ROWS = {one.__name__: one for one in (overhead, memory, child, kills, again, workers)}

if __name__ == "__main__":
    ROWS[sys.argv[1]](*sys.argv[2:])
