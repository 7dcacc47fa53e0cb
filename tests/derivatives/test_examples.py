"""The examples that take derivatives: the digits in full, the others in a short form."""
from __future__ import annotations

import runpy
from pathlib import Path

import numpy as np
import pytest

import dynamo_lite as dl

from .checking import central, close

EXAMPLES = Path(__file__).parents[2] / "examples"


def example(name):
    return runpy.run_path(str(EXAMPLES / f"{name}.py"))


def test_the_conductivity_of_a_rod():
    rod = example("10_calibration")
    p, u, seen = rod["inputs"]()
    found = rod["calibrated"](p, u, seen, rounds=30)
    assert rod["misfit"](found, u, seen) < rod["misfit"](p, u, seen) / 10


def test_digits():
    pytest.importorskip("sklearn.datasets")
    assert example("11_digits")["accuracy"]() >= 0.97


def test_a_slope_of_the_digits():
    pytest.importorskip("sklearn.datasets")
    digits = example("11_digits")
    rng = np.random.default_rng(0)
    p, x, labels = digits["weights"](rng, 8), rng.uniform(size=(5, 8)), rng.integers(0, 10, 5)
    v = rng.normal(size=p["w"].shape)
    expected = central(lambda w: digits["loss"](p | {"w": w}, x, labels), p["w"], v)
    assert close((dl.grad(digits["loss"])(p, x, labels)["w"] * v).sum(), expected)


def test_a_language_model():
    _, losses, alphabet = example("12_gpt")["learned"](12)
    assert losses[0] > 0.9 * np.log(len(alphabet)) and losses[-1] < losses[0] - 0.8


def test_a_gaussian_process():
    pytest.importorskip("scipy.optimize")
    process = example("13_gaussian_process")
    found = process["fitted"](*process["data"](40))
    assert found.success and np.allclose(found.jac, 0, atol=1e-4)


def test_predators_and_prey():
    pytest.importorskip("scipy.optimize")
    solver = example("14_predators")
    found = solver["fitted"](solver["observed"](), np.array([1.0, 0.3, 0.5, 0.12]))
    assert np.allclose(found.x, solver["RATES"], rtol=0.02)
    assert np.allclose(solver["by_scipy"](found.x), solver["solved"](found.x), atol=1e-5)
