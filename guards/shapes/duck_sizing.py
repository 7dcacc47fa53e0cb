"""Facts that share a symbol: sizes that were the same in every call seen."""
from __future__ import annotations

from collections.abc import Hashable

from ..sources import Source
from .dynamic import DynamicPolicy

Fact = tuple[Source, str, int]
"""Where it is found, whether it is a "size", "stride" or "value", and of which axis."""


class DuckSizing:
    """The symbols of one trace that a further fact with the same hint may be."""

    def __init__(self, policy: DynamicPolicy) -> None:
        self.policy = policy
        self._symbols: dict[tuple[str, int], dict[Hashable, list[tuple[str, Fact]]]] = {}

    def find(self, fact: Fact, value: int) -> str | None:
        """A symbol of a fact that was never seen to differ from this one."""
        own = self.policy.family(*fact)
        for family, found in self._symbols.get((fact[1], value), {}).items():
            for name, other in found if own is None or family != own else ():
                if self.policy.history.always_equal(fact, other):
                    return name
        return None

    def add(self, name: str, fact: Fact, value: int) -> None:
        families = self._symbols.setdefault((fact[1], value), {})
        families.setdefault(self.policy.family(*fact), []).append((name, fact))
