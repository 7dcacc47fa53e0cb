"""Parts of arrays that reach beyond their blocks and their ends: padding, rolling, joining, windows
that slide along an axis, convolution."""
from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ...errors import Unsupported
from ...ir.rules.values import normal_axis
from ...ir.tree import leaves
from ..partitions.boundaries import NOTHING, Ends
from ..partitions.cuts import Axis, Chunks, Value, Window, common_cut
from ..partitions.partition import span
from ..partitions.program import Call, Created
from .elementwise import in_one_block, recut, step
from .windows import centred, window

PADDING = frozenset({"constant", "edge", "reflect", "symmetric", "wrap"})


def pad(call: Call) -> Any:
    """No copy is made: whoever reads the array reads what lies beyond its ends too."""
    given = dict(zip(("array", "pad_width", "mode"), call.args)) | call.kwargs
    value, mode = given.pop("array"), given.pop("mode", "constant")
    if not isinstance(value, Value) or value.is_whole or leaves(given, Value):
        raise Unsupported("it is in one block, or its widths are arrays")
    if mode not in PADDING or (mode == "constant" and value.window is not None):
        raise Unsupported(f"padding with mode={mode!r}")
    widths = np.broadcast_to(given.pop("pad_width"), (len(value.axes), 2)).tolist()
    constant = np.asarray(given.pop("constant_values", 0))
    if given or constant.ndim or any(
        max(width) >= axis.length for width, axis in zip(widths, value.axes)
    ):
        raise Unsupported("padding that is longer than the array, or of several kinds")
    ends = Ends(mode, constant.astype(value.dtype)[()] if mode == "constant" else None)
    bounds = [(-before, axis.length + after)
              for (before, after), axis in zip(widths, value.axes)]
    return window(call.program.solid(value), bounds, ends)


def concatenate(call: Call) -> Any:
    """Along an axis that is not cut, in each task; parts that follow each other in one array, its
    beginning after its end, are a part that reaches beyond its ends."""
    items, axis = call.args[0], dict(zip(("axis",), call.args[1:])) | call.kwargs
    parts = items if isinstance(items, (list, tuple)) else ()
    place = axis.get("axis", 0)
    if not isinstance(place, int) or axis.get("dtype") is not None or not all(
        isinstance(each, Value | Created) for each in parts
    ) or not any(isinstance(each, Value) for each in parts):
        raise Unsupported("no rule says how these are joined")
    place = normal_axis(place, len(call.shape))
    values = [each for each in parts if isinstance(each, Value)]
    if all(len(each.axes[place].chunks) == 1 for each in values):
        return joined_in_tasks(call, values, place)
    if len(values) < len(parts) or any(each.dtype != call.node.type.dtype for each in values):
        raise Unsupported("no rule says how these are joined")
    return around(values, place)


def joined_in_tasks(call: Call, values: Sequence[Value], place: int) -> Any:
    onto = tuple(range(len(call.shape)))
    others = tuple(None if axis == place else axis for axis in onto)
    cut = common_cut([(each, others) for each in values], call.shape)
    if any(isinstance(axis, Created) for axis in call.args[0]):
        raise Unsupported("an operand is made of sizes alone")
    operands = [recut(call, each, others, cut) for each in values]
    return step(call, operands, cut)


def around(values: Sequence[Value], place: int) -> Value:
    """One window for windows that follow each other around an axis."""
    found = [part_of(each) for each in values]
    first = found[0]
    size = first.base.axes[place].length
    at = first.starts[place]
    for each, value in zip(found, values):
        same = each.base is first.base and each.ends in (NOTHING, Ends("wrap"))
        if not same or (each.starts[place] - at) % size or others(each, place) != others(
            first, place
        ) or [axis.chunks for axis in others_of(value, place)] != [
            axis.chunks for axis in others_of(values[0], place)
        ]:
            raise Unsupported("no rule says how these are joined")
        at += value.axes[place].length
    bounds = [(start, start + axis.length) for start, axis in zip(first.starts, values[0].axes)]
    length = at - first.starts[place]
    low = first.starts[place]
    if low > size // 2:  # what is at the end comes before the beginning
        low -= size
    bounds[place] = low, low + length
    return window(first.base, bounds, Ends("wrap"))


def part_of(value: Value) -> Window:
    return value.window or value.part or Window(value, (0,) * len(value.axes))


def others(window: Window, place: int) -> tuple[int, ...]:
    return (*window.starts[:place], *window.starts[place + 1 :])


def others_of(value: Value, place: int) -> list[Axis]:
    return [axis for at, axis in enumerate(value.axes) if at != place]


def sliding(call: Call) -> Value:
    """Windows of all elements of a block, which read a margin of the next."""
    given = dict(zip(("x", "window_shape", "axis"), call.args)) | call.kwargs
    value, size, place = given["x"], given["window_shape"], given.get("axis")
    size = size[0] if isinstance(size, tuple) and len(size) == 1 else size
    place = place[0] if isinstance(place, tuple) and len(place) == 1 else place
    if not isinstance(value, Value) or not isinstance(size, int) or given.keys() - {
        "x", "window_shape", "axis"
    } or not isinstance(place, int | None) or (place is None and len(value.axes) > 1):
        raise Unsupported("windows along several axes")
    place = normal_axis(place or 0, len(value.axes))
    sizes = [axis.length for axis in value.axes]
    sizes[place] -= size - 1
    cut = [without_empty(centred(axis, length)) for axis, length in zip(value.axes, sizes)]
    return with_margin(call, value, place, (0, size - 1), cut, (size,), args=(size, place))


def with_margin(
    call: Call, value: Value, place: int, margin: tuple[int, int], cut: Sequence[Chunks],
    more: tuple[int, ...] = (), ends: Ends = NOTHING, others: Sequence[Value] = (),
    args: Sequence[Any] = (),
) -> Value:
    """The call on each block and so many elements before and after it along an axis."""
    if value.window is not None and ends != NOTHING:
        value = call.program.solid(value)
    inner = value.window or Window(value, (0,) * len(value.axes), ends)
    outer = Value(tuple(map(Axis, cut)), value.dtype, outside_stage=inner.base.stage, window=inner)
    onto = tuple(range(len(cut)))
    partition, at, axes = call.place(
        [(outer, onto), *((each, (None,) * len(each.axes)) for each in others)], cut)
    spans = [span(axis, start) for axis, start in zip(outer.axes, inner.starts)]
    low, high = spans[place]
    spans[place] = (tuple(each - margin[0] for each in low),
                    tuple(each + margin[1] for each in high))
    dims = tuple(at[axis].now if axis in at else None for axis in onto)
    nodes = [partition.view(inner.base, dims, tuple(spans), inner.ends),
             *(partition.local(each, (None,) * len(each.axes), at) for each in others)]
    made = call.emit(partition, (*nodes, *args))
    return call.value(partition, made, (*axes, *(Axis((size,)) for size in more)))


STARTS = {"full": lambda count: 0, "same": lambda count: (count - 1) // 2,
          "valid": lambda count: count - 1}
"""With how many elements of the short vector the first result of a convolution goes beyond one."""


def convolve(call: Call) -> Value:
    """With a short vector that every task has whole; beyond the ends of the long one lie zeros."""
    given = dict(zip(("a", "v", "mode"), call.args)) | call.kwargs
    value, other, mode = given["a"], given["v"], given.get("mode", "full")
    other = in_one_block(other) if isinstance(other, Created) else other
    if not isinstance(value, Value) or value.is_whole or not isinstance(other, Value) or (
        not other.is_whole
    ):
        raise Unsupported("it is no long vector in blocks and a short one in one block")
    count, size = other.axes[0].length, value.axes[0].length
    if mode not in STARTS or not 0 < count <= size:
        raise Unsupported(f"a convolution with mode={mode!r} of vectors of these lengths")
    if mode != "valid" and not is_finite(other):
        raise Unsupported("zeros beyond the ends times what may be infinite")
    first = STARTS[mode](count)
    length = size - count + 1 if mode == "valid" else size if mode == "same" else size + count - 1
    cut = [without_empty(centred(value.axes[0], length))]
    ends = NOTHING if mode == "valid" else Ends("constant", value.dtype.type(0))
    return with_margin(call, value, 0, (count - 1 - first, first), cut, ends=ends,
                       others=(other,), args=("valid",))


def is_finite(value: Value) -> bool:
    """Whether an array is known at the call, and finite."""
    return isinstance(value.outside, np.ndarray) and bool(np.isfinite(value.outside).all())


def without_empty(chunks: Chunks) -> Chunks:
    return tuple(size for size in chunks if size) or (0,)
