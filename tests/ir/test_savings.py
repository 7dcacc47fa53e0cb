"""What compiled code is expected to save."""
import numpy as np

import dynamo_lite as dl
from dynamo_lite.ir.savings import STEP, saved_by


def graph_of(function, *args):
    return dl.explain(function, fullgraph=True)(*args).graphs[0]


def expected(function, *args):
    return saved_by(graph_of(function, *args).calls, int)


def weighted(x, covariance):
    total = 0.0
    for i in range(100):
        total += x[i] * np.linalg.det(covariance)
    return total


def changing(x, covariance):
    total = 0.0
    for i in range(100):
        total += np.linalg.det(covariance + x[i])
    return total


def test_steps_that_all_iterations_share_are_saved_but_for_one():
    args = np.ones(100), np.eye(3)
    assert expected(weighted, *args) > 99 * STEP > expected(changing, *args)
