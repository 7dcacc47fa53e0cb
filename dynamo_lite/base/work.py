"""How much the compiler has done in this process."""
from __future__ import annotations

from .records import dataclass


@dataclass(slots=True)
class Work:
    """`traced`: how often the instructions of a frame were gone through; `generated`: for how many
    graphs code was generated. `found_here`: how often something was found out that holds in this
    process alone (the order of a set, a hash, a module that is loaded already)."""

    traced: int = 0
    generated: int = 0
    found_here: int = 0

    def clear(self) -> None:
        self.traced = self.generated = 0


done = Work()
