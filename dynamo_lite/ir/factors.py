"""Linear systems that derivatives solve again: with the factors of the first time, by substitution.

Like all operations that exist only inside the compiler they run with NumPy where its LAPACK is not
found, or is given what it does not take.
"""
from __future__ import annotations

from typing import Any

import numpy as np

from ..native import divide_by_triangle, solve_keeping_factors, solve_with_factors


def solved(a: np.ndarray, b: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """`np.linalg.solve(a, b)`, and the factors of `a`: zeros where they are not known."""
    found = solve_keeping_factors(a, b)
    if found is not None:
        return found
    sides = (*a.shape[:-2], a.shape[-1] + 1, a.shape[-1])
    return np.linalg.solve(a, b), np.zeros(sides, a.dtype)


def solved_again(
    a: np.ndarray, b: np.ndarray, factors: np.ndarray, transposed: bool
) -> np.ndarray:
    """The solution for another right side, also of the transposed matrix."""
    found = solve_with_factors(factors, b, transposed)
    if found is not None:
        return found
    return np.linalg.solve(np.swapaxes(a, -1, -2) if transposed else a, b)


def divided(
    b: np.ndarray, triangle: np.ndarray, upper: bool = False, transposed: bool = False,
    right: bool = False,
) -> np.ndarray:
    """`b` multiplied from the left, or from the right, by the inverse of a triangular matrix, or of
    the transposed one. What stands in its other triangle does not matter."""
    found = divide_by_triangle(triangle, b, upper, transposed, right)
    if found is not None:
        return found
    matrix: Any = np.triu(triangle) if upper else np.tril(triangle)
    if transposed is not right:
        matrix = np.swapaxes(matrix, -1, -2)
    return np.swapaxes(np.linalg.solve(matrix, np.swapaxes(b, -1, -2)), -1, -2) if right else (
        np.linalg.solve(matrix, b))
