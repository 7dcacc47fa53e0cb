"""Statistics."""
# ruff: noqa
import numpy as np

from .entries import B, F, I, M, N, P, T, V, W, survey


@survey(M)
def means(x): return x.mean(), np.mean(x, axis=0), x.std(axis=1), np.var(x, ddof=1), np.std(x, axis=0, keepdims=True), np.mean(x, dtype="f4")


@survey(M)
def means_where(x): return np.mean(x, where=x > 0), np.std(x, where=x > 0), np.mean(x[x.shape[0] // 2])


@survey(M)
def medians(x): return np.median(x), np.median(x, axis=0), np.median(x, axis=1, keepdims=True)


@survey(M)
def quantiles(x): return np.percentile(x, 30), np.percentile(x, [25, 50, 75], axis=0), np.quantile(x, 0.1, method="nearest"), np.quantile(x[0], [0.1, 0.9])


@survey(M, P)
def averages(x, w): return np.average(x), np.average(x, axis=0, weights=w[:4]), np.average(x[0], weights=w[:6])


@survey(M, close=True)
def covariances(x): return np.cov(x), np.cov(x[0], x[1]), np.corrcoef(x), np.cov(x, rowvar=False, ddof=0)


@survey(I, breaks=1, why="sizes depend on data")
def counts(i): return np.bincount(i, minlength=10)[:5]


@survey(I, P, breaks=1, why="the size depends on data")
def weighted_counts(i, w): return np.bincount(i, weights=w)


@survey(V)
def histograms(x):
    counts, edges = np.histogram(x, bins=5)
    return counts, edges, np.histogram(x, bins=[-2.0, 0.0, 2.0])[0], np.histogram(x, 4, range=(-1, 1), density=True)[0]


@survey(V, W, breaks=1, why="not an operation of the graph")
def histograms_2d(x, y): return np.histogram2d(x, y, bins=3)[0], np.histogramdd((x, y), bins=2)[0]


@survey(V)
def histogram_edges(x): return np.histogram_bin_edges(x, 4), np.histogram_bin_edges(x, [0, 1, 2])


@survey(M)
def spreads(x): return np.ptp(x), np.ptp(x, axis=0), np.max(x) - np.min(x), np.percentile(x, 75) - np.percentile(x, 25)


@survey(F, T)
def mixed_dtypes(f, t): return f.mean(dtype="f8"), t.var(axis=(0, 1)), f.var(axis=0), np.nanmean(f)


@survey(B, I)
def of_booleans(b, i): return b.sum(), b.mean(), b.any(), b.all(), np.count_nonzero(b), i.mean(), i.std(), i.sum(dtype="i4"), np.median(i)


@survey(N)
def of_gaps(x): return np.nanmedian(x, axis=0), np.isnan(x).sum(axis=0), np.nanpercentile(x, [10, 90]), np.nanmax(x) - np.nanmin(x)


@survey(V)
def moving_average(x):
    kernel = np.ones(3) / 3
    return np.convolve(x, kernel, mode="valid"), np.cumsum(x) / np.arange(1, len(x) + 1)


@survey(V, W)
def regression(x, y):
    slope = np.cov(x, y)[0, 1] / np.var(x, ddof=1)
    return slope, y.mean() - slope * x.mean(), np.corrcoef(x, y)[0, 1]


@survey(V, close=True)
def z_scores(x):
    z = (x - x.mean()) / x.std()
    return z, np.exp(-0.5 * z**2) / np.sqrt(2 * np.pi), (np.abs(z) > 1).sum()
