"""Every row's type rule says what NumPy does: dtype, shape, strides, form, writeability, errors."""
from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from dynamo_lite.ir import core, pullback
from dynamo_lite.ir.ops.c_functions import UFUNCS as C_UFUNCS
from dynamo_lite.ir.row import ROWS, Effect, Kind

from .samples import DTYPES, Sampler, agrees

Calls = Callable[[Sampler], tuple[tuple[Any, ...], dict[str, Any]]]

UFUNCS = [
    target for target, row in ROWS.items()
    if isinstance(target, np.ufunc) and target.signature is None and row.kind is Kind.POINTWISE
]


@pytest.mark.parametrize("ufunc", UFUNCS, ids=lambda ufunc: ufunc.__name__)
def test_ufuncs(ufunc):
    declined = 0
    for seed in range(150):
        sample = Sampler(seed)
        kwargs = {}
        if seed % 10 == 0:
            kwargs["order"] = sample.choice(*"CFAK")
        if seed % 11 == 0:
            kwargs["dtype"] = sample.choice(*DTYPES)
        declined += not agrees(ufunc, *(sample.operand() for _ in range(ufunc.nin)), **kwargs)
    assert declined < 20


def keep(s: Sampler) -> dict[str, Any]:
    return {"keepdims": s.choice(True, False)} if s.choice(0, 1) else {}


def fold(s: Sampler) -> Any:
    return (s.array(),), {"axis": s.axes(), **keep(s)}


def typed_fold(s: Sampler) -> Any:
    dtype = {"dtype": s.choice(*DTYPES)} if s.choice(0, 0, 1) else {}
    return (s.array(),), {"axis": s.axes(), **keep(s), **dtype}


def unary(s: Sampler) -> Any:
    return (s.array(),), {}


def indices(s: Sampler) -> np.ndarray:
    """Zeros, which are valid positions of any axis that is not empty."""
    shape = tuple(s.choice(1, 2) for _ in range(s.choice(1, 2)))
    return s.array(shape, ("i8", "i4")) * 0


def key(s: Sampler) -> Any:
    def bound() -> Any:
        return s.choice(None, None, *range(-6, 7))

    items = [
        s.choice(s.choice(*range(-4, 4)), None, *[
            slice(bound(), bound(), s.choice(None, 1, 1, 2, 3, -1, -2)) for _ in range(3)
        ])
        for _ in range(s.rnd.randrange(len(s.shape) + 2))
    ]
    if s.choice(0, 0, 1):
        items.insert(s.rnd.randrange(len(items) + 1), ...)
    return tuple(items) if len(items) != 1 or s.choice(0, 1) else items[0]


def gather_key(s: Sampler) -> Any:
    return s.choice(
        indices(s), (slice(None), indices(s)), (indices(s), slice(None, 2)), ([0, 0], 0),
        (indices(s), slice(None), 0), (None, [0, 0]), (0, [0, 0]),
    )


def factors(s: Sampler) -> tuple[int, ...]:
    """A shape with as many elements."""
    count, shape = int(np.prod(s.shape)), []
    while count > 1 and len(shape) < 5:
        shape.append(s.choice(*(d for d in range(1, count + 1) if count % d == 0)))
        count //= shape[-1]
    return (*shape, count)


def matrices(s: Sampler) -> tuple[np.ndarray, ...]:
    m, k, n = (s.choice(1, 2, 3, 5) for _ in range(3))
    batch = tuple(s.choice(1, 2, 3) for _ in range(s.choice(0, 0, 1, 2)))
    cut = batch[s.rnd.randrange(len(batch) + 1):]
    kinds = ("f4", "f8", "i4", "?", "c8", "f8")
    return s.array((*batch, m, k), kinds), s.array((*cut, k, n), kinds), s.array((k,), kinds)


CALLS: dict[Any, Calls] = {
    **dict.fromkeys((np.sum, np.prod), typed_fold),
    **dict.fromkeys(
        (np.max, np.min, np.amax, np.amin, np.any, np.all, np.ptp, np.count_nonzero), fold),
    **dict.fromkeys((np.mean,), typed_fold),
    **dict.fromkeys((np.var, np.std), lambda s: (
        (s.array(),), {"axis": s.axes(), "ddof": s.choice(0, 1), **keep(s)})),
    **dict.fromkeys((np.argmax, np.argmin),
                    lambda s: ((s.array(),), {"axis": s.choice(None, s.axis()), **keep(s)})),
    **dict.fromkeys((np.cumsum, np.cumprod),
                    lambda s: ((s.array(), s.choice(None, s.axis())), {})),
    **{row.target: fold for row in ROWS.values() if row.name.endswith(".reduce")},
    np.linalg.norm: lambda s: ((s.array(),), {
        "axis": s.axis(), "ord": s.choice(None, 1, 2, 0, np.inf, -np.inf), **keep(s)}),
    np.transpose: lambda s: ((s.array(), s.choice(None, s.rnd.sample(
        range(len(s.shape)), len(s.shape)))), {}),
    np.matrix_transpose: unary,
    np.swapaxes: lambda s: ((s.array(), s.axis(), s.axis()), {}),
    np.moveaxis: lambda s: ((s.array(), [s.axis(), s.axis()], [s.axis(), s.axis()]), {}),
    np.rollaxis: lambda s: ((s.array(), s.axis(), s.axis()), {}),
    np.squeeze: lambda s: ((s.array(), s.axes()), {}),
    np.broadcast_to: lambda s: ((s.array(), (
        *[2] * s.choice(0, 1), *(s.choice(1, 3) if n == 1 else n for n in s.shape))), {}),
    np.diag: lambda s: ((s.array(), s.choice(*range(-3, 4))), {}),
    np.diagonal: lambda s: ((s.array(), s.choice(*range(-3, 4)), s.axis(), s.axis()), {}),
    np.reshape: lambda s: ((s.array(), s.choice(
        factors(s), (*factors(s)[:-1], -1), -1), s.choice(*"CCCFA")), {}),
    np.ravel: lambda s: ((s.array(), s.choice(*"CCFAK")), {}),
    np.ndarray.view: lambda s: ((s.array(), s.choice(*DTYPES)), {}),
    np.lib.stride_tricks.sliding_window_view: lambda s: (
        (s.array(), s.choice(1, 2, 3), s.axis()), {}),
    np.expand_dims: lambda s: ((s.array(), s.choice(s.axis(), (s.axis(), s.axis()))), {}),
    np.flip: lambda s: ((s.array(), s.axes()), {}),
    **dict.fromkeys((np.fliplr, np.flipud, np.real, np.imag, np.atleast_1d, np.atleast_2d), unary),
    np.rot90: lambda s: ((s.array(), s.choice(*range(-2, 4))), {}),
    operator.getitem: lambda s: ((s.array(), s.choice(key, key, gather_key)(s)), {}),
    **dict.fromkeys((np.zeros, np.ones, np.empty), lambda s: (
        (s.shape, s.choice(None, *DTYPES)), {"order": s.choice(*"CF")})),
    np.full: lambda s: ((s.shape, s.number()), {"dtype": s.choice(None, *DTYPES)}),
    **dict.fromkeys((np.zeros_like, np.ones_like, np.empty_like), lambda s: (
        (s.array(), s.choice(None, *DTYPES)), {"order": s.choice(*"CFAK")})),
    np.full_like: lambda s: ((s.array(), s.number()), {}),
    np.arange: lambda s: ((s.choice(5, 0, 1.5, -3), s.choice(7, -9, 2.5), s.choice(1, 2, -3, 0.1)),
                          {"dtype": s.choice(None, *DTYPES[1:])}),
    np.linspace: lambda s: ((0, s.choice(1, 5.0), s.choice(0, 1, 5, -1)), {}),
    np.eye: lambda s: ((s.choice(0, 1, 3), s.choice(None, 4)), {"k": s.choice(-1, 0, 1)}),
    np.identity: lambda s: ((3, s.choice(None, *DTYPES)), {}),
    np.tri: lambda s: ((3, s.choice(None, 4), s.choice(-1, 0)), {}),
    **dict.fromkeys((np.copy, np.ndarray.copy), lambda s: (
        (s.array(),), {"order": s.choice(*"CFAK")})),
    np.ndarray.flatten: unary,
    np.ndarray.astype: lambda s: ((s.choice(s.array(), np.float32(1)), s.choice(*DTYPES)), {
        "order": s.choice(*"CFAK"), "casting": s.choice("unsafe", "same_kind")}),
    **dict.fromkeys((np.array, np.asarray, np.asanyarray, np.ascontiguousarray), lambda s: (
        (s.choice(s.array(), [1, 2], [[1.5], [2]], np.int8(1)), s.choice(None, *DTYPES)), {})),
    np.concatenate: lambda s: (([s.array(), s.array(), s.array()], s.axis()), {}),
    np.where: lambda s: ((s.array(None, ("?", "i4")), s.operand(), s.operand()), {}),
    np.take: lambda s: ((s.array(), indices(s), s.choice(None, s.axis())), {}),
    np.clip: lambda s: (
        (s.array(), s.choice(None, s.number()), s.choice(s.number(), s.array())), {}),
    **dict.fromkeys((np.round, np.around), lambda s: ((s.array(), s.choice(0, 2, -1)), {})),
    np.fix: unary,
    np.diff: lambda s: ((s.array(), s.choice(1, 2), s.axis()), {}),
    **dict.fromkeys((np.tril, np.triu), lambda s: ((s.array(), s.choice(-1, 0, 1)), {})),
    np.stack: lambda s: (([s.array(), s.array()], s.axis()), {}),
    **dict.fromkeys((np.vstack, np.hstack, np.column_stack), lambda s: (
        ([s.array(), s.array()],), {})),
    **dict.fromkeys((np.split, np.array_split), lambda s: (
        (s.array(), s.choice(1, 2, 3, [1, 3]), s.axis()), {})),
    np.repeat: lambda s: ((s.array(), s.choice(0, 1, 2, -1, 2.5), s.choice(None, s.axis())), {}),
    np.tile: lambda s: ((s.array(), s.choice(2, (2, 1), (1, 2, 2))), {}),
    np.roll: lambda s: ((s.array(), s.choice(0, 1, -2, 5), s.choice(None, s.axis())), {}),
    core.diagonals: lambda s: ((s.array(), 0, 1), {}),
    core.sliding_windows: lambda s: ((s.array(), s.choice(1, 2, 3), s.axis()), {}),
    np.cross: lambda s: ((s.array((2, 3)), s.array(s.choice((2, 3), (3,)))), {}),
    np.block: lambda s: (([[s.array((2, 3))] * 2, [s.array((2, 3))] * 2],), {}),
    np.matmul: lambda s: (s.choice(*[(a, b), (a, v), (v, b), (a, a)])
                          if (a := (m := matrices(s))[0]) is not None and (b := m[1]) is not None
                          and (v := m[2]) is not None else (), {}),
    np.dot: lambda s: (matrices(s)[:2], {}),
    np.inner: lambda s: ((matrices(s)[0],) * 2, {}),
    **dict.fromkeys((np.outer, np.vdot), lambda s: (matrices(s)[2:] * 2, {})),
    np.trace: lambda s: ((s.array(), s.choice(-1, 0, 1)), {}),
    np.tensordot: lambda s: ((*matrices(s)[:2], 1), {}),
    np.einsum: lambda s: ((s.choice("ij,jk->ik", "ij,jk->ki", "ij,jk", "ij,jk->j", "ij,jk->"),
                           s.array((2, 3)), s.array((3, 4))), {}),
}
NUMBERS = (
    operator.add, operator.sub, operator.mul, operator.floordiv, operator.mod, operator.pow,
    operator.neg, operator.abs,
)


@pytest.mark.parametrize("target", CALLS, ids=lambda target: ROWS[target].name)
def test_calls(target):
    """Out of bounds and the like are found when the call runs."""
    accepted = 0
    for seed in range(150):
        args, kwargs = CALLS[target](Sampler(seed))
        accepted += agrees(target, *args, _ignore=(IndexError,), **kwargs)
    assert accepted > 15


@pytest.mark.parametrize("target", NUMBERS, ids=lambda target: target.__name__)
def test_scalar_operators(target):
    for seed in range(100):
        s = Sampler(seed)
        operands = [np.dtype(s.choice(*DTYPES)).type(1), s.number()]
        agrees(target, *operands[: 1 if target in (operator.neg, operator.abs) else 2],
               _ignore=(OverflowError,))


EXTERNS = [row.target for row in ROWS.values()
           if row.kind is Kind.EXTERN and row.effect is Effect.PURE]


@pytest.mark.parametrize("target", EXTERNS, ids=lambda target: target.__name__)
def test_functions_that_numpy_runs(target):
    square = np.eye(6) * 3 + 0.5
    vector = np.arange(6.0)
    for args in ((square,), (vector,), (square, vector), (vector, vector), (square, 2), (6,)):
        agrees(target, *args, _ignore=(Exception,))


OF_C = {f"c_{function.__name__}" for function in C_UFUNCS}
"""Tested in tests/llvm/test_same_bits.py."""


def test_every_row_is_tested():
    covered = {*UFUNCS, *CALLS, *NUMBERS, *EXTERNS}
    rest = {row.name for target, row in ROWS.items() if target not in covered}
    writes = {row.name for row in ROWS.values() if row.effect is not Effect.PURE}
    control = {row.name for row in ROWS.values() if row.kind is Kind.CONTROL}
    assert rest - writes - control - OF_C - DERIVATIVES == {
        "update", *NUMBERS_OF_DATA, *NUMBERS_OF_PYTHON}


DERIVATIVES = {row.name for target, row in ROWS.items() if target in vars(pullback).values()}
"""Their tests are in `tests/derivatives`."""

NUMBERS_OF_PYTHON = {
    "choose", "truediv", "not_", "lt", "le", "gt", "ge", "eq", "ne", "and_", "or_", "xor", "lshift",
    "rshift", "plain", "complex", "wrapped_difference", "wrapped_product", "wrapped_sum",
}
"""Their tests are in `tests/flow`, as are those of control flow."""

NUMBERS_OF_DATA = {
    "length", "expect", "int", "float", "bool", "within", "between", "position", "fitting",
}
"""Their tests are in `tests/compile`: `test_unbacked.py` and `test_jagged.py`."""
