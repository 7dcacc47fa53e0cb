"""Python runs for as long as compiling has taken before a function gets code again."""
from __future__ import annotations

import numpy as np
import pytest

import dynamo_lite as dl
from dynamo_lite.runtime import waiting


def twice(x):
    return x * 2 + 1


@pytest.mark.parametrize(("enough", "graphs"), [(1e-6, 1), (1000.0, 2)])
def test_a_second_variant_waits_where_much_was_compiled(enough, graphs, monkeypatch):
    monkeypatch.setattr(waiting, "ENOUGH", enough)
    compiled = dl.compile(twice)
    for dtype in (np.float64, np.float32):
        x = np.arange(5, dtype=dtype)
        assert np.array_equal(compiled(x), twice(x)) and compiled(x).dtype == dtype
    assert dl.stats().graphs == graphs


def test_it_waits_for_as_long_as_compiling_took(monkeypatch):
    monkeypatch.setattr(waiting, "ENOUGH", 1e-6)
    compiled, x = dl.compile(twice), np.arange(100_000, dtype=np.float32)
    compiled(np.arange(5.0))
    for _ in range(100_000):
        compiled(x)
        if dl.stats().graphs == 2:
            break
    assert dl.stats().graphs == 2
