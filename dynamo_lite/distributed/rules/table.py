"""Which rule partitions an operation: by what its row says, or by its kind."""
from __future__ import annotations

from collections.abc import Mapping

from ...ir.row import Effect, Kind, row_of
from ..partitions.program import Call, NotInBlocks, Rule
from .counting import bincount, histogram
from .elementwise import creation, elementwise, whole
from .folds import reduction, scan
from .lines import along_each, averaged, by_first, by_second, folded_lines, lines, stacked
from .loops import for_loop
from .margins import concatenate, convolve, pad, sliding
from .moments import variance
from .positions import counted, positions
from .products import product
from .reshaping import reshape
from .views import item, moving
from .windows import update
from .written import written

BY_NAME: Mapping[str, Rule] = {
    "along_each": along_each, "averaged": averaged, "bincount": bincount, "by_first": by_first,
    "by_second": by_second, "concatenate": concatenate, "convolve": convolve, "counted": counted,
    "elementwise": elementwise, "folded_lines": folded_lines, "histogram": histogram, "item": item,
    "like": elementwise, "lines": lines, "moving": moving, "of_shape": creation, "pad": pad,
    "positions": positions, "product": product, "reshape": reshape, "running": scan,
    "sliding": sliding, "stacked": stacked, "steps": for_loop, "update": update,
    "variance": variance, "written": written,
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
