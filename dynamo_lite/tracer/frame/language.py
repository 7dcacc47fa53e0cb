"""Python's operations on any values, as a frame carries them out."""
from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from ...bytecode.raising import expected_outcome
from ...errors import GraphBreak
from ..calls import dispatch as calls
from ..object_model.attributes import store
from ..object_model.class_attributes import has_own_class
from ..object_model.constants import observed
from ..object_model.refusals import name_in_c
from ..python import comparisons, iteration
from ..rules.mro import MISSING, lookup
from ..state.tracker import Args, Kwargs, ObservedException, VariableTracker
from ..trackers.containers.exceptions import note_owner
from ..trackers.containers.iterators import IteratorVariable
from ..trackers.objects.objects import ObjectVariable

if TYPE_CHECKING:
    from ..state.tx import Tx


class FrameLanguage:
    """Attributes, truth, comparisons, calls and iteration."""

    def getattr(self: Tx, value: VariableTracker, name: str) -> VariableTracker:
        if name == "__class__" and not has_own_class(value.python_type()):
            return self.known(value.python_type())
        try:
            return value.getattr(self, name)
        except ObservedException as raised:
            note_owner(raised.value, value, name)
            raise

    def store_attribute(self: Tx, owner: ObjectVariable, name: str, value: VariableTracker) -> None:
        """`object.__setattr__`."""
        store(self, owner, owner, name, value, plain=True)

    def truth(self: Tx, value: VariableTracker) -> bool:
        """`bool(value)`; where one answer only leads to a `raise`, data is expected to give the
        other one, which the graph checks."""
        try:
            return value.truth(self)
        except GraphBreak:
            outcome = expected_outcome(self.instructions, self.current)
            if outcome is None or not value.in_graph:
                raise
            value.expect(self, outcome)
            return outcome

    def is_equal(self: Tx, left: VariableTracker, right: VariableTracker) -> bool:
        return comparisons.is_equal(self, left, right)

    def is_less(self: Tx, left: VariableTracker, right: VariableTracker) -> bool:
        return self.truth(comparisons.compare(self, "<", left, right))

    def apply(self: Tx, function: VariableTracker, args: Args, kwargs: Kwargs) -> VariableTracker:
        """`function(*args, **kwargs)`."""
        kind = function.python_type()
        if lookup(kind, "__call__") is MISSING:
            raise observed(TypeError(f"{name_in_c(kind)!r} object is not callable"))
        return function.call(self, args, kwargs)

    def call(
        self: Tx, function: VariableTracker, *args: VariableTracker, **kwargs: VariableTracker
    ) -> VariableTracker:
        return self.apply(function, args, kwargs)

    def call_method(
        self: Tx, owner: VariableTracker, name: str, *args: VariableTracker
    ) -> VariableTracker:
        return owner.call_method(self, name, args, {})

    def call_builtin(self: Tx, function: Any, *args: VariableTracker) -> VariableTracker:
        return calls.dispatch(self, None, function, args, {})

    def dispatch(
        self: Tx, tracker: VariableTracker | None, function: Any, args: Args, kwargs: Kwargs
    ) -> VariableTracker:
        """Call an outside callable by the rule that applies to it."""
        return calls.dispatch(self, tracker, function, args, kwargs)

    def iterator(self: Tx, value: VariableTracker) -> IteratorVariable:
        """`iter(value)`."""
        return iteration.iterator(self, value)

    def iterate(self: Tx, value: VariableTracker) -> Iterator[VariableTracker]:
        """The items of any iterable."""
        return iteration.iterator(self, value).iterate(self)

    def collect(self: Tx, value: VariableTracker) -> Iterator[VariableTracker]:
        """The items of any iterable, as a list or tuple is made of them."""
        return iteration.collected(self, value)

    def pairs(
        self: Tx, mapping: VariableTracker, kind: type = dict
    ) -> Iterator[tuple[VariableTracker, VariableTracker]]:
        """Keys and values of a mapping, or of an iterable of pairs, for a `kind` of dict."""
        return iteration.pairs(self, mapping, kind)
