"""Linear algebra."""
# ruff: noqa
import numpy as np

from .entries import C, F, M, S, T, V, W, survey

A = S + 0.1 * np.arange(16.0).reshape(4, 4)


@survey(M, S, close=True)
def products(x, s): return x @ x.T, np.dot(x, x.T), s @ x, np.matmul(s, x[:, 0]), x.T.dot(s), np.linalg.multi_dot([x.T, s, x])


@survey(V, W)
def vector_products(x, y): return x @ y, np.inner(x, y), np.outer(x, y), np.vdot(x, y), np.dot(x, 2.0), np.kron(x[:2], y[:3]), np.linalg.outer(x, y)


@survey(T, M, close=True)
def tensor_products(t, m): return np.tensordot(t, t, axes=([1, 2], [1, 2])), np.einsum("ijk,ijk->i", t, t), np.einsum("ij,kj->ik", m, m), np.tensordot(m, m.T, 1)


@survey(M, S, close=True, breaks=1, why="not an operation of the graph")
def einsums(x, s): return np.einsum("ii", s), np.einsum("ii->i", s), np.einsum("ij->ji", x), np.einsum("ij,jk,kl->il", x.T, s, x), np.einsum("...j->...", x)


@survey(M, S, close=True)
def einsum_options(x, s): return np.einsum("ij,jk->ik", x.T, s, order="F"), np.einsum("ij,jk->ik", x.T, s, dtype="f8", casting="unsafe"), np.einsum("ij->j", x, out=None)


@survey(M, S, close=True)
def einsum_paths(x, s):
    path = np.einsum_path("ij,jk,kl->il", x.T, s, x, optimize="greedy")[0]
    return np.einsum("ij,jk,kl->il", x.T, s, x, optimize=path), np.einsum("ij,j->i", s, s[0], optimize=True)


@survey(T, close=True)
def batched(t): return t @ t.transpose(0, 2, 1), np.linalg.matrix_transpose(t), np.vecdot(t, t), np.matvec(t, t[:, 0]), np.linalg.vecdot(t, t)


@survey(A, close=True)
def solves(a): return np.linalg.solve(a, a[:, 0]), np.linalg.inv(a), np.linalg.det(a), np.linalg.slogdet(a), np.linalg.solve(a, a)


@survey(A, M, close=True)
def least_squares(a, m):
    x, residuals, rank, values = np.linalg.lstsq(m.T, m[0, :], rcond=None)
    return x, rank, values


@survey(S, close=True)
def decompositions(s):
    q, r = np.linalg.qr(s)
    u, v, w = np.linalg.svd(s, full_matrices=False)
    return np.linalg.cholesky(s), abs(q @ r), abs(u * v @ w), np.linalg.svdvals(s)


@survey(S, close=True)
def eigenvalues(s):
    w, v = np.linalg.eigh(s)
    return w, abs(v), np.linalg.eigvalsh(s)


@survey(A, breaks=2, why="the type of the result depends on data", close=True)
def general_eigenvalues(a):
    w, v = np.linalg.eig(a)
    return np.sort(w), np.sort(np.linalg.eigvals(a)), abs(v)


@survey(A, V, close=True)
def norms(a, x): return np.linalg.norm(x), np.linalg.norm(a), np.linalg.norm(a, axis=0), np.linalg.norm(x, 1), np.linalg.norm(a, 2), np.linalg.norm(a, "nuc"), np.linalg.norm(x, np.inf), np.linalg.norm(a, ord=1)


@survey(A, close=True)
def properties(a): return np.linalg.cond(a), np.linalg.matrix_rank(a), np.linalg.pinv(a), np.trace(a), a.trace(1), np.linalg.matrix_power(a, 3), np.linalg.trace(a)


@survey(A, close=True)
def vector_norms(a): return np.linalg.vector_norm(a), np.linalg.matrix_norm(a), np.linalg.vector_norm(a, axis=1), np.linalg.diagonal(a)


@survey(S, V, close=True)
def quadratic_form(s, x): return x[:4] @ s @ x[:4], x[:4] @ np.linalg.solve(s, x[:4]), np.sqrt(np.einsum("i,ij,j", x[:4], s, x[:4]))


@survey(C, close=True)
def complex_products(c): return c @ c, np.vdot(c, c), np.outer(c, c.conj()), np.linalg.norm(c), np.dot(c, c.real)


@survey(F, close=True)
def single_products(f): return f @ f.T, np.linalg.norm(f), f.T @ f, np.linalg.svd(f)[1]


@survey(np.eye(6).reshape(6, 2, 3) + 0.1, close=True)
def tensor_solves(a): return np.linalg.tensorinv(a, ind=1), np.linalg.tensorsolve(a, np.ones(6))


@survey(M, close=True)
def gram_schmidt(x):
    basis = []
    for v in x:
        w = v - sum(np.dot(v, b) * b for b in basis)
        basis.append(w / np.linalg.norm(w))
    return np.array(basis)


@survey(S, close=True)
def power_iteration(s):
    v = np.ones(4)
    for _ in range(5):
        v = s @ v
        v /= np.linalg.norm(v)
    return v @ s @ v
