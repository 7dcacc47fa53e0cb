"""Random numbers that loops and branches draw, and the states afterwards, are those of Python.

`seeds` says which, and how to repeat those of a test.
To look at one that failed: `python -m tests.fuzz.draws SEED`.
"""
from __future__ import annotations

from functools import partial

import numpy as np
import pytest

import dynamo_lite as dl

from ..oracle import differences, outcome
from .draws import LENGTHS, drawn, program_of, source
from .seeds import chunks


def problem(seed: int) -> str | None:
    """What differs, as text, or None."""
    plain, compiled = program_of(seed), dl.compile(program_of(seed))
    for call in range(len(LENGTHS)):
        expected = outcome(partial(drawn, plain), (seed, call))
        found = outcome(partial(drawn, compiled), (seed, call))
        if wrong := differences(found, expected):
            return f"seed {seed}, call {call}\n" + "\n".join(wrong)
    return None


@pytest.mark.parametrize("seeds", chunks(40, 20))
def test_random_draws_equal_python(seeds):
    failures = []
    with dl.config.patch(strict=True, recompile_limit=99), np.errstate(all="warn"):
        for seed in seeds:
            if (wrong := problem(seed)) is not None:
                failures.append(f"{source(seed)}\n{wrong}")
            dl.reset()
    assert not failures, "\n\n".join(failures)
