"""Random statements: compiled equals Python in results, effects, output and exceptions.

`seeds` says which, and how to repeat those of a test.
To look at one that failed: `python -m tests.fuzz.statements SEED`.
"""
from __future__ import annotations

import contextlib
import copy
import io
import warnings

import numpy as np
import pytest

import dynamo_lite as dl
from tests import oracle

from .seeds import chunks
from .statements import namespace, source

CALLS = ((2, 3, 3), (2, 3, 3), (0, 1, 3), (2, -1, 4))
"""Two numbers and a length for each call of a program."""


def arguments(scope, n, m, length):
    x = np.arange(1.0, length + 1) * [1, -1, 2, 0.5][: length]
    return [x, x[::-1] + 0.5, n, m, [1, "two"], {"a": 1, "b": x + 1}, "text", scope["Box"]()]


def outcome(scope, function, call):
    """Everything that one call did, in a scope with a log and a count."""
    scope["LOG"].clear()
    found = oracle.outcome(function, arguments(scope, *call), all="ignore")
    return found, list(scope["LOG"]), scope["COUNT"]


def problem(seed, backend="eager"):
    """What differs, as text, or None."""
    plain, traced = namespace(seed), namespace(seed, 1)
    with dl.config.patch(strict=True):
        compiled = dl.compile(traced["program"], backend=backend)
        kept = []  # what a call left behind is not to be dropped during the next
        for number, call in enumerate(CALLS):
            expected = outcome(plain, plain["program"], call)
            found = outcome(traced, compiled, call)
            kept.append((expected, found))
            wrong = oracle.differences(found[0], expected[0]) + oracle.difference(found[1:], expected[1:])
            if wrong:
                return f"seed {seed}, call {number}: {wrong}"
    return None


@pytest.mark.parametrize("seeds", chunks(100, 25, daily=25))
def test_random_statements_equal_python(seeds):
    problems = []
    for seed in seeds:
        if (wrong := problem(seed)) is not None:
            problems.append(f"{source(seed)[-2000:]}\n{wrong}")
        dl.reset()
    assert not problems, "\n\n".join(problems)


def test_arguments_are_fresh():
    scope = namespace(0)
    first, second = arguments(scope, *CALLS[0]), arguments(scope, *CALLS[0])
    assert oracle.same(copy.copy(first), second) and first[4] is not second[4]
