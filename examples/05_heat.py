"""The heat equation on a grid: in-place writes into a view, exactly as NumPy orders them.

Run it:  python examples/05_heat.py
"""
import numpy as np

import dynamo_lite as dl

TITLE = "heat equation, 1000 x 1000, one step"


def step(u, alpha):
    """Advance the temperature `u` (rows, columns) by one explicit step, in place."""
    u[1:-1, 1:-1] += alpha * (
        u[:-2, 1:-1] + u[2:, 1:-1] + u[1:-1, :-2] + u[1:-1, 2:] - 4.0 * u[1:-1, 1:-1]
    )


def function(u, alpha):
    """One step on a copy, so that it can be repeated on the same input."""
    v = u.copy()
    step(v, alpha)
    return v


def inputs():
    u = np.zeros((1000, 1000))
    u[400:600, 400:600] = 100.0
    return u, 0.1


if __name__ == "__main__":
    compiled = dl.compile(step)
    u, alpha = inputs()
    for _ in range(100):
        compiled(u, alpha)
    print(f"total heat {u.sum():.6g}, hottest {u.max():.4f}")
