"""How the items of a list consist of numbers: as one, or as tuples and lists of several."""
from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

from ....errors import Unsupported
from ...object_model.constants import constant
from ...state.tracker import VariableTracker
from ..arrays.in_arrays import InArrays
from ..containers.lists import ListVariable
from ..containers.sequences import TupleVariable

if TYPE_CHECKING:
    from ...state.tx import Tx

Layout = tuple[str, tuple[Any, ...]] | None
"""None: a number; else "tuple" or "list", and the layouts of its parts."""


def is_tuple(item: VariableTracker) -> bool:
    return type(item) is TupleVariable and item.kind is tuple and item.source is None


def is_list(item: VariableTracker) -> bool:
    is_made = type(item) is ListVariable and item.kind is list and item.source is None
    return is_made and item.whole is None and item.run is None  # type: ignore[attr-defined]


def layout_of(item: VariableTracker) -> Layout:
    kind = "tuple" if is_tuple(item) else "list" if is_list(item) else ""
    return (kind, tuple(map(layout_of, parts_of(item)))) if kind else None


def parts_of(item: VariableTracker) -> list[VariableTracker]:
    return item.built_items()  # type: ignore[attr-defined]


def numbers_of(item: VariableTracker) -> list[VariableTracker]:
    """The numbers of an item from left to right, which may not be numbers after all."""
    if layout_of(item) is None:
        return [item]
    return [number for part in parts_of(item) for number in numbers_of(part)]


def lists_in(item: VariableTracker) -> Iterator[VariableTracker]:
    """The lists that an item consists of."""
    layout = layout_of(item)
    if layout is not None and layout[0] == "list":
        yield item
    for part in parts_of(item) if layout is not None else ():
        yield from lists_in(part)


def is_row(layout: Layout) -> bool:
    """Whether it is a tuple or list of numbers."""
    return layout is not None and not any(layout[1])


def is_flat(layout: Layout) -> bool:
    """Whether it is a number, or a tuple of numbers."""
    return layout is None or (layout[0] == "tuple" and not any(layout[1]))


def has_lists(layout: Layout) -> bool:
    return layout is not None and (layout[0] == "list" or any(map(has_lists, layout[1])))


def built(
    layout: Layout, numbers: Iterator[VariableTracker], refusal: Callable[[str], Unsupported]
) -> VariableTracker:
    """An item of these numbers, of a list that makes a `refusal` of what it cannot do."""
    if layout is None:
        return next(numbers)
    parts = [built(part, numbers, refusal) for part in layout[1]]
    return TupleVariable(parts) if layout[0] == "tuple" else KeptList(parts, refusal)


class KeptList(InArrays):
    """A list that was put into a list in arrays, and has no other name. What is known of it are its
    numbers; to change it, to tell it from others and to put it elsewhere is left to Python."""

    def __init__(
        self, parts: Sequence[VariableTracker], refusal: Callable[[str], Unsupported]
    ) -> None:
        self.parts = [*parts]
        self.refusal = refusal  # type: ignore[method-assign, assignment]

    def python_type(self) -> type:
        return list

    def describe(self) -> str:
        return "a list in a list that a loop of the graph changes"

    def length(self, tx: Tx) -> VariableTracker:
        return constant(len(self.parts))

    def iterate(self, tx: Tx) -> Iterator[VariableTracker]:
        return iter(self.parts)

    def method___getitem__(self, tx: Tx, key: VariableTracker) -> VariableTracker:
        return ListVariable(self.parts).method___getitem__(tx, key)


def items_of(layout: Layout, *columns: list[Any]) -> list[Any]:
    """The items whose numbers lie in columns."""
    return together(layout, iter(columns), len(columns[0]))


def together(layout: Layout, columns: Iterator[list[Any]], count: int) -> list[Any]:
    """So many items, all of them at once: each kind of part is put together by one call."""
    if layout is None:
        return next(columns)
    kind, inner = layout
    parts = [together(part, columns, count) for part in inner]
    rows = zip(*parts) if parts else (() for _ in range(count))
    return [*rows] if kind == "tuple" else [*map(list, rows)]


__all__ = [
    "KeptList", "Layout", "built", "has_lists", "is_flat", "is_list", "is_row", "is_tuple",
    "items_of", "layout_of", "lists_in", "numbers_of",
]
