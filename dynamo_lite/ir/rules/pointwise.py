"""Elementwise functions: dtypes from NumPy's own resolver (NEP 50), broadcasting, K order."""
from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ...errors import Unsupported
from ..facts import Facts, must
from ..row import row_of
from ..sizes import SizeExpr
from ..types import ArrayType, Form
from .layout import broadcast_shapes, elementwise_strides, same_shape
from .values import Wrong, as_dtype, as_type, is_constant, result, supported

COMPARISONS = frozenset({
    np.equal, np.not_equal, np.less, np.less_equal, np.greater, np.greater_equal,
})


ORDERS = frozenset("KACF")


def ufunc_rule(ufunc: np.ufunc) -> Callable[..., Any]:
    """The rule of a ufunc without core dimensions."""

    def infer(
        *args: Any, facts: Facts, out: Any = None, where: Any = True, casting: str = "same_kind",
        order: str = "K", dtype: Any = None, subok: bool = True, signature: Any = None,
    ) -> Any:
        inputs, outs = _split_outputs(ufunc, args, out)
        if not isinstance(order, str) or order.upper() not in ORDERS:
            raise Unsupported(f"np.{ufunc.__name__} with order={order!r}")
        if where is not True and outs is None:
            raise Unsupported(f"np.{ufunc.__name__} with where= and without out= is undefined")
        kinds = [as_type(value) for value in inputs]
        fixed = _signature(ufunc, dtype, signature)
        dtypes = resolve(ufunc, kinds, outs or (None,) * ufunc.nout, casting, fixed)
        check_python_ints(ufunc, inputs, kinds, dtypes, facts)
        shape = broadcast_shapes((kind.shape for kind in kinds), facts)
        if outs is not None:
            check_direction(ufunc, kinds, outs, facts)
            return _given_outputs(outs, shape, where, facts)
        types = tuple(
            fresh(kinds, shape, found, facts, order.upper(), loop=dtypes)
            for found in dtypes[ufunc.nin:]
        )
        return types[0] if ufunc.nout == 1 else types

    return infer


def fresh(
    kinds: Sequence[ArrayType], shape: tuple[Any, ...], dtype: np.dtype, facts: Facts,
    order: str = "K", loop: Sequence[np.dtype] | None = None,
) -> ArrayType:
    """The type of a new elementwise result; `loop` has the dtypes that operands are cast to."""
    supported(dtype)
    casts = loop is not None and (len(loop) > len(kinds) + 1 or any(
        kind.ndim and kind.dtype != wanted for kind, wanted in zip(kinds, loop)
    ))
    strides = elementwise_strides(shape, kinds, dtype.itemsize, facts, order, casts=casts)
    return result(dtype, shape, strides)


def resolve(
    ufunc: np.ufunc, kinds: Sequence[ArrayType], outs: Sequence[ArrayType | None],
    casting: str = "same_kind", signature: Any = None,
) -> tuple[np.dtype, ...]:
    """The dtypes of the loop NumPy selects, inputs then outputs."""
    if casting == "equiv":  # resolve_dtypes crashes when asked about Python numbers
        raise Unsupported("casting='equiv'")
    weak = not all(kind.form is Form.PYTHON for kind in kinds)
    keys = tuple(_resolver_key(kind) if weak else kind.dtype for kind in kinds)
    given = tuple(None if kind is None else kind.dtype for kind in outs)
    found = _resolve(ufunc, keys + given, casting, signature)
    if found is None:
        raise Wrong
    return found


@functools.lru_cache(4096)
def _resolve(
    ufunc: np.ufunc, keys: tuple[Any, ...], casting: str, signature: Any
) -> tuple[np.dtype, ...] | None:
    kinds = {"casting": casting} | ({"signature": signature} if signature else {})
    try:
        found: tuple[np.dtype, ...] = ufunc.resolve_dtypes(keys, **kinds)
    except (TypeError, ValueError):
        return None
    return found


def _resolver_key(kind: ArrayType) -> Any:
    """Python ints, floats and complex numbers are weak; Python bools are not."""
    if kind.form is Form.PYTHON and kind.dtype.kind != "b":
        return {"i": int, "f": float, "c": complex}[kind.dtype.kind]
    return kind.dtype


def _signature(ufunc: np.ufunc, dtype: Any, signature: Any) -> Any:
    if dtype is not None:
        if ufunc.nout != 1 or signature is not None:
            raise Unsupported("dtype= with several outputs")
        return (None,) * ufunc.nin + (as_dtype(dtype),)
    return tuple(signature) if isinstance(signature, list) else signature


def _split_outputs(
    ufunc: np.ufunc, args: tuple[Any, ...], out: Any
) -> tuple[tuple[Any, ...], tuple[Any, ...] | None]:
    """Inputs, and the outputs given by position or by `out=` (None when there are none)."""
    if not ufunc.nin <= len(args) <= ufunc.nargs:
        raise Wrong
    inputs, extra = args[: ufunc.nin], args[ufunc.nin :]
    if extra and out is not None:
        raise Wrong
    outs = extra + (None,) * (ufunc.nout - len(extra)) if extra else out
    if outs is None:
        return inputs, None
    outs = outs if isinstance(outs, tuple) else (outs,)
    if len(outs) != ufunc.nout:
        raise Wrong
    if all(item is None for item in outs):
        return inputs, None
    if any(item is None for item in outs):
        raise Unsupported("out= for some of the outputs only")
    if not all(isinstance(item, ArrayType) and item.form is Form.ARRAY for item in outs):
        raise Wrong
    return inputs, tuple(as_type(item) for item in outs)


def check_direction(
    target: Any, values: Sequence[Any], outs: Sequence[ArrayType | None], facts: Facts
) -> None:
    """Refuse what only the very memory that is written to decides."""
    kinds = [value for value in values if isinstance(value, ArrayType)]
    row = row_of(target)
    if row is not None and row.formula and any(kind.dtype.kind == "c" for kind in kinds):
        strides = [stride for kind in outs if kind is not None for stride in kind.strides]
        if any(facts.less(stride, 0) for stride in strides):
            raise Unsupported("complex numbers written in reverse order, rounded otherwise")


def _given_outputs(
    outs: tuple[ArrayType, ...], shape: tuple[Any, ...], where: Any, facts: Facts
) -> Any:
    """Outputs never broadcast; they may be larger than the inputs."""
    if where is not True:
        shape = broadcast_shapes((shape, as_type(where).shape), facts)
    for out in outs:
        if not out.writeable:
            raise Wrong
        if not same_shape(broadcast_shapes((shape, out.shape), facts), out.shape, facts):
            raise Wrong
    return outs[0] if len(outs) == 1 else outs


def check_python_ints(
    ufunc: np.ufunc, values: Sequence[Any], kinds: Sequence[ArrayType],
    dtypes: Sequence[np.dtype], facts: Facts,
) -> None:
    """A weak Python int must fit the loop's dtype; comparisons accept any int in NumPy.

    An integer power with a negative constant exponent is refused whatever the base is.
    """
    if ufunc is np.power and dtypes[1].kind in "iu" and _is_negative(values[1]):
        raise Wrong
    for value, kind, dtype in zip(values, kinds, dtypes):
        if kind.form is not Form.PYTHON or kind.dtype.kind != "i" or dtype.kind not in "iu":
            continue
        limits = np.iinfo(dtype)
        if _fits(value, int(limits.min), int(limits.max), facts):
            continue
        if ufunc in COMPARISONS:
            raise Unsupported("comparison with a Python int outside the dtype's range")
        raise Wrong


def _is_negative(value: Any) -> bool:
    return isinstance(value, (int, np.integer)) and bool(value < 0)


def _fits(value: Any, low: int, high: int, facts: Facts) -> bool:
    if isinstance(value, SizeExpr):
        if low <= -(2**63) and high >= 2**63 - 1:
            return True
        return must(facts, "less_equal", low, value) and must(facts, "less_equal", value, high)
    if not is_constant(value):
        if low > -(2**63) or high < 2**63 - 1:
            raise Unsupported("a Python int that may not fit the array's dtype")
        return True
    return low <= value <= high
