"""Random programs: compiled equals Python in everything that a program can see.

`seeds` says which, and how to repeat those of a test.
To look at one that failed: `python -m tests.fuzz.programs SEED`.
"""
from __future__ import annotations

import pytest

import dynamo_lite as dl

from ..oracle import Tolerance
from .checking import has_numpys_bits, problems
from .programs import program
from .seeds import chunks

BACKENDS = ("llvm", "llvm", "eager")

KNOWN: dict[tuple[str, int], str] = {}
"""Programs that are known to differ (backend, seed), with the reason."""


def backend_of(seed: int) -> str:
    return BACKENDS[seed % len(BACKENDS)]


@pytest.mark.parametrize("seeds", chunks(500, 50, daily=500))
def test_random_programs_equal_python(seeds):
    failures = []
    for seed in seeds:
        if (backend_of(seed), seed) in KNOWN:
            continue
        made = program(seed)
        if wrong := problems(made, backend_of(seed)):
            failures.append("\n".join([f"backend {backend_of(seed)}", str(made), *wrong]))
        dl.reset()
    assert not failures, "\n\n".join(failures)


@pytest.mark.parametrize("seeds", chunks(100, 50, daily=500))
def test_random_programs_have_numpys_bits(seeds):
    """What whole-script mode asks for: a result may not depend on when it was compiled."""
    failures = []
    for made in filter(has_numpys_bits, map(program, seeds)):
        with dl.config.patch(math="numpy"):
            if wrong := problems(made, "llvm", Tolerance(signed_zeros=False)):
                failures.append("\n".join([str(made), *wrong]))
        dl.reset()
    assert not failures, "\n\n".join(failures)


NONE_KNOWN = pytest.param("", 0, marks=pytest.mark.skip(reason="no program is known to fail"))


@pytest.mark.parametrize("backend, seed", KNOWN or [NONE_KNOWN])
@pytest.mark.xfail(strict=True, reason="see KNOWN")
def test_known_differences(backend, seed):
    assert not problems(program(seed), backend)
