"""SciPy takes values, gradients and Jacobians as they are."""
from __future__ import annotations

import numpy as np
import pytest

import dynamo_lite as dl

optimize = pytest.importorskip("scipy.optimize")


def test_a_minimum():
    def rosenbrock(x):
        return (100 * (x[1:] - x[:-1] ** 2) ** 2 + (1 - x[:-1]) ** 2).sum()

    found = optimize.minimize(dl.value_and_grad(rosenbrock), np.zeros(5), jac=True)
    assert found.success and np.allclose(found.x, 1, atol=1e-4)


def test_least_squares():
    t = np.linspace(0, 1, 30)
    y = 2 * np.exp(-3 * t)

    def residuals(p):
        return p[0] * np.exp(-p[1] * t) - y

    found = optimize.least_squares(residuals, [1.0, 1.0], jac=dl.jacobian(residuals))
    assert np.allclose(found.x, [2, 3], atol=1e-6)
