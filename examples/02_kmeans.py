"""The assignment step of k-means: broadcasting without the temporaries.

NumPy builds an array of points x centres x coordinates; here nothing of that size ever exists.

Run it:  python examples/02_kmeans.py
"""
import numpy as np

import dynamo_lite as dl

TITLE = "k-means step, 2,000,000 points"


def function(X, means):
    """Index of the nearest of `means` (k, d) for each point of `X` (n, d)."""
    return np.argmin(np.linalg.norm(X - means[:, None], axis=2), axis=0)


def inputs():
    rng = np.random.default_rng(0)
    centres = np.array([[0.0, 0.0], [3.0, 4.0], [-4.0, 2.0], [1.0, -5.0]])
    points = centres[rng.integers(0, 4, 2_000_000)] + rng.normal(size=(2_000_000, 2))
    return points, centres


@dl.compile
def assign(X, means):
    return np.argmin(np.linalg.norm(X - means[:, None], axis=2), axis=0)


def kmeans(X, means, steps=5):
    """Lloyd's algorithm; only the expensive line is compiled."""
    for _ in range(steps):
        nearest = assign(X, means)
        means = np.array([X[nearest == k].mean(axis=0) for k in range(len(means))])
    return means


if __name__ == "__main__":
    points, centres = inputs()
    print(kmeans(points, centres))
