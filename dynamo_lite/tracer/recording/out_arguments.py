"""Outputs given by position: graphs look for them in `out=`."""
from __future__ import annotations

import functools
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ...base.signatures import positional_names
from ...errors import GraphBreak
from ...ir.ops.columns import says
from ..object_model.lazy import realise
from ..state.tracker import Args, Kwargs, VariableTracker
from ..trackers.containers.sequences import TupleVariable

if TYPE_CHECKING:
    from ..state.tx import Tx


def with_named_out(
    target: Callable[..., Any], args: Sequence[Any], kwargs: Mapping[str, Any]
) -> tuple[Sequence[Any], Mapping[str, Any]]:
    """The same call with `out`, and what follows it, given by name."""
    if says(target, "forgets_out") and (len(args) > 4 or "out" in kwargs):
        raise GraphBreak(f"{target.__name__}, which forgets its output")
    names = names_from_out(target)
    if names is None or len(args) <= names[0]:
        return args, kwargs
    count, rest = names
    extra = args[count:]
    if isinstance(target, np.ufunc):
        return args[:count], {**kwargs, "out": _ufunc_out(target, extra, kwargs)}
    if len(extra) > len(rest) or kwargs.keys() & set(rest[: len(extra)]):
        raise GraphBreak(f"{target.__name__} raises TypeError")
    return args[:count], {**kwargs, **dict(zip(rest, extra))}


def outputs_given(
    tx: Tx, target: Callable[..., Any], args: Args, kwargs: Kwargs
) -> list[VariableTracker | None]:
    """The arrays that a call was given to write into, and returns; None for those it makes."""
    out: Any = with_named_out(target, args, kwargs)[1].get("out", ())
    if isinstance(out, TupleVariable):
        out = list(out.iterate(tx))
    given = out if isinstance(out, (tuple, list)) else (out,)
    outputs = [realise(tx, one) for one in given]
    return [one if hasattr(one, "array_type") else None for one in outputs]


def _ufunc_out(ufunc: np.ufunc, extra: Sequence[Any], kwargs: Mapping[str, Any]) -> Any:
    if "out" in kwargs or len(extra) > ufunc.nout:
        raise GraphBreak(f"numpy.{ufunc.__name__} raises TypeError")
    if says(ufunc, "out_by_name"):
        raise GraphBreak(f"numpy.{ufunc.__name__} warns that out should be given by name")
    return extra[0] if ufunc.nout == 1 else (*extra, *[None] * (ufunc.nout - len(extra)))


@functools.lru_cache(512)
def names_from_out(target: Callable[..., Any]) -> tuple[int, tuple[str, ...]] | None:
    """The position of the parameter `out`, and the names of it and of those after it."""
    if isinstance(target, np.ufunc):
        return target.nin, ("out",)
    names = positional_names(target)
    return (names.index("out"), names[names.index("out") :]) if "out" in names else None
