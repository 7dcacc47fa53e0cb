"""Reverse rules of numpy.linalg, for stacks of matrices.

What reads one triangle of a symmetric matrix has a symmetric cotangent, as in JAX.
"""
from __future__ import annotations

import operator
from typing import Any

import numpy as np

from ...errors import Unsupported
from .. import factors
from ..rules.composite import Emit
from .traced import call, conjugate, identity, traced


def transposed(x: Any) -> Any:
    return np.swapaxes(x, -1, -2)


def column(x: Any) -> Any:
    return np.expand_dims(x, -1)


def row(x: Any) -> Any:
    return np.expand_dims(x, -2)


def adjoint(x: Any) -> Any:
    return conjugate(transposed(x))


def symmetric(x: Any) -> Any:
    return (x + adjoint(x)) / 2


def imaginary(x: Any) -> Any:
    """What is imaginary of complex numbers; of real ones nothing."""
    return 1j * np.imag(x) if x.dtype.kind == "c" else np.zeros_like(x)


def inverse(g: Any, out: Any, a: Any) -> Any:
    return -np.matmul(np.matmul(transposed(out), g), transposed(out))


def transposed_inverse(a: Any) -> Any:
    """By the factors of the matrix, where the program has solved a system of it."""
    if a.ndim == 2 and (kept := factors_of(a)) is not None:
        return call(factors.solved_again, a, identity(a), kept, True)
    return transposed(np.linalg.inv(a))


def factors_of(a: Any) -> Any:
    solved = (node for node in a.emit.new.graph.nodes
              if node.target is factors.solved and node.args[0] is a.value)
    node = next(solved, None)
    return None if node is None else traced(a.emit, node)[1]


def determinant(g: Any, out: Any, a: Any) -> Any:
    scale = g * out
    inverted = transposed_inverse(a)
    return inverted * (column(column(scale)) if scale.ndim else scale)


def log_determinant(g: Any, out: Any, a: Any) -> Any:
    """The sign of real numbers is constant; of complex ones it turns."""
    parts = [g[1]] if g[1] is not None else []
    if g[0] is not None and out[0].dtype.kind == "c":
        parts.append(imaginary(g[0] * out[0]))
    if not parts:
        return None
    scale = parts[0] if len(parts) == 1 else parts[0] + parts[1]
    inverted = transposed_inverse(a)
    return inverted * (column(column(scale)) if scale.ndim else scale)


def matrix_of_solve(g: Any, out: Any, a: Any, b: Any) -> Any:
    return outer(right_of_solve(g, out, a, b), out)


def right_of_solve(g: Any, out: Any, a: Any, b: Any) -> Any:
    return np.linalg.solve(transposed(a), g)


def keeping_factors(emit: Emit, a: Any, b: Any) -> Any:
    """`np.linalg.solve` of doubles, in which it computes, and of a vector or of the same stack."""
    matrix, right = emit.type(a), emit.type(b)
    is_known = matrix.library == "numpy" and matrix.dtype.char in "dD" and matrix.ndim >= 2
    same_stack = matrix.ndim == right.ndim and all(
        map(emit.facts.equal, matrix.shape[:-2], right.shape[:-2]))
    is_one = matrix.ndim == 2 and right.ndim == 1
    if not is_known or matrix.dtype != right.dtype or not (same_stack or is_one):
        raise Unsupported("a system whose factors are not kept")
    return emit(operator.getitem, emit(factors.solved, a, b), 0)


def right_of_solved(g: Any, out: Any, a: Any, b: Any) -> Any:
    """By the factors, on which nothing depends but what is solved with them."""
    return None if g[0] is None else call(factors.solved_again, a, g[0], out[1], True)


def matrix_of_solved(g: Any, out: Any, a: Any, b: Any) -> Any:
    return None if g[0] is None else outer(right_of_solved(g, out, a, b), out[0])


def right_of_solved_again(
    g: Any, out: Any, a: Any, b: Any, kept: Any, transposed: bool
) -> Any:
    return call(factors.solved_again, a, g, kept, not transposed)


def matrix_of_solved_again(
    g: Any, out: Any, a: Any, b: Any, kept: Any, transposed: bool
) -> Any:
    found = right_of_solved_again(g, out, a, b, kept, transposed)
    return outer(out, found) if transposed else outer(found, out)


def outer(found: Any, out: Any) -> Any:
    """The cotangent of a matrix, by that of the right side and the solution."""
    if out.ndim == 1:
        return -column(found) * row(out)
    return -np.matmul(found, transposed(out))


def right_of_divided(
    g: Any, out: Any, b: Any, triangle: Any, upper: bool = False, transposed: bool = False,
    right: bool = False,
) -> Any:
    return call(factors.divided, g, triangle, upper, not transposed, right)


def triangle_of_divided(
    g: Any, out: Any, b: Any, triangle: Any, upper: bool = False, transposed: bool = False,
    right: bool = False,
) -> Any:
    """Only one triangle is read."""
    found = right_of_divided(g, out, b, triangle, upper, transposed, right)
    first, second = (out, found) if transposed is not right else (found, out)
    whole = (np.matmul(np.swapaxes(first, -1, -2), second) if right else
             np.matmul(first, np.swapaxes(second, -1, -2)))
    return -(np.triu(whole) if upper else np.tril(whole))


def cholesky(g: Any, out: Any, a: Any, upper: bool = False) -> Any:
    """Of the upper factor, which is the adjoint of the lower one, by that of the lower one."""
    if upper:
        g, out = adjoint(g), adjoint(out)
    inside = halved(np.matmul(transposed(out), g))
    left = call(factors.divided, inside, out, transposed=True)
    return symmetric(call(factors.divided, left, conjugate(out), right=True))


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
    return symmetric(np.matmul(np.matmul(conjugate(vectors), inside), transposed(vectors)))


def eigenvalues(g: Any, out: Any, a: Any, UPLO: Any = "L") -> Any:
    return eigenvectors((g, None), out, a, UPLO)


def singular(
    g: Any, out: Any, a: Any, full_matrices: bool = True, compute_uv: bool = True,
    hermitian: bool = False,
) -> Any:
    rows, columns = a.shape[-2:]
    of_u, of_s, of_vh = g if compute_uv else (None, g, None)
    less = a.emit.facts.less
    if full_matrices and ((of_u is not None and less(columns, rows)) or (
            of_vh is not None and less(rows, columns))):
        raise Unsupported("vectors of full_matrices=True, of which any may be chosen")
    u, s, vh = np.linalg.svd(a, full_matrices=False)
    squares, inside = gaps(s * s), 0
    if of_u is not None:
        turned = np.matmul(transposed(u), of_u)
        inside = squares * (turned - adjoint(turned)) * row(s)
        inside = inside + imaginary(turned) * identity(turned) / row(s)
    if of_s is not None:
        inside = inside + row(of_s) * identity(squares)
    if of_vh is not None:
        turned = np.matmul(conjugate(vh), adjoint(of_vh))
        inside = inside + column(s) * (squares * (turned - adjoint(turned)))
    total = np.matmul(np.matmul(conjugate(u), inside), conjugate(vh))
    if of_u is not None:
        outside = of_u / row(s)
        outside = outside - np.matmul(conjugate(u), np.matmul(transposed(u), outside))
        total = total + np.matmul(outside, conjugate(vh))
    if of_vh is not None:
        outside = of_vh / column(s)
        outside = outside - np.matmul(np.matmul(outside, transposed(vh)), conjugate(vh))
        total = total + np.matmul(conjugate(u), outside)
    return total


def singular_values(g: Any, out: Any, a: Any) -> Any:
    return singular(g, out, a, compute_uv=False)


def orthogonal(g: Any, out: Any, a: Any, mode: str = "reduced") -> Any:
    rows, columns = a.shape[-2:]
    if mode not in ("reduced", "r") and not a.emit.facts.equal(rows, columns):
        raise Unsupported(f"mode={mode!r} of a matrix that is not square")
    of_q, of_r = (None, g) if mode == "r" else g
    if a.emit.facts.less_equal(columns, rows):
        return of_factors(of_q, of_r, a)
    left, right = a[..., :rows], a[..., rows:]  # the right part of r is the adjoint of q times it
    if of_r is None:
        of_left, of_right = of_factors(of_q, None, left), np.zeros_like(right)
    else:
        q, behind = np.linalg.qr(left)[0], of_r[..., rows:]
        turned = np.matmul(conjugate(right), adjoint(behind))
        of_q = turned if of_q is None else of_q + turned
        of_left = of_factors(of_q, of_r[..., :rows], left)
        of_right = np.matmul(conjugate(q), behind)
    return np.concatenate((of_left, of_right), axis=-1)


def of_factors(of_q: Any, of_r: Any, a: Any) -> Any:
    """Of a matrix with at least as many rows as columns."""
    q, r = np.linalg.qr(a)
    turned = 0
    if of_q is not None:
        turned = np.matmul(transposed(q), of_q)
    if of_r is not None:
        turned = turned - np.matmul(of_r, transposed(r))
    inside = np.tril(turned - adjoint(turned), -1) - turned
    inside = inside + imaginary(turned) * identity(turned)
    total = np.matmul(conjugate(q), inside)
    total = total if of_q is None else total + of_q
    return call(factors.divided, total, r, upper=True, transposed=True, right=True)
