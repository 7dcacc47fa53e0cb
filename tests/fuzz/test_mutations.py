"""Random mutations of aliased objects leave the same object graph as in Python.

`DYNAMO_FUZZ_SEED` is where the seeds begin (0), `DYNAMO_FUZZ_COUNT` how many programs there are.
"""
from __future__ import annotations

import os
import warnings

import pytest

import dynamo_lite as dl

from .mutations import PRELUDE, difference, program

FIRST = int(os.environ.get("DYNAMO_FUZZ_SEED", "0"))
COUNT = int(os.environ.get("DYNAMO_FUZZ_COUNT", "400"))
CHUNK = 50


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


@pytest.mark.parametrize("first", range(FIRST, FIRST + COUNT, CHUNK))
def test_random_mutations_equal_python(first):
    failures = []
    for seed in range(first, min(first + CHUNK, FIRST + COUNT)):
        if (found := wrong(seed)) is not None:
            failures.append(found + program(seed)["SOURCE"][len(PRELUDE) :])
        dl.reset()
    assert not failures, "\n\n".join(failures)
