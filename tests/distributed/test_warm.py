"""The second run of a program on new workers, with the cache on disk warm: they make no code."""
import itertools
import random

import numpy as np
import pytest

import dynamo_lite as dl

from .messages import as_in_messages

dask = pytest.importorskip("dask")
da = pytest.importorskip("dask.array")
distributed = pytest.importorskip("distributed")

X = np.random.default_rng(0).random((90, 6))


def standardised(x):
    return (x - x.mean(axis=0)) / x.std(axis=0)


def blur(x):
    return np.exp(-(x[:-2] + x[1:-1] + x[2:]) / 3)


PROGRAMS = (standardised, blur)


def by_blocks(client):
    return [client.compute(dl.compile(each)(da.from_array(X, (20, 6)))) for each in PROGRAMS]


@dl.compile
def scaled(x):
    return np.sqrt(x * x + 1) / (2 + x)


def as_tasks(client):
    """Blocks that lie where they were made, and others that came in messages."""
    made = [client.submit(np.full, (30, 5), k * 1.0) for k in range(8)]
    sent = [client.submit(scaled, X[:30, :5] + k) for k in range(8)]
    return [*sent, *client.map(scaled, made)]


def expected_of(run):
    if run is by_blocks:
        return [program(X) for program in PROGRAMS]
    return [scaled(x) for x in [*(X[:30, :5] + k for k in range(8)),
                                *(np.full((30, 5), k * 1.0) for k in range(8))]]


def counts(folder, run):
    """What the workers of a new cluster traced and made code for."""
    with distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, dashboard_address=":0", silence_logs=50,
        local_directory=folder,
        env={"DYNAMO_CACHE_DIR": f"{folder}/cache", "DYNAMO_KEEP_ENTRIES": "1"},
    ) as cluster, distributed.Client(cluster) as client:
        for future, expected in zip(run(client), expected_of(run), strict=True):
            np.testing.assert_allclose(future.result(), expected, rtol=1e-9, atol=1e-12)
        stats = dl.stats(client)
        assert len(stats.workers) == 2 and stats.graphs > 0 and stats.coverage == 1
        return stats.traced, stats.generated


@pytest.mark.parametrize("run", [by_blocks, as_tasks])
def test_workers_neither_trace_nor_make_code(tmp_path, run):
    """Of a graph for blocks they never trace anything."""
    traced, generated = counts(tmp_path, run)
    assert (traced > 0) == (run is as_tasks) and generated > 0
    assert counts(tmp_path, run) == (0, 0)


def products(x):
    return x.T @ x, x @ x.T


def places(x):
    return (x * np.arange(len(x))[:, None]).sum(axis=0), x.argmax(axis=0), np.cumsum(x, axis=0)


def columns(x):
    return x.sum(axis=0), x.max(axis=0)


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("program, chunks", [
    (standardised, (20, 6)), (blur, (20, 6)), (products, (20, 6)), (places, (20, 6)),
    (columns, (5, 4))])
def test_the_same_code_whichever_tasks_come_first(program, chunks, seed, monkeypatch):
    """Else a worker makes code in the second run that none needed in the first. Some blocks lie as
    those do that came from other processes. Four partial results at a time are combined, of four
    columns."""
    running = pytest.importorskip("dynamo_lite.distributed.tasks.running")
    partial_results = pytest.importorskip("dynamo_lite.distributed.tasks.partial_results")
    monkeypatch.setattr(running, "_runners", {})
    monkeypatch.setattr(partial_results, "ARITY", 4)
    generator = random.Random(seed)
    kinds = as_in_messages, np.ascontiguousarray
    source = da.from_array(X, chunks).map_blocks(
        lambda block: generator.choice(kinds)(block), dtype=X.dtype)
    found = dl.compile(program)(source.persist(scheduler="sync"))
    results = found if isinstance(found, tuple) else (found,)
    blocks = [each.blocks[at] for each in results
              for at in itertools.product(*map(range, each.numblocks))]
    generator.shuffle(blocks)
    for block in blocks:
        block.compute(scheduler="sync")
    assert {len(each.compiled.entries()) for each in running._runners.values()} == {1}
    expected = program(X)
    for one, other in zip(results, expected if isinstance(expected, tuple) else (expected,)):
        np.testing.assert_allclose(one.compute(scheduler="sync"), other, rtol=1e-9, atol=1e-12)
