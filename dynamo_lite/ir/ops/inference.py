"""The one entry to type inference: what a call returns, or the error that NumPy raises for it."""
from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from ...base.signatures import mismatch
from ...errors import Unsupported
from ..facts import STATIC, Facts
from ..fake_arrays import provoke
from ..node import Node
from ..row import Op, row_of
from ..rules.layout import same_shape
from ..rules.pointwise import check_direction
from ..rules.trials import run_on_samples
from ..rules.values import Wrong
from ..tree import leaves, map_leaves
from ..types import ArrayType, is_bfloat16, why_not_dtype
from . import topics as topics  # they fill the registry
from .bfloat16 import has_bfloat16, why_not_bfloat16
from .libraries import NUMPY, library_among, result_in


def infer(
    target: Any, args: tuple[Any, ...], kwargs: dict[str, Any] | None = None,
    facts: Facts = STATIC,
) -> Any:
    """The type of `target(*args, **kwargs)`; see docs/folders/ir.md."""
    row = row_of(target)
    if row is None or row.infer is None:
        raise Unsupported(f"no rule for {getattr(target, '__name__', target)!r}")
    args, kwargs = map_leaves(_type_of_leaf, (tuple(args), kwargs or {}))
    library = library_among(args, kwargs)
    if library != NUMPY:
        _check_bfloat16(row, args, kwargs, (args, kwargs))
    if not accepts(row.infer, len(args), tuple(kwargs)):
        if row.whole and library == NUMPY:
            return run_on_samples(target, args, kwargs, facts)
        if isinstance(kwargs.get("out"), ArrayType):
            return _written(target, args, kwargs, facts)
        provoke(target, args, kwargs, facts)
    try:
        result = row.infer(*args, facts=facts, **kwargs)
        if isinstance(result, ArrayType):
            _check_extent(result)
        if library == NUMPY:
            _check_dtype(result)
            return result
        _check_bfloat16(row, args, kwargs, result)
        return result_in(library, row, args, kwargs, result, facts)
    except Unsupported:
        if not isinstance(kwargs.get("out"), ArrayType):
            if row.whole and library == NUMPY:
                return run_on_samples(target, args, kwargs, facts)
            raise
    except Wrong:
        provoke(target, args, kwargs, facts)
    return _written(target, args, kwargs, facts)


MOST_AXES = 64
MOST_BYTES = 2**63


def _check_extent(kind: ArrayType) -> None:
    """No array has more axes than NumPy allows, or more bytes than there are addresses."""
    known = math.prod(size for size in kind.shape if isinstance(size, int) and size)
    if kind.ndim > MOST_AXES or known * kind.dtype.itemsize >= MOST_BYTES:
        raise Unsupported("an array of more axes or bytes than NumPy allows")


def _check_dtype(result: Any) -> None:
    """None of NumPy's arrays is of bfloat16."""
    for kind in leaves(result):
        if isinstance(kind, ArrayType) and kind.library == NUMPY and is_bfloat16(kind.dtype):
            raise Unsupported(f"an array of {why_not_dtype(kind.dtype)}")


def _check_bfloat16(
    row: Op, args: tuple[Any, ...], kwargs: dict[str, Any], kinds: Any
) -> None:
    """Where bfloat16 is among `kinds`, the call must be one that CuPy has of it."""
    if has_bfloat16(leaves(kinds)) and (why := why_not_bfloat16(row, args, kwargs)) is not None:
        raise Unsupported(f"in CuPy, {why}")


def why_whole(
    target: Any, args: tuple[Any, ...], kwargs: dict[str, Any], facts: Facts
) -> str | None:
    """Why a call is not the one that a row's rule describes, or None."""
    row = row_of(target)
    if row is None or row.infer is None or not row.whole:
        return None
    args, kwargs = map_leaves(_type_of_leaf, (args, kwargs))
    if not accepts(row.infer, len(args), tuple(kwargs)):
        return "arguments that its rule does not know"
    try:
        row.infer(*args, facts=facts, **kwargs)
    except (Unsupported, Wrong) as reason:
        return str(reason) or "a call that NumPy may refuse"
    return None


def _written(
    target: Any, args: tuple[Any, ...], kwargs: dict[str, Any], facts: Facts
) -> ArrayType:
    """A rule that does not know `out=`: an output just like the result may be written instead."""
    out: ArrayType = kwargs["out"]
    check_direction(target, args, [out], facts)
    rest = {name: value for name, value in kwargs.items() if name != "out"}
    fresh = infer(target, args, rest, facts)
    alike = isinstance(fresh, ArrayType) and fresh.dtype == out.dtype and (
        same_shape(fresh.shape, out.shape, facts)
    )
    if not alike or not out.writeable or not out.shape:
        raise Unsupported("out= of another shape or dtype than the result")
    return out


def _type_of_leaf(leaf: Any) -> Any:
    if not isinstance(leaf, Node):
        return leaf
    if leaf.type is None:
        raise Unsupported(f"{leaf.name} has no value")
    return leaf.type


def accepts(rule: Callable[..., Any], count: int, names: tuple[str, ...]) -> bool:
    """Whether a rule takes so many arguments, and keywords of these names, which is the same for
    all rules that one definition makes."""
    definition = rule if hasattr(rule, "__wrapped__") else getattr(rule, "__code__", rule)
    call = definition, count, names
    if call not in _accepted:
        given = [None] * count, dict.fromkeys(("facts", *names))
        _accepted[call] = mismatch(rule, *given) is None
    return _accepted[call]


_accepted: dict[tuple[Any, int, tuple[str, ...]], bool] = {}


