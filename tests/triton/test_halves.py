"""Quotients of halves, as kernels compute them on a GPU, are NumPy's bit for bit."""
from __future__ import annotations

import numpy as np
import pytest

SIGNIFICANDS = np.arange(1024, 2048)


def quotients(a, b, ulps):
    """By an approximate reciprocal that is so many units off, and a step of Newton's; each fused
    multiplication and addition is exact in double precision, and then rounded once."""
    a, b = a.astype("f4"), b.astype("f4")
    inverse = np.float32(1) / b
    if ulps:
        inverse = (inverse + ulps * np.spacing(inverse)).astype("f4")
    near = a * inverse
    rest = (a.astype("f8") - near.astype("f8") * b).astype("f4")
    corrected = (near.astype("f8") + rest.astype("f8") * inverse).astype("f4")
    return np.where(np.abs(rest) > 0, corrected, near).astype("f2")


@pytest.mark.parametrize("ulps", [-2, -1, 0, 1, 2])
@pytest.mark.parametrize("exponents", [
    (-10, -10), (3, -14), (-20, -9), (-20, -4), (-22, -3), (-24, 0),
], ids=str)  # fmt: skip
def test_all_significands(exponents, ulps):
    first, second = exponents
    with np.errstate(all="ignore"):
        a = (SIGNIFICANDS * 2.0 ** first).astype("f2")[:, None]
        b = (SIGNIFICANDS * 2.0 ** second).astype("f2")
        np.testing.assert_array_equal(quotients(a, b, ulps).view("i2"), (a / b).view("i2"))


def test_awkward_ones():
    halves = np.arange(0, 65536, 37).astype("u2").view("f2")
    special = np.array([0, -0.0, 1, -1, 6e-8, -6e-8, 65504, np.inf, -np.inf, np.nan], "f2")
    with np.errstate(all="ignore"):
        for a, b in ((halves[:, None], special), (special[:, None], halves)):
            found, expected = quotients(a, b, 0), a / b
            known = ~np.isnan(expected)
            np.testing.assert_array_equal(np.isnan(found), ~known)
            np.testing.assert_array_equal(found.view("i2")[known], expected.view("i2")[known])
