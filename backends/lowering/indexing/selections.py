"""Parts of arrays at positions that are computed: views that move."""
from __future__ import annotations

import operator
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import numpy as np

from ....errors import Unsupported
from ....ir.facts import graph_facts
from ....ir.node import Node
from ....ir.ops.inference import infer
from ....ir.row import lowering_of
from ....ir.rules.indexing import parse_key
from ....ir.tree import map_leaves
from ....ir.types import Form
from ..state.context import Lowering
from ..state.values import CannotLower, Value
from .strided_views import ViewSteps, strided_view
from .structure import gather, index_operand
from .views import basic_getitem, is_basic


def gathered(low: Lowering, base: Value, key: Any) -> Value:
    """The elements that integer arrays select, in the memory of `base`."""
    if all(item is None or item is Ellipsis or isinstance(item, slice) for item in _items(key)):
        raise CannotLower("slices alone look nothing up")
    types = map_leaves(lambda leaf: leaf.type if isinstance(leaf, (Node, Value)) else leaf, key)
    strides = (0,) * len(base.shape)  # of no interest: what is gathered has its own
    shaped = replace(base.type, shape=base.shape, strides=strides, form=Form.ARRAY)
    try:
        kind = infer(operator.getitem, (shaped, types), {}, graph_facts(low.graph))
    except Unsupported as reason:
        raise CannotLower(str(reason)) from None
    node: Any = SimpleNamespace(name="a selection", type=kind)
    given = map_leaves(lambda leaf: low.values[leaf] if isinstance(leaf, Node) else leaf, key)
    return gather(low, node, base, tuple(index_operand(low, item) for item in _items(given)))


def moves(step: tuple[Any, ...]) -> bool:
    """Whether a step of a view chain has a position that is a number of the graph."""
    return any(map(_is_number, _items(step[1][0]))) if step[1] else False


def _items(key: Any) -> tuple[Any, ...]:
    return key if isinstance(key, tuple) else (key,)


def _is_number(item: Any) -> bool:
    return isinstance(item, (Node, Value)) and item.type.form is not Form.ARRAY


def selection(low: Lowering, base: Value, view: ViewSteps) -> Value:
    """The elements that a chain of views selects, in the memory of `base`."""
    for step in view:
        function, args, _ = step
        if function is not operator.getitem:
            base = _seen(low, base, step)
            continue
        key = map_leaves(
            lambda leaf: low.values.get(leaf, leaf) if isinstance(leaf, Node) else leaf, args[0]
        )
        types = map_leaves(lambda leaf: leaf.type if isinstance(leaf, Value) else leaf, key)
        shaped = replace(base.type, shape=base.shape, strides=(0,) * len(base.shape),
                         form=Form.ARRAY)
        view_ = parse_key(shaped, types, graph_facts(low.graph)).view
        node: Any = SimpleNamespace(
            name="a selection", type=replace(shaped, shape=view_.shape, strides=view_.strides)
        )
        if is_basic(key):
            base = basic_getitem(low, node, base, _items(key))
        else:
            base = replace(gathered(low, base, key), fresh=False)
    return base


def _seen(low: Lowering, base: Value, step: tuple[Any, ...]) -> Value:
    """A view that is no subscript: of a part at a computed position its axes may be moved."""
    if base.is_loaded:
        return strided_view(low, base, (step,))
    function, args, kwargs = step
    if lowering_of(function) != "moveaxis":
        raise CannotLower("an assignment through a view at computed positions")
    order = np.moveaxis(np.empty(range(len(base.axes))), *args, **kwargs).shape
    return replace(
        base, type=replace(base.type, shape=tuple(base.shape[dim] for dim in order),
                           strides=(0,) * len(order)),
        axes=tuple(base.axes[dim] for dim in order),
    )
