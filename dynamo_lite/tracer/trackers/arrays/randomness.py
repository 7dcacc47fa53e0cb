"""Random generators: objects that the graph hands to NumPy, and may make."""
from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ....errors import GraphBreak
from ....guards.sources import Source
from ....ir.node import Node
from ....ir.ops.columns import having
from ....ir.row import row_of
from ....ir.types import OBJECT, Form
from ...object_model.attributes import has_dict
from ...object_model.constants import observed
from ...object_model.methods import BuiltinMethodVariable
from ...polyfills.numpy import shuffle_by
from ...recording.nodes import RESULTS, placeholder
from ...state.tracker import Args, Kwargs, VariableTracker
from .counts import parameters, with_counts
from .graph_methods import record_call
from .long_lists import arrays_of
from .weighted_choice import weighted

if TYPE_CHECKING:
    from ...state.emitter import Emitter
    from ...state.tx import Tx

MAKERS: dict[Any, type] = {row.target: row.makes for row in having("makes")}


class RandomVariable(VariableTracker):
    """A `Generator` or `RandomState`; its methods are operations that advance it."""

    def __init__(self, node: Node, kind: type, source: Source | None = None) -> None:
        self.node = node
        self.kind = kind
        self.source = source

    def python_type(self) -> type:
        return self.kind

    def as_argument(self, tx: Tx) -> Node:
        return self.node

    def truth(self, tx: Tx) -> bool:
        return True

    def getattr(self, tx: Tx, name: str) -> VariableTracker:
        member = getattr(self.kind, name, None)
        if callable(member):
            return RandomMethodVariable(self, name)
        if member is not None or has_dict(self.kind):
            raise GraphBreak(f"attribute {name!r} of a {self.kind.__name__}")
        owner = f"{self.kind.__module__}.{self.kind.__name__}"
        raise observed(AttributeError(f"{owner!r} object has no attribute {name!r}", name=name))

    def call_method(self, tx: Tx, name: str, args: Args, kwargs: Kwargs) -> VariableTracker:
        if name == "shuffle" and len(args) == 1 and not kwargs:
            call = args[0], self.getattr(tx, "permutation")
            return tx.known(shuffle_by).call(tx, call, {})
        method = getattr(self.kind, name, None)
        if method is None or row_of(method) is None:
            raise GraphBreak(f"{name!r} of a {self.kind.__name__}")
        if name == "choice":
            draw = self.getattr(tx, "random")
            if (found := weighted(tx, draw, args, kwargs)) is not None:
                return found
        args = (self, *arrays_of(tx, method, args))
        args, kwargs = with_counts(tx, parameters(method), args, kwargs) or (args, kwargs)
        return record_call(tx, method, args, kwargs)

    def reconstruct(self, code: Emitter) -> None:
        code.load_output(self.node)


class RandomMethodVariable(BuiltinMethodVariable):
    """A method looked up on a generator."""

    def call(self, tx: Tx, args: Args, kwargs: Kwargs) -> VariableTracker:
        return self.owner.call_method(tx, self.name, args, kwargs)


RESULTS[Form.OBJECT] = lambda node: RandomVariable(node, MAKERS[node.target])


def wrap_random(tx: Tx, value: Any, source: Source) -> VariableTracker:
    return RandomVariable(placeholder(tx, source, OBJECT), type(value), source)
