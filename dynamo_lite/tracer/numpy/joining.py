"""`h = np.append(h, x)` and the like, where a loop of the graph makes an array longer."""
from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from ...base.signatures import by_name
from ...errors import GraphBreak
from ...ir.ops.columns import says
from ...ir.types import ArrayType
from ..object_model.constants import NONE, ZERO
from ..polyfills.numpy import appended
from ..recording.nodes import record
from ..state.tracker import Args, Kwargs, VariableTracker
from ..trackers.array_backed.growing_arrays import MOST_JOINED, GrowingArray
from ..trackers.arrays.arrays import ArrayVariable
from ..trackers.arrays.graph_methods import record_call
from ..trackers.containers.lists import ListVariable
from ..trackers.containers.sequences import TupleVariable

if TYPE_CHECKING:
    from ..state.tx import Tx


def joined(
    tx: Tx, function: Callable[..., Any], args: Args, kwargs: Kwargs
) -> VariableTracker | None:
    """The array that a loop makes longer, to which the others have been joined; None for all other
    calls."""
    if (how := says(function, "joins")) is None or not args:
        return None
    first = args[0] if how == "values" else first_of(args[0])
    is_grown = isinstance(first, GrowingArray)
    if not is_grown and (type(first) is not ArrayVariable or not tx.graph.is_body):
        return None
    assert isinstance(first, GrowingArray | ArrayVariable)
    if isinstance(first, ArrayVariable) and first.node.op != "placeholder":
        return None  # the iteration has made it
    kind: ArrayType = first.kind if isinstance(first, GrowingArray) else first.array_type
    if (axis := axis_of(tx, how, kind, args, kwargs)) is None or kind.ndim > 2:
        return None
    if not is_grown and not all(isinstance(size, int) for size in kind.shape):
        return None
    if not is_grown and how == "rows" and kind.ndim == 1:  # the next iteration has rows
        tx.plan_joined(first, axis, False)
        return None
    part = joined_to_nothing(tx, function, how, kind, axis, args, kwargs)
    found = part.array_type
    many = found.shape[axis] if axis < found.ndim else None
    fits = isinstance(many, int) and many <= MOST_JOINED and found == replace(
        found, shape=kind.shape[:axis] + (many,) + kind.shape[axis + 1 :], dtype=kind.dtype
    )
    if not isinstance(first, GrowingArray):
        if fits or found.ndim <= 2:
            tx.plan_joined(first, axis, fits)
        return None
    if not fits or axis != first.axis or not tx.may_join(first, first.variable):
        raise GraphBreak(f"joining {found} to {first.describe()}")
    assert isinstance(many, int)
    return first.join(tx, part, many)


def first_of(sequence: VariableTracker) -> VariableTracker | None:
    is_plain = isinstance(sequence, (TupleVariable, ListVariable)) and sequence.source is None
    items = sequence.built_items() if is_plain else []  # type: ignore[attr-defined]
    return items[0] if len(items) > 1 else None


def axis_of(tx: Tx, how: str, kind: ArrayType, args: Args, kwargs: Kwargs) -> int | None:
    """Along which axis a call joins arrays to the first one; None where it does more than that."""
    names = ("arr", "values", "axis") if how == "values" else ("arrays", "axis")
    given = by_name(names if how in ("values", "axis") else names[:1], args, kwargs)
    asked = given.pop("axis", NONE if how == "values" else ZERO)
    if not asked.is_constant() or {*given} - {*names} or not kind.ndim:
        return None
    axis = asked.as_constant(tx)
    if how in ("rows", "columns"):
        axis = 0 if how == "rows" or kind.ndim == 1 else 1
    if axis is None:
        return 0 if kind.ndim == 1 else None
    is_axis = type(axis) is int and -kind.ndim <= axis < kind.ndim
    return axis % kind.ndim if is_axis else None


def joined_to_nothing(
    tx: Tx, function: Callable[..., Any], how: str, kind: ArrayType, axis: int, args: Args,
    kwargs: Kwargs,
) -> ArrayVariable:
    """What the call gives where the first array has no elements."""
    shape = kind.shape[:axis] + (0,) + kind.shape[axis + 1 :]
    nothing = record(tx, np.empty, (shape, kind.dtype))
    if how == "values":
        given = by_name(("arr", "values", "axis"), args, kwargs)
        call = nothing, given["values"], given.get("axis", NONE)
        found = tx.known(appended).call(tx, call, {})
    else:
        items = [nothing, *args[0].built_items()[1:]]  # type: ignore[attr-defined]
        found = record_call(tx, function, (TupleVariable(items), *args[1:]), kwargs)
    if not isinstance(found, ArrayVariable):
        raise GraphBreak(f"an array joined to {found.describe()}")
    return found


__all__ = ["joined"]
