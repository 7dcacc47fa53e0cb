"""Calls of NumPy on parts of arrays: what they return lies in memory as NumPy has it."""
import numpy as np
import pytest

import dynamo_lite as dl

CUBE = np.random.default_rng(0).random((12, 10, 9))
FUNCTIONS = {
    "roll": lambda a: np.roll(a, 2, axis=0), "roll of all": lambda a: np.roll(a, 2),
    "sort": lambda a: np.sort(a, axis=0), "median": lambda a: np.median(a, axis=0),
    "fft": lambda a: np.fft.fft(a, axis=0), "partition": lambda a: np.partition(a, 3, axis=0),
    "percentile": lambda a: np.percentile(a, 30, axis=0), "gradient": lambda a: np.gradient(a)[0],
    "delete": lambda a: np.delete(a, 1, axis=0), "unwrap": lambda a: np.unwrap(a, axis=0),
    "argsort": lambda a: np.argsort(a, axis=0), "nan_to_num": np.nan_to_num, "i0": np.i0,
}  # fmt: skip
PARTS = {
    "last axis": lambda a: a[:, :, 3], "transposed": lambda a: a[:, :, 3].T,
    "rows cut": lambda a: a[0][:, :5], "rows cut, transposed": lambda a: a[0][:, :5].T,
    "steps": lambda a: a[::2, 1:, 2], "backwards": lambda a: a[::-1, :, 1],
    "three axes": lambda a: a[:, :8], "in another order": lambda a: a[:, :8].transpose(1, 0, 2),
    "repeated": lambda a: np.broadcast_to(a[0, 0], (6, 9)),
}  # fmt: skip


@pytest.mark.parametrize("dynamic", [False, True])
@pytest.mark.parametrize("part", PARTS)
@pytest.mark.parametrize("name", FUNCTIONS)
def test_results_of_parts_lie_as_in_numpy(name, part, dynamic):
    function, given = FUNCTIONS[name], PARTS[part](CUBE)
    expected = function(given)
    found = dl.compile(function, dynamic=dynamic)(given)
    assert (found.dtype, found.shape, found.strides) == (
        expected.dtype, expected.shape, expected.strides)
    assert found.tobytes() == expected.tobytes()


@pytest.mark.parametrize("part", ["last axis", "transposed", "rows cut", "steps"])
def test_parts_are_rolled_in_the_graph(part):
    def streamed(a):
        return np.roll(PARTS[part](a), 2, axis=0) + 1

    assert np.array_equal(dl.compile(streamed, fullgraph=True)(CUBE), streamed(CUBE))
