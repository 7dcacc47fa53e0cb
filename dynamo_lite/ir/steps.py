"""Steps of reasoning about sizes, told to whoever watches; nobody does unless `config.validate`.

A step claims that `before`, as it was asked for, and `after`, what a rule made of it, are equal
wherever `given` holds.
"""
from __future__ import annotations

import contextlib
import functools
from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, Protocol, TypeVar, Union

from ..base.records import NamedTuple

if TYPE_CHECKING:
    from .sizes import Size

Term = Union["Size", "Asked", bool]


class Asked(NamedTuple):
    """An operator or comparison that no rule has looked at yet."""

    op: str
    left: Any
    right: Any

    def __str__(self) -> str:
        if self.op in ("min", "max"):
            return f"{self.op}({self.left}, {self.right})"
        return f"{operand(self.left)} {self.op} {operand(self.right)}"


def operand(term: Term) -> str:
    """The text of a term between operators; sums, products and questions have parentheses."""
    terms = getattr(term, "terms", ())
    is_atom = all(factor == 1 and len(atoms) == len(terms) == 1 for atoms, factor in terms)
    return str(term) if is_atom and not isinstance(term, Asked) else f"({term})"


class First(NamedTuple):
    """The first `number` of premises to which others are added later, and none taken away."""

    premises: list[Asked]
    number: int


Given = Union[tuple[Asked, ...], First]


class Watcher(Protocol):
    """Who is told."""

    def begin(self, hints: Mapping[str, int], locate: Callable[[], Any]) -> None:
        """From now on steps are about other symbols; `locate` gives the user's line."""
        ...

    def step(self, rule: str, before: Term, after: Term, given: Given = ()) -> None:
        ...


watcher: Watcher | None = None


@contextlib.contextmanager
def supposing() -> Iterator[None]:
    """Reasoning about sizes that this call does not have, which nothing is concluded from but how
    arrays are laid out: nobody is told."""
    global watcher
    kept, watcher = watcher, None
    try:
        yield
    finally:
        watcher = kept


Operator = TypeVar("Operator", bound=Callable[..., Any])


def rewrites(rule: str, op: str) -> Callable[[Operator], Operator]:
    """Decorates what computes `left op right` in normal form: each result is a step."""

    def decorate(function: Operator) -> Operator:
        @functools.wraps(function)
        def told(left: Any, right: Any) -> Any:
            made = function(left, right)
            if watcher is not None and not (isinstance(left, int) and isinstance(right, int)):
                watcher.step(rule, Asked(op, left, right), made)
            return made

        return told  # type: ignore[return-value]

    return decorate
