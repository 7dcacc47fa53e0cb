"""Each ufunc that has partial derivatives, against central differences."""
from __future__ import annotations

import numpy as np
import pytest

import dynamo_lite as dl
from dynamo_lite.ir.derivatives import rows as rows
from dynamo_lite.ir.ops.columns import having

from .checking import check

DOMAINS = {
    **dict.fromkeys((np.log, np.log2, np.log10, np.sqrt, np.cbrt, np.reciprocal), (0.5, 2.0)),
    **dict.fromkeys((np.arcsin, np.arccos, np.arctanh, np.log1p), (-0.7, 0.7)),
    np.arccosh: (1.5, 3.0), np.power: (0.5, 2.0), np.float_power: (0.5, 2.0),
    **dict.fromkeys((np.remainder, np.fmod, np.floor_divide, np.divide), (0.6, 1.9)),
}
"""Where ufuncs are smooth; the others are in (-2, 2)."""
COMPLEX = (
    np.add, np.subtract, np.multiply, np.divide, np.negative, np.positive, np.square, np.exp,
    np.log, np.sin, np.cos, np.tan, np.sinh, np.cosh, np.tanh, np.sqrt, np.power, np.reciprocal,
)


def operands(ufunc, dtype=float):
    low, high = DOMAINS.get(ufunc, (-2.0, 2.0))
    rng = np.random.default_rng(3)
    made = [rng.uniform(low, high, (2, 3)) for _ in range(getattr(ufunc, "nin", 1))]
    if dtype is complex:
        made = [each + 1j * rng.uniform(0.1, 0.5, (2, 3)) for each in made]
    if ufunc is np.ldexp:
        made[1] = np.array([1, 2, 0])
    return made


UFUNCS = [row.target for row in having("partials") if isinstance(row.target, np.ufunc)]


@pytest.mark.parametrize("ufunc", [*UFUNCS, np.i0], ids=lambda ufunc: ufunc.__name__)
def test_derivatives_of_ufuncs(ufunc):
    given = operands(ufunc)
    for place, operand in enumerate(given):
        if operand.dtype.kind == "f":
            def function(x, place=place):
                return ufunc(*given[:place], x, *given[place + 1:])

            check(function, operand)
    if len(given) == 2 and ufunc is not np.ldexp:
        check(lambda x: ufunc(x[0], given[1]), given[0])


@pytest.mark.parametrize("ufunc", COMPLEX, ids=lambda ufunc: ufunc.__name__)
def test_derivatives_of_complex_numbers(ufunc):
    given = operands(ufunc, complex)
    for place, operand in enumerate(given):
        check(lambda x, place=place: ufunc(*given[:place], x, *given[place + 1:]), operand)


def test_bessel_functions_of_all_sizes():
    x = np.array([-30.0, -8.0, -1e-3, 0.0, 2.5, 7.999, 8.001, 20.0])
    check(lambda x: np.log(np.i0(x)), x)
    found = dl.grad(lambda x: np.i0(x).sum())(np.array([3.0, 1.13e-5]))
    order_one = [3.9533702174026094, 5.650000000000001e-6]  # scipy.special.i1 of these
    assert np.allclose(found, order_one, 1e-9, 0)
