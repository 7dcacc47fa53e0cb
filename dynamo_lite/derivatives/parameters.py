"""Derivatives with respect to arrays that objects hold."""
from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from ..ir.pullback import independent, owned
from .transforms import gradients_of, main_of

Function = Callable[..., Any]
Path = tuple[tuple[bool, Any], ...]
"""How to get from an object to an array: attributes (True) and items (False) by name."""
DEPTH = 8


def places_of(owner: Any, arrays: Any) -> tuple[tuple[Path, ...], ...]:
    """Where an object has these very arrays, each in one place or more; ValueError for one that it
    does not have, and for a number in several places: who shares one does not mean it."""
    known: dict[int, tuple[Path, ...]] = {}
    for path, value in reachable(owner):
        known[id(value)] = (*known.get(id(value), ()), path)
    for array in arrays:
        kind = type(array).__name__
        if id(array) not in known:
            raise ValueError(
                f"wrt: no attribute of {type(owner).__name__} holds one of the arrays itself "
                f"(a {kind})\n  remedy: give arrays that attributes, lists or "
                "dicts of the object hold, or pass them as arguments")
        if len(known[id(array)]) > 1 and not isinstance(array, np.ndarray):
            raise ValueError(
                f"wrt: {type(owner).__name__} holds one of the numbers (a {kind}, {array!r}) in "
                "several places, which may not all be meant\n  remedy: make arrays of such numbers")
    return tuple(known[id(array)] for array in arrays)


def reachable(owner: Any) -> Iterator[tuple[Path, Any]]:
    """Arrays and numbers in attributes, lists and dicts, each place once, by a shortest path."""
    seen, level = {id(owner)}, [((), owner)]
    for _ in range(DEPTH):
        below: list[Any] = []
        for path, value in level:
            for step, inner in parts(value):
                if isinstance(inner, (np.ndarray, np.generic, float)):
                    yield (*path, step), inner
                elif id(inner) not in seen:
                    seen.add(id(inner))
                    below.append(((*path, step), inner))
        level = below


def parts(value: Any) -> Iterator[tuple[tuple[bool, Any], Any]]:
    if isinstance(value, dict):
        yield from (((False, key), inner) for key, inner in value.items())
    elif isinstance(value, list):
        yield from (((False, place), inner) for place, inner in enumerate(value))
    else:
        own = getattr(value, "__dict__", {})
        yield from (((True, name), inner) for name, inner in own.items())


def value_and_gradients(
    function: Function, owner: Any, places: Any, has_aux: bool, holomorphic: bool, args: Any,
    kwargs: Any,
) -> tuple[Any, Any]:
    """What a method gives, and the gradients with respect to what its object has in these places,
    where variables stand while it runs."""
    before = [found(owner, paths[0]) for paths in places]
    variables = tuple([independent(value) for value in before])
    for paths, variable in zip(places, variables):
        put(owner, paths, owned(variable))
    result = function(*args, **kwargs)
    for paths, value in zip(places, before):
        put(owner, paths, value)
    return result, gradients_of(main_of(result, has_aux), variables, holomorphic)


def found(owner: Any, path: Any) -> Any:
    for is_attribute, name in path:
        owner = getattr(owner, name) if is_attribute else owner[name]
    return owner


def put(owner: Any, paths: Any, value: Any) -> None:
    for path in paths:
        holder = found(owner, path[:-1])
        is_attribute, name = path[-1]
        if is_attribute:
            setattr(holder, name, value)
        else:
            holder[name] = value
