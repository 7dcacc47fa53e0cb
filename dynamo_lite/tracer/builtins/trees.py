"""Trees of trackers: what `dynamo_lite.base.pytrees` does, with trackers as leaves."""
from __future__ import annotations

from collections import OrderedDict
from typing import TYPE_CHECKING, Any

import numpy as np

from ...base import pytrees as trees
from ...errors import GraphBreak
from ..object_model.callables import KnownVariable
from ..object_model.constants import constant, observed
from ..object_model.lazy import realise
from ..state.tracker import VariableTracker
from ..trackers.containers.dicts import DictVariable
from ..trackers.containers.sequences import ListVariable, TupleVariable
from ..trackers.objects.functions import FunctionVariable
from .table import handles

if TYPE_CHECKING:
    from ..state.tx import Tx


def outline(tx: Tx, value: VariableTracker) -> Any:
    """The containers of Python's own, with the trackers of their leaves inside."""
    value = realise(tx, value)
    if value.in_graph:
        return value
    kind = value.python_type()
    if kind is type(None):
        return None
    if isinstance(value, TupleVariable):
        if kind is not tuple and not is_made_by_library(kind):
            raise GraphBreak(f"a tree with {value.describe()}, whose class makes its objects")
        return tuple.__new__(kind, [outline(tx, item) for item in value.iterate(tx)])
    if isinstance(value, ListVariable) and kind is list:
        return [outline(tx, item) for item in value.iterate(tx)]
    if isinstance(value, DictVariable) and kind in (dict, OrderedDict):
        return kind((key.as_constant(tx), outline(tx, item)) for key, item in value.pairs(tx))
    library = trees.library()
    if library.register_pytree_node.get(kind) is not None or (
        library.is_namedtuple_class(kind) or library.is_structseq_class(kind)
    ):
        raise GraphBreak(f"a tree with {value.describe()}")
    return value


def is_made_by_library(kind: type) -> bool:
    """Whether objects of a named tuple's class are made by what `namedtuple` defines."""
    namespace = getattr(kind.__new__, "__globals__", {})
    return str(namespace.get("__name__")).startswith("namedtuple_")


def tracked(tx: Tx, tree: Any) -> VariableTracker:
    """The tracker of a tree of trackers."""
    if isinstance(tree, VariableTracker):
        return tree
    if isinstance(tree, tuple):
        return TupleVariable([tracked(tx, item) for item in tree], kind=type(tree))
    if isinstance(tree, list):
        return ListVariable([tracked(tx, item) for item in tree])
    if isinstance(tree, dict):
        made = DictVariable(kind=type(tree))
        for key, item in tree.items():
            made.store(tx, constant(key), tracked(tx, item))
        return made
    return constant(tree)


@handles(trees.flatten)
def flatten(tx: Tx, tree: VariableTracker) -> VariableTracker:
    leaves, shape = trees.flatten(outline(tx, tree))
    return TupleVariable([TupleVariable(leaves), KnownVariable(shape)])


@handles(trees.unflatten)
def unflatten(tx: Tx, shape: VariableTracker, leaves: VariableTracker) -> VariableTracker:
    return tracked(tx, trees.unflatten(shape.as_constant(tx), tuple(leaves.iterate(tx))))


@handles(trees.copied)
def copied(tx: Tx, tree: VariableTracker) -> VariableTracker:
    return tracked(tx, trees.unflatten(*reversed(trees.flatten(outline(tx, tree)))))


@handles(trees.following)
def following(
    tx: Tx, where: VariableTracker, function: VariableTracker, shape: VariableTracker,
    before: VariableTracker, tree: VariableTracker,
) -> VariableTracker:
    leaves, found = trees.flatten(outline(tx, tree))
    reason = trees.why_not_follow(
        where.as_constant(tx), place_of(tx, function), (shape.as_constant(tx), found),
        [kind_of(leaf) for leaf in before.iterate(tx)], [kind_of(leaf) for leaf in leaves],
    )
    if reason is not None:
        raise observed(TypeError(reason))
    return TupleVariable(leaves)


def kind_of(leaf: VariableTracker) -> Any:
    """`trees.kind_of` of the value."""
    type_, kind = leaf.python_type(), getattr(leaf, "array_type", None)
    if kind is not None and issubclass(type_, np.ndarray | np.generic):
        return kind.dtype
    return type_ if type_ in NUMBERS else None


NUMBERS = (bool, int, float, complex)


def place_of(tx: Tx, function: VariableTracker) -> str:
    if isinstance(function, FunctionVariable):
        return trees.told(function.code.co_qualname, function.code)
    return trees.place_of(function.as_constant(tx))
