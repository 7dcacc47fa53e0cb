"""Polyfills of what lists do in C, of those that loops of the graph change."""
from __future__ import annotations

import random
from typing import Any

__all__ = [
    "behind_first", "choice", "contains", "count_of", "equal_numbers", "equal_tuples", "extend",
    "is_any", "is_any_not", "is_any_of", "largest", "largest_by", "place_of", "shuffle",
    "smallest", "smallest_by",
]


def extend(out: Any, items: Any) -> None:
    """`out.extend(items)`"""
    for item in items:
        out.append(item)


def contains(items: Any, value: Any, are_equal: Any) -> bool:
    """`value in items`, of ints or tuples of ints."""
    found = False
    for item in items:
        if are_equal(item, value):
            found = True
            break
    return found


def is_any_of(items: Any, value: Any, are_equal: Any) -> bool:
    """The same of a few items, each of which is compared: an unrolled loop has no end that data
    decides."""
    found = False
    for item in items:
        if are_equal(item, value):
            found = True
    return found


def is_any(items: Any) -> bool:
    """`any(items)`, of numbers."""
    found = False
    for item in items:
        if item:
            found = True
            break
    return found


def is_any_not(items: Any) -> bool:
    """`not all(items)`"""
    found = False
    for item in items:
        if not item:
            found = True
            break
    return found


def equal_numbers(item: Any, value: Any) -> bool:
    return bool(item == value)


def equal_tuples(item: Any, value: Any) -> bool:
    """Of equal length."""
    found = True
    for part, wanted in zip(item, value):
        if part != wanted:
            found = False
    return found


def mapped(function: Any, items: Any) -> list[Any]:
    """`list(map(function, items))`"""
    return [function(item) for item in items]


def largest(items: Any) -> Any:
    """`max(items)`, of a list that is not empty."""
    best = items[0]
    for item in items:
        if item > best:
            best = item
    return best


def smallest(items: Any) -> Any:
    """`min(items)`"""
    best = items[0]
    for item in items:
        if item < best:
            best = item
    return best


def smallest_by(items: Any, others: Any, key: Any) -> Any:
    """`min(items, key=key)`, of items of which there is a first one, and `others`."""
    best = items[0]
    least = key(best)
    for item in others:
        found = key(item)
        if found < least:
            best, least = item, found
    return best


def largest_by(items: Any, others: Any, key: Any) -> Any:
    """`max(items, key=key)`"""
    best = items[0]
    most = key(best)
    for item in others:
        found = key(item)
        if found > most:
            best, most = item, found
    return best


def behind_first(items: Any) -> list[Any]:
    """`items[1:]`"""
    return [items[place] for place in range(1, len(items))]


def place_of(items: Any, value: Any) -> Any:
    """`items.index(value)`, of numbers; -1 where none is equal."""
    found, place = -1, 0
    for item in items:
        if item == value:
            found = place
            break
        place += 1
    return found


def count_of(items: Any, value: Any) -> Any:
    """`items.count(value)`, of numbers; a list has a NaN that is this very object."""
    count = 0
    for item in items:
        if item == value:
            count += 1
    return count


def choice(seq: Any) -> Any:
    """`random.choice`: one number is drawn, below the length."""
    if not len(seq):
        raise IndexError("Cannot choose from an empty sequence")
    return seq[random.randrange(len(seq))]


def shuffle(x: Any) -> None:
    """`random.shuffle`: one number is drawn for each item but the first."""
    for place in range(len(x) - 1, 0, -1):
        other = random.randrange(place + 1)
        x[place], x[other] = x[other], x[place]
