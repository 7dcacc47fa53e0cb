"""Which sizes are symbols: the user's marks, the `dynamic` option and what changed between calls.

Precedence for one dimension, the first that speaks wins:

1. `mark_static`: an int.
2. `mark_unbacked`: a symbol that nothing is known of.
   `mark_dynamic`: a symbol, and an error if the trace needs the value.
3. `dynamic=True`, `maybe_mark_dynamic`: a symbol.
4. `dynamic=False`: an int.
5. automatic (`dynamic=None`): an int until a second value has been seen, then a symbol.

A size of 1 is an int until it has changed, because NumPy's rules differ for it. A size of 0 is what
a growing array starts with: by 3 and 5 it is a symbol.
"""
from __future__ import annotations

import enum
import math
import operator
import weakref
from collections.abc import Collection, Hashable, Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from ...base.records import dataclass, field
from ..sources import (
    DependentSource,
    ItemSource,
    LiteralSource,
    LocalSource,
    Source,
    is_temporary,
    path_of,
)


class Mark(enum.Enum):
    STATIC = "static"
    DYNAMIC = "dynamic"
    MAYBE_DYNAMIC = "maybe dynamic"
    UNBACKED = "unbacked"


STRENGTH = (Mark.STATIC, Mark.UNBACKED, Mark.DYNAMIC, Mark.MAYBE_DYNAMIC)
"""Of two marks of a dimension the one that stands first holds."""


@dataclass(frozen=True, slots=True)
class DimMark:
    mark: Mark
    minimum: int | None = None
    maximum: int | None = None


# By id, because ndarrays have no attributes; a weak reference removes an entry with its array.
_MARKS: dict[int, dict[int, DimMark]] = {}
_ALIVE: dict[int, weakref.ref[np.ndarray]] = {}


def mark_dynamic(
    array: np.ndarray, dim: int | Sequence[int], *, min: int | None = None, max: int | None = None
) -> None:
    """Make a dimension of this array object symbolic; an error is raised if it gets specialised."""
    for bound in (min, max):
        if bound is not None and not isinstance(bound, int):
            raise TypeError(f"mark_dynamic: a bound is an int, not {bound!r}")
    if min is not None and max is not None and min > max:
        raise ValueError(f"mark_dynamic: min={min} is greater than max={max}")
    _check_array(array)
    for axis in _axes(array, dim):
        size = array.shape[axis]
        if (min is not None and size < min) or (max is not None and size > max):
            raise ValueError(f"mark_dynamic: size {size} is not between min={min} and max={max}")
    _mark(array, dim, DimMark(Mark.DYNAMIC, min, max))


def mark_static(array: np.ndarray, dim: int | Iterable[int] | None = None) -> None:
    """Keep dimensions of this array object (all by default) fixed at their sizes."""
    _check_array(array)
    _mark(array, range(array.ndim) if dim is None else dim, DimMark(Mark.STATIC))


def maybe_mark_dynamic(array: np.ndarray, dim: int | Iterable[int]) -> None:
    """Like `mark_dynamic`, without the error."""
    _mark(array, dim, DimMark(Mark.MAYBE_DYNAMIC))


def mark_unbacked(array: np.ndarray, dim: int | Iterable[int]) -> None:
    """Treat a dimension of this array object as a size that depends on data, 0 and 1 included.

    Nothing is compiled for one size in particular: a program that needs to know it breaks there,
    and what only guards against an error is checked when the graph runs.
    """
    _mark(array, dim, DimMark(Mark.UNBACKED))


def marks_of(array: np.ndarray) -> dict[int, DimMark]:
    """The marks by dimension."""
    reference = _ALIVE.get(id(array))
    return _MARKS[id(array)] if reference is not None and reference() is array else {}


def any_marks() -> bool:
    """Whether some array is marked."""
    return bool(_MARKS)


def _check_array(array: Any) -> None:
    if not isinstance(array, np.ndarray):
        raise TypeError(f"expected a NumPy array, got {type(array).__name__}")


def _axes(array: np.ndarray, dims: int | Iterable[int]) -> list[int]:
    """The dimensions that are meant, counted from 0."""
    each = dims if isinstance(dims, Iterable) and not isinstance(dims, str) else [dims]
    axes = []
    for dim in each:
        if not hasattr(dim, "__index__"):
            raise TypeError(f"a dimension is an int, not {dim!r}")
        axis = operator.index(dim)
        if not -array.ndim <= axis < array.ndim:
            raise IndexError(f"dimension {axis} of an array that has {array.ndim}")
        axes.append(axis % array.ndim)
    return axes


def _mark(array: np.ndarray, dims: int | Iterable[int], mark: DimMark) -> None:
    _check_array(array)
    wanted = _axes(array, dims)
    marks = _marks_for(array)
    for axis in wanted:
        earlier = marks.setdefault(axis, mark)
        both = {earlier.mark, mark.mark}
        if Mark.STATIC in both and not both <= {Mark.STATIC, Mark.MAYBE_DYNAMIC}:
            (other,) = both - {Mark.STATIC}
            raise ValueError(f"dimension {axis} is marked both static and {other.value}")
        if STRENGTH.index(mark.mark) <= STRENGTH.index(earlier.mark):
            marks[axis] = mark


def _marks_for(array: np.ndarray) -> dict[int, DimMark]:
    key = id(array)
    if marks_of(array):
        return _MARKS[key]

    def forget(reference: weakref.ref[np.ndarray]) -> None:
        if _ALIVE.get(key) is reference:
            del _ALIVE[key], _MARKS[key]

    _ALIVE[key] = weakref.ref(array, forget)
    _MARKS[key] = {}
    return _MARKS[key]


MANY_ITEMS = 16
SMALL = frozenset({0, 1, 64})
"""What any size that changes may be, one day."""


@dataclass(slots=True)
class SizeHistory:
    """Values seen at each analysis of one function, by fact; kept between compilations.

    `fixed` has, for each place in the program that needed a value as a Python fact, the values it
    was compiled for. A fact is `(source, "size" | "stride" | "value", axis)`. One *observation* is
    one analysed call; two facts may share a symbol only if they were equal in every observation
    that has both. `laid_out` are the sizes of empty arrays whose strides the program hands out.
    `symbolic` are facts of arguments (number, fact, axis) that were symbols where the frame was
    left whose continuation this is.
    """

    observations: list[dict[Any, Any]] = field(default_factory=list)
    fixed: dict[Any, frozenset[Any]] = field(default_factory=dict)
    laid_out: set[Any] = field(default_factory=set)
    symbolic: frozenset[tuple[int, str, int]] = frozenset()

    def begin(self) -> dict[Any, Any]:
        """A new observation to fill in; a repeated one is forgotten."""
        if len(self.observations) > 1 and self.observations[-1] in self.observations[:-1]:
            self.observations.pop()
        self.observations.append({})
        return self.observations[-1]

    def values(self, fact: Any) -> set[Any]:
        return {seen[fact] for seen in self.observations if fact in seen}

    def ints(self, fact: Any) -> set[int]:
        """Its values that are ints: in `values` a float that is equal may stand for one."""
        found = (seen.get(fact) for seen in self.observations)
        return {value for value in found if type(value) is int}

    def changed(self, fact: Any) -> bool:
        return len(self.values(fact)) > 1

    def always_equal(self, left: Any, right: Any) -> bool:
        return all(
            seen[left] == seen[right]
            for seen in self.observations
            if left in seen and right in seen
        )


@dataclass(slots=True)
class DynamicPolicy:
    """The decision for one analysis: `dynamic` is the option of `compile`.

    `expected` are values of ints that the program is thought to leave for the next call, which
    count as seen until the end of the analysis tells; `expects`: whether that is done at all,
    `corrected`: whether they are what an analysis has found. `most_contents`: lengths of a list, or
    sets of keys of a dict, for which there may be variants, if fewer than of other kinds.
    """

    dynamic: bool | None = None
    history: SizeHistory = field(default_factory=SizeHistory)
    automatic: bool = True
    backoff: int = 2
    specialize_int: bool = False
    variants: dict[str, set[Any]] = field(default_factory=dict)
    most_variants: int = 8
    most_contents: float = math.inf
    now: dict[Any, Any] = field(init=False)
    expected: dict[Any, int] = field(default_factory=dict)
    expects: bool = True
    corrected: bool = False
    _items: dict[Any, tuple[bool, frozenset[Any]]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.now = self.history.begin()

    def observe(self, source: Source, fact: str, axis: int, value: Any) -> None:
        self.now[source, fact, axis] = value

    def expect(self, source: Source, value: int, change: int) -> None:
        """An int that has not been seen to change will have changed at the next call."""
        fact = (source, "value", 0)
        self.now[fact] = value
        if not self.may_expect or self.history.changed(fact):
            return
        if not self.expected:
            self.history.observations.insert(-1, self.expected)
        self.expected[fact] = value + change

    @property
    def may_expect(self) -> bool:
        return self.expects and self.dynamic is None and self.automatic and not self.specialize_int

    def correct(self, found: Mapping[Any, int]) -> bool:
        """Expect what an analysis has found instead, once, where that is a change."""
        changes = (found.get(fact) not in (None, self.now[fact]) for fact in self.expected)
        if self.corrected or not all(changes):
            return False
        self.expected.update({fact: found[fact] for fact in self.expected})
        self.corrected = True
        return True

    def settle(self, is_right: bool) -> None:
        """What was expected is noted as seen, or forgotten."""
        seen = self.history.observations
        place = next((k for k, one in enumerate(seen) if one is self.expected), None)
        if place is not None:
            seen[place : place + 1] = [self.now | self.expected] if is_right else []
        self.expected, self.expects = {}, is_right

    def observe_again(self, source: Source, value: Any) -> None:
        """An array that is known by another source: here another array may be found next time."""
        for axis, size in enumerate(value.shape if issubclass(type(value), np.ndarray) else ()):
            self.observe(source, "size", axis, size)

    def observe_items(self, source: Source, items: Collection[Any]) -> None:
        """The ints, or the sizes of the arrays, of a container with many of them: data, of which
        all may change where one has changed, and any may have the value of another."""
        if len(items) < MANY_ITEMS or len({*map(type, items)}) > 1:
            return
        first = next(iter(items))
        if type(first) is int:
            self.now[source, "value of items", 0] = tuple(items)
        elif isinstance(first, np.ndarray) and len({item.ndim for item in items}) == 1:
            for axis, sizes in enumerate(zip(*[item.shape for item in items])):
                self.now[source, "size of items", axis] = sizes
        self._items.clear()

    def _of_items(self, fact: Any) -> tuple[bool, frozenset[Any]]:
        """Whether a fact of the items of a container has changed, and all its values."""
        if (found := self._items.get(fact)) is None:
            seen = self.history.values(fact)
            found = self._items[fact] = len(seen) > 1, frozenset().union(*seen)
        return found

    def family(self, source: Source, fact: str, axis: int) -> Any:
        """What facts have in common that must not share a symbol: those of items of one container
        that have different values."""
        items = _fact_of_items(source, fact, axis)
        return items if items is not None and len(self._of_items(items)[1]) > 1 else None

    def is_dynamic(
        self, source: Source, fact: str, axis: int, value: int, mark: DimMark | None = None
    ) -> bool:
        """Whether the value becomes a symbol."""
        if mark is not None and mark.mark is Mark.STATIC:
            return False
        if mark is not None and mark.mark is Mark.UNBACKED:
            return True
        if fact == "value" and self.specialize_int:
            return False
        if _fact_of_argument(source, fact, axis, value) in self.history.symbolic:
            return True
        items = _fact_of_items(source, fact, axis)
        changed = self.history.changed((source, fact, axis))
        changed = changed or (items is not None and self._of_items(items)[0])
        starts = fact == "size" and value == 0
        changed = changed or (starts and (source, fact, axis) not in self.history.laid_out)
        if mark is not None or self.dynamic:
            return changed or fact != "size" or value not in (0, 1)
        return changed and self.automatic and self.dynamic is not False

    def seen(self, source: Source, fact: str, axis: int) -> set[int]:
        """Values to make code for; a size may be none, one and many. In other calls there may be
        things of other types, of which other code is made."""
        items = _fact_of_items(source, fact, axis)
        of_items = self._of_items(items)[1] if items is not None else ()
        values = {value for value in of_items if type(value) is int}
        values |= self.history.ints((source, fact, axis))
        return values | SMALL if fact != "stride" and min(values, default=-1) >= 0 else values

    def can_fix(self, place: Any, value: Any) -> bool:
        """Whether one more value may be compiled in at a place, rather than breaking the graph."""
        values = self.history.fixed.get(place, frozenset())
        return value in values or len(values) < self.backoff - 1

    def may_fix(self, place: Any, value: Any) -> bool:
        """The same, noting that it is."""
        if not self.can_fix(place, value):
            return False
        self.history.fixed[place] = self.history.fixed.get(place, frozenset()) | {value}
        return True

    def may_fix_text(self, source: Source, value: str | bytes) -> bool:
        """The same for texts, which often have a few values that the program tells apart: not so
        what an expression was made up to when the graph broke inside of it."""
        if is_temporary(source):
            return self.may_fix(source, value)
        return self._may_vary(source, value, self.most_variants)

    def may_fix_contents(self, source: Source, value: Hashable) -> bool:
        """The same for the length of a list or the keys of a dict, which seldom come back: the last
        variant serves all of them."""
        most = min(self.most_variants - 1, self.most_contents)
        return self._may_vary(source, value, max(most, 1))

    def _may_vary(self, source: Source, value: Hashable, most: float) -> bool:
        values = self.variants.setdefault(path_of(source), set())
        if value not in values and len(values) >= most:
            return False
        values.add(value)
        return True


def _fact_of_argument(source: Source, fact: str, axis: int, value: int) -> Any:
    """The fact as `SizeHistory.symbolic` has it. What is left of an iterator's range is a fact of
    the iterator: its bound number `axis`."""
    if isinstance(source, LocalSource):
        return (source.index, fact, axis) if value != 1 else None
    if isinstance(source, DependentSource) and isinstance(source.operands[0], LocalSource):
        which = source.operands[-1]
        bound = which.value if isinstance(which, LiteralSource) else None
        return source.operands[0].index, "bound", bound
    return None


def _fact_of_items(source: Source, fact: str, axis: int) -> Any:
    """The fact of all the items of the container that a source is an item of."""
    return (source.base, f"{fact} of items", axis) if isinstance(source, ItemSource) else None
