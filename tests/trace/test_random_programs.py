"""Random programs equal plain Python, call after call."""
import copy

import numpy as np
import pytest

import dynamo_lite as dl
from dynamo_lite.base.config import config

from ..oracle import differences, outcome
from .random_programs import program

X = np.array([1.0, -2.0, 3.0])


def arguments(namespace):
    return (X.copy(), X[::-1] + 0.5, 2, [1, 2], {"a": 1}, namespace["Box"]())


def compare(seed, calls=2):
    plain, traced = program(seed), program(seed)
    with config.patch(strict=True):
        compiled = dl.compile(traced["program"], backend="eager")
        for _ in range(calls):
            expected = outcome(plain["program"], copy.deepcopy(arguments(plain)))
            actual = outcome(compiled, copy.deepcopy(arguments(traced)))
            problems = differences(actual, expected)
            assert not problems, f"{problems}\n{plain['SOURCE']}"
            assert plain["COUNT"] == traced["COUNT"]


@pytest.mark.parametrize("seed", range(60))
def test_random_program(seed):
    compare(seed)
