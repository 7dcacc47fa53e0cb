"""Histograms by a kernel of ours, in the interpreter and as PTX."""
from __future__ import annotations

import numpy as np
import pytest
from dynamo_lite.backends.triton.devices import histograms
from dynamo_lite.backends.triton.devices.histograms import MOST_BINS, Histograms, kernel_of

from tests.triton.host import NoisyHost

pytest.importorskip("triton")
X = np.random.default_rng(1).normal(size=5001)
DATA = {
    "numbers": X, "singles": X.astype("f4"), "equal": np.full(3000, 2.5), "steps": np.round(X, 1),
    "matrix": X[:5000].reshape(50, 100).T,
    "huge": np.where(X > 0, 1e308, -0.0), "infinite edge": X.astype("f4") * np.float32(1e37),
}


class Counting(Histograms):
    ours = 0

    def _count(self, *args):
        self.ours += 1
        super()._count(*args)


@pytest.fixture(autouse=True)
def few(monkeypatch):
    monkeypatch.setattr(histograms, "FEWEST", 100)


@pytest.mark.parametrize("bins", [1, 2, 3, 50, 64, 255, 256, MOST_BINS])
@pytest.mark.parametrize("name", DATA)
def test_counts_are_numpys(name, bins):
    made = Counting(NoisyHost(), np.histogram)
    for x in (DATA[name], DATA[name][::2]):
        found, expected = made(x, bins), np.histogram(x, bins)
        for got, want in zip(found, expected, strict=True):
            assert got.dtype == want.dtype
            np.testing.assert_array_equal(got, want)
    assert made.ours == 2


@pytest.mark.parametrize(("args", "kwargs"), [
    ((X, MOST_BINS + 1), {}), ((X, np.arange(4.0)), {}), ((X, 5, (0, 1)), {}),
    ((X, 5), {"density": True}), ((X.astype("i8"), 5), {}), ((X[:50], 5), {}),
])  # fmt: skip
def test_the_rest_is_the_librarys(args, kwargs):
    made = Counting(NoisyHost(), np.histogram)
    for got, want in zip(made(*args, **kwargs), np.histogram(*args, **kwargs)):
        np.testing.assert_array_equal(got, want)
    assert not made.ours


def test_what_is_no_number_is_an_error_of_the_librarys():
    with pytest.raises(ValueError, match="not finite"):
        Histograms(NoisyHost(), np.histogram)(np.where(X > 2, np.nan, X), 5)


@pytest.mark.parametrize("dtype", ["f4", "f8"])
@pytest.mark.parametrize("bins", [1, 50, MOST_BINS])
def test_it_compiles(dtype, bins):
    from dynamo_lite.backends.triton.binaries.compiler import compile_kernel

    from .test_triton import stack_bytes

    binary, ptx = compile_kernel(kernel_of(np.dtype(dtype), bins), 0)
    assert "atom" in ptx or "red." in ptx
    assert stack_bytes(binary.cubin) == 0
