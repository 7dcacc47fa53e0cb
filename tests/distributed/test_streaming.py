"""Arrays larger than memory: files, block by block on threads, and results that are whole or not
there."""
import os
import tracemalloc

import numpy as np
import pytest

import dynamo_lite as dl

pytest.importorskip("dask.array")

X = np.random.default_rng(0).random((1000, 4))


def standardised(x):
    return (x - x.mean(axis=0)) / x.std(axis=0)


def blur(x):
    return (x[:-2] + x[1:-1] + x[2:]) / 3


@pytest.fixture
def mapped(tmp_path):
    file = np.memmap(tmp_path / "x.dat", "f8", "w+", shape=X.shape)
    file[:] = X
    file.flush()
    return np.memmap(tmp_path / "x.dat", "f8", "r", shape=X.shape)


@pytest.mark.parametrize("options", [
    {}, {"chunks": 100}, {"chunks": (300, 3)}, {"memory_limit": "50 kB"}, {"threads": 1}])
@pytest.mark.parametrize("program", [standardised, blur])
def test_a_memmap_is_streamed(mapped, program, options):
    found = dl.stream(program, **options)(mapped)
    assert type(found) is np.ndarray
    np.testing.assert_allclose(found, program(X), rtol=1e-9, atol=1e-12)


def test_masked_arrays_keep_their_masks():
    masked = np.ma.masked_less(X, 0.5)
    found = dl.stream(lambda x: x.sum(axis=0), chunks=100)(masked)
    np.testing.assert_allclose(found, masked.sum(axis=0))


def test_fields_of_records_are_read():
    records = np.zeros(1000, [("a", "f8"), ("b", "i4")])
    records["a"], records["b"] = X[:, 0], np.arange(1000)
    found = dl.stream(lambda x: x["a"] * x["b"], chunks=100)(records)
    np.testing.assert_array_equal(found, records["a"] * records["b"])


def test_an_argument_that_is_the_result(mapped, tmp_path):
    whole, total = dl.stream(lambda x: (x, x.sum()), chunks=100)(mapped)
    assert whole is mapped and total == pytest.approx(X.sum())
    written = dl.stream(lambda x: x, chunks=100, out=tmp_path / "y.npy")(mapped)
    np.testing.assert_array_equal(written, X)


@pytest.mark.parametrize("dtype, top", [("u1", 255), ("i1", 127), ("u2", 65535), ("i8", 9)])
@pytest.mark.parametrize("least", [0, 300])
def test_counts_of_small_integers(dtype, top, least):
    numbers = np.random.default_rng(0).integers(0, top, 1000).astype(dtype)
    numbers[500] = top
    found = dl.stream(lambda x: np.bincount(x, minlength=least), chunks=100)(numbers)
    np.testing.assert_array_equal(found, np.bincount(numbers, minlength=least))


def test_the_backend_computes_at_once(mapped):
    for array in (mapped, X):
        found = dl.compile(standardised, backend="dask")(array)
        np.testing.assert_allclose(found, standardised(X), rtol=1e-9, atol=1e-12)
    assert dl.compile(lambda x: x.sum(), backend="dask")(X) == pytest.approx(X.sum())


def test_datasets_of_zarr_and_hdf5(tmp_path):
    zarr, h5py = pytest.importorskip("zarr"), pytest.importorskip("h5py")
    like = {"mode": "w", "shape": X.shape, "chunks": (100, 4), "dtype": "f8"}
    group = zarr.open(str(tmp_path / "x.zarr"), **like)
    group[:] = X
    with h5py.File(tmp_path / "x.h5", "w") as file:
        file["x"] = X
        for dataset in (group, file["x"]):
            found = dl.stream(standardised, chunks=100)(dataset)
            np.testing.assert_allclose(found, standardised(X), rtol=1e-9, atol=1e-12)
        out = zarr.open(str(tmp_path / "y.zarr"), **like)
        assert dl.stream(standardised, chunks=100, out=out)(file["x"]) is out
    np.testing.assert_allclose(out[:], standardised(X), rtol=1e-9, atol=1e-12)


def test_results_go_where_they_belong(mapped, tmp_path):
    out = np.memmap(tmp_path / "y.dat", "f8", "w+", shape=X.shape)
    assert dl.stream(standardised, chunks=100, out=out)(mapped) is out
    np.testing.assert_allclose(out, standardised(X), rtol=1e-9, atol=1e-12)
    name = str(tmp_path / "y.npy")
    np.testing.assert_array_equal(dl.stream(standardised, chunks=100, out=name)(mapped), out)
    np.testing.assert_array_equal(np.load(name), out)
    both = dl.stream(lambda x: (x + 1, x.sum(axis=1)), chunks=100,
                     out=(str(tmp_path / "a.npy"), str(tmp_path / "b.npy")))(mapped)
    np.testing.assert_array_equal(both[0], X + 1)


def test_nothing_half_written_is_left(mapped, tmp_path):
    def fails(x):
        return np.linalg.inv(x[:4] * 0) + x[4:8]

    out, name = np.full((4, 4), 7.0), tmp_path / "y.npy"
    before = sorted(os.listdir(tmp_path))
    for place in (out, name):
        with pytest.raises(np.linalg.LinAlgError):
            dl.stream(fails, chunks=2, out=place)(mapped)
    assert sorted(os.listdir(tmp_path)) == before
    assert (out == 7).all()


@pytest.mark.parametrize("program", [
    lambda x: (x - x.mean(axis=0)).std(axis=0),
    lambda x: np.abs((x - x.mean(axis=0)) / x.std(axis=0)).max(axis=0),
    lambda x: (x[1:] - x[:-1]).var(axis=0),
    lambda x: (np.cumsum(x, axis=0) / x.sum(axis=0)).mean(axis=0),
    lambda x: np.percentile(x[:, 0], [5, 50, 95]),
    lambda x: ((x - x.min()).T @ (x - x.max())),
])
def test_a_second_pass_does_not_keep_the_array(tmp_path, program):
    """Of 16 MB, no more than a quarter is in memory at any time."""
    data = np.random.default_rng(0).random((1 << 17, 16))
    data.tofile(tmp_path / "x.dat")
    array = np.memmap(tmp_path / "x.dat", "f8", "r", shape=data.shape)
    run = dl.stream(program, memory_limit="4MB", threads=2)
    np.testing.assert_allclose(run(array[:5000]), program(data[:5000]), rtol=1e-7)
    tracemalloc.start()
    try:
        found = run(array)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    np.testing.assert_allclose(found, program(data), rtol=1e-7)
    assert peak < data.nbytes / 4


@pytest.mark.parametrize("options, message", [
    ({"chunks": 0}, "chunks=0"), ({"chunks": 2.5}, "chunks=2.5"), ({"chunks": (1, -3)}, "chunks="),
    ({"memory_limit": "much"}, "memory_limit='much'"), ({"memory_limit": 0}, "no memory"),
    ({"memory_limit": "-1GB"}, "no memory"), ({"threads": -1}, "threads"),
])
def test_options_that_make_no_sense(options, message):
    with pytest.raises(ValueError, match=message):
        dl.stream(standardised, **options)


def test_options_of_the_wrong_kind():
    with pytest.raises(TypeError, match="memory_limit"):
        dl.stream(standardised, memory_limit=[1])
    with pytest.raises(TypeError, match="backend"):
        dl.stream(standardised, backend="llvm")
    with pytest.raises(TypeError, match="function"):
        dl.stream(3)


def test_an_output_that_does_not_fit_is_refused_before_anything_is_computed(mapped):
    for out, error in ((np.empty((3, 4)), ValueError), (np.empty(X.shape, "i4"), TypeError),
                       ((np.empty(X.shape),) * 2, ValueError)):
        with pytest.raises(error, match="out"):
            dl.stream(standardised, chunks=100, out=out)(mapped)


def test_a_bar_shows_how_far_it_is(mapped, capsys):
    dl.stream(standardised, chunks=100, progress=True)(mapped)
    dl.stream(standardised, chunks=100)(mapped)
    assert "Completed" not in capsys.readouterr().out
