"""Long functions are computed in large kernels with the bits and the warnings of NumPy.

`seeds` says which, and how to repeat those of a test.
"""
from __future__ import annotations

import pytest

import dynamo_lite as dl

from ..oracle import differences, outcome
from .chains import arguments, source
from .seeds import chunks


def problem(seed: int) -> str | None:
    """What differs, as text, or None."""
    names: dict = {}
    exec("import numpy as np\n" + source(seed), names)
    plain = names["chain"]
    expected = outcome(plain, arguments(seed))
    found = outcome(dl.compile(plain), arguments(seed))
    if wrong := differences(found, expected):
        return f"seed {seed}\n{source(seed)}\n" + "\n".join(wrong)
    return None


@pytest.mark.parametrize("seeds", chunks(40, 10))
def test_long_functions_equal_python(seeds):
    with dl.config.patch(strict=True, math="numpy"):
        failures = [wrong for seed in seeds if (wrong := problem(seed)) is not None]
    dl.reset()
    assert not failures, "\n\n".join(failures)
