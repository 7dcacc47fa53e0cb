"""The lesser and the greater of two numbers in loops, which processors have instructions for: NaNs,
zeros of both signs and integers of all sizes as in Python and NumPy, and nothing is reported."""
import itertools

import numpy as np
import pytest
from dynamo_lite.backends.llvm.builder.target import host
from dynamo_lite.backends.llvm.objects.modules_on_disk import Objects

import dynamo_lite as dl

from ..oracle import check

SPECIAL = (0.0, -0.0, 1.0, -1.5, np.inf, -np.inf, np.nan)


def least_of_three(x, y):
    found = x.copy()
    for i in range(1, len(x)):
        found[i] = min(x[i - 1], found[i - 1], y[i])
    return found


def greatest_of_three(x, y):
    found = x.copy()
    for i in range(1, len(x)):
        found[i] = max(found[i - 1], y[i], x[i])
    return found


def by_branches(x, y):
    best, least, last, where = x[0], x[0], y[0], 0
    for i in range(len(x)):
        if y[i] > best:
            best, where = y[i], i
        if y[i] <= least:
            least = y[i]
        last = x[i] if x[i] >= y[i] else y[i]
        if not last < best:
            where = where + 1
    return best, least, last, where


def by_expressions(x, y):
    found = np.zeros((6, len(x)), x.dtype)
    for i in range(len(x)):
        a, b = x[i], y[i]
        found[0, i] = a if a < b else b
        found[1, i] = b if a < b else a
        found[2, i] = a if a <= b else b
        found[3, i] = b if a <= b else a
        found[4, i] = a if a > b else b
        found[5, i] = b if a >= b else a
    return found


def by_numpy(x, y):
    found = np.zeros((2, len(x)), x.dtype)
    for i in range(len(x)):
        found[0, i] = np.maximum(x[i], y[i])
        found[1, i] = np.minimum(x[i], y[i])
    return found


PROGRAMS = [least_of_three, greatest_of_three, by_branches, by_expressions, by_numpy]


@pytest.mark.parametrize("program", PROGRAMS)
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_floats(program, dtype):
    x, y = np.array(list(itertools.product(SPECIAL, SPECIAL)), dtype).T.copy()
    compiled = dl.compile(program, fullgraph=True)
    for first, second in ((x, y), (y, x), (np.sort(x), y), (x[::-1].copy(), y)):
        check(compiled, program, first, second)


@pytest.mark.parametrize("program", PROGRAMS)
@pytest.mark.parametrize("dtype", [np.int64, np.int32, np.uint64, np.uint32, np.int8, np.uint8])
def test_integers(program, dtype):
    limits = np.iinfo(dtype)
    numbers = [limits.min, limits.min + 1, 0, 1, 5, limits.max - 1, limits.max]
    x, y = np.array(list(itertools.product(numbers, numbers)), dtype).T.copy()
    compiled = dl.compile(program, fullgraph=True)
    for first, second in ((x, y), (y, x)):
        check(compiled, program, first, second)


@pytest.mark.parametrize("program", PROGRAMS[:2])
def test_a_nan_is_compared_in_compiled_code(program):
    compiled = dl.compile(program, fullgraph=True)
    x, y = np.full(60, np.nan), np.arange(60.0)
    for _ in range(3):
        check(compiled, program, x, y)
    assert dl.stats().bailouts == 0


@pytest.fixture
def modules(monkeypatch):
    """The texts that LLVM is given."""
    found, add = [], Objects.add
    monkeypatch.setattr(Objects, "add", lambda self, text: (found.append(text), add(self, text)))
    with dl.config.patch(cache=False):
        yield found


@pytest.mark.skipif(host().machine != "x86_64" or host().vector_bytes < 32, reason="no AVX")
def test_an_iteration_waits_for_one_instruction(modules):
    x = np.arange(60.0)
    dl.compile(least_of_three, fullgraph=True)(x, x)
    assert "".join(modules).count("@llvm.x86.sse2.min.sd(") == 2
