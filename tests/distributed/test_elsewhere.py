"""Compiled functions in processes that are not Dask's: Ray's, those of pools, and one function a
rank, as MPI programs have it."""
import multiprocessing
from concurrent.futures import ProcessPoolExecutor

import numpy as np
import pytest

import dynamo_lite as dl

X = np.random.default_rng(0).random((90, 4))
RANKS = 3
SPAWN = multiprocessing.get_context("spawn")


@dl.compile(fullgraph=True)
def moments(x):
    return np.array([(x * x).sum(), x.sum(), x.size])


@dl.compile(fullgraph=True)
def smoothed(x):
    return (x[:-2] + x[1:-1] + x[2:]) / 3


def inverse(x):
    return np.linalg.inv(x * 1)


def test_a_pool_of_processes_maps_blocks():
    with ProcessPoolExecutor(2, mp_context=SPAWN) as pool:
        found = sum(pool.map(moments, np.array_split(X, 5)))
        np.testing.assert_allclose(found, moments.__wrapped__(X))
        with pytest.raises(np.linalg.LinAlgError, match="Singular"):
            pool.submit(dl.compile(inverse), np.zeros((2, 2))).result()


def rank(number, blocks, ends, total):
    """One rank of a program: its block, margins to and from its neighbours, and a sum of all."""
    own = blocks[number]
    for neighbour in (number - 1, number + 1):
        if 0 <= neighbour < RANKS:
            ends[number, neighbour][0].send(own[:1] if neighbour < number else own[-1:])
    before = ends[number - 1, number][1].recv() if number else own[:0]
    after = ends[number + 1, number][1].recv() if number + 1 < RANKS else own[:0]
    result = smoothed(np.concatenate([before, own, after]))
    total.put((number, result, moments(own)))


def test_ranks_exchange_margins_and_sums():
    blocks = np.array_split(X, RANKS)
    pairs = [(a, b) for a in range(RANKS) for b in (a - 1, a + 1) if 0 <= b < RANKS]
    ends = {pair: SPAWN.Pipe(duplex=False)[::-1] for pair in pairs}
    total = SPAWN.Queue()
    ranks = [SPAWN.Process(target=rank, args=(k, blocks, ends, total)) for k in range(RANKS)]
    for each in ranks:
        each.start()
    found = sorted((total.get(timeout=60) for _ in ranks), key=lambda one: one[0])
    for each in ranks:
        each.join()
    whole = np.concatenate([result for _, result, _ in found])
    np.testing.assert_array_equal(whole, smoothed.__wrapped__(X))
    np.testing.assert_allclose(sum(part for *_, part in found), moments.__wrapped__(X))


def test_ray(monkeypatch):
    ray = pytest.importorskip("ray")
    monkeypatch.setenv("RAY_AUTH_MODE", "disabled")
    monkeypatch.setenv("RAY_USAGE_STATS_ENABLED", "0")
    ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False)

    @ray.remote
    def task(block):
        return moments(block)

    @ray.remote
    class Smoother:
        def __init__(self, function):
            self.run = dl.compile(function)

        def smooth(self, block):
            return self.run(block), dl.stats().frames

    try:
        found = sum(ray.get([task.remote(block) for block in np.array_split(X, 4)]))
        np.testing.assert_allclose(found, moments.__wrapped__(X))
        actor = Smoother.remote(smoothed.__wrapped__)
        one = ray.put(X)
        for _ in range(2):
            found, frames = ray.get(actor.smooth.remote(one))
            np.testing.assert_array_equal(found, smoothed.__wrapped__(X))
        assert frames <= 1  # an entry on disk is no new one
    finally:
        ray.shutdown()
