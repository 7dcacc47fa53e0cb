"""Random mutations of aliased objects leave the same object graph as in Python.

`seeds` says which, and how to repeat those of a test.
"""
from __future__ import annotations

import warnings

import pytest

import dynamo_lite as dl

from .mutations import PRELUDE, difference, program
from .seeds import chunks


def wrong(seed: int, calls: int = 2) -> str | None:
    """The first difference in some calls of one program."""
    namespaces = program(seed), program(seed)
    with dl.config.patch(strict=True), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        compiled = dl.compile(namespaces[1]["program"], backend="eager")
        for number in range(calls):
            if (found := difference(namespaces, compiled, seed + number)) is not None:
                return f"seed {seed}, call {number}: {found}"
    return None


@pytest.mark.parametrize("seeds", chunks(200, 50, daily=200))
def test_random_mutations_equal_python(seeds):
    failures = []
    for seed in seeds:
        if (found := wrong(seed)) is not None:
            failures.append(found + program(seed)["SOURCE"][len(PRELUDE) :])
        dl.reset()
    assert not failures, "\n\n".join(failures)
