"""The one entry to type inference: what a call returns, or the error that NumPy raises for it."""
from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import Any

from ..errors import Unsupported
from .facts import STATIC, Facts
from .node import Node
from .ops import row_of
from .rules.values import Wrong
from .standins import provoke
from .tree import map_leaves


def infer(
    target: Any, args: tuple[Any, ...], kwargs: dict[str, Any] | None = None,
    facts: Facts = STATIC,
) -> Any:
    """The type of `target(*args, **kwargs)`; see docs/architecture.md, "Facts"."""
    row = row_of(target)
    if row is None or row.infer is None:
        raise Unsupported(f"no rule for {getattr(target, '__name__', target)!r}")
    args, kwargs = map_leaves(_type_of_leaf, (tuple(args), kwargs or {}))
    if not _accepts(row.infer, args, kwargs):
        provoke(target, args, kwargs, facts)
    try:
        return row.infer(*args, facts=facts, **kwargs)
    except Wrong:
        provoke(target, args, kwargs, facts)


def _type_of_leaf(leaf: Any) -> Any:
    if not isinstance(leaf, Node):
        return leaf
    if leaf.type is None:
        raise Unsupported(f"{leaf.name} has no value")
    return leaf.type


def _accepts(rule: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> bool:
    try:
        _signature(rule).bind(*args, facts=None, **kwargs)
    except TypeError:
        return False
    return True


@functools.lru_cache(None)
def _signature(rule: Callable[..., Any]) -> inspect.Signature:
    return inspect.signature(rule)


