"""What a graph break suggests works: with the remedy the same program is one graph."""
import functools

import numpy as np
import pytest

import dynamo_lite as dl
from tests.oracle import same

X = np.linspace(-1.0, 2.0, 12)
SQUARE = np.array([[2.0, 1.0], [1.0, 3.0]])


@functools.lru_cache(maxsize=0)
def window(n):
    return np.hanning(n)


window_as_constant = dl.assume_constant_result(window)


def is_large(value):
    return value > 1


def branch(x):
    return x * 2 if any(map(is_large, x)) else x + 1


def elements(x):
    total = 0.0
    for value in np.nditer(x):
        total += float(value)
    return total


def flat_elements(x):
    total = 0.0
    for value in x.flat:
        total += float(value)
    return total


def numbered_elements(x):
    total = 0.0
    for _, value in np.ndenumerate(x):
        total += float(value)
    return total


def elements_at_places(x):
    total = 0.0
    for place in np.ndindex(x.shape):
        total += float(x[place])
    return total


def broadcast(x):
    both = np.broadcast_arrays(x, x[:1])
    return both[0] * 2 + both[1]


def broadcast_to(x):
    both = x, np.broadcast_to(x[:1], x.shape)
    return both[0] * 2 + both[1]


ROWS = [
    ("np.where computes both sides", branch,
     lambda x: np.where(np.any(x > 1), x * 2, x + 1)),
    ("dl.check tells what always holds", branch, lambda x: (dl.check(np.any(x > 1)), x * 2)[1]),
    ("x.flat, np.ndenumerate and np.ndindex are followed", elements, flat_elements),
    ("x.flat, np.ndenumerate and np.ndindex are followed", elements,
     numbered_elements),
    ("x.flat, np.ndenumerate and np.ndindex are followed", elements,
     elements_at_places),
    ("np.vectorize is followed", lambda x: np.frompyfunc(lambda a: a + 1, 1, 1)(x),
     lambda x: np.vectorize(lambda a: a + 1)(x)),
    ("np.linalg.eigh is followed", lambda x: np.linalg.eig(x[0] + SQUARE)[0].sum(),
     lambda x: np.linalg.eigh(x[0] + SQUARE)[0].sum()),
    ("sliding_window_view is followed",
     lambda x: np.lib.stride_tricks.as_strided(x, (10, 3), (8, 8)).sum(axis=1),
     lambda x: np.lib.stride_tricks.sliding_window_view(x, 3).sum(axis=1)),
    ("np.broadcast_to is followed", broadcast, broadcast_to),
    ("dl.assume_constant_result says that its results may be constants",
     lambda x: x * window(12), lambda x: x * window_as_constant(12)),
]


@pytest.mark.parametrize(("reason", "program", "remedied"), ROWS)
def test_the_remedy_makes_one_graph(reason, program, remedied):
    compiled = dl.compile(program)
    assert same(compiled(X), program(X))
    told = " ".join(map(str, dl.explain(program)(X).break_reasons))
    assert reason in told
    assert same(dl.compile(remedied, fullgraph=True)(X), remedied(X))
