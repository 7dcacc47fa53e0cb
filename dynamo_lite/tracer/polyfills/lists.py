"""Polyfills of what lists do in C, of those that loops of the graph change."""
from __future__ import annotations

import random
from typing import Any

import numpy as np

from .numpy import only_where

__all__ = [
    "behind_first", "choice", "contains", "count_of", "equal_numbers", "equal_tuples", "extend",
    "in_order", "in_order_by", "is_any", "is_any_not", "is_any_of", "largest", "largest_by",
    "mapped", "of_range_in_order_by", "ordered", "place_of", "put_in_order", "pythons",
    "shuffle", "smallest", "smallest_by",
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


def pythons(values: Any) -> list[Any]:
    """`values.tolist()`, of an array of one axis."""
    return [value.item() for value in values]


def ordered(values: Any, reverse: Any) -> Any:
    """The numbers in the order in which Python sorts them; a NaN has no place."""
    only_where((values == values).all(), "numbers that are none, sorted")
    if reverse:  # of equal numbers the first one stays in front
        return np.flip(np.sort(np.flip(values), kind="stable"))
    return np.sort(values, kind="stable")


def in_order(values: Any, reverse: Any) -> list[Any]:
    """`sorted(values)`, of an array of one axis."""
    inside = ordered(values, reverse)
    return [inside[place] for place in range(len(values))]


def places_in_order(keys: Any, reverse: Any) -> Any:
    """The place of each item, in the order of their keys."""
    only_where((keys == keys).all(), "keys that are no numbers, sorted")
    if reverse:
        return len(keys) - 1 - np.flip(np.argsort(np.flip(keys), kind="stable"))
    return np.argsort(keys, kind="stable")


def in_order_by(items: Any, keys: Any, reverse: Any) -> list[Any]:
    """`sorted(items, key=key)`, of items that have these keys."""
    places = places_in_order(keys, reverse)
    return [items[int(places[place])] for place in range(len(items))]


def of_range_in_order_by(start: Any, step: Any, keys: Any, reverse: Any) -> list[Any]:
    """The same of a range that begins so."""
    places = places_in_order(keys, reverse)
    return [start + step * int(places[place]) for place in range(len(keys))]


def put_in_order(items: Any, inside: Any) -> None:
    """`items.sort()`, where the items in their order are known."""
    for place in range(len(items)):
        items[place] = inside[place]


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
