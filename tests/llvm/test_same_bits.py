"""`config.math = "numpy"`: elementary functions have the bits that they have in Python."""
import math
import subprocess
import sys

import numpy as np
import pytest

import dynamo_lite as dl

from ..oracle import differences, outcome

ONE = ("exp", "exp2", "expm1", "log", "log10", "log1p", "log2", "sin", "cos", "tan", "sinh", "cosh",
       "tanh", "arcsin", "arccos", "arctan", "arcsinh", "arctanh", "cbrt")
TWO = ("power", "float_power", "arctan2", "hypot", "logaddexp", "logaddexp2")


@pytest.fixture(autouse=True)
def numpys_functions():
    with dl.config.patch(math="numpy"):
        yield


def check(function, *arguments):
    expected, compiled = function(*arguments), dl.compile(function, fullgraph=True)(*arguments)
    assert type(compiled) is type(expected)
    assert np.asarray(compiled).tobytes() == np.asarray(expected).tobytes()


def numbers(dtype, shape=(13, 21)):
    return (np.random.default_rng(7).random(shape) * 0.9 + 0.05).astype(dtype)


@pytest.mark.parametrize("dtype", "efd")
@pytest.mark.parametrize("name", ONE)
def test_functions_of_one(name, dtype):
    function, x = getattr(np, name), numbers(dtype)
    check(lambda x: function(x) * 2 + x, x)
    check(lambda x: function(x[::2]), x)
    check(lambda x: function(x[:, 1:].T), x)
    check(lambda x: function(x * 0.5).sum(axis=0), x)
    check(lambda x: function(x[0, 0]) + x, x)


@pytest.mark.parametrize("last", (1e30, -1e30, 0.0, -2.0, np.inf, np.nan, 89.0, 710.0))
@pytest.mark.parametrize("dtype", "fd")
@pytest.mark.parametrize("name", ONE)
def test_functions_report_what_numpy_reports(name, dtype, last):
    """Also those of which the loop says so itself, as that of `exp` for floats of 32 bits."""
    function = getattr(np, name)

    def program(x):
        return function(x)

    x = np.array([0.5] * 9 + [last], dtype)
    compiled = dl.compile(program, backend="llvm")
    for values in (x, x[:9], x[9:]):
        assert not differences(outcome(compiled, [values]), outcome(program, [values]))


def test_many_comparisons_in_one_kernel():
    """Of vectors that fill several registers, with loads between them."""
    def function(a, b):
        a = np.sqrt((a * b + 1.4) ** 2 + 1)
        b = np.where(a > b, a, b) - 0.9
        a = np.maximum(a, 0.5) / (1 + b * b)
        return a, np.exp(-(np.where(a > b, a, b) - 0.8) * 0.6)

    x = numbers("d", (20, 20))
    for found, expected in zip(dl.compile(function)(x, x[::-1].copy()), function(x, x[::-1])):
        assert found.tobytes() == expected.tobytes()


@pytest.mark.parametrize("dtype", "efd")
@pytest.mark.parametrize("name", TWO)
def test_functions_of_two(name, dtype):
    function, x = getattr(np, name), numbers(dtype)
    check(lambda x: function(x, x[::-1]) - 1, x)
    check(lambda x: function(x, x[:, :1]), x)
    check(lambda x: function(x, x[0]), x)
    check(lambda x: function(x, x[0, 0]), x)
    check(lambda x: function(x[0, 0], x[0, 1]) + x, x)


@pytest.mark.parametrize("exponent", [2, 3, 0.5, -1, -2, 1.5, 7])
@pytest.mark.parametrize("dtype", "fd")
def test_powers(dtype, exponent):
    """NumPy looks whether the exponent is the same for all elements, and a square or a root."""
    x = numbers(dtype)
    check(lambda x: x**exponent, x)
    check(lambda x: np.power(x, exponent), x)
    check(lambda x: x[0, 0] ** exponent + x, x)
    check(lambda x, k: np.power(x, k), x, np.full(x.shape, exponent, dtype))


def test_hypotenuses_are_those_of_python():
    """Which computes them itself: in any order of magnitude, down to the subnormal ones."""
    rng = np.random.default_rng(3)
    sizes = 10.0 ** rng.integers(-310, 308, (2, 20_000))
    x, y = np.hstack([rng.uniform(-1, 1, (2, 20_000)), rng.uniform(-1, 1, (2, 20_000)) * sizes])

    def hypotenuses(x, y, out):
        for i in range(len(x)):
            out[i] = math.hypot(x[i], y[i])
        return out

    check(hypotenuses, x, y, np.zeros(len(x)))


def each(function):
    """Of the elements, one by one: NumPy's numbers are not computed by its loops everywhere."""
    def elements(x, out):
        for i in range(len(x)):
            out[i] = function(x[i])
        return out

    return elements


SCALES = np.array([1.0, 1e-3, 1e3, 1e150, 1e-150, 1e-170, 1e155])
ENDS = [0.0, -0.0, np.inf, -np.inf, np.nan, 5e-324, 1.7e308, 2.0**-450, 2.0**450]


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("exponent", [2, 2.0, np.float64(2), 0.5, 3, -1])
@pytest.mark.parametrize("dtype", "fd")
def test_powers_of_many_numbers(dtype, exponent):
    """C's pow differs from a product in one of some thousand last bits."""
    x = np.random.default_rng(8).normal(size=30_000) * np.tile(SCALES, 5000)[:30_000]
    with np.errstate(all="ignore"):
        x = np.concatenate([x, ENDS]).astype(dtype)
        check(each(lambda value: value**exponent), x, np.empty(len(x), np.result_type(x, 1.0)))
        if dtype == "d" and isinstance(exponent, int):  # Python's numbers
            small = x[np.abs(x) < 1e150]
            check(each(lambda value: float(value) ** 2), small, np.empty(len(small)))


@pytest.mark.parametrize("name", ONE)
def test_functions_of_many_numbers(name):
    function = getattr(np, name)
    for dtype in "fd":
        check(each(lambda value: function(value)), numbers(dtype, 3000), np.empty(3000, dtype))


@pytest.mark.parametrize("dtype", "FD")
def test_products_of_many_complex_numbers(dtype):
    """NumPy's loops do not round in between where the processor can do so."""
    x = (numbers("d", 3000) + 1j * numbers("d", 3000)[::-1]).astype(dtype)
    for function in (np.square, abs, lambda v: v * v, lambda v: np.multiply(v, v)):
        check(each(function), x, np.empty(3000, dtype))
        check(lambda x: np.add(function(x), 1), x)


@pytest.mark.parametrize("size", [1, 2, 7, 63, 64, 65, 1000, 100_003])
def test_any_length(size):
    check(lambda x: np.tanh(np.exp(-x * x) + 0.5) * x, numbers("d", size))


def test_pythons_own_functions_are_those_of_c():
    def orbit(n, a):
        s = 0.25
        for i in range(n):
            s = math.cos(s) + math.atan2(s, a) + a**1.7 + math.log(i + 1.5) + math.exp(-s) ** 0.3
        return s

    assert dl.compile(orbit)(500, 1.3) == orbit(500, 1.3)


def test_mathematics_of_elements():
    def total(x):
        t = 0.0
        for i in range(len(x)):
            t += math.sin(x[i]) * np.exp(x[i]) + x[i] ** 2.5 + math.pow(x[i], 0.3)
        return t

    x = numbers("d", 300)
    assert dl.compile(total)(x) == total(x)


def test_reports_are_numpys():
    def logs(x):
        return np.log(x) + np.exp(x)

    for x in (np.array([1.0, 0.0, 2.0]), np.array([1.0, -1.0]), np.array([1000.0, 1.0])):
        with pytest.warns(RuntimeWarning) as expected:
            logs(x)
        with pytest.warns(RuntimeWarning) as found:
            dl.compile(logs)(x)
        assert [str(w.message) for w in found] == [str(w.message) for w in expected]


SCRIPT = """
import math
import numpy as np

def step(p, v):
    d = p[:, None] - p
    a = (np.exp(-d ** 2) * np.sin(d)).sum(axis=1) + np.abs(p) ** 1.3
    return p + 0.01 * v, v - 0.01 * a

p, v = np.linspace(-1, 1, 40), np.cos(np.arange(40.0))
for i in range(300):
    p, v = step(p, v)
print(p.sum().hex(), v.sum().hex(), p.tobytes().hex()[:200])
"""


@pytest.mark.parametrize("options", [(), ("--at-once",)])
def test_a_program_prints_the_same_wherever_compiled_code_takes_over(tmp_path, options):
    path = tmp_path / "script.py"
    path.write_text(SCRIPT)
    plain = subprocess.run([sys.executable, path], capture_output=True, text=True, check=True)
    ours = subprocess.run(
        [sys.executable, "-m", "dynamo_lite", *options, path],
        capture_output=True, text=True, check=True,
    )
    assert ours.stdout == plain.stdout


@pytest.mark.parametrize("dtype", "fd")
@pytest.mark.parametrize("subscripts, shapes", [
    ("ij,ij->j", [(2, 3), (2, 3)]), ("ij,ij->i", [(9, 40), (9, 40)]), ("i,i->", [(33,), (33,)]),
    ("ij->j", [(40, 9)]), ("ij->", [(3, 40)]), ("ji,jk,i->k", [(4, 5), (4, 6), (5,)]),
    ("ij,jk->ik", [(7, 9), (9, 5)]), ("ij,jk->ik", [(6, 2), (2, 9)]),
    ("ijkl,jkl->ikl", [(2, 2, 30, 4), (2, 30, 4)]),
])
def test_einsum(subscripts, shapes, dtype):
    operands = [numbers(dtype, shape) for shape in shapes]
    check(lambda *operands: np.einsum(subscripts, *operands) * 3, *operands)
    turned = [np.asfortranarray(x) for x in operands]
    check(lambda *operands: np.einsum(subscripts, *operands), *turned)
