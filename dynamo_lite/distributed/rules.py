"""Which rule partitions an operation: by what its row says, or by its kind."""
from __future__ import annotations

from collections.abc import Mapping

from ..ir.row import Effect, Kind, row_of
from .counting import bincount, histogram, positions
from .elementwise import creation, elementwise, whole
from .folds import reduction, scan
from .loops import for_loop
from .products import product
from .program import Call, NotInBlocks, Rule
from .views import item, moving
from .windows import update

BY_NAME: Mapping[str, Rule] = {
    "bincount": bincount, "elementwise": elementwise, "histogram": histogram, "item": item,
    "like": elementwise, "moving": moving, "of_shape": creation, "positions": positions,
    "product": product, "steps": for_loop, "update": update,
}
BY_KIND: Mapping[Kind, Rule] = {
    Kind.POINTWISE: elementwise, Kind.REDUCTION: reduction, Kind.SCAN: scan,
    Kind.CREATION: creation,
}


def rule_for(call: Call) -> Rule:
    """The rule of a call; `whole` serves where none is known."""
    row = row_of(call.target)
    if row is not None and row.effect is not Effect.PURE:
        raise NotInBlocks(f"{row.name} draws random numbers, or changes what is no array")
    if row is None:
        return whole
    return BY_KIND.get(row.kind, whole) if row.blocks is None else BY_NAME[row.blocks]
