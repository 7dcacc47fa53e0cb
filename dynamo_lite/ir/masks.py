"""Masks as keys: `x[mask]` is written as `x[np.nonzero(mask)]`."""
from __future__ import annotations

import operator
from typing import Any

from .node import Node
from .row import lowering_of


def positions_of(key: Any) -> Node | None:
    """The `np.nonzero` all of whose results, in order, are a key."""
    items = key if isinstance(key, tuple) else (key,)
    if not all(isinstance(item, Node) and item.target is operator.getitem for item in items):
        return None
    origins = {item.args[0] for item in items}
    origin = origins.pop() if len(origins) == 1 else None
    if not isinstance(origin, Node) or lowering_of(origin.target) != "nonzero":
        return None
    in_order = [item.args[1] for item in items] == list(range(origin.args[0].type.ndim))
    return origin if in_order else None
