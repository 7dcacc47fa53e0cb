"""NumPy's scalars that are computed from data are no Python numbers: NEP 50 decides."""
import numpy as np
import pytest

import dynamo_lite as dl
from dynamo_lite.ir.control import all_nodes

from ..graphs import graph_of
from ..oracle import check

PROGRAMS = {
    text: eval(f"lambda x, n: {text}") for text in (
        "x[0] * n", "n - x[0]", "x[0] // n", "x[0] & n", "x[0] < n", "x[0] == n", "abs(x[1])",
        "divmod(x[1], n)", "sum([x[0], n])", "max(x[0], n)", "x.max() * n", "x.sum() + n",
        "np.multiply(x[0], n)", "np.maximum(x[0], n)", "np.clip(x[0], 0, n)", "np.gcd(x[1], n)",
        "np.where(x > 0, x[0], n)", "np.array([x[0], n])", "np.array([x[0], n]).dtype",
        "np.arange(x[1])", "[1, 2] * x[1]",
        "np.zeros(x[1])", "np.full(2, x[0])", "np.repeat(x, x[1])", "np.roll(x, x[1])",
        "np.reshape(x, (x[1], -1))", "np.eye(x[1], k=x[2])", "np.linspace(x[0], n, x[1])",
        "np.expand_dims(x, x[2] - x[2])", "np.ldexp(1.0, x[1])",
    )
}  # fmt: skip


def outcome(function, *args):
    try:
        result = function(*args)
    except Exception as error:
        return type(error), str(error)
    return type(result), getattr(result, "dtype", None), repr(result)


@pytest.mark.parametrize("text", PROGRAMS)
@pytest.mark.parametrize("dtype", ["u1", "i1", "i2", "u4", "i8", "u8"])
@pytest.mark.filterwarnings("ignore")
def test_as_in_numpy(text, dtype):
    x = np.array([2, 3, 1], dtype)
    for n in (3, 0, -1, 300, 2**40, 10**30):
        compiled = dl.compile(PROGRAMS[text])
        expected = outcome(PROGRAMS[text], x, n)
        assert [outcome(compiled, x, n) for _ in range(2)] == [expected] * 2, n


@pytest.mark.parametrize("dtype", ["f2", "f4", "f8"])
def test_extrema_of_elements(dtype):
    def function(x):
        return max(x), min(x), max(x[1], x[0])

    for values in ([2.5, -1, 0], [0.0, -0.0, np.nan], [np.nan, 1, 2]):
        x = np.array(values, dtype)
        assert outcome(dl.compile(function), x) == outcome(function, x)


@pytest.mark.parametrize("number", [1e300, 1e-300, 65520.0, float("nan")])
def test_constants_report_what_their_conversion_reports(number):
    def function(x):
        return x * np.float32(number), np.float16(number)

    compiled, x = dl.compile(function), np.ones(2)
    for state in ("ignore", "raise"):
        with np.errstate(all=state):
            assert outcome(compiled, x) == outcome(function, x)


@pytest.mark.parametrize("items", [[], [1, 2], [True], [1.5, 2], [1j], [10**30]], ids=str)
@pytest.mark.parametrize("dtype", [None, int, float, "u1", bool, complex], ids=str)
@pytest.mark.filterwarnings("ignore")
def test_arrays_of_what_an_iterator_gives(items, dtype):
    def function(x):
        made = np.fromiter((item for item in items), dtype)
        return made.dtype, made.tolist(), x + 1

    x = np.ones(2)
    assert outcome(dl.compile(function), x) == outcome(function, x)


@pytest.mark.parametrize("dtype", ["f2", "f4", "f8", "i1", "u2", "i8"])
@pytest.mark.parametrize("of", ["arrays", "elements", "an element and a number"])
def test_divmod_of_all_kinds_of_values(dtype, of):
    def of_arrays(x, y):
        return divmod(x, y)

    def of_elements(x, y):
        return [divmod(p, q) for p, q in zip(x, y)]

    def of_numbers(x, y):
        total = 0
        for p in x:
            whole, rest = divmod(p, 3)
            total = total * 0.5 + whole - rest
        return total, divmod(7, x[0])

    function = {"arrays": of_arrays, "elements": of_elements}.get(of, of_numbers)
    floats = [0.0, -0.0, 1, -1, 0.3, -7.5, 1e-7, 6e4, np.inf, -np.inf, np.nan]
    info = None if dtype[0] == "f" else np.iinfo(dtype)
    values = np.array(floats if info is None else [0, 1, 3, 7, info.min, info.max], dtype)
    with np.errstate(all="ignore"):
        x, y = (each.ravel() for each in np.meshgrid(values, values))
    compiled = dl.compile(function)
    for left, right in ((x, y), (x[y == 1], y[y == 1]), (x[::-1], y[::-1])):
        check(compiled, function, left, right)


def test_divmod_of_elements_is_arithmetic_of_numbers():
    def function(x):
        total = 0.0
        for v in x:
            whole, rest = divmod(v, 0.3)
            total += whole * rest
        return total

    nodes = all_nodes(graph_of(function, np.linspace(0, 9, 50)))
    assert not any(node.target is np.divmod for node in nodes)
