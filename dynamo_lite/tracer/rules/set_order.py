"""The order of a set follows from all that happened to it: doing that again gives it again."""
from __future__ import annotations

from collections.abc import Callable, Collection, Hashable, Iterable, Sequence
from typing import Any

from ...native import same_table

AnySet = set[Hashable] | frozenset[Hashable]
Change = tuple[Callable[..., Any], tuple[Any, ...]]
"""A method of `set` and what it is given: one member, or members in a list, dict or frozen set."""
ITSELF = object()
"""Given where a set is changed by itself."""

ANY_ORDER = frozenset((
    "issubset", "issuperset", "isdisjoint", "__le__", "__ge__", "__lt__", "__gt__", "__eq__",
    "__ne__", "difference_update", "__isub__",
))  # fmt: skip
"""Methods for whose result the order of the members does not matter."""

LEFT_ORDER = frozenset(("difference", "__sub__"))
"""Methods for whose result the order of what they are given does not matter."""

GROWING = (set.add, set.update, set.__ior__)
"""Methods after which a set is as if it had been made with all its members."""

TAKEN_OUT = frozenset(("symmetric_difference", "__xor__"))
"""Methods that take members out of the set that they make."""

BOTH_ORDERS = frozenset(("intersection_update", "__iand__"))
"""Methods that make a set anew."""


class OrderedMembers(frozenset[Hashable]):
    """A frozen set that keeps its order as a constant: of those that hold text, a code object
    makes others."""

    __slots__ = ()


def redo(real: Any, method: Callable[..., Any], operands: Iterable[Any]) -> Any:
    return method(real, *(real if operand is ITSELF else operand for operand in operands))


def is_alike(
    real: AnySet, origin: Collection[Hashable], history: Sequence[Change] = ()
) -> bool:
    """Whether a set made of the members in `origin`, then changed, has the order of `real`, and
    will have it when both are changed."""
    made: AnySet = set(origin)
    for method, operands in history:
        redo(made, method, operands)
    if isinstance(real, frozenset):
        made = frozenset(made)
    return list(made) == list(real) and same_table(made, real)
