"""Large blocks are folded part by part: the same results, whatever the parts are."""
import numpy as np
import pytest

import dynamo_lite as dl

from .messages import as_in_messages

dask = pytest.importorskip("dask")
da = pytest.importorskip("dask.array")
in_parts = pytest.importorskip("dynamo_lite.distributed.tasks.in_parts")
dask_arrays = pytest.importorskip("dynamo_lite.distributed.tasks.dask_arrays")
running = pytest.importorskip("dynamo_lite.distributed.tasks.running")
files = pytest.importorskip("dynamo_lite.distributed.partitions.files")

InParts = in_parts.InParts
RNG = np.random.default_rng(0)
X, CENTRES = RNG.random((997, 6)), RNG.random((4, 6))


@pytest.fixture
def taken(monkeypatch):
    """How many parts each task takes its block apart into; a core has little cache."""
    monkeypatch.setattr(in_parts, "core_cache", lambda: 16_384)
    counts, call = [], in_parts.InParts.__call__

    def counting(self, *arguments):
        length = in_parts.length_of(arguments[self.parts.cut.index(True)])
        counts.append(-(-length // self.parts.rows))
        return call(self, *arguments)

    monkeypatch.setattr(in_parts.InParts, "__call__", counting)
    return counts


def kmeans_step(x):
    distance = ((x[:, None, :] - CENTRES[None, :, :]) ** 2).sum(axis=-1)
    members = (distance.argmin(axis=1)[:, None] == np.arange(4)[None, :]).astype(x.dtype)
    return members.T @ x / members.sum(axis=0)[:, None]


def statistics(x):
    return x.mean(axis=0), x.std(axis=0), x.min(axis=0), x.max(), np.var(x[:, 0] * 2)


def covariance(x):
    centred = x - x.mean(axis=0)
    return centred.T @ centred / (len(x) - 1)


def largest(x):
    return np.where(x[:, 0] > 0.5, x[:, 1], -1).max()


def same(found, expected):
    if not isinstance(found, tuple):
        found, expected = (found,), (expected,)
    for one, other in zip(dask.compute(found, scheduler="sync")[0], expected, strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-11)


@pytest.mark.parametrize("program", [kmeans_step, statistics, covariance, largest])
@pytest.mark.parametrize("chunks", [(300, 6), ((500, 496, 1), (6,))])
def test_folds_of_large_blocks(taken, program, chunks):
    same(dl.compile(program)(da.from_array(X, chunks)), program(X))
    assert max(taken) > 3


@pytest.mark.parametrize("program", [kmeans_step, statistics, covariance, largest])
@pytest.mark.parametrize("chunks", [(300, 6), ((500, 496, 1), (6,))])
def test_blocks_that_are_not_aligned(taken, program, chunks):
    blocks = da.from_array(X, chunks).map_blocks(as_in_messages, dtype=X.dtype)
    same(dl.compile(program)(blocks.persist(scheduler="sync")), program(X))
    assert max(taken) > 3


@pytest.mark.parametrize("kind", ["memory", "memmap", "hdf5"])
def test_files_are_read_part_by_part(taken, tmp_path, kind):
    x = X
    if kind == "memmap":
        X.tofile(tmp_path / "x.dat")
        x = np.memmap(tmp_path / "x.dat", "f8", "r", shape=X.shape)
    if kind == "hdf5":
        h5py = pytest.importorskip("h5py")
        x = h5py.File(tmp_path / "x.h5", "w").create_dataset("x", data=X, chunks=(100, 6))
    same(dl.stream(kmeans_step, chunks=300)(x), kmeans_step(X))
    assert max(taken) == 4


def test_parts_are_compiled_for_as_many_rows_as_they_have(taken, monkeypatch):
    """Only the last part of a block may have another number."""
    monkeypatch.setattr(running, "_runners", {})
    called = []
    monkeypatch.setattr(in_parts, "InParts", lambda *made: called.append(made) or InParts(*made))
    monkeypatch.setattr(dask_arrays, "InParts", in_parts.InParts)
    same(dl.compile(largest)(da.from_array(X, ((500, 497), 6))), largest(X))
    (whole, of_any, _, parts), = called
    sizes = [entry.program.describe()[0][7][0] for function in (whole, of_any)
             for entry in function.runner().compiled.entries()]
    assert sizes == [("static", parts.rows), ("bind", 0)]


def test_parts_of_a_block_are_read_to_one_place(taken, tmp_path, monkeypatch):
    """Memory that the system hands out anew for each costs more than to read the part."""
    X.tofile(tmp_path / "x.dat")
    places, read = [], files.OpenFile.read_into

    def reading(self, buffer, offset):
        places.append(np.frombuffer(buffer, np.uint8).ctypes.data)
        read(self, buffer, offset)

    monkeypatch.setattr(files.OpenFile, "read_into", reading)
    points = np.memmap(tmp_path / "x.dat", "f8", "r", shape=X.shape)
    same(dl.stream(statistics, chunks=300)(points), statistics(X))
    assert len(places) == sum(taken) > 2 * len(taken) >= 2 * len({*places})


def chain(x):
    return np.sqrt(x * x + 1) - x.max(axis=1, keepdims=True), x[:, 1:3], x


def test_one_compiled_function_serves_blocks_at_any_address(monkeypatch):
    """What is read by kernels alone is not copied first; results look as if it had been."""
    monkeypatch.setattr(running, "_runners", {})
    parts = [X[:300], as_in_messages(X[300:600]), X[600:900], as_in_messages(X[900:])]
    x = da.concatenate([da.from_delayed(dask.delayed(part, pure=False), part.shape, part.dtype)
                        for part in parts])
    found = dask.compute(dl.compile(chain)(x), scheduler="sync")[0]
    for one, other in zip(found, chain(X), strict=True):
        assert one.tobytes() == other.tobytes()
    for runner in running._runners.values():
        assert len(runner.compiled.entries()) == 1
    whole = dl.compile(chain)(da.from_array(X, -1))
    for one in dask.compute(whole, scheduler="sync")[0]:
        assert one.flags.aligned and one.flags.writeable


def placed(x):
    return (x * np.arange(len(x))[:, None]).sum(axis=0)


def positions(x):
    return x.argmax(axis=0)


def doubled(x):
    return x * 2


def wide(x):
    return x.T @ x


def by_columns(x):
    return x.sum(axis=1)


@pytest.mark.parametrize("program, chunks", [
    (placed, (300, 6)), (positions, (300, 6)), (doubled, (300, 6)), (by_columns, (997, 3)),
    (placed, (10, 6))])
def test_what_is_not_taken_apart(taken, program, chunks):
    same(dl.compile(program)(da.from_array(X, chunks)), program(X))
    assert not taken


def test_results_that_are_as_large_as_what_is_read(taken):
    x = RNG.random((400, 60))
    same(dl.compile(wide)(da.from_array(x, (200, 60))), wide(x))
    assert not taken


def raises(x):
    with np.errstate(divide="raise"):
        return (1 / x).sum(axis=0)


def test_exceptions_name_the_line(taken):
    x = X.copy()
    x[700, 2] = 0
    with pytest.raises(FloatingPointError, match="divide by zero") as told:
        dl.compile(raises)(da.from_array(x, (300, 6))).compute(scheduler="sync")
    assert any(entry.name == "raises" for entry in told.traceback)
