"""Rows divided by a number: every bit and every report is NumPy's."""
from __future__ import annotations

import warnings

import numpy as np
import pytest

import dynamo_lite as dl

from ..oracle import same

DTYPES = {"f4": "u4", "f8": "u8"}


def rows(x, d):
    return x / d[:, None]


@pytest.mark.parametrize("dtype", DTYPES)
def test_any_bits(dtype):
    bits, compiled = DTYPES[dtype], dl.compile(rows)
    rng = np.random.default_rng(0)
    with np.errstate(all="ignore"):
        for _ in range(4):
            x = rng.integers(0, 2 ** (8 * int(dtype[1])), (64, 4099), dtype=bits).view(dtype)
            d = rng.integers(0, 2 ** (8 * int(dtype[1])), 64, dtype=bits).view(dtype)
            assert same(compiled(x, d), rows(x, d))


@pytest.mark.parametrize("dtype", DTYPES)
def test_hard_quotients(dtype):
    """Mantissas near 1 over mantissas near 2, and the other way round."""
    compiled, places = dl.compile(rows), np.finfo(dtype).nmant
    rng = np.random.default_rng(1)
    for shift in (0, 3, places - 12):
        low = 1 + rng.integers(0, 2**10, (64, 2048)) * 2.0 ** (shift - places)
        high = 2 - rng.integers(1, 2**10, (64, 2048)) * 2.0 ** (shift - places)
        scale = 2.0 ** rng.integers(-30, 30, (64, 2048))
        for x, d in ((low, high), (high, low)):
            x, d = (x * scale).astype(dtype), d[:, 0].astype(dtype)
            assert same(compiled(x, d), rows(x, d))


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("divisor", [2.5, 0.0, np.inf, np.nan, 1e-39, -3e38])
def test_reports(dtype, divisor):
    x = np.linspace(1, 2, 40).astype(dtype)
    special = x.copy()
    special[[3, 20, 39]] = 0, np.inf, 1e-42
    compiled = dl.compile(lambda x, d: x / d)
    with np.errstate(all="warn"):
        for row in (x, special):
            results = []
            for call in (compiled, lambda x, d: x / d):
                with warnings.catch_warnings(record=True) as reports:
                    warnings.simplefilter("always")
                    results.append((call(row, x.dtype.type(divisor)), list(map(str, reports))))
            assert same(results[0][0], results[1][0])
            assert [text.split(",")[0] for text in results[0][1]] == [
                text.split(",")[0] for text in results[1][1]
            ]
