"""Derivatives with respect to arrays that objects hold."""
from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from ..ir.pullback import independent, owned, pullback

Path = tuple[tuple[bool, Any], ...]
"""How to get from an object to an array: attributes (True) and items (False) by name."""
DEPTH = 8


def places_of(owner: Any, arrays: Any) -> tuple[Path, ...]:
    """Where an object has these very arrays; ValueError for one that it does not have."""
    known = {id(value): path for path, value in reachable(owner, (), DEPTH)}
    for array in arrays:
        if id(array) not in known:
            raise ValueError(
                f"wrt: no attribute of {type(owner).__name__} holds one of the arrays itself "
                f"(a {type(array).__name__})\n  remedy: give arrays that attributes, lists or "
                "dicts of the object hold, or pass them as arguments")
    return tuple(known[id(array)] for array in arrays)


def reachable(value: Any, path: Path, depth: int) -> Iterator[tuple[Path, Any]]:
    """Arrays and numbers in attributes, lists and dicts, however deep."""
    if isinstance(value, (np.ndarray, np.generic, float)):
        yield path, value
    elif depth:
        for step, inner in parts(value):
            yield from reachable(inner, (*path, step), depth - 1)


def parts(value: Any) -> Iterator[tuple[tuple[bool, Any], Any]]:
    if isinstance(value, dict):
        yield from (((False, key), inner) for key, inner in value.items())
    elif isinstance(value, list):
        yield from (((False, place), inner) for place, inner in enumerate(value))
    else:
        own = getattr(value, "__dict__", {})
        yield from (((True, name), inner) for name, inner in own.items())


def value_and_gradients(
    function: Callable[..., Any], owner: Any, places: Any, has_aux: bool, args: Any, kwargs: Any
) -> tuple[Any, Any]:
    """What a method gives, and the gradients with respect to what its object has in these places,
    where variables stand while it runs."""
    before = [found(owner, place) for place in places]
    variables = tuple([independent(value) for value in before])
    for place, variable in zip(places, variables):
        put(owner, place, owned(variable))
    result = function(*args, **kwargs)
    for place, value in zip(places, before):
        put(owner, place, value)
    number = result[0] if has_aux else result
    return result, pullback((number,), (None,), variables)


def found(owner: Any, path: Any) -> Any:
    for is_attribute, name in path:
        owner = getattr(owner, name) if is_attribute else owner[name]
    return owner


def put(owner: Any, path: Any, value: Any) -> None:
    holder = found(owner, path[:-1])
    is_attribute, name = path[-1]
    if is_attribute:
        setattr(holder, name, value)
    else:
        holder[name] = value
