"""Arrays in files of NumPy's `memmap`: they are read, and what is read is what
the array holds."""
import gc
import os
import pickle

import numpy as np
import pytest

import dynamo_lite as dl

pytest.importorskip("dask.array")
from dynamo_lite.distributed.partitions import files
from dynamo_lite.distributed.partitions.sources import BlockSource

X = np.random.default_rng(0).random((1000, 4))


def doubled(x):
    return x * 2 + 1


@pytest.fixture
def path(tmp_path):
    X.tofile(tmp_path / "x.dat")
    return tmp_path / "x.dat"


def mapped(path, mode="r", **options):
    return np.memmap(path, "f8", mode, **{"shape": X.shape, **options})


VIEWS = {
    "all": lambda m: m, "rows": lambda m: m[100:900], "of a view": lambda m: m[100:][5:-7],
    "plain": lambda m: np.asarray(m)[3:], "flat": lambda m: m.reshape(-1)[7:],
    "columns": lambda m: m[:, 1:3], "backwards": lambda m: m[::-1], "steps": lambda m: m[::3],
    "transposed": lambda m: m.T, "other type": lambda m: m.view("i8"),
}
READ = {"all", "rows", "of a view", "plain", "flat", "other type"}
"""Whose bytes lie together in the file."""


@pytest.mark.parametrize("name", VIEWS)
def test_views_of_a_mapped_file(path, name):
    view, plain = VIEWS[name](mapped(path)), VIEWS[name](X)
    np.testing.assert_array_equal(dl.stream(doubled, chunks=70)(view), doubled(plain))
    assert isinstance(BlockSource(view, ()).reader, files.Rows) == (name in READ)


def test_a_file_with_a_head(path, tmp_path):
    np.save(tmp_path / "x.npy", X)
    loaded = np.load(tmp_path / "x.npy", mmap_mode="r")
    np.testing.assert_array_equal(dl.stream(doubled, chunks=70)(loaded[1:]), doubled(X[1:]))


def test_what_was_written_into_memory_alone_is_seen(path):
    private = mapped(path, "c")
    private[10:20] = 5
    np.testing.assert_array_equal(dl.stream(doubled, chunks=70)(private), doubled(private))
    shared = mapped(path, "r+")
    shared[30:40] = 6
    np.testing.assert_array_equal(dl.stream(doubled, chunks=70)(shared[1:]), doubled(shared[1:]))


@pytest.mark.parametrize("replace", [
    lambda path: os.replace(path.with_name("new.dat"), path), lambda path: os.unlink(path)])
def test_a_file_that_was_replaced_or_deleted_is_still_the_array(path, replace):
    old = mapped(path)
    np.zeros_like(X).tofile(path.with_name("new.dat"))
    replace(path)
    np.testing.assert_array_equal(dl.stream(doubled, chunks=70)(old), doubled(X))


def test_a_result_may_take_the_place_of_its_argument(tmp_path):
    np.save(tmp_path / "x.npy", X)
    run = dl.stream(doubled, chunks=70, out=tmp_path / "x.npy")
    first = np.load(tmp_path / "x.npy", mmap_mode="r")
    second = run(first)
    np.testing.assert_array_equal(run(second), doubled(doubled(X)))
    np.testing.assert_array_equal(run(first), doubled(X))


def test_small_mapped_arrays_go_whole_to_every_task(path):
    found = dl.stream(lambda x, y: x - y[0] + np.arange(4), memory_limit="1MB")(
        mapped(path), mapped(path)[:2])
    np.testing.assert_array_equal(found, X - X[0] + np.arange(4))


def test_a_function_left_to_dask_reads_files_too(path):
    def chunks(x):
        return x.sum() + x.numblocks[0]

    found = dl.stream(chunks, chunks=500)(mapped(path))
    assert found == pytest.approx(X.sum() + 2)


@pytest.mark.parametrize("key", [
    (slice(0, 1000), slice(1, 3)), (slice(5, 700), slice(3, 4)), (slice(5, 700), slice(0, 4)),
    (slice(9, 9), slice(1, 3))])
def test_parts_of_rows_are_taken_some_rows_at_a_time(path, monkeypatch, key):
    monkeypatch.setattr(files, "AT_ONCE", 1000)
    found = BlockSource(mapped(path), ()).reader[key]
    np.testing.assert_array_equal(found, X[key])
    assert found.flags.writeable


def test_a_file_that_became_shorter(path):
    """Where a mapping would end the process."""
    array = mapped(path)
    run = dl.stream(doubled, chunks=100)
    run(array)
    os.truncate(path, 1000)
    with pytest.raises(EOFError, match="the file ends at byte"):
        run(array)


def test_files_are_closed(path):
    dl.stream(doubled, chunks=100)(mapped(path))
    gc.collect()
    assert str(path) not in {os.path.realpath(f"/proc/self/fd/{each}")
                             for each in os.listdir("/proc/self/fd")}


def test_another_process_opens_the_file_by_its_name(path):
    reader = pickle.loads(pickle.dumps(BlockSource(mapped(path)[3:], ()).reader))
    np.testing.assert_array_equal(reader[slice(5, 9), slice(0, 4)], X[8:12])


@pytest.mark.parametrize("dtype", ["M8[s]", "m8[ms]", "S3", "U2", ">f8", "c16", "?", "f2", "i1,f8"])
def test_types_of_elements(tmp_path, dtype):
    data = np.frombuffer(np.arange(4000, dtype="u1").tobytes() * 9, "u1")[:36000]
    data = np.zeros(1000, dtype) if dtype in ("U2", "?") else data.view(dtype)[:1000]
    data.tofile(tmp_path / "y.dat")
    array = np.memmap(tmp_path / "y.dat", dtype, "r", shape=data.shape)
    reader = BlockSource(array, ()).reader
    assert reader[slice(10, 990),].tobytes() == data[10:990].tobytes()
