"""Extern steps: how a pytree call becomes a callable of flat positional arguments."""
from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, Union

from ...ir.sizes import SizeExpr
from ..program import Extern, Ref

Leaf = Union[Ref, SizeExpr]


def leaves(tree: Any) -> Iterator[Leaf]:
    """The run-time arguments in a pytree, in order."""
    if isinstance(tree, (Ref, SizeExpr)):
        yield tree
    elif isinstance(tree, slice):
        yield from leaves((tree.start, tree.stop, tree.step))
    elif isinstance(tree, dict):
        yield from leaves(tuple(tree.values()))
    elif isinstance(tree, (tuple, list)):
        for item in tree:
            yield from leaves(item)


def filled(tree: Any, values: Iterator[Any]) -> Any:
    """The pytree with its leaves replaced by values, in the same order."""
    if isinstance(tree, (Ref, SizeExpr)):
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
    """Calls a step's target with its pytree of arguments rebuilt from flat values."""

    __slots__ = ("args", "kwargs", "target")

    def __init__(self, step: Extern) -> None:
        self.target, self.args, self.kwargs = step.target, step.args, step.kwargs

    def __call__(self, *values: Any) -> Any:
        each = iter(values)
        args = filled(self.args, each)
        return self.target(*args, **filled(self.kwargs, each))


def flat_callable(step: Extern) -> Callable[..., Any]:
    """The target itself where its arguments are flat already."""
    if not step.kwargs and all(isinstance(arg, Ref) for arg in step.args):
        return step.target
    return FlatCall(step)
