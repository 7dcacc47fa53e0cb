"""Long folds in parts, as for a GPU of many processors, with their kernels in the interpreter."""
from __future__ import annotations

import numpy as np
import pytest
from dynamo_lite.backends.triton.backend import compile_for

from dynamo_lite.native import BAILOUT
from tests.backends.graphs import trace
from tests.backends.test_symbolic import retyped
from tests.triton.host import NoisyHost

pytest.importorskip("triton")


class ManyProcessors(NoisyHost):
    processors = 132


X = np.random.default_rng(1).normal(size=100_003)
ROWS = X[:80_000].reshape(2, 40_000)
COLUMNS = X[:97_500].reshape(2500, 39)
NAN = np.where(np.arange(X.size) == 77_777, np.nan, X)
PROGRAMS = {
    "sums": (lambda x: (np.sum(x * x), np.max(x), np.any(x > 4)), X),
    "halves": (lambda x: np.sum(x.astype("f4")), X.astype("f2")),
    "integers": (lambda x: (np.sum(x), np.min(x)), np.arange(65_536) % 77),
    "positions": (lambda x: (np.argmin(x), np.argmax(x)), X),
    "positions of NaN": (lambda x: (np.argmin(x), np.argmax(x), np.min(x)), NAN),
    "positions of equals": (lambda x: np.argmax(x), np.zeros(50_000)),
    "rows": (lambda x: x - np.max(x, axis=1, keepdims=True), ROWS),
    "softmax": (lambda x: np.exp(x - np.max(x)) / np.sum(np.exp(x - np.max(x))), X[:40_000]),
    "columns": (lambda x: (np.sum(x, axis=0), np.argmax(x, axis=0)), COLUMNS),
    "folds inside of others": (lambda x: (np.std(x), np.var(x)), X),
    "folds inside of others, of columns": (lambda x: np.std(x, axis=0), COLUMNS),
    "wide columns": (lambda x: np.max(x, axis=0), COLUMNS[:2400].reshape(300, -1)),
    "outer and inner": (lambda x: np.sum(x, axis=(0, 2)), X[:99_900].reshape(333, 3, 100)),
}


@pytest.mark.parametrize("symbolic", [False, True], ids=["known", "of_any_size"])
@pytest.mark.parametrize("name", PROGRAMS)
def test_folds_in_parts(name, symbolic):
    function, x = PROGRAMS[name]
    graph = trace(function, x)
    plan = compile_for(retyped(graph, (x,), True) if symbolic else graph, ManyProcessors())
    assert len(plan.kernels) >= 2
    for given in (x, x[: len(x) - len(x) // 9]) if symbolic else (x,):
        found, expected = plan(given), function(given)
        assert found is not BAILOUT
        for got, want in zip(found, expected if type(expected) is tuple else (expected,)):
            assert type(got) is type(want)
            np.testing.assert_allclose(got, want, rtol=1e-6 if name == "halves" else 1e-11)

