"""Python's complex numbers in loops: two floats each, by CPython's formulas."""
import numpy as np
import pytest
from dynamo_lite.backends.lowering.lower import lower
from dynamo_lite.backends.program import Extern, all_steps

import dynamo_lite as dl
from dynamo_lite.ir.passes import optimize

from .test_random_loops import outcome


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
        total += abs(z) + z.real
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
            assert outcome(compiled, numbers) == outcome(program, numbers)


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
