"""Powers with small whole exponents that are known: rounded once, with NumPy's special cases."""
from fractions import Fraction

import numpy as np
import pytest

import dynamo_lite as dl

EXPONENTS = (5, 6, 7, 8, 9, 12, 15, 16, -2, -3, -6, -7, -12, -16)
ENDS = np.array([0.0, -0.0, np.inf, -np.inf, np.nan, 1.0, -1.0, 2.0, 1e300, -1e300, 1e-300, 5e-324,
                 2.0**100, -(2.0**-100), 1e30, 1e-30])
RNG = np.random.default_rng(4)


def compiled(exponent):
    return dl.compile(lambda x: x ** float(exponent), fullgraph=True)


@pytest.mark.parametrize("exponent", EXPONENTS)
def test_rounded_once(exponent, level):
    x = RNG.uniform(-4, 4, 400) * 2.0 ** RNG.integers(-40, 40, 400)
    for number, found in zip(x, compiled(exponent)(x)):
        exact = Fraction(number) ** exponent
        error = abs(Fraction(found) - exact) / Fraction(np.spacing(abs(found)))
        assert error <= Fraction(502, 1000)


@pytest.mark.parametrize("exponent", EXPONENTS)
def test_ends(exponent, level):
    with np.errstate(all="ignore"):
        for dtype, bound in (np.float64, 4e-16), (np.float32, 2e-7):
            x = np.tile(ENDS.astype(dtype), 5)
            found, expected = compiled(exponent)(x), x ** float(exponent)
            assert found.dtype == expected.dtype
            np.testing.assert_allclose(found, expected, rtol=bound, atol=0)
            known = ~np.isnan(expected)
            assert np.array_equal(np.signbit(found)[known], np.signbit(expected)[known])


@pytest.mark.parametrize("exponent", EXPONENTS)
@pytest.mark.parametrize("special", [1e300, 1e-300, 0.0, np.nan, np.inf, 1.5])
def test_reports(exponent, special):
    x = np.array([1.5, special, -2.0, 0.5, 3.0])
    function = compiled(exponent)

    def reported(call):
        with np.errstate(all="raise"):
            try:
                call()
            except FloatingPointError as error:
                return str(error)
        return None

    assert reported(lambda: function(x)) == reported(lambda: x ** float(exponent))
