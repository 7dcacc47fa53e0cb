"""Tasks on threads of this process: in the order of their blocks, with a share of those of BLAS."""
import itertools
import threading

import numpy as np
import pytest

import dynamo_lite as dl

pytest.importorskip("dask.array")
from dynamo_lite.distributed.partitions.files import Rows
from dynamo_lite.distributed.threads import blas, on_threads

X = np.random.default_rng(0).random((4000, 4))


@pytest.fixture
def mapped(tmp_path):
    X.tofile(tmp_path / "x.dat")
    return np.memmap(tmp_path / "x.dat", "f8", "r", shape=X.shape)


@pytest.fixture
def read(monkeypatch):
    """Where the blocks began that were read, in this order."""
    begun, getitem = [], Rows.__getitem__

    def recording(self, key):
        begun.append(key[0].start)
        return getitem(self, key)

    monkeypatch.setattr(Rows, "__getitem__", recording)
    return begun


@pytest.mark.parametrize("program, passes", [
    (lambda x: x.sum(), 1), (lambda x: x * 2, 1), (lambda x: x - x.mean(axis=0), 2),
    (lambda x: (x - x.mean(axis=0)).std(axis=0), 2), (lambda x: (x - x.mean()) / x.std(), 2),
    (lambda x: (x[1:] - x[:-1] - x.max()).std(axis=0), 2)])
def test_files_are_read_from_the_beginning_to_the_end(mapped, read, program, passes):
    dl.stream(program, chunks=40, threads=1)(mapped)
    assert {*read} >= {*range(0, 3960, 40)}
    assert sum(there < before for before, there in itertools.pairwise(read)) == passes - 1


def test_partial_results_are_combined_before_more_blocks_are_read(mapped):
    """Else all partial results would be in memory at the end of the file."""
    from dask.callbacks import Callback

    most = 0

    def finished(key, result, graph, state, worker):
        nonlocal most
        most = max(most, len(state["cache"]))

    with Callback(posttask=finished):
        dl.stream(lambda x: x.sum(axis=0), chunks=10, threads=2)(mapped)
    assert most < 60


def threads_of_blas():
    threadpoolctl = pytest.importorskip("threadpoolctl")
    return {each["num_threads"] for each in threadpoolctl.threadpool_info()
            if each["user_api"] == "blas"}


def test_tasks_side_by_side_share_the_threads_of_blas(mapped, monkeypatch):
    before, seen = threads_of_blas(), []
    with on_threads(64):
        seen.append(threads_of_blas())
        with on_threads(64):
            seen.append(threads_of_blas())
        seen.append(threads_of_blas())
    assert seen == [{1}] * 3
    assert threads_of_blas() == before


def test_streams_that_overlap(mapped):
    """Each has its own threads, and BLAS has its own again behind the last."""
    before, found = threads_of_blas(), []
    run = dl.stream(lambda x: x.T @ x, chunks=40)
    others = [threading.Thread(target=lambda: found.append(run(mapped))) for _ in range(6)]
    for each in others:
        each.start()
    for each in others:
        each.join()
    np.testing.assert_allclose(found, [X.T @ X] * 6)
    assert threads_of_blas() == before and blas.sharing == 0


def test_errors_leave_no_thread_behind(mapped):
    before = threading.active_count()
    with pytest.raises(np.linalg.LinAlgError):
        dl.stream(lambda x: np.linalg.inv(x[:4] * 0) + x[4:8], chunks=2, threads=3)(mapped)
    assert threading.active_count() == before


def test_the_state_of_errors_holds_on_threads(mapped):
    with np.errstate(divide="raise"), pytest.raises(FloatingPointError):
        dl.stream(lambda x: x / (x - x), chunks=100, threads=2)(mapped + 1)


def test_what_takes_many_steps_is_kept(mapped, read):
    """Each of many passes would else be compiled with the steps of all those before."""
    def centred(x):
        for _ in range(120):
            x = x - x.mean(axis=0) * 0.5
        return x.sum(axis=0)

    found = dl.stream(centred, chunks=2000)(mapped)
    np.testing.assert_allclose(found, centred(X), atol=1e-9)
    assert 20 <= len(read) / 2 <= 60
