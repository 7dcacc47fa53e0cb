"""Masks written by loops, branches and calls, and what is selected by them, are those of Python.

`seeds` says which, and how to repeat those of a test.
To look at one that failed: `python -m tests.fuzz.selections SEED`.
"""
from __future__ import annotations

import pytest

import dynamo_lite as dl

from ..oracle import differences, outcome
from .seeds import chunks
from .selections import LENGTHS, arguments, function, source


def problem(seed: int, backend: str) -> str | None:
    """What differs, as text, or None."""
    plain = function(seed)
    compiled = dl.compile(function(seed), backend=backend)
    for call in range(len(LENGTHS)):
        expected = outcome(plain, arguments(seed, call))
        found = outcome(compiled, arguments(seed, call))
        if wrong := differences(found, expected):
            return f"seed {seed}, {backend}, call {call}\n" + "\n".join(wrong)
    return None


def backend_of(seed: int) -> str:
    return "llvm" if seed % 3 == 0 else "eager"


@pytest.mark.parametrize("seeds", chunks(60, 20))
def test_random_selections_equal_python(seeds):
    failures = []
    with dl.config.patch(strict=True, recompile_limit=99):
        for seed in seeds:
            if (wrong := problem(seed, backend_of(seed))) is not None:
                failures.append(f"{source(seed)}\n{wrong}")
            dl.reset()
    assert not failures, "\n\n".join(failures)
