"""Trees of trackers: what `dynamo_lite.base.pytrees` does, with trackers as leaves."""
from __future__ import annotations

import operator
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
from ..trackers.containers.lists import ListVariable
from ..trackers.containers.sequences import TupleVariable
from ..trackers.objects.functions import FunctionVariable
from .table import handles

if TYPE_CHECKING:
    from ..state.emitter import Emitter
    from ..state.tx import Tx


def outline(tx: Tx, value: VariableTracker) -> Any:
    """The containers of Python's own, with the trackers of their leaves inside."""
    value = realise(tx, value)
    if value.in_graph:
        return value
    kind = value.python_type()
    if kind is type(None):
        return None
    if kind in trees.LEAVES:
        return value
    if not issubclass(kind, Node) and (entry := trees.registered(kind)) is not None:
        return taken_apart(tx, entry, value)
    if isinstance(value, TupleVariable):
        if kind is not tuple and not issubclass(kind, Node) and not is_made_by_library(kind):
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


class Node(tuple[Any, ...]):
    """Stands for an object of a class that the program registered: its metadata and children.

    Each registered class has a subclass of its own, of the same name, so that optree tells trees of
    trackers apart, and prints them, as it does trees of the objects themselves.
    """

    __slots__ = ()
    unflatten: Any


def taken_apart(tx: Tx, entry: Any, value: VariableTracker) -> Node:
    """What the program's own function makes of an object, traced."""
    parts = flattened(tx, entry.flatten_func, value)
    if not isinstance(parts, TupleVariable):
        raise GraphBreak(f"a tree with {value.describe()}, taken apart into {parts.describe()}")
    children, metadata, *more = parts.iterate(tx)
    if not metadata.is_constant():
        raise GraphBreak(f"a tree with {value.describe()}, whose metadata is no constant")
    inner = [outline(tx, child) for child in children.iterate(tx)]
    named = [] if not more or more[0].python_type() is type(None) else [*more[0].iterate(tx)]
    entries = tuple([item.as_constant(tx) for item in named]) or tuple(range(len(inner)))
    return node_class(entry, entries)((metadata.as_constant(tx), *inner))


def flattened(tx: Tx, function: Any, value: VariableTracker) -> VariableTracker:
    """`function(value)`; `register_pytree_node_class` registers the call of a method."""
    if type(function) is operator.methodcaller:
        reduced: Any = function.__reduce__()
        return tx.call_method(value, *reduced[1])
    return tx.call(tx.known(function), value)


NODE_CLASSES: dict[tuple[Any, ...], type[Node]] = {}


def node_class(entry: Any, entries: tuple[Any, ...]) -> type[Node]:
    """The subclass of `Node` for a registered class whose children have these names."""
    key = entry.type, entry.unflatten_func, entries
    if key not in NODE_CLASSES:
        namespace = {"unflatten": staticmethod(entry.unflatten_func), "__slots__": ()}
        kind = NODE_CLASSES[key] = type(entry.type.__name__, (Node,), namespace)
        trees.library().register_pytree_node(
            kind, lambda node: (node[1:], node[0], entries),
            lambda metadata, children: kind((metadata, *children)),
            namespace=trees.NAMESPACE, path_entry_type=entry.path_entry_type)
    return NODE_CLASSES[key]


class ShapeVariable(KnownVariable):
    """What is left of a tree of trackers without its leaves."""

    def reconstruct(self, code: Emitter) -> None:
        if "CustomTreeNode" in str(self.value):
            raise GraphBreak("rebuilding a tree of a class that the program registered")
        super().reconstruct(code)


def is_made_by_library(kind: type) -> bool:
    """Whether objects of a named tuple's class are made by what `namedtuple` defines."""
    namespace = getattr(kind.__new__, "__globals__", {})
    return str(namespace.get("__name__")).startswith("namedtuple_")


def tracked(tx: Tx, tree: Any, is_open: bool = False) -> VariableTracker:
    """The tracker of a tree of trackers; `is_open` leaves it to `whole` to make the objects of the
    program's classes."""
    if isinstance(tree, VariableTracker):
        return tree
    if isinstance(tree, Node) and not is_open:
        metadata, *children = [tracked(tx, item) for item in tree]
        return tx.call(tx.known(tree.unflatten), metadata, TupleVariable(children))
    if isinstance(tree, tuple):
        items = [tracked(tx, item, is_open) for item in tree]
        return TupleVariable(items, kind=type(tree))
    if isinstance(tree, list):
        return ListVariable([tracked(tx, item, is_open) for item in tree])
    if isinstance(tree, dict):
        made = DictVariable(kind=type(tree))
        for key, item in tree.items():
            made.store(tx, constant(key), tracked(tx, item, is_open))
        return made
    return tx.known(tree)


@handles(trees.whole)
def whole(tx: Tx, tree: VariableTracker) -> VariableTracker:
    shape = outline(tx, tree)
    return tracked(tx, shape) if has_nodes(shape) else tree


def has_nodes(tree: Any) -> bool:
    items = tree.values() if isinstance(tree, dict) else tree
    return isinstance(tree, Node) or (
        isinstance(tree, tuple | list | dict) and any(map(has_nodes, items)))


def flattened_outline(tx: Tx, tree: VariableTracker) -> tuple[trees.Leaves, Any]:
    return trees.flatten(outline(tx, tree), VariableTracker)


@handles(trees.flatten)
def flatten(tx: Tx, tree: VariableTracker) -> VariableTracker:
    leaves, shape = flattened_outline(tx, tree)
    return TupleVariable([TupleVariable(leaves), ShapeVariable(shape)])


@handles(trees.unflatten)
def unflatten(tx: Tx, shape: VariableTracker, leaves: VariableTracker) -> VariableTracker:
    return tracked(tx, trees.unflatten(shape.as_constant(tx), tuple(leaves.iterate(tx))))


@handles(trees.are_alike)
def are_alike(tx: Tx, first: VariableTracker, second: VariableTracker) -> VariableTracker:
    return constant(trees.are_alike(first.as_constant(tx), second.as_constant(tx)))


@handles(trees.copied)
def copied(tx: Tx, tree: VariableTracker) -> VariableTracker:
    return tracked(tx, trees.unflatten(*reversed(flattened_outline(tx, tree))), is_open=True)


@handles(trees.following)
def following(
    tx: Tx, where: VariableTracker, function: VariableTracker, shape: VariableTracker,
    before: VariableTracker, tree: VariableTracker,
) -> VariableTracker:
    leaves, found = flattened_outline(tx, tree)
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
