"""Linear systems that keep their factors: values are NumPy's to the bit, derivatives are right."""
from __future__ import annotations

import itertools

import numpy as np
import pytest

import dynamo_lite as dl
from dynamo_lite.ir import factors

from .checking import check

RNG = np.random.default_rng(8)
SIDES = [(n, right) for n in (1, 2, 5, 16, 33, 100) for right in ((), (1,), (3,), (40,))]


def numbers(dtype, *shape):
    real = RNG.standard_normal(shape)
    return real + 1j * RNG.standard_normal(shape) if dtype is complex else real


@pytest.mark.parametrize("dtype", [float, complex])
@pytest.mark.parametrize("n, right", SIDES)
def test_solutions_are_those_of_numpy(dtype, n, right):
    a, b = numbers(dtype, n, n), numbers(dtype, n, *right)
    for matrix in (a, a.T, numbers(dtype, 2 * n, n)[::2]):
        found, kept = factors.solved(matrix, b)
        assert found.tobytes() == np.linalg.solve(matrix, b).tobytes() and kept[-1].all()
        again = factors.solved_again(matrix, b, kept, False)
        back = factors.solved_again(matrix, b, kept, True)
        assert np.allclose(again, found) and np.allclose(matrix.T @ back, b)


def test_solutions_of_a_stack():
    a, b = numbers(float, 2, 3, 4, 4), numbers(float, 2, 3, 5, 4).swapaxes(-1, -2)
    found, kept = factors.solved(a, b)
    assert found.tobytes() == np.linalg.solve(a, b).tobytes() and found.flags.c_contiguous
    back = factors.solved_again(a, b, kept, True)
    assert np.allclose(a.swapaxes(-1, -2) @ back, b)


def test_what_lapack_is_not_given_is_solved_by_numpy():
    single = numbers(float, 3, 3).astype("f4"), numbers(float, 3).astype("f4")
    for a, b in (single, (np.zeros((0, 0)), np.zeros(0)), (np.eye(2), np.zeros((2, 0)))):
        found, kept = factors.solved(a, b)
        expected = np.linalg.solve(a, b)
        assert found.tobytes() == expected.tobytes() and found.dtype == expected.dtype
        assert kept.shape == (len(a) + 1, len(a)) and not kept.any()
        assert np.allclose(factors.solved_again(a, b, kept, False), expected)
    with pytest.raises(np.linalg.LinAlgError, match="Singular matrix"):
        factors.solved(np.zeros((3, 3)), np.ones(3))


@pytest.mark.parametrize("upper, transposed, right", [*itertools.product((False, True), repeat=3)])
def test_divided_by_a_triangle(monkeypatch, upper, transposed, right):
    for stack, dtype in ((), "f8"), ((2,), "c16"), ((2, 3), "f4"):
        kind = complex if dtype == "c16" else float
        whole = (numbers(kind, *stack, 5, 5) + 5 * np.eye(5)).astype(dtype)
        triangle = np.triu(whole) if upper else np.tril(whole)
        matrix = triangle.swapaxes(-1, -2) if transposed else triangle
        b = numbers(kind, *stack, *((3, 5) if right else (5, 3))).astype(dtype)

        def found():
            return factors.divided(b, whole, upper, transposed, right)

        native = found()
        with monkeypatch.context() as context:
            context.setattr(factors, "divide_by_triangle", lambda *args: None)
            assert np.allclose(found(), native, atol=1e-4)
        assert np.allclose(native @ matrix if right else matrix @ native, b, atol=1e-4)


B = numbers(float, 4, 2)


def likelihood(x):
    """The factors of the system serve the determinants as well."""
    k = x @ x.T + np.eye(4)
    return B[:, 0] @ np.linalg.solve(k, B[:, 0]) + np.linalg.slogdet(k)[1] + np.linalg.det(k)


PROGRAMS = {
    "vector": lambda x: np.linalg.solve(x, B[:, 0]),
    "columns": lambda x: np.linalg.solve(x, x[:, :2]),
    "stack": lambda x: np.linalg.solve(np.stack([x, x.T]), np.stack([B, 2 * B])),
    "one after the other": lambda x: np.linalg.solve(x, np.linalg.solve(x.T @ x, x[0])),
    "factor": lambda x: np.linalg.cholesky(x @ x.T + np.eye(4)),
    "upper factor": lambda x: np.linalg.cholesky(x @ x.T + np.eye(4), upper=True),
    "likelihood": likelihood, "determinant": lambda x: np.linalg.det(x) * x,
}


@pytest.mark.parametrize("name", PROGRAMS)
@pytest.mark.parametrize("backend", ["aot_eager", "llvm"])
def test_derivatives(name, backend):
    with dl.config.patch(backend=backend):
        check(PROGRAMS[name], numbers(float, 4, 4) + 3 * np.eye(4))


def looped(x):
    y = x[0]
    for _ in range(5):
        y = np.linalg.solve(x, y) + y
    return y


def test_systems_in_a_loop():
    check(looped, numbers(float, 4, 4) + 3 * np.eye(4))


@pytest.mark.parametrize("side", [1, 7, 60])
def test_the_value_is_numpy_s_to_the_bit(side):
    a, b = numbers(float, side, side), numbers(float, side)

    def total(a, b):
        return np.linalg.solve(a, b).sum()

    value, _ = dl.value_and_grad(total, argnums=(0, 1))(a, b)
    assert value == total(a, b)


def test_no_solution():
    def total(a):
        return np.linalg.solve(a, np.ones(3)).sum()

    gradient = dl.value_and_grad(total)
    gradient(np.eye(3))
    with pytest.raises(np.linalg.LinAlgError, match="Singular matrix"):
        gradient(np.zeros((3, 3)))
    assert gradient(np.eye(3))[0] == 3.0


def test_sizes_vary_without_compiling_again():
    def total(a, b):
        return np.linalg.solve(a, b).sum()

    gradient = dl.grad(total)
    for side in (3, 4, 5, 9):
        a, b = numbers(float, side, side), numbers(float, side)
        found = gradient(a, b)
        back = np.linalg.solve(a.T, np.ones(side))
        assert np.allclose(found, -np.outer(back, np.linalg.solve(a, b)))
