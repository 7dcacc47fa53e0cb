"""Random calls of NumPy's functions and methods, right and wrong ones: compiled equals Python.

`seeds` says which, and how to repeat those of a test.
To look at one that failed: `python -m tests.fuzz.numpy_calls SEED`.
"""
from __future__ import annotations

import warnings

import pytest

import dynamo_lite as dl

from .checking import problems
from .numpy_calls import program
from .seeds import chunks


@pytest.mark.parametrize("seeds", chunks(300, 50, daily=300))
def test_calls_of_numpy_equal_python(seeds):
    failures = []
    for seed in seeds:
        made = program(seed)
        with dl.config.patch(strict=True), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            if wrong := problems(made, "llvm"):
                failures.append("\n".join([str(made), *wrong]))
        dl.reset()
    assert not failures, "\n\n".join(failures)
