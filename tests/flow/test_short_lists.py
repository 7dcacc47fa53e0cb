"""Short lists, tuples, texts and bytes of the caller's that loops of the graph index."""
import numpy as np
import pytest

import dynamo_lite as dl

from ..oracle import check


def jacobian(lengths, angles):
    out = np.zeros((2, angles.shape[0]))
    for i in range(angles.shape[0]):
        for j in range(i, angles.shape[0]):
            out[0, i] -= lengths[j] * np.sin(np.sum(angles[:j]))
            out[1, i] += lengths[j] * np.cos(np.sum(angles[:j]))
    return out


def from_the_end(weights, x):
    total = np.zeros(3)
    for i in range(x.shape[0]):
        total += weights[-(i % 3) - 1] * x[i]
    return total, weights


def chosen_by_data(table, x):
    counts = np.zeros(x.shape[0], int)
    for i in range(x.shape[0]):
        counts[i] = ord(table[x[i]]) if isinstance(table, str) else table[x[i]]
    return counts


def beyond_the_end(weights, x):
    for i in range(x.shape[0]):
        x[i] += weights[i]
    return x


def written_meanwhile(weights, x):
    for i in range(x.shape[0]):
        x[i] += weights[i % 3]
        weights[i % 3] = i
    return x, weights


ANGLES = np.linspace(0.1, 2.0, 6)
PLACES = np.array([0, 2, 1, 1, 0, 2, 2, 0])


@pytest.mark.parametrize("function, lists, x", [
    (jacobian, [[1] * 6, [0.5] * 6, [*range(6)], (1.5, 2.0) * 3, [1, 2.5] * 3, ["a"] * 6], ANGLES),
    (from_the_end, [[1.0, 2.0, 3.0], [4, 5, 6], [True] * 3, [2**70, 1, 2], [1.5] * 4], ANGLES),
    (chosen_by_data, [[3, 1, 2], (5, 6, 7), b"abc", "xyz", [np.int8(3), 1, 2]], PLACES),
    (beyond_the_end, [[1.0, 2.0], [1.0] * 6, []], ANGLES),
    (written_meanwhile, [[1.0, 2.0, 3.0], [3, 4, 5]], ANGLES),
], ids=lambda value: getattr(value, "__name__", ""))  # fmt: skip
def test_as_python(function, lists, x):
    compiled = dl.compile(function, recompile_limit=40)
    for values in (*lists, *lists[:2]):
        check(compiled, function, values, x.copy())


@pytest.mark.parametrize("function, x", [(jacobian, ANGLES), (from_the_end, ANGLES[:5])])
def test_other_numbers_need_no_other_code(function, x):
    compiled = dl.compile(function, fullgraph=True)
    for values in ([1.0] * 6, [2.0, 3.0, 4.0, 5.0, 6.0, 7.0], [0.0] * 6):
        check(compiled, function, values, x)
    assert dl.stats().recompiles == 0
