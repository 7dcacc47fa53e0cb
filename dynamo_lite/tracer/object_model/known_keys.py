"""Keys of dicts from outside that guards can hold, and those that may be ids."""
from __future__ import annotations

import enum
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from ...errors import GraphBreak
from .constants import (
    ATOMS,
)

if TYPE_CHECKING:
    from ..state.tx import Tx


def is_guardable_key(key: Any) -> bool:
    """Whether the KEYS guard can hold the key."""
    if type(key) is tuple:
        return all(map(is_guardable_key, key))
    return type(key) in ATOMS


def look_for_ids(tx: Tx, keys: Iterable[Any]) -> None:
    """Numbers among keys from outside may be ids of objects."""
    ids = tx.state.ids
    if not ids.met and any(map(may_be_id, keys)):
        if ids.used:
            raise GraphBreak("ids as keys, beside numbers from outside that may be ids")
        ids.met = True


def may_be_id(key: Any) -> bool:
    """Whether an id, which is an address, may be equal to the key or a part of it."""
    if isinstance(key, tuple | frozenset):
        return any(map(may_be_id, key))
    return isinstance(key, int | float) and key >= LOWEST_ID


LOWEST_ID = 1 << 16


def is_known_key(key: Any) -> bool:
    """Whether the KEYS guard can hold the key of a dict."""
    return is_guardable_key(key) or is_named_key(key)


def is_named_key(key: Any) -> bool:
    """Classes and members of enumerations, which are told apart by identity."""
    if isinstance(type(key), enum.EnumMeta):
        return True
    meta = type(key)
    return issubclass(meta, type) and meta.__hash__ is type.__hash__ and meta.__eq__ is type.__eq__
