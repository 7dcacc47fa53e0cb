"""Calls of extern functions from generated code, which knows flat positional arguments only."""
from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any


class Hole:
    """Where a run-time argument goes: the class itself stands in a pytree of arguments."""


def filled(tree: Any, values: Iterator[Any]) -> Any:
    """The pytree with `Hole`s replaced by values, left to right."""
    if tree is Hole:
        return next(values)
    if isinstance(tree, slice):
        return slice(*(filled(part, values) for part in (tree.start, tree.stop, tree.step)))
    if isinstance(tree, dict):
        return {key: filled(item, values) for key, item in tree.items()}
    if isinstance(tree, tuple) and hasattr(tree, "_fields"):
        return type(tree)(*(filled(item, values) for item in tree))
    if isinstance(tree, (tuple, list)):
        return type(tree)(filled(item, values) for item in tree)
    return tree


class FlatCall:
    """Calls `target` with its pytree of arguments rebuilt from flat values."""

    __slots__ = ("args", "holes", "is_flat", "kwargs", "target")

    def __init__(
        self, target: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> None:
        self.target, self.args, self.kwargs = target, args, kwargs
        self.holes = [position for position, item in enumerate(args) if item is Hole]
        named = kwargs.values()
        self.is_flat = not any(item is Hole or is_container(item) for item in named)
        self.is_flat &= not any(map(is_container, args))

    def __call__(self, *values: Any) -> Any:
        if not self.is_flat:
            each = iter(values)
            args = filled(self.args, each)
            return self.target(*args, **filled(self.kwargs, each))
        flat = list(self.args)
        for position, value in zip(self.holes, values):
            flat[position] = value
        return self.target(*flat, **self.kwargs)


def is_container(item: Any) -> bool:
    """Whether an argument is made anew for each call."""
    return isinstance(item, (slice, dict, tuple, list))
