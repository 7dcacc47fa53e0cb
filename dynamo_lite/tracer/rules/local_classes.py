"""What a class statement of the traced frame makes, which is another object in every call."""
from __future__ import annotations

import dataclasses
import types
import weakref
from typing import Any

LOCAL_CLASSES: weakref.WeakSet[type] = weakref.WeakSet()
"""Classes made while tracing, which must not leave the trace."""

PLACEHOLDERS: weakref.WeakSet[types.FunctionType] = weakref.WeakSet()
"""Functions that stand in such classes for the trackers of functions; they are never called."""


class Placeholder:
    """Stands in such classes for the tracker of any other value."""

    __slots__ = ("__weakref__",)


PARTS: dict[type, tuple[str, ...]] = {
    property: ("fget", "fset", "fdel"),
    staticmethod: ("__func__",),
    classmethod: ("__func__",),
    types.MemberDescriptorType: ("__objclass__",),
    types.GetSetDescriptorType: ("__objclass__",),
    types.GenericAlias: ("__origin__", "__args__"),
    dataclasses.Field: ("default", "default_factory", "type"),
}


def is_local(value: Any) -> bool:
    """Whether an object is, or holds, what only one call of the traced function knows."""
    kind = type(value)
    if kind in LOCAL_CLASSES or kind is types.FunctionType:
        return kind is not types.FunctionType or value in PLACEHOLDERS
    if isinstance(value, type):
        return value in LOCAL_CLASSES
    if kind is tuple:
        return any(map(is_local, value))
    return any(is_local(getattr(value, name)) for name in PARTS.get(kind, ()))
