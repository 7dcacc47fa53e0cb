"""The published table of largest errors holds, and no function is missing from it."""
from __future__ import annotations

import importlib.util
from decimal import Decimal, localcontext
from pathlib import Path

import numpy as np
import pytest
from dynamo_lite.backends.llvm.maths.looked_up_powers import _roots
from dynamo_lite.backends.llvm.maths.tables import PRECISION, powers_of_two

import dynamo_lite as dl

from .kernels import ELEMENTARY

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
    assert set(published()) == set(ELEMENTARY) - EXACT


@pytest.mark.parametrize("function", ulp.DOMAINS, ids=lambda f: f.__name__)
def test_bounds(function, level):
    for dtype, bound in zip((np.float32, np.float64), published()[function.__name__]):
        ours, _ = ulp.measure(function, np.dtype(dtype), 20_000)
        assert ours <= bound + (0 if level.fma else 1)


@pytest.mark.parametrize("dtype, steps", [(np.dtype(np.float32), 32), (np.dtype(np.float64), 16)])
def test_tables_are_as_exact_as_they_say(dtype, steps):
    with localcontext(PRECISION):
        powers = [Decimal(2) ** (Decimal(i) / steps) for i in range(steps)]
        roots = [(Decimal(2).ln() * (i % 4) / 3).exp() for i in range(steps)]
        for exact, table in (powers, powers_of_two(steps, dtype)), (roots, _roots(dtype)[1]):
            for x, number, rest in zip(exact, *table):
                assert number == dtype.type(float(x))
                assert rest == pytest.approx(float(x - Decimal(number)), rel=1e-15)


def numbers(function, dtype, count):
    """Arguments that the function takes, small ones, and a few special ones."""
    rng = np.random.default_rng(0)
    low, high = {"arccosh": (1, 40), "arctanh": (-1, 1), "arcsin": (-1, 1), "arccos": (-1, 1),
                 "power": (0, 9)}.get(function.__name__, (-20, 20))  # fmt: skip
    if function.__name__.startswith("log"):
        low = 0
    columns = [rng.uniform(low, high, count).astype(dtype) for _ in range(function.nin)]
    for column in columns:
        column[5::97], column[11::103], column[17::109] = 0.0, -0.0, np.nan
    return columns


def overlapping(function):
    def shifted(x, *others):
        function(x[::2], *(y[::2] for y in others), out=x[: len(x) // 2])
        return x[: len(x) // 2]

    return shifted


def one_by_one(function):
    def of_one(x):
        result = np.empty_like(x)
        for i in range(len(x)):
            result[i] = function(x[i])
        return result

    def of_two(x, y):
        result = np.empty_like(x)
        for i in range(len(x)):
            result[i] = function(x[i], y[i])
        return result

    return of_one if function.nin == 1 else of_two


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("function", ulp.DOMAINS, ids=lambda f: f.__name__)
def test_a_number_has_one_result(function, dtype, level):
    """Wherever it stands: in an array of any length or layout, in memory that is written, alone."""
    columns = numbers(function, dtype, 1000)
    with np.errstate(all="ignore"):
        compiled = dl.compile(lambda *a: function(*a), options={"recompile_limit": 32})
        want = compiled(*columns)

        def check(found, expected):
            np.testing.assert_array_equal(found, expected, strict=True)

        for key in (slice(n) for n in (1, 2, 3, 7, 8, 9, 17, 33)):
            check(compiled(*(x[key] for x in columns)), want[key])
        for key in (slice(None, None, 2), slice(None, None, -3), slice(1, None)):
            check(compiled(*(x[key] for x in columns)), want[key])
        table = [x.reshape(25, 40).T for x in columns]
        check(compiled(*table), want.reshape(25, 40).T)
        for i in range(60):
            check(compiled(*(x[i] for x in columns)), want[i])
        check(dl.compile(one_by_one(function))(*columns), want)
        check(dl.compile(overlapping(function))(*(x.copy() for x in columns)), want[::2])
    assert not any(entry.bailouts for entry in compiled.entries())
