"""Random calls of NumPy's functions and methods, right and wrong ones: compiled equals Python.

`DYNAMO_FUZZ_SEED` is where the seeds begin (0), `DYNAMO_CALLS_COUNT` how many programs there are.
To look at one that failed: `python -m tests.fuzz.numpy_calls SEED`.
"""
from __future__ import annotations

import os
import warnings

import pytest

import dynamo_lite as dl

from .checking import problems
from .numpy_calls import program

FIRST = int(os.environ.get("DYNAMO_FUZZ_SEED", "0"))
COUNT = int(os.environ.get("DYNAMO_CALLS_COUNT", "600"))
CHUNK = 50


@pytest.mark.parametrize("first", range(FIRST, FIRST + COUNT, CHUNK))
def test_calls_of_numpy_equal_python(first):
    failures = []
    for seed in range(first, min(first + CHUNK, FIRST + COUNT)):
        made = program(seed)
        with dl.config.patch(strict=True), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            if wrong := problems(made, "llvm"):
                failures.append("\n".join([str(made), *wrong]))
        dl.reset()
    assert not failures, "\n\n".join(failures)
