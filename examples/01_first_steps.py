"""One decorator: a chain of NumPy operations becomes one fused native kernel.

Run it:  python examples/01_first_steps.py
"""
import numpy as np

import dynamo_lite as dl

TITLE = "damped wave, 5,000,000 points"


def function(t, amplitude, decay):
    """A damped wave with a soft limit: eight array operations, eight passes in NumPy."""
    wave = amplitude * np.sin(t * 6.5) * np.exp(-decay * t)
    return np.tanh(wave) + 0.5 * wave


def inputs():
    return np.linspace(0.0, 10.0, 5_000_000), 1.5, 0.3


if __name__ == "__main__":
    compiled = dl.compile(function)
    arguments = inputs()
    difference = np.abs(compiled(*arguments) - function(*arguments)).max()
    print(f"largest difference from NumPy: {difference:.2e}")
    print(dl.explain(function)(*arguments))
