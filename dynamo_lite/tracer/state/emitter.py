"""What a tracker may ask of the code that rebuilds its value (`codegen.reconstruct` answers)."""
from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from ...guards.sources import Source
    from ...ir.node import Node
    from .tracker import VariableTracker

Replay = Callable[[], None]
"""Does one effect again."""
Push = Callable[[], None]
"""Pushes a value that is kept."""


class Emitter(Protocol):
    """Emits instructions of the replacement function; each tracker is built once."""

    def emit(self, opname: str, operand: Any = 0) -> None: ...

    def load_const(self, value: Any) -> None: ...

    def call(self, n: int) -> None:
        """Call what lies under `n` positional arguments."""

    def load_source(self, source: Source) -> None:
        """Push the value found at a source, as it is before any side effect is replayed."""

    def load_output(self, node: Node) -> None:
        """Push what the graph computed."""

    def build(self, tracker: VariableTracker) -> None:
        """Push the value of a tracker."""

    def build_again(self, tracker: VariableTracker) -> None:
        """Push a new object with the final contents of an outside container."""

    def keep(self, tracker: VariableTracker) -> None:
        """The topmost value is the tracker's: one that is kept early may be part of itself."""

    def hold(self, tracker: VariableTracker) -> Push:
        """Build now; the result pushes the value later, when effects have been replayed."""
        ...

    def hold_top(self) -> Push:
        """Take the topmost value; the result pushes it again."""
        ...

    def constant(self, value: Any) -> Push:
        """What pushes `value` later."""
        ...

    def choose(self, test: Node, true: Callable[[], None], false: Callable[[], None]) -> None:
        """Push one of two values, as a number that the graph computes says."""

    def choose_value(
        self, test: Node, made: Node, choices: Sequence[VariableTracker | None]
    ) -> None:
        """Push one of two values; None is what the graph made of them."""

    def is_changed(self, tracker: VariableTracker) -> bool:
        """Whether the tracker stands for an outside object that the effects will change."""
        ...

    def move_iterator(self, position: int) -> None:
        """Have the topmost value, which stays, moved: once what it iterates over is complete."""

    def set_attribute(self, name: str, value: VariableTracker) -> None:
        """Set an attribute of the topmost value, which stays."""

    def call_for_effect(self, function: Any, *arguments: Push) -> None: ...
