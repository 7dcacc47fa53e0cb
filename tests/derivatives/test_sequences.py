"""Lists and tuples of computed numbers where NumPy takes arrays."""
from __future__ import annotations

import numpy as np
import pytest

import dynamo_lite as dl

from .checking import check

X = np.array([0.3, 0.6, 0.9])


def written(x):
    y = x * x
    y[[2, 0]] = [x[0] * x[1], 3 * x[2]]
    np.add.at(y, [0, 0], (x[1] ** 2, 1.0))
    return y


PROGRAMS = {
    "product": lambda x: np.prod([each * each for each in x]),
    "several": lambda x: np.max((x[0], x[2])) * np.mean([x[0], x[1]]) + np.std([x[1], 1.0, x[2]]),
    "rows": lambda x: np.sum([x[:2], x[1:] ** 2], axis=0) * np.median([x[0], x[1], x[2]]),
    "joined": lambda x: np.concatenate([[x[0]], x, [x[1], 2.0]]) ** 2,
    "stacked": lambda x: np.vstack([[x[0], x[1]], x[1:]]) ** 2,
    "ufunc": lambda x: np.exp([x[0], 1.0, x[2]]) + np.maximum([x[1], x[0], 0.4], 0.5),
    "matrix": lambda x: np.linalg.solve([[x[0], 1.0], [x[1], 3.0]], x[:2]),
    "products": lambda x: np.dot([x[0], x[1]], [x[1], 2.0]) * np.outer([x[2], x[1]], x),
    "weights": lambda x: np.average([x[0], x[1]], weights=(x[2], 2.0)),
    "table": lambda x: np.interp([x[0], 0.7], [0.0, 0.5, 1.5], [x[0], 2.0, x[2]]),
    "written": written,
    "in a loop": lambda x: [x := np.stack([x[1], np.hypot(*x[:2]), x[2]]) for _ in range(3)][-1],
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_derivatives_of_lists_of_numbers(name):
    with dl.config.patch(backend="aot_eager"):
        check(PROGRAMS[name], X)


def test_a_ufunc_takes_a_list_of_numbers():
    function = dl.compile(lambda x: np.add([x[0], 2.0], (x[1], x[2])), fullgraph=True)
    assert np.array_equal(function(X), np.add([X[0], 2.0], X[1:]))


def test_einsum_with_dots_gives_a_view():
    @dl.compile(fullgraph=True)
    def turned(x):
        y = np.einsum("...ij->...ji", x)
        y[0] = 7
        return y, np.einsum("...->...", x)

    x = np.arange(6.0).reshape(2, 3)
    found, same = turned(x)
    assert np.shares_memory(found, x) and np.shares_memory(same, x)
    assert x[:, 0].tolist() == [7, 7] and found.shape == (3, 2)


NEXT_TO_LISTS = {
    "dot": lambda x: np.dot([1.0, 2.0, 3.0], x),
    "dot of integers": lambda x: np.dot(x, [1, 2, 3, 4]),
    "matmul": lambda x: np.matmul([1.0, 2.0, 3.0], x),
    "inner": lambda x: np.inner([1, 2, 3, 4.0], x),
    "vdot": lambda x: np.vdot(x[0], [1.0, 2.0, 3.0, 4.0]),
    "outer": lambda x: np.outer([1.0, 2.0], x),
    "tensordot": lambda x: np.tensordot([1.0, 2.0, 3.0], x, 1),
    "kron": lambda x: np.kron([1.0, 2.0], x),
    "trapezoid": lambda x: np.trapezoid(x, [0, 1, 3, 4]),
    "values": lambda x: np.trapezoid([0, 1, 3, 4.0], x[0]),
    "gradient": lambda x: np.gradient(x, 2.0, [0.0, 1.0, 3.0, 4.0])[1],
    "append": lambda x: np.append(x, [1, 2]),
    "append a number": lambda x: np.append(x, 2.0),
    "append to a number": lambda x: np.append(2.0, x),
    "sum": lambda x: [1, 2, 3, 4] + x,
    "interp": lambda x: np.interp(x, [0, 1, 2], [1, 3, 2]),
    "convolve": lambda x: np.convolve([1, 2], x[0]),
    "clip": lambda x: np.clip(x, [0.4, 0.5, 0.6, 0.7], [1, 1, 1, 1.0]),
}


@pytest.mark.parametrize("name", NEXT_TO_LISTS)
def test_constant_lists(name):
    check(NEXT_TO_LISTS[name], np.linspace(0.32, 1.17, 12).reshape(3, 4))
