"""Principal components of an array in blocks of rows, on the threads of one process.

    python examples/pca_by_blocks.py [rows]

Means and covariance are folded block by block; the small eigenproblem is one task.
"""
import sys

import dask.array as da
import numpy as np

import dynamo_lite as dl


@dl.compile
def components(x, count):
    centred = x - x.mean(axis=0)
    covariance = centred.T @ centred / (len(x) - 1)
    variances, directions = np.linalg.eigh(covariance)
    return variances[::-1], centred @ directions[:, -count:]


def main(rows=20_000):
    x = da.random.default_rng(0).normal(size=(int(rows), 8), chunks=(int(rows) // 8, 8))
    x = x * np.arange(1, 9)
    variances, projected = components(x, 2)
    print("variances", np.round(variances.compute(), 2))
    print("projection", projected, "with variance", np.round(projected.var(axis=0).compute(), 2))


if __name__ == "__main__":
    main(*sys.argv[1:])
