"""SciPy's optimiser and exact gradients: the scales of a Gaussian process, found from data.

`dl.value_and_grad(f)` is what `scipy.optimize.minimize(…, jac=True)` asks for.

Run it:  python examples/13_gaussian_process.py
"""
import numpy as np
from scipy.optimize import minimize

import dynamo_lite as dl

LENGTH, HEIGHT, NOISE = 0.3, 1.5, 0.1


def covariance(logs, x):
    """Of values at `x` that are near where `x` is near; `logs` are the logarithms of the scales."""
    length, height, noise = np.exp(logs)
    distance = (x[:, None] - x) / length
    return height**2 * np.exp(-0.5 * distance**2) + noise**2 * np.eye(len(x))


def surprise(logs, x, y):
    """The negative logarithm of the likelihood of `y`, up to a constant."""
    lower = np.linalg.cholesky(covariance(logs, x))
    white = np.linalg.solve(lower, y)
    return 0.5 * white @ white + np.log(np.diag(lower)).sum()


def data(n=120):
    rng = np.random.default_rng(3)
    x = np.sort(rng.uniform(0, 6, n))
    true = np.log([LENGTH, HEIGHT, NOISE])
    return x, np.linalg.cholesky(covariance(true, x)) @ rng.normal(size=n)


def fitted(x, y):
    return minimize(dl.value_and_grad(surprise), np.zeros(3), args=(x, y), jac=True)


if __name__ == "__main__":
    found = fitted(*data())
    print(f"{found.message} {found.nfev} evaluations")
    for name, value, true in zip(("length", "height", "noise"), np.exp(found.x),
                                 (LENGTH, HEIGHT, NOISE)):
        print(f"{name}: {value:.3f}, data made with {true}")
