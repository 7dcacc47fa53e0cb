"""Option prices by Black and Scholes: a long chain of pointwise mathematics.

Run it:  python examples/03_black_scholes.py
"""
import numpy as np

import dynamo_lite as dl

TITLE = "Black-Scholes, 2,000,000 options"


def normal_cdf(x):
    """Standard normal distribution function (Abramowitz and Stegun 26.2.17, error below 7.5e-8)."""
    k = 1.0 / (1.0 + 0.2316419 * np.abs(x))
    series = ((((1.330274429 * k - 1.821255978) * k + 1.781477937) * k - 0.356563782) * k
              + 0.319381530) * k
    tail = np.exp(-0.5 * x * x) * series / np.sqrt(2.0 * np.pi)
    return np.where(x >= 0.0, 1.0 - tail, tail)


def function(spot, strike, years, rate, volatility):
    """Prices of European calls and puts; arrays of shape (n,), `rate` and `volatility` per year."""
    root = volatility * np.sqrt(years)
    d1 = (np.log(spot / strike) + (rate + 0.5 * volatility**2) * years) / root
    d2 = d1 - root
    discounted = strike * np.exp(-rate * years)
    call = spot * normal_cdf(d1) - discounted * normal_cdf(d2)
    put = call - spot + discounted
    return call, put


def inputs():
    rng = np.random.default_rng(1)
    n = 2_000_000
    return rng.uniform(10, 50, n), rng.uniform(10, 50, n), rng.uniform(1, 2, n), 0.1, 0.2


if __name__ == "__main__":
    compiled = dl.compile(function)
    call, put = compiled(*inputs())
    print(f"mean call {call.mean():.4f}, mean put {put.mean():.4f}")
