"""Trees: tuples, lists, dicts and named tuples of arrays and numbers, taken apart by optree.

A leaf is everything that is no container; None is a tree without leaves. The keys of a dict are
gone through in sorted order and come back in the order in which they were. Classes that a program
registered with `optree.register_pytree_node` are containers too: those of optree's global
namespace, and those of the namespace "dynamo_lite".
"""
from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from .loading import loaded
from .records import dataclass

Leaves = tuple[Any, ...]
Where = tuple[str, str, str, str]
"""How a message names the caller, the tree, the iteration before and the one after."""
RANKS = "bifc"
NAMESPACE = "dynamo_lite"
"""Classes registered in it are containers here alone."""


LEAVES = frozenset({bool, int, float, complex, np.ndarray, np.float64, np.float32})
"""The usual ones."""


@dataclass(frozen=True, slots=True)
class Plain:
    """What is left of tuples, lists and dicts of the usual leaves: optree is not needed for it.
    `kind` is None for a leaf; the `keys` of a dict are sorted, and in `order` as they were."""

    kind: type | None = None
    parts: tuple[Plain, ...] = ()
    keys: tuple[str, ...] = ()
    order: tuple[str, ...] = ()

    def __eq__(self, other: object) -> bool:
        """The order of keys does not matter, as in optree."""
        return isinstance(other, Plain) and self.compared == other.compared

    def __hash__(self) -> int:
        return hash(self.compared)

    @property
    def compared(self) -> tuple[Any, ...]:
        return self.kind, self.parts, self.keys


LEAF = Plain()


def plainly(tree: Any, leaf: type | tuple[()], leaves: list[Any]) -> Plain | None:
    """The shape of a plain tree, whose leaves are added; objects of the class `leaf` are leaves."""
    kind = type(tree)
    if kind in LEAVES or isinstance(tree, leaf):
        leaves.append(tree)
        return LEAF
    keys: tuple[str, ...] = ()
    if kind is dict and all(type(key) is str for key in tree):
        keys = tuple(sorted(tree))
    elif kind not in (tuple, list, type(None)):
        return None
    items = [tree[key] for key in keys] if keys else tree or ()
    parts: list[Plain] = []
    for item in items:
        if (part := plainly(item, leaf, leaves)) is None:
            return None
        parts.append(part)
    return Plain(kind, tuple(parts), keys, tuple(keys and tree))


def filled(shape: Plain, leaves: Iterator[Any]) -> Any:
    """The tree with these leaves."""
    if shape.kind is None:
        return next(leaves)
    parts = [filled(part, leaves) for part in shape.parts]
    if shape.kind is dict:
        found = dict(zip(shape.keys, parts))
        return {key: found[key] for key in shape.order}
    return None if shape.kind is type(None) else shape.kind(parts)


def as_spec(shape: Any) -> Any:
    """A shape as optree has it."""
    if not isinstance(shape, Plain):
        return shape
    return library().tree_structure(filled(shape, iter(range(sys.maxsize))), namespace=NAMESPACE)


def library() -> Any:
    """optree takes as long to import as a third of dynamo_lite: programs with such trees do."""
    return loaded("optree")


def registered(kind: type) -> Any:
    """How objects of a class are taken apart and made, as the program registered it; None for
    optree's own containers and for classes that are none."""
    if "optree" not in sys.modules:
        return None
    entry = library().register_pytree_node.get(kind, namespace=NAMESPACE)
    return None if entry is None or entry.kind is not library().PyTreeKind.CUSTOM else entry


def flatten(tree: Any, leaf: type | tuple[()] = ()) -> tuple[Leaves, Any]:
    """The leaves of a tree, and what is left without them. Objects of a class `leaf` are leaves."""
    known: list[Any] = []
    if (plain := plainly(tree, leaf, known)) is not None:
        return tuple(known), plain
    leaves, shape = library().tree_flatten(tree, namespace=NAMESPACE)
    return tuple(leaves), shape


def unflatten(shape: Any, leaves: Leaves) -> Any:
    """A new tree of that shape."""
    if isinstance(shape, Plain):
        return filled(shape, iter(leaves))
    return library().tree_unflatten(shape, leaves)


def are_alike(first: Any, second: Any) -> bool:
    """Whether two trees have the same shape."""
    same: bool = first == second
    return same or (type(first) is not type(second) and bool(as_spec(first) == as_spec(second)))


def copied(tree: Any) -> Any:
    """The same leaves in new containers."""
    if isinstance(tree, np.ndarray | np.generic | float | int):
        return tree
    return unflatten(*reversed(flatten(tree)))


def whole(tree: Any) -> Any:
    """What `copied` gives, as the program sees it: the two differ while a branch is traced, whose
    arms give the parts of objects, and one object is made after them."""
    return tree


def following(
    where: Where, function: Any, shape: Any, before: Leaves, tree: Any
) -> Leaves:
    """The leaves of what an iteration gives; TypeError where it cannot take the place of
    `before`."""
    leaves, found = flatten(tree)
    kinds = [*map(kind_of, before)], [*map(kind_of, leaves)]
    if (reason := why_not_follow(where, place_of(function), (shape, found), *kinds)) is not None:
        raise TypeError(reason)
    return leaves


def kind_of(leaf: Any) -> Any:
    """The dtype of an array or NumPy number, the type of a Python number, else None."""
    if isinstance(leaf, np.ndarray | np.generic):
        return leaf.dtype
    return type(leaf) if type(leaf) in (bool, int, float, complex) else None


def place_of(function: Callable[..., Any]) -> str:
    """Where a function is defined."""
    code = getattr(function, "__code__", None)
    return told(repr(function), code) if code is None else told(code.co_qualname, code)


def told(name: str, code: Any) -> str:
    return name if code is None else f"{name} ({code.co_filename}:{code.co_firstlineno})"


def why_not_follow(
    where: Where, place: str, shapes: tuple[Any, Any], before: Sequence[Any],
    after: Sequence[Any],
) -> str | None:
    """Why a tree cannot take the place of another one, or None where it can."""
    caller, name, first, later = where
    if not are_alike(*shapes):
        told = f"{name} is {text(shapes[0])} {first} and {text(shapes[1])} {later}"
        return f"{caller}: {told}, as {place} gives it"
    for at, (old, new) in enumerate(zip(before, after)):
        if not fits(old, new):
            path = as_spec(shapes[0]).accessors()[at].codify(name)
            told = f"{path} is of {shown(old)} {first} and of {shown(new)} {later}"
            return f"{caller}: {told}, as {place} gives it"
    return None


def text(shape: Any) -> str:
    """`{'a': *, 'b': (*, *)}`"""
    inside = str(as_spec(shape)).removeprefix("PyTreeSpec(").removesuffix(")")
    return inside.partition(", namespace=")[0]


def shown(kind: Any) -> str:
    return kind.__name__ if isinstance(kind, type) else str(kind)


def fits(old: Any, new: Any) -> bool:
    """Whether a number or array may follow another one: of the same dtype, where Python's numbers
    take the dtype of NumPy's of the same or a higher kind (NEP 50)."""
    if old is None or new is None or old == new:
        return True
    weak = [isinstance(kind, type) for kind in (old, new)]
    ranks = [RANKS.find(np.dtype(kind).kind.replace("u", "i")) for kind in (old, new)]
    if weak[0]:
        return -1 < ranks[0] <= ranks[1]
    return weak[1] and -1 < ranks[1] <= ranks[0]
