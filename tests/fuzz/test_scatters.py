"""Assignments at positions from arrays, and `ufunc.at`, do what they do in Python.

`seeds` says which, and how to repeat those of a test.
To look at one that failed: `python -m tests.fuzz.scatters SEED`.
"""
from __future__ import annotations

import pytest

import dynamo_lite as dl

from ..oracle import Tolerance, differences, outcome
from .scatters import CALLS, ERRSTATES, arguments, function, source
from .seeds import chunks

NEARLY = Tolerance(1e-12, 1e-12, False)
"""Functions like `exp` are as accurate as NumPy's."""


def problem(seed: int, backend: str) -> str | None:
    """What differs, as text, or None."""
    plain = function(seed)
    compiled = dl.compile(function(seed), backend=backend)
    for call in range(CALLS):
        errstate = ERRSTATES[(seed + call) % len(ERRSTATES)] if call else {}
        expected = outcome(plain, arguments(seed, call), **errstate)
        found = outcome(compiled, arguments(seed, call), **errstate)
        if wrong := differences(found, expected, NEARLY):
            return f"seed {seed}, {backend}, call {call} {errstate}\n" + "\n".join(wrong)
    return None


@pytest.mark.parametrize("seeds", chunks(80, 20))
def test_random_scatters_equal_python(seeds):
    failures = []
    with dl.config.patch(strict=True, recompile_limit=99, math="numpy"):
        for seed in seeds:
            if (wrong := problem(seed, "eager" if seed % 5 == 4 else "llvm")) is not None:
                failures.append(f"{source(seed)}\n{wrong}")
            dl.reset()
    assert not failures, "\n\n".join(failures)
