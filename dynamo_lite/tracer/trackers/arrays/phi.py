"""Phi: a value of the graph that is one of two objects, as a branch on data decides."""
from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ....base.records import dataclass
from ....errors import Unsupported
from ....ir.node import Node
from ...object_model.constants import NONE
from ...state.tracker import VariableTracker

if TYPE_CHECKING:
    from ...state.emitter import Emitter

Choices = tuple[VariableTracker | None, ...]
"""The objects that each arm leaves: None is the new one, NONE one that cannot be named."""


@dataclass(frozen=True, slots=True, eq=False)
class Phi:
    """Which object a value is, where at least one of the arms leaves one that there was before.

    Inside the graph one node has the contents; who gets the value gets the object itself.
    """

    test: Any
    choices: Choices

    @property
    def has_names(self) -> bool:
        """Whether both objects can be handed out."""
        return NONE not in self.choices

    def reconstruct(self, code: Emitter, node: Node) -> None:
        """Push the object; `node` is the new one."""
        if not self.has_names:
            raise Unsupported("a view that is made only in one arm of a branch on data")
        code.choose_value(self.test, node, self.choices)


def node_of(tracker: VariableTracker) -> Node | None:
    """The node that gives a value; None where it gives one of the objects that the value may be."""
    node = getattr(tracker, "node", None)
    return node if isinstance(node, Node) and getattr(tracker, "phi", None) is None else None
