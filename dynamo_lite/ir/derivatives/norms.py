"""What functions of numpy.linalg mean in terms of others that have rules."""
from __future__ import annotations

from typing import Any

import numpy as np

from ...errors import Unsupported
from ..rules.values import normal_axes
from ..sizes import product
from .statistics import plain
from .traced import Traced, call, conjugate, shape


def squares(x: Any) -> Any:
    return np.real(x * conjugate(x))


def norm(x: Any, ord: Any = None, axis: Any = None, keepdims: Any = False) -> Any:
    axes = normal_axes(axis, x.ndim)
    if ord is None or (ord == "fro" and len(axes) == 2):
        return np.sqrt(np.sum(squares(x), axis=axes, keepdims=bool(keepdims)))
    if len(axes) == 1:
        return vector_norm(x, axis=axes[0], keepdims=keepdims, ord=ord)
    found = norm_of_matrices(np.moveaxis(x, axes, (-2, -1)), ord)
    return np.expand_dims(found, axes) if keepdims else found


def vector_norm(x: Any, /, *, axis: Any = None, keepdims: Any = False, ord: Any = 2) -> Any:
    axes, keep = normal_axes(axis, x.ndim), bool(keepdims)
    if ord == 2:
        return np.sqrt(np.sum(squares(x), axis=axes, keepdims=keep))
    size = np.absolute(x)
    if not isinstance(ord, str) and abs(ord) == np.inf:
        return extreme(ord)(size, axis=axes, keepdims=keep)
    if ord == 0 or isinstance(ord, str):
        raise Unsupported(f"ord={ord!r}")
    total = np.sum(size if ord == 1 else size ** ord, axis=axes, keepdims=keep)
    return total if ord == 1 else total ** (1 / ord)


def extreme(ord: Any) -> Any:
    return np.max if ord > 0 else np.min


def norm_of_matrices(x: Any, ord: Any) -> Any:
    """By the singular values, or by sums along columns or rows."""
    if ord in (2, -2, "nuc"):
        values = np.linalg.svd(x, compute_uv=False)
        return np.sum(values, axis=-1) if ord == "nuc" else extreme(ord)(values, axis=-1)
    return extreme(ord)(np.sum(np.absolute(x), axis=-2 if abs(ord) == 1 else -1), axis=-1)


def matrix_norm(x: Any, /, *, keepdims: Any = False, ord: Any = "fro") -> Any:
    return norm(x, ord, (-2, -1), keepdims)


def cond(x: Any, p: Any = None) -> Any:
    if p in (None, 2, -2):
        values = np.linalg.svd(x, compute_uv=False)
        first, last = values[..., 0], values[..., -1]
        return last / first if p == -2 else first / last
    return norm(x, p, (-2, -1)) * norm(np.linalg.inv(x), p, (-2, -1))


def multi_dot(arrays: Any, *, out: Any = None) -> Any:
    total, *rest = arrays
    for each in rest:
        total = call(np.dot, total, each)
    return total


def matrix_power(a: Any, n: int) -> Any:
    plain(isinstance(n, int) and n != 0 and abs(n) <= 64, True)
    factor: Any = np.linalg.inv(a) if n < 0 else a
    total = factor
    for _ in range(abs(n) - 1):
        total = np.matmul(total, factor)
    return total


def tensorinv(a: Any, ind: int = 2) -> Any:
    rows, columns = a.shape[ind:], a.shape[:ind]
    flat: Any = call(np.reshape, a, (product(columns), product(rows)))
    return np.reshape(np.linalg.inv(flat), (*rows, *columns))


def tensorsolve(a: Any, b: Any, axes: Any = None) -> Any:
    plain(axes, None)
    sides = shape(a)[len(shape(b)) :]
    flat = call(np.reshape, a, (product(shape(b)), product(sides)))
    return np.reshape(call(np.linalg.solve, flat, call(np.reshape, b, (-1,))), sides)


def vecdot(x1: Any, x2: Any, /, *, axis: int = -1, **kwargs: Any) -> Any:
    plain(tuple(kwargs), ())
    products = call(np.multiply, conjugate(x1), x2)
    return np.sum(products, axis=axis)


def matvec(x1: Any, x2: Any, /, **kwargs: Any) -> Any:
    plain(tuple(kwargs), ())
    return call(np.matmul, x1, call(np.expand_dims, x2, -1))[..., 0]


def vecmat(x1: Any, x2: Any, /, **kwargs: Any) -> Any:
    plain(tuple(kwargs), ())
    return call(np.matmul, conjugate(call(np.expand_dims, x1, -2)), x2)[..., 0, :]


def outer(x1: Any, x2: Any, /) -> Any:
    return call(np.multiply, call(np.expand_dims, x1, 1), x2)


def cross(a: Any, b: Any, /, *args: Any, axis: Any = -1) -> Any:
    """Of vectors of three numbers."""
    plain((args, shape(a)[axis], shape(b)[axis]), ((), 3, 3))
    a, b = (call(np.moveaxis, each, axis, -1) for each in (a, b))

    def part(first: int, second: int) -> Any:
        return call(np.multiply, a[..., first], b[..., second]) - call(
            np.multiply, a[..., second], b[..., first])

    return np.stack((part(1, 2), part(2, 0), part(0, 1)), axis=axis)


def least_squares(a: Any, b: Any, rcond: Any = None) -> Any:
    """Of a matrix of full rank: the normal equations, for the solution that is the shortest where
    there are several."""
    across = conjugate(call(np.swapaxes, a, 0, 1))
    either = a if isinstance(a, Traced) else b
    if either.emit.facts.less_equal(shape(a)[1], shape(a)[0]):
        found = call(np.linalg.solve, call(np.matmul, across, a), call(np.matmul, across, b))
    else:
        found = call(np.matmul, across, call(np.linalg.solve, call(np.matmul, a, across), b))
    return found, None, None, None


def pseudo_inverse(a: Any, *args: Any, **kwargs: Any) -> Any:
    plain((args, kwargs), ((), {}))
    across = conjugate(np.swapaxes(a, -1, -2))
    if a.emit.facts.less_equal(a.shape[-1], a.shape[-2]):
        return np.matmul(np.linalg.inv(np.matmul(across, a)), across)
    return np.matmul(across, np.linalg.inv(np.matmul(a, across)))


def polyfit(
    x: Any, y: Any, deg: int, rcond: Any = None, full: bool = False, w: Any = None,
    cov: bool = False,
) -> Any:
    plain((isinstance(deg, int), full, w, cov), (True, False, None, False))
    powers = np.arange(deg, -1, -1)
    left = call(np.expand_dims, x, 1) ** powers
    return least_squares(left, y)[0]
