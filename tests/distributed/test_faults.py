"""Workers that go, that come, and that raise: the right result or the user's exception."""
import os
import random
import resource
import subprocess
import sys
import threading

import numpy as np
import pytest

import dynamo_lite as dl

dask = pytest.importorskip("dask")
da = pytest.importorskip("dask.array")

X = np.random.default_rng(0).random((200, 4))
PATIENCE = 300
"""Seconds: a new worker process imports everything, on a machine that may be busy."""


def standardised(x):
    return (x - x.mean(axis=0)) / x.std(axis=0)


def heat(u):
    for _ in range(3):
        u = u[1:-1] + 0.1 * (u[2:] + u[:-2] - 2 * u[1:-1])
    return u


def divided(x):
    with np.errstate(divide="raise"):
        y = x + 1
        return y / (x - x)


@pytest.fixture(scope="module")
def patient():
    """LocalCluster gives a worker up that is killed again within seconds."""
    with dask.config.set({"distributed.deploy.lost-worker-timeout": "1h"}):
        yield


@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize("program", [standardised, heat])
def test_a_worker_that_is_killed_is_replaced(client, patient, program, seed):
    rng = random.Random(seed)
    x = da.from_array(X + seed, (5, 4)).map_blocks(slowly)
    future = client.compute(dl.compile(program)(x))
    victim = rng.choice(sorted(client.run(os.getpid).values()))
    timer = threading.Timer(0.2 * rng.random(), os.kill, (victim, 9))
    timer.start()
    found = future.result(timeout=PATIENCE)
    np.testing.assert_allclose(found, program(X + seed), rtol=1e-9, atol=1e-12)
    timer.join()
    client.wait_for_workers(2, timeout=PATIENCE)


def slowly(block):
    threading.Event().wait(0.01)
    return block


def test_errors_of_the_users_error_state_come_back(client):
    with pytest.raises(FloatingPointError, match="divide by zero"):
        client.compute(dl.compile(divided)(da.from_array(X, (50, 4)))).result()


def refused(x):
    y = x * 2
    if x.sum() > 5:  # here
        raise ValueError("too large")
    return (y * x).sum()


@pytest.mark.parametrize("scheduler", ["sync", "threads"])
def test_data_that_a_function_raises_for_is_told_with_the_line(scheduler):
    compiled = dl.compile(refused)
    lazy = compiled(da.from_array(X, chunks=50))
    with pytest.raises(dl.errors.DataDiffers, match="(?s)requires of its values.*remedy: ") as told:
        lazy.compute(scheduler=scheduler)
    assert f"{__file__}:{refused.__code__.co_firstlineno + 2} in refused" in str(told.value)
    assert compiled(da.from_array(X[:1], chunks=50)).compute() == refused(X[:1])


def test_a_worker_without_a_cache_on_disk(client):
    def program(x):
        return np.tanh(x) * 3 - x

    client.run(unset_cache)
    found = dl.compile(program)(da.from_array(X, (50, 4))).compute()
    np.testing.assert_array_equal(found, dl.compile(program)(X))


def unset_cache():
    dl.config.cache_dir = "/proc/nothing/can/be/written/here"


def test_workers_of_all_kinds_and_one_that_joins(tmp_path):
    """One has no compiler, one has another CPU, one has no room for its cache, one comes late."""
    distributed = pytest.importorskip("distributed")
    with distributed.LocalCluster(
        n_workers=3, threads_per_worker=1, dashboard_address=":0", silence_logs=50,
        local_directory=tmp_path, env={"DYNAMO_CACHE_DIR": str(tmp_path / "cache")},
    ) as cluster, distributed.Client(cluster) as client:
        for worker, change in zip(client.run(int), (without_compiler, of_another_cpu, full)):
            client.run(change, workers=[worker])
        x = da.from_array(X, (10, 4)).map_blocks(slowly)
        future = client.compute(dl.compile(standardised)(x))
        cluster.scale(4)
        found = future.result(timeout=60)
        np.testing.assert_allclose(found, standardised(X), rtol=1e-9, atol=1e-12)
        client.wait_for_workers(4, timeout=60)
        for worker in client.run(int):
            again = client.compute(dl.compile(heat)(da.from_array(X, (50, 4))), workers=[worker])
            np.testing.assert_allclose(again.result(timeout=60), heat(X), rtol=1e-9)


def without_compiler():
    dl.config.cache = False
    sys.modules.update(dict.fromkeys(("llvmlite", "llvmlite.binding", "llvmlite.ir")))


def of_another_cpu():
    dl.config.cpu = "x86-64-v2"


def full():
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, resource.RLIM_INFINITY))


def test_an_output_that_does_not_fit_on_the_disk(tmp_path):
    text = """if True:
        import os, resource, numpy as np, dynamo_lite as dl
        x, mapped = np.ones((100_000, 4)), np.memmap("m.dat", "f8", "w+", shape=(100_000, 4))
        resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, resource.RLIM_INFINITY))
        try:
            dl.stream(lambda x: x + 1, chunks=10_000, out="y.npy")(x)
        except OSError as error:
            print(type(error).__name__, sorted(os.listdir(".")))
    """
    env = os.environ | {"DYNAMO_CACHE_DIR": str(tmp_path.parent / "cache")}
    done = subprocess.run([sys.executable, "-c", text], capture_output=True, text=True,
                          cwd=tmp_path, env=env, check=True)
    assert done.stdout.strip() == "OSError ['m.dat']"
