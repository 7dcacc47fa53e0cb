"""Extern steps: how a pytree call becomes a callable of flat positional arguments."""
from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, Union

from ....ir.sizes import SizeExpr
from ...loop_ir.program import Extern, Ref
from ..objects.flat_calls import FlatCall, Hole

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


def with_holes(tree: Any) -> Any:
    """The pytree with `Hole` for each of its leaves."""
    if isinstance(tree, (Ref, SizeExpr)):
        return Hole
    if isinstance(tree, slice):
        return slice(*(with_holes(part) for part in (tree.start, tree.stop, tree.step)))
    if isinstance(tree, dict):
        return {key: with_holes(item) for key, item in tree.items()}
    if isinstance(tree, tuple) and hasattr(tree, "_fields"):
        return type(tree)(*map(with_holes, tree))
    if isinstance(tree, (tuple, list)):
        return type(tree)(map(with_holes, tree))
    return tree


def flat_callable(step: Extern) -> Callable[..., Any] | FlatCall:
    """The target itself where its arguments are flat already."""
    if not step.kwargs and all(isinstance(arg, Ref) for arg in step.args):
        return step.target
    return FlatCall(step.target, with_holes(step.args), with_holes(step.kwargs))
