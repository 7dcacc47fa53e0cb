"""Loops over elements, as they are written for Python: they become native loops of one graph.

A dynamic program (how alike two series are, whatever their pace) and a solver that goes on until
nothing changes any more (the steady temperature of a plate).

Run it:  python examples/09_loops.py
"""
import numpy as np

import dynamo_lite as dl

TITLE = "loops: time warping 120 x 100, relaxation 30 x 30"


def warping_distance(a, b):
    """The cost of the cheapest way to match the series `a` and `b`, in order."""
    n, m = len(a), len(b)
    cost = np.full((n + 1, m + 1), np.inf)
    cost[0, 0] = 0
    for i, x in enumerate(a):
        for j, y in enumerate(b):
            cost[i + 1, j + 1] = abs(x - y) + min(cost[i, j + 1], cost[i + 1, j], cost[i, j])
    return cost[n, m]


def relax(plate, tolerance):
    """Gauss-Seidel: each inner point becomes the mean of its neighbours, until they agree."""
    u = plate.copy()
    change, sweeps = tolerance + 1, 0
    while change > tolerance:
        change = 0.0
        for i in range(1, u.shape[0] - 1):
            for j in range(1, u.shape[1] - 1):
                mean = 0.25 * (u[i - 1, j] + u[i + 1, j] + u[i, j - 1] + u[i, j + 1])
                change = max(change, abs(mean - u[i, j]))
                u[i, j] = mean
        sweeps += 1
    return u, sweeps


def function(a, b, plate, tolerance):
    """Both of them."""
    distance = warping_distance(a, b)
    u, sweeps = relax(plate, tolerance)
    return np.array([distance, sweeps]), u


def inputs():
    """Two noisy waves of different pace, and a plate with one hot edge."""
    r = np.random.default_rng(0)
    a = np.sin(np.linspace(0, 6, 120)) + r.normal(size=120) / 20
    b = np.sin(np.linspace(0, 6, 100) ** 1.05) + r.normal(size=100) / 20
    plate = np.zeros((30, 30))
    plate[0] = 100.0
    return a, b, plate, 1e-2


if __name__ == "__main__":
    (distance, sweeps), u = dl.compile(function)(*inputs())
    print(f"distance {distance:.4f}; {sweeps:.0f} sweeps, {u.mean():.3f} degrees on average")
