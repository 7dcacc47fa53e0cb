"""Derivatives through a simulation: which conductivity made this temperature?

The heat equation runs 500 time steps, each written in place. `dl.value_and_grad` differentiates all
of them; what the loop keeps for that is the state of every 23rd step.

Run it:  python examples/10_calibration.py
"""
import numpy as np

import dynamo_lite as dl

TITLE = "conductivity from a temperature, gradient through 500 steps in place"
STEPS = 500


def conductivity(p):
    """Of each cell, from parameters without bounds: below 0.5, where the steps are stable."""
    return 0.5 / (1 + np.exp(-p))


def simulated(p, u):
    """The temperature along a rod after all steps."""
    k = conductivity(p)
    u = u.copy()
    for _ in range(STEPS):
        flow = k * (u[1:] - u[:-1])
        u[1:-1] += flow[1:] - flow[:-1]
    return u


def misfit(p, u, seen):
    """How far the simulation is from what was measured, and how rough the conductivity is."""
    difference = simulated(p, u) - seen
    return (difference * difference).sum() + 1e-6 * (np.diff(p) ** 2).sum()


def inputs():
    x = np.linspace(0, 1, 65)
    u = np.exp(-100 * (x - 0.5) ** 2)
    return np.zeros(64), u, simulated(1.5 * np.sin(6 * x[:-1]), u)


function = misfit


def calibrated(p, u, seen, rounds=500, rate=0.05):
    """Gradient descent with a rate for each parameter (Adam)."""
    slope = dl.value_and_grad(misfit)
    mean, square = np.zeros_like(p), np.zeros_like(p)
    for count in range(1, rounds + 1):
        _, g = slope(p, u, seen)
        mean = 0.9 * mean + 0.1 * g
        square = 0.99 * square + 0.01 * g * g
        size = np.sqrt(square / (1 - 0.99**count)) + 1e-12
        p = p - rate * mean / (1 - 0.9**count) / size
    return p


if __name__ == "__main__":
    p, u, seen = inputs()
    print(f"misfit before {misfit(p, u, seen):.3g}")
    p = calibrated(p, u, seen)
    k = conductivity(p)
    print(f"misfit after  {misfit(p, u, seen):.3g}, conductivity {k.min():.3f} to {k.max():.3f}")
