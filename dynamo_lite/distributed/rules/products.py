"""Matrix products by blocks: along an axis that both operands lose, partial products are added."""
from __future__ import annotations

from collections.abc import Sequence

from ...errors import Unsupported
from ..partitions.cuts import Chunks, Value, common_cut
from ..partitions.program import Call, Created
from ..partitions.space import Operand
from .elementwise import ITEM, in_one_block, recut, whole
from .folds import Folded, combined, finished


def product(call: Call) -> Value:
    """Of matrices and vectors; the third axis of the space of blocks is the one that is lost."""
    left, right = (in_one_block(each) if isinstance(each, Created) else each
                   for each in call.args[:2])
    if not (isinstance(left, Value) and isinstance(right, Value)):
        raise Unsupported("an operand is no array in blocks")
    if left.is_whole and right.is_whole:
        return whole(call)
    if call.kwargs or not (0 < len(left.axes) < 3 and 0 < len(right.axes) < 3):
        raise Unsupported("products are made of vectors and matrices by blocks")
    if call.node.type.dtype.kind not in "iufc":
        raise Unsupported("partial products of truth values")
    operands: list[Operand] = [
        (left, (0, 2)[-len(left.axes) :]), (right, (2, 1)[: len(right.axes)])]
    shape = (left.axes[0].chunks if len(left.axes) == 2 else (1,),
             right.axes[1].chunks if len(right.axes) == 2 else (1,), left.axes[-1].chunks)
    cut = common_cut(operands, [sum(chunks) for chunks in shape])
    operands = [recut(call, value, onto, cut) for value, onto in operands]
    return multiplied(call, operands, cut)


def multiplied(call: Call, operands: Sequence[Operand], cut: Sequence[Chunks]) -> Value:
    """Each task multiplies two blocks."""
    partition, at, axes = call.place(operands, cut)
    nodes = [partition.local(value, onto, at) for value, onto in operands]
    made = call.emit(partition, nodes)
    kept = [axis for axis, (value, _) in enumerate(operands) if len(value.axes) == 2]
    own = tuple(axes[axis] for axis in kept)
    if axes[2].dim is None:
        return call.value(partition, made, own)
    deep = call.emit(partition, (made, (*(slice(None) for _ in kept), None)), target=ITEM)
    products = Value((*own, axes[2]), call.node.type.dtype, partition, deep)
    lost = (len(kept),)
    total = combined(call, partition, products, lost, [deep], Folded("add", products.dtype))[0]
    return finished(call, total, lost, False)
