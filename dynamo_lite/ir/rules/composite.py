"""Functions that NumPy itself composes of others: one definition gives both type and decomposition.

A definition is called with an `Emit` and the NumPy function's own arguments, and makes the calls
NumPy makes, in NumPy's order and dtypes. With `TypeEmit` values are types; the decompose pass runs
the same definition with values that are nodes.
"""
from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any, Protocol

from ...errors import Unsupported
from ..facts import Facts
from ..row import row_of
from ..sizes import Size
from ..types import ArrayType
from .values import as_type


class Emit(Protocol):
    """Makes calls on behalf of a definition."""

    facts: Facts

    def __call__(self, target: Any, *args: Any, **kwargs: Any) -> Any:
        """Call another operation."""
        ...

    def type(self, value: Any) -> ArrayType:
        """The type of an operand."""
        ...

    def laid_out(self, value: Any, strides: tuple[Size, ...]) -> Any:
        """The fresh array `value`, in memory with these strides."""
        ...

    def whole(self, like: Any, *args: Any) -> Any:
        """The operation stays as it is; its type is that of `like(*args)`."""
        ...


class TypeEmit:
    """Calls are their types."""

    def __init__(self, facts: Facts) -> None:
        self.facts = facts

    def __call__(self, target: Any, *args: Any, **kwargs: Any) -> Any:
        row = row_of(target)
        if row is None or row.infer is None:
            raise Unsupported(f"no rule for {target}")
        return row.infer(*args, facts=self.facts, **kwargs)

    def type(self, value: Any) -> ArrayType:
        return as_type(value)

    def laid_out(self, value: Any, strides: tuple[Size, ...]) -> Any:
        return replace(value, strides=strides)

    def whole(self, like: Any, *args: Any) -> Any:
        return self(like, *args)


Definition = Callable[..., Any]


def composed(
    definition: Definition, otherwise: Callable[..., Any] | None = None
) -> Callable[..., Any]:
    """The type rule that follows from a definition; `otherwise` for calls it does not cover."""

    def infer(*args: Any, facts: Facts, **kwargs: Any) -> Any:
        try:
            return definition(TypeEmit(facts), *args, **kwargs)
        except Unsupported:
            if otherwise is None:
                raise
        return otherwise(*args, facts=facts, **kwargs)

    return infer
