"""Python's complex numbers in loops: two floats each, by CPython's formulas."""
import numpy as np
import pytest
from dynamo_lite.backends.loop_ir.program import Extern, all_steps
from dynamo_lite.backends.lowering.lower import lower

import dynamo_lite as dl
from dynamo_lite.ir.passes import optimize

from ..oracle import check


def escape_times(width, height, limit):
    times = np.zeros((height, width), dtype=int)
    for i in range(height):
        for j in range(width):
            c = complex(-2.0 + 3.0 * j / width, -1.0 + 2.0 * i / height)
            z, n = 0j, 0
            while abs(z) <= 2 and n < limit:
                z = z * z + c
                n += 1
            times[i, j] = n
    return times


def signs_and_parts(width, height, limit):
    z, total = 1 - 0j, 0.0
    for k in range(width * 4):
        z = -z * complex(-0.0, k / 100) + 2 * z.conjugate() * 0.25 - 1
        if z.imag > 0.1:
            z = z - 0.5j
        if abs(z) > 1:
            total += z.real
    return z, total


def kept_parts(width, height, limit):
    z = complex(width, height)
    for k in range(60):
        z = complex(z.imag, -z.real) + (k if k % 3 else True)
    return z


def overflows(width, height, limit):
    z = complex(width, height)
    for _ in range(60):
        z = z * z
    return abs(z)


def infinite(width, height, limit):
    z = complex(width * 1.0, float("inf"))
    for k in range(60):
        z = z * complex(k * 1.0, 0.0) + 1
    return z.real, z.imag


def of_an_argument(width, height, limit):
    def rounds(z, c, m):
        n = 0
        while abs(z) < 2 and n < m:
            z, n = z * z + c, n + 1
        return z, n

    return rounds(0j, C, limit), rounds(C * 2, C, 99)


C = -0.7 + 0.27j


def of_numpy(width, height, limit):
    z = 0j
    for v in np.linspace(0, 1, 60):
        z = z * v + 1j
    return z


def divided(width, height, limit):
    z = 1 + 1j
    for k in range(1, 60):
        z = z / complex(k * 1.0, 1.0) + z ** 2
    return z


def compared(width, height, limit):
    z, n = 1 + 1j, 0
    for k in range(60):
        z = z * complex(1.0, k * 0.0)
        if z == 1 + 1j:
            n += 1
    return n


@pytest.mark.parametrize("backend", ["eager", "llvm"])
@pytest.mark.parametrize(
    "program", [escape_times, signs_and_parts, kept_parts, overflows, infinite, of_numpy,
                of_an_argument, divided, compared], ids=lambda program: program.__name__,
)
def test_complex_numbers_are_those_of_python(program, backend):
    compiled = dl.compile(program, backend=backend)
    with dl.config.patch(strict=True):
        for numbers in ((6, 4, 50), (6, 4, 50), (7, 5, 60), (3, 2, 1)):
            check(compiled, program, *numbers, calls=1)


def test_the_loop_is_in_the_graph():
    found = dl.explain(escape_times)(30, 40, 50)
    assert found.graph_count == 1 and not found.break_reasons


def test_nothing_in_the_loop_is_a_call_of_numpy():
    """Not the comparison with an int of the caller's either."""
    steps = []

    def lowered(graph, inputs):
        steps.extend(all_steps(lower(optimize(graph), blas=True).steps))
        return graph

    dl.compile(escape_times, backend=lowered, dynamic=True)(30, 40, 50)
    assert steps and not any(isinstance(step, Extern) for step in steps)


SIGNAL = np.linspace(-1, 2, 3000) + 1j * np.linspace(3, -1, 3000)


def summed(z, c):
    total = 0j
    for k in range(len(z)):
        total += z[k] * 1j
    return total


def recursive(z, c):
    state, found = c, np.zeros(len(z), complex)
    for k in range(len(z)):
        state = (state * 0.5 + z[k]) / (2 + 1j)
        found[k] = state - abs(state)
    return state, found


def rotated(z, c):
    for k in range(len(z)):
        z[k] = np.exp(1j * k) * z[k] * c
    return z


def taken_as_python(z, c):
    total = c
    for k in range(len(z)):
        total = complex(z[k]) * 0.5j + total.conjugate()
    return total


def orbit(z, c):
    w, n = c, 0
    while abs(w) < 1e3 and n < 3000:
        w, n = w * w * 0.1 + c * w, n + 1
    return w, n


@pytest.mark.parametrize("c", [0.3 + 0.2j, np.complex128(0.3 - 0.2j)], ids=["python", "numpy"])
@pytest.mark.parametrize("program", [summed, recursive, rotated, taken_as_python, orbit])
def test_numbers_of_python_and_numpy_meet_in_one_loop(program, c):
    compiled = dl.compile(program)
    with dl.config.patch(strict=True):
        check(compiled, program, SIGNAL.copy(), c, calls=1)
    assert not dl.explain(program)(SIGNAL.copy(), c).break_reasons


OPERANDS = [
    np.complex128(-0.0 - 1j), np.complex64(2 + 1j), np.float64(np.inf), np.float32(1.5),
    np.int64(3), np.array([1, 2j, np.nan]), np.array([1 + 2j], "c8"), np.array([1.5, 2], "f4"),
    np.arange(3),
]


@pytest.mark.parametrize("op", ["+", "-", "*", "/", "=="])
@pytest.mark.parametrize("operand", OPERANDS, ids=lambda operand: str(operand.dtype))
def test_numbers_of_python_meet_those_of_numpy(op, operand):
    functions = {}
    exec(f"""def both(x, y):
    z = complex(float(x[0]), float(x[1])) * (1 + 0j)
    return z {op} y, y {op} z, z""", functions)
    compiled = dl.compile(functions["both"])
    with np.errstate(all="ignore"):
        for x in ((0.0, -0.0), (1.5, -2.0), (np.inf, 1.0), (-0.0, np.nan), (1e300, 1e300)):
            x = np.array(x)
            got, want = compiled(x, operand), functions["both"](x, operand)
            for one, other in zip(got, want, strict=True):
                assert type(one) is type(other)
                np.testing.assert_array_equal(one, other, strict=True)
