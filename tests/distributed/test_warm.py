"""The second run of a program on new workers, with the cache on disk warm."""
import numpy as np
import pytest

import dynamo_lite as dl

da = pytest.importorskip("dask.array")
distributed = pytest.importorskip("distributed")

X = np.random.default_rng(0).random((90, 6))


def standardised(x):
    return (x - x.mean(axis=0)) / x.std(axis=0)


def blur(x):
    return np.exp(-(x[:-2] + x[1:-1] + x[2:]) / 3)


PROGRAMS = (standardised, blur)


def counts(folder):
    """What the workers of a new cluster traced and made code for."""
    with distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, dashboard_address=":0", silence_logs=50,
        local_directory=folder, env={"DYNAMO_CACHE_DIR": f"{folder}/cache"},
    ) as cluster, distributed.Client(cluster) as client:
        found = client.compute([dl.compile(each)(da.from_array(X, (20, 6))) for each in PROGRAMS])
        for future, program in zip(found, PROGRAMS):
            np.testing.assert_allclose(future.result(), program(X), rtol=1e-9, atol=1e-12)
        stats = dl.stats(client)
        assert len(stats.workers) == 2 and stats.graphs > 0 and stats.coverage == 1
        return stats.traced, stats.generated


def test_workers_neither_trace_nor_make_code(tmp_path):
    traced, generated = counts(tmp_path)
    assert traced == 0 and generated > 0
    assert counts(tmp_path) == (0, 0)
