"""Slices with steps, along axes that are cut: each block has its own part of them."""
import numpy as np
import pytest

import dynamo_lite as dl

dask = pytest.importorskip("dask")
da = pytest.importorskip("dask.array")

X = np.random.default_rng(0).random((23, 10))


def coarse(x):
    return (x[:-1:2, ::2] + x[1::2, ::2] + x[:-1:2, 1::2] + x[1::2, 1::2]) / 4


def every_third(x):
    return x[2::3, None, 1:9:4] * 2, x[:, ::5].sum(axis=0), x[4:20:30], x[20:4:3] + 1


def climate(x):
    return np.stack([x[month::12].mean(axis=0) for month in range(12)])


@pytest.mark.parametrize("program", [coarse, every_third, climate])
@pytest.mark.parametrize("chunks", [(5, 4), (6, 10), (23, 3), (1, 1), ((2, 20, 1), (9, 1))])
def test_slices_with_steps(program, chunks):
    lazy = dl.compile(program, fullgraph=True)(da.from_array(X, chunks))
    found, expected = dask.compute(lazy, scheduler="sync")[0], program(X)
    if not isinstance(expected, tuple):
        found, expected = (found,), (expected,)
    for one, other in zip(found, expected, strict=True):
        assert one.shape == other.shape
        np.testing.assert_allclose(one, other, rtol=1e-12)


def test_they_are_part_of_a_task():
    explanation = dl.explain(coarse)(da.from_array(X[:20], (10, 10)))
    assert "is no part of a fused task" not in explanation.text


def test_steps_that_begin_elsewhere_in_each_block_are_left_to_dask():
    explanation = dl.explain(climate)(da.from_array(X, (2, 10)))
    assert "steps that begin elsewhere in each block" in explanation.text


def backwards(x):
    return x[None, 2:12:-2] * 2, x[::-1][:4], x[-3:2:-4, ::-1]


def test_slices_in_reverse_order():
    for one, other in zip(dl.compile(backwards)(da.from_array(X, (4, 4))), backwards(X)):
        np.testing.assert_array_equal(one.compute(scheduler="sync"), other)
