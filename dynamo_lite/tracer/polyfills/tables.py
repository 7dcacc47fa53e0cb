"""Polyfills of what dicts and sets do in C, over arrays of keys.

A *table* keeps its keys in the order in which they came, one array for each of their parts.
`slots`, of which the first `sizes[1] + 1` are in use, has for a key its place, counted from 1,
where its bits lead, or where a search goes on from there; 0 is a free slot. `sizes[0]` is how many
keys there are, about half as many as slots at most, whose number is a power of two.
"""
from __future__ import annotations

from typing import Any

__all__ = ["add", "find", "find_or_add", "grow", "place_among", "place_of_tuple", "store"]

FEWEST = 15
"""Slots of a small table, but for one."""


# -- dicts from outside: sorted keys


def place_among(keys: Any, wanted: Any) -> Any:
    """Where a key is among sorted ones, and whether it is one of them."""
    low, high = 0, len(keys) - 1
    while low < high:
        middle = (low + high) >> 1
        if keys[middle] < wanted:
            low = middle + 1
        else:
            high = middle
    return low, keys[low] == wanted


def row(keys: Any, place: Any, parts: Any) -> Any:
    return tuple([keys[place, part] for part in parts])


def place_of_tuple(keys: Any, wanted: Any) -> Any:
    """The same for tuples, which are the rows of an array."""
    parts, low, high = range(len(wanted)), 0, len(keys) - 1
    while low < high:
        middle = (low + high) >> 1
        if row(keys, middle, parts) < wanted:
            low = middle + 1
        else:
            high = middle
    return low, row(keys, low, parts) == wanted


# -- dicts and sets that a loop fills


def mixed(key: Any) -> Any:
    """63 bits that all parts of a key decide."""
    bits = 0
    for part in key:
        bits = ((bits & 0xFFFFFFFFFF) * 1000003) ^ part
    return bits & 0x7FFFFFFFFFFFFFFF


def key_at(columns: Any, place: Any) -> Any:
    return tuple([int(column[place]) for column in columns])


def find(slots: Any, sizes: Any, columns: Any, wanted: Any) -> Any:
    """The slot of a key, and its place; or a free slot, and -1. As in dicts of Python's, higher
    bits decide more and more where the search goes on."""
    rest, mask = mixed(wanted), int(sizes[1])
    slot = rest & mask
    place = int(slots[slot]) - 1
    while place >= 0 and key_at(columns, place) != wanted:
        rest >>= 5
        slot = (slot * 5 + rest + 1) & mask
        place = int(slots[slot]) - 1
    return slot, place


def add(slots: Any, sizes: Any, columns: Any, wanted: Any, slot: Any) -> Any:
    """Put a key that is not there into its free slot; its place."""
    place = int(sizes[0])
    for column, part in zip(columns, wanted):
        column[place] = part
    sizes[0] = place + 1
    slots[slot] = place + 1
    if place * 2 > int(sizes[1]):
        grow(slots, sizes, columns)
    return place


def grow(slots: Any, sizes: Any, columns: Any) -> None:
    """Have twice as many slots in use."""
    mask = int(sizes[1]) * 2 + 1
    sizes[1] = mask
    slots[: mask + 1] = 0
    for place in range(int(sizes[0])):
        rest = mixed(key_at(columns, place))
        slot = rest & mask
        while int(slots[slot]) > 0:
            rest >>= 5
            slot = (slot * 5 + rest + 1) & mask
        slots[slot] = place + 1


def store(slots: Any, sizes: Any, columns: Any, wanted: Any, values: Any, value: Any) -> None:
    """`table[wanted] = value`"""
    slot, place = find(slots, sizes, columns, wanted)
    if place < 0:
        place = add(slots, sizes, columns, wanted, slot)
    for column, part in zip(values, value):
        column[place] = part


def find_or_add(
    slots: Any, sizes: Any, columns: Any, wanted: Any, values: Any, value: Any
) -> Any:
    """The place of a key, which is given the value if it is not there."""
    slot, place = find(slots, sizes, columns, wanted)
    if place < 0:
        place = add(slots, sizes, columns, wanted, slot)
        for column, part in zip(values, value):
            column[place] = part
    return place
