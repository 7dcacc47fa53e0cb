"""Workers that go, that come, and that raise: the right result or the user's exception."""
import os
import threading

import numpy as np
import pytest

import dynamo_lite as dl

da = pytest.importorskip("dask.array")

X = np.random.default_rng(0).random((200, 4))


def standardised(x):
    return (x - x.mean(axis=0)) / x.std(axis=0)


def divided(x):
    with np.errstate(divide="raise"):
        y = x + 1
        return y / (x - x)


def test_a_worker_that_is_killed_is_replaced(client):
    x = da.from_array(X, (5, 4)).map_blocks(slowly)
    future = client.compute(dl.compile(standardised)(x))
    victim = sorted(client.run(os.getpid).values())[0]
    threading.Timer(0.1, os.kill, (victim, 9)).start()
    np.testing.assert_allclose(future.result(timeout=60), standardised(X), rtol=1e-9, atol=1e-12)
    client.wait_for_workers(2, timeout=60)


def slowly(block):
    threading.Event().wait(0.01)
    return block


def test_errors_of_the_users_error_state_come_back(client):
    with pytest.raises(FloatingPointError, match="divide by zero"):
        client.compute(dl.compile(divided)(da.from_array(X, (50, 4)))).result()


def test_a_worker_without_a_cache_on_disk(client):
    def program(x):
        return np.tanh(x) * 3 - x

    client.run(unset_cache)
    found = dl.compile(program)(da.from_array(X, (50, 4))).compute()
    np.testing.assert_array_equal(found, dl.compile(program)(X))


def unset_cache():
    dl.config.cache_dir = "/proc/nothing/can/be/written/here"
