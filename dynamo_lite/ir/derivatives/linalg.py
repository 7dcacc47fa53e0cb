"""Reverse rules of numpy.linalg, for stacks of matrices.

What reads one triangle of a symmetric matrix has a symmetric cotangent, as in JAX.
"""
from __future__ import annotations

from typing import Any

import numpy as np

from ...errors import Unsupported
from .traced import call, identity


def transposed(x: Any) -> Any:
    return np.swapaxes(x, -1, -2)


def column(x: Any) -> Any:
    return np.expand_dims(x, -1)


def row(x: Any) -> Any:
    return np.expand_dims(x, -2)


def symmetric(x: Any) -> Any:
    return (x + transposed(x)) / 2


def inverse(g: Any, out: Any, a: Any) -> Any:
    return -np.matmul(np.matmul(transposed(out), g), transposed(out))


def determinant(g: Any, out: Any, a: Any) -> Any:
    scale = g * out
    inverted = transposed(np.linalg.inv(a))
    return inverted * (column(column(scale)) if scale.ndim else scale)


def log_determinant(g: Any, out: Any, a: Any) -> Any:
    """Of the sign nothing comes back: it is constant."""
    if g[1] is None:
        return None
    inverted = transposed(np.linalg.inv(a))
    return inverted * (column(column(g[1])) if g[1].ndim else g[1])


def matrix_of_solve(g: Any, out: Any, a: Any, b: Any) -> Any:
    found = right_of_solve(g, out, a, b)
    if b.ndim == 1:
        return -column(found) * row(out)
    return -np.matmul(found, transposed(out))


def right_of_solve(g: Any, out: Any, a: Any, b: Any) -> Any:
    return np.linalg.solve(transposed(a), g)


def cholesky(g: Any, out: Any, a: Any, upper: bool = False) -> Any:
    if upper:
        raise Unsupported("upper=True")
    inside = halved(np.matmul(transposed(out), g))
    back = np.linalg.solve(transposed(out), inside)
    return symmetric(transposed(np.linalg.solve(transposed(out), transposed(back))))


def halved(x: Any) -> Any:
    """The lower triangle, with half of the diagonal."""
    return np.tril(x) - x * identity(x) / 2


def gaps(values: Any) -> Any:
    """1 over the differences of a row and a column of numbers; 0 on the diagonal."""
    apart = row(values) - column(values)
    diagonal = apart * 0 + identity(apart)
    return (1 - diagonal) / (apart + diagonal)


def eigenvectors(g: Any, out: Any, a: Any, UPLO: Any = "L") -> Any:
    values, vectors = call(np.linalg.eigh, a, UPLO)
    inside = 0
    if g[1] is not None:
        inside = gaps(values) * np.matmul(transposed(vectors), g[1])
    if g[0] is not None:
        inside = inside + identity(vectors) * row(g[0])
    return symmetric(np.matmul(np.matmul(vectors, inside), transposed(vectors)))


def eigenvalues(g: Any, out: Any, a: Any, UPLO: Any = "L") -> Any:
    return eigenvectors((g, None), out, a, UPLO)


def singular(
    g: Any, out: Any, a: Any, full_matrices: bool = True, compute_uv: bool = True,
    hermitian: bool = False,
) -> Any:
    rows, columns = a.shape[-2:]
    if hermitian or (compute_uv and full_matrices and rows != columns):
        raise Unsupported("full_matrices=True of a matrix that is not square, or hermitian=True")
    u, s, vh = np.linalg.svd(a, full_matrices=False)
    of_u, of_s, of_vh = g if compute_uv else (None, g, None)
    squares, total = gaps(s * s), 0
    if of_u is not None:
        inside = np.matmul(transposed(u), of_u)
        total = np.matmul(np.matmul(u, squares * (inside - transposed(inside)) * row(s)), vh)
        outside = of_u / row(s)
        outside = outside - np.matmul(u, np.matmul(transposed(u), outside))
        total = total + np.matmul(outside, vh)
    if of_s is not None:
        total = total + np.matmul(u * row(of_s), vh)
    if of_vh is not None:
        inside = np.matmul(vh, transposed(of_vh))
        middle = column(s) * (squares * (inside - transposed(inside)))
        total = total + np.matmul(np.matmul(u, middle), vh)
        outside = of_vh / column(s)
        outside = outside - np.matmul(np.matmul(outside, transposed(vh)), vh)
        total = total + np.matmul(u, outside)
    return total


def singular_values(g: Any, out: Any, a: Any) -> Any:
    return singular(g, out, a, compute_uv=False)


def orthogonal(g: Any, out: Any, a: Any, mode: str = "reduced") -> Any:
    if mode != "reduced" or not a.shape[-2] >= a.shape[-1]:
        raise Unsupported("a mode other than 'reduced', or more columns than rows")
    q, r = np.linalg.qr(a)
    of_q, of_r = g
    inside = 0
    if of_r is not None:
        inside = np.matmul(r, transposed(of_r))
    if of_q is not None:
        inside = inside - np.matmul(transposed(of_q), q)
    total = np.matmul(q, np.tril(inside) + transposed(np.tril(inside, -1)))
    total = total if of_q is None else total + of_q
    return transposed(np.linalg.solve(r, transposed(total)))
