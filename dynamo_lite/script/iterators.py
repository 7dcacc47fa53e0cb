"""How many items iterators have left, where that is known without running code of the user's."""
from __future__ import annotations

import operator
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

RANGE_ITERATOR = type(iter(range(0)))
SEQUENCE_ITERATOR = type(iter(np.empty(0)))
"""Of everything that has no iterator of its own."""


def items_left(iterator: Any) -> int | None:
    """The number of items that are left; None where nobody knows."""
    count = LEFT.get(type(iterator))
    return None if count is None else count(iterator)


def of_sequence(iterator: Any) -> int | None:
    """Of an array: other sequences may say what they like."""
    _, given, *_ = iterator.__reduce__()
    is_array = len(given) == 1 and type(given[0]) is np.ndarray
    return operator.length_hint(iterator) if is_array else None


def of_shortest(iterator: Any) -> int | None:
    """Of `zip` and `enumerate`: of the iterators behind them, where all are known."""
    found = [items_left(each) for each in iterator.__reduce__()[1] if not isinstance(each, int)]
    known = [each for each in found if each is not None]
    return min(known, default=None) if len(known) == len(found) else None


EXAMPLES: tuple[Iterator[Any], ...] = (
    iter(()), iter([]), reversed([]), iter({}), iter({}.items()), iter({}.values()))
LEFT: dict[type, Callable[[Any], int | None]] = {
    RANGE_ITERATOR: operator.length_hint,
    **dict.fromkeys(map(type, EXAMPLES), operator.length_hint),
    SEQUENCE_ITERATOR: of_sequence,
    enumerate: of_shortest,
    zip: of_shortest,
}
