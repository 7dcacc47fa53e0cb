"""Operations that raise no flag in the hardware unless they really run."""
import numpy as np
import pytest

import dynamo_lite as dl


@pytest.mark.parametrize("function", [
    lambda x: 1 / (x - x), lambda x: 1 / (x * 0), lambda x: 1 / (0 * x), lambda x: 1 / (x ^ x),
    lambda x: (x != x) / (x != x),
])
def test_integers_that_are_known_beforehand_still_raise_flags(function):
    with pytest.warns(RuntimeWarning):
        dl.compile(function)(np.arange(3))
