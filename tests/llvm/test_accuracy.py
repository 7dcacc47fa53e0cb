"""The published table of largest errors holds, and no function is missing from it."""
from __future__ import annotations

import importlib.util
from pathlib import Path

import numpy as np
import pytest
from dynamo_lite.backends.llvm.maths import FUNCTIONS

ROOT = Path(__file__).parents[2]
EXACT = {"fmod", "remainder", "floor_divide", "reciprocal"}


def script():
    spec = importlib.util.spec_from_file_location("ulp", ROOT / "benchmarks" / "ulp.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


ulp = script()


def published():
    bounds = {}
    for line in (ROOT / "docs" / "ulp.md").read_text().splitlines():
        if line.startswith("| `"):
            name, _, single, _, _, double, *_ = (cell.strip() for cell in line[1:].split("|"))
            bounds[name.strip("`")] = float(single), float(double)
    return bounds


def test_table_is_complete():
    assert set(published()) == set(FUNCTIONS) - EXACT


@pytest.mark.parametrize("function", ulp.DOMAINS, ids=lambda f: f.__name__)
def test_bounds(function, level):
    for dtype, bound in zip((np.float32, np.float64), published()[function.__name__]):
        ours, _ = ulp.measure(function, np.dtype(dtype), 20_000)
        assert ours <= bound + (0 if level.fma else 1)
