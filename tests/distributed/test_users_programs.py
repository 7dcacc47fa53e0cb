"""Functions as users write them, on odd and on empty blocks: NumPy's results, by blocks."""
import numpy as np
import pytest

import dynamo_lite as dl

da = pytest.importorskip("dask.array")

RNG = np.random.default_rng(0)
X, V, KEYS = RNG.random((23, 10)), RNG.random(47), RNG.integers(0, 5, 47)
KERNEL = np.array([0.25, 0.5, 0.25])


def image_filter(x):
    p = np.pad(x, 1, mode="edge")
    return (p[:-2, 1:-1] + p[2:, 1:-1] + p[1:-1, :-2] + p[1:-1, 2:] + p[1:-1, 1:-1]) / 5


def reflected(x):
    p = np.pad(x, ((1, 1), (2, 2)), mode="reflect")
    return np.abs(p[2:, 2:-2] - p[:-2, 2:-2]), np.pad(x, 2, constant_values=0.5)


def periodic_steps(u):
    for _ in range(4):
        u = u + 0.1 * (np.roll(u, 1, 0) + np.roll(u, -1, 0) + np.roll(u, 1, 1)
                       + np.roll(u, -1, 1) - 4 * u)
    return u


def rolling(x):
    windows = np.lib.stride_tricks.sliding_window_view(x, 4)
    return windows.mean(axis=-1), windows.max(axis=-1), np.roll(x, 3)


def smoothed(x, kernel):
    return [np.convolve(x, kernel, mode=mode) for mode in ("same", "full", "valid")]


def correlations(x):
    return np.corrcoef(x, rowvar=False), np.cov(x.T), np.average(x, axis=0, weights=x[:, 0])


def groups(keys, values):
    counts = np.bincount(keys, minlength=5)
    means = np.bincount(keys, weights=values, minlength=5) / np.maximum(counts, 1)
    return means, values - means[keys], np.isin(keys, [1, 3]), np.eye(5)[keys]


def spectra(x):
    return np.abs(np.fft.rfft(x, axis=1)) ** 2, np.fft.ifft(np.fft.fft(x, axis=0), axis=0)


def order_statistics(x):
    middle = np.median(x, axis=1, keepdims=True)
    return (np.percentile(x, [5, 50], axis=1), np.quantile(x, 0.3, axis=0), x - middle,
            np.sort(x, axis=1)[:, -3:], np.argsort(x, axis=0),
            np.take_along_axis(x, x.argmax(1)[:, None], axis=1))


def tables(x):
    table = np.linspace(0, 1, 16) ** 2
    return (np.interp(x, np.linspace(0, 1, 11), np.arange(11.0)), table[(x * 15.9).astype(int)],
            np.digitize(x, np.array([0.2, 0.5])), np.searchsorted(table, x),
            np.polyval([1.0, 2.0], x))


def missing(x):
    y = np.where(x > 0.5, np.nan, x)
    return (np.nanmean(y, axis=0), np.nanstd(y, axis=1), np.nanmax(y), np.nansum(y, axis=1),
            np.nan_to_num(y), np.nanmedian(y, axis=0))


def masks(x):
    y = x[x > 0.5]
    z = x.copy()
    z[z > 0.4] = np.sqrt(z[z > 0.4]) + 1
    z[x[:, 0] > 0.6] += 0.25
    return y.size, y.sum(), z, x[x[:, 1] > 0.5].mean(axis=0)


def running(x):
    peak = np.maximum.accumulate(x)
    return ((x - peak) / peak).min(), np.minimum.accumulate(x), np.cumsum(x.reshape(47, 1))


def reshaped(x):
    h, w = x.shape
    return (x[: h // 2 * 2].reshape(h // 2, 2, w // 2, 2).mean(axis=(1, 3)), x.ravel() * 2,
            np.cumsum(x), x.reshape(46, 5).sum(axis=1))


def of_matrices(x):
    stack = x.reshape(23, 1, 10)[:, :, :9].reshape(23, 3, 3) + np.eye(3)
    return np.linalg.inv(stack), np.linalg.det(stack), np.linalg.eigvalsh(stack + 1)


PROGRAMS = [(image_filter, (X,)), (reflected, (X,)), (periodic_steps, (X,)), (rolling, (V,)),
            (smoothed, (V, KERNEL)), (correlations, (X,)), (groups, (KEYS, V)), (spectra, (X,)),
            (order_statistics, (X,)), (tables, (V,)), (missing, (X,)), (masks, (X,)),
            (running, (V + 1,)), (reshaped, (X,)), (of_matrices, (X,))]


def cut(sizes, length):
    """The first of these that make up the length."""
    found = []
    for size in sizes:
        if sum(found) < length:
            found.append(min(size, length - sum(found)))
    return tuple(found)


CUTS = {
    "odd": lambda shape: tuple(cut((5, 7, 1, *[3] * 20), size) for size in shape),
    "empty": lambda shape: tuple(
        cut((0, 8, 0, 7, *[9] * 9), size) + (0,) if axis == 0 else (size,)
        for axis, size in enumerate(shape)),
}


def in_blocks(arguments, cuts):
    """The arrays in blocks; short ones as they are."""
    return [da.from_array(a, cuts(a.shape)) if a.size > 3 else a for a in arguments]


@pytest.mark.parametrize("chunks", CUTS)
@pytest.mark.parametrize("program, arguments", PROGRAMS)
def test_users_programs(program, arguments, chunks):
    lazy = dl.compile(program)(*in_blocks(arguments, CUTS[chunks]))
    expected = program(*arguments)
    several = isinstance(expected, (tuple, list))
    for found, value in zip(lazy if several else (lazy,), expected if several else (expected,),
                            strict=True):
        computed = found.compute(scheduler="sync") if isinstance(found, da.Array) else found
        assert np.asarray(computed).dtype == np.asarray(value).dtype
        assert np.shape(computed) == np.shape(value)
        np.testing.assert_allclose(computed, value, rtol=1e-9, atol=1e-11)


@pytest.mark.parametrize("program, arguments", [
    each for each in PROGRAMS if each[0] in (
        image_filter, periodic_steps, rolling, smoothed, spectra, order_statistics, groups)])
def test_nothing_is_left_to_one_task(program, arguments):
    x = in_blocks(arguments, CUTS["odd"])
    assert "no part of a fused task" not in dl.explain(program)(*x).text


def test_what_lies_beyond_the_ends_costs_no_tasks_of_its_own():
    x = da.from_array(X, (6, 10))
    found = dl.compile(image_filter)(x)
    assert len(found.__dask_graph__()) == len(x.__dask_graph__()) + 4 + 6
