"""Slices and ranges."""
from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

from ....errors import GraphBreak
from ....guards.sources import AttrSource, Source
from ....ir.sizes import SizeExpr
from ...object_model.attributes import python_method
from ...object_model.class_attributes import overridden
from ...object_model.constants import (
    NONE,
    ONE,
    ZERO,
    ConstantVariable,
    FixedVariable,
    builds,
    constant,
    fold,
    hash_of,
    observe,
    observed,
)
from ...object_model.refusals import returned_exactly
from ...state.tracker import Args, Kwargs, VariableTracker

if TYPE_CHECKING:
    from ...state.emitter import Emitter
    from ...state.tx import Tx


class SliceVariable(VariableTracker):
    """A slice; its parts may be sizes of the graph."""

    def __init__(
        self,
        start: VariableTracker = NONE,
        stop: VariableTracker = NONE,
        step: VariableTracker = NONE,
        *,
        source: Source | None = None,
    ) -> None:
        self.parts = (start, stop, step)
        self.source = source

    def python_type(self) -> type:
        return slice

    def is_constant(self) -> bool:
        return all(part.is_constant() for part in self.parts)

    def as_constant(self, tx: Tx) -> Any:
        return slice(*[part.as_constant(tx) for part in self.parts])

    def as_argument(self, tx: Tx) -> Any:
        return slice(*[part.as_argument(tx) for part in self.parts])

    def hash_key(self, tx: Tx) -> Hashable:
        return hash_of(self.as_constant(tx))

    def truth(self, tx: Tx) -> bool:
        return True

    def getattr(self, tx: Tx, name: str) -> VariableTracker:
        if name in ("start", "stop", "step"):
            return self.parts[("start", "stop", "step").index(name)]
        return python_method(tx, self, name)

    def method_indices(self, tx: Tx, length: VariableTracker) -> VariableTracker:
        return fold(tx, slice.indices, (self, length))

    def reconstruct(self, code: Emitter) -> None:
        for part in self.parts:
            code.build(part)
        code.emit("BUILD_SLICE", 3)


def wrap_slice(tx: Tx, value: slice, source: Source) -> SliceVariable:
    start, stop, step = (
        tx.wrap(getattr(value, n), AttrSource(source, n)) for n in ("start", "stop", "step")
    )
    return SliceVariable(start, stop, step, source=source)


LONGEST = 100_000
"""So many items of a range are taken while tracing: Python takes them in a fraction of the time."""


class RangeVariable(FixedVariable):
    """A range with known ends."""

    def truth(self, tx: Tx) -> bool:
        return bool(self.value)

    def iterate(self, tx: Tx) -> Iterator[VariableTracker]:
        yield from map(ConstantVariable, self.value[:LONGEST])
        if self.value[LONGEST:]:
            raise GraphBreak(f"taking more than {LONGEST} items of {self.value}")

    def method___len__(self, tx: Tx) -> VariableTracker:
        return constant(observe(len, self.value))

    def method___iter__(self, tx: Tx) -> VariableTracker:
        return tx.iterator(self)

    def method___getitem__(self, tx: Tx, key: VariableTracker) -> VariableTracker:
        return constant(observe(self.value.__getitem__, key.as_constant(tx)))

    def method___contains__(self, tx: Tx, value: VariableTracker) -> VariableTracker:
        return constant(value.as_constant(tx) in self.value)

    def method_index(self, tx: Tx, value: VariableTracker) -> VariableTracker:
        return constant(observe(self.value.index, value.as_constant(tx)))

    def method_count(self, tx: Tx, value: VariableTracker) -> VariableTracker:
        return constant(self.value.count(value.as_constant(tx)))

    def getattr(self, tx: Tx, name: str) -> VariableTracker:
        if name in ("start", "stop", "step"):
            return constant(getattr(self.value, name))
        return python_method(tx, self, name)

    def reconstruct(self, code: Emitter) -> None:
        code.load_const(range)
        for part in (self.value.start, self.value.stop, self.value.step):
            code.load_const(part)
        code.call(3)


class DataRangeVariable(VariableTracker):
    """A range with an end that is a size, or an int that the graph computes."""

    def __init__(self, ends: Sequence[VariableTracker]) -> None:
        start, stop = (ZERO, ends[0]) if len(ends) == 1 else ends[:2]
        self.ends = (start, stop, ends[2] if len(ends) == 3 else ONE)

    @staticmethod
    def can_end(value: VariableTracker) -> bool:
        if isinstance(value, ConstantVariable):
            return type(value.value) is int and -(2**62) < value.value < 2**62
        return value.in_graph and value.python_type() is int

    def python_type(self) -> type:
        return range

    @property
    def has_known_step(self) -> bool:
        return isinstance(self.ends[2], ConstantVariable)

    def arguments(self, tx: Tx) -> tuple[Any, Any, Any]:
        """The three ends for a loop of the graph, whose step is known."""
        start, stop, step = (end.as_argument(tx) for end in self.ends)
        if step == 0:
            raise GraphBreak("a range with a step of 0")
        return start, stop, step

    def known(self, tx: Tx) -> RangeVariable:
        """The range itself; sizes are specialised."""
        return RangeVariable(observe(range, *[end.as_constant(tx) for end in self.ends]))

    def iterate(self, tx: Tx) -> Iterator[VariableTracker]:
        """Of sizes only how many items are taken is guarded; a place that takes all of one new
        number after another breaks the graph instead."""
        start, stop, step = (end.as_argument(tx) for end in self.ends)
        if not all(isinstance(end, (int, SizeExpr)) for end in (start, stop)) or (
            not isinstance(step, int) or step == 0
        ):
            yield from self.known(tx).iterate(tx)
            return
        shapes = tx.shapes
        items = range(shapes.hint(start), shapes.hint(stop), step)
        ends = ", ".join(map(shapes.described, (start, stop)))
        place = tx.location(), f"range({ends}, {step})"
        if not shapes.policy.can_fix(place, len(items)):
            raise GraphBreak(f"Python needs {place[1]}, whose length keeps changing")
        while shapes.less(start, stop) if step > 0 else shapes.less(stop, start):
            yield ConstantVariable(start) if isinstance(start, int) else tx.size(start)
            start += step
        shapes.policy.may_fix(place, len(items))

    def truth(self, tx: Tx) -> bool:
        return self.known(tx).truth(tx)

    def call_method(self, tx: Tx, name: str, args: Args, kwargs: Kwargs) -> VariableTracker:
        return self.known(tx).call_method(tx, name, args, kwargs)

    def getattr(self, tx: Tx, name: str) -> VariableTracker:
        return self.known(tx).getattr(tx, name)

    def reconstruct(self, code: Emitter) -> None:
        code.load_const(range)
        for end in self.ends:
            code.build(end)
        code.call(3)


def wrap_range(tx: Tx, value: range, source: Source) -> RangeVariable:
    parts = [tx.wrap(getattr(value, n), AttrSource(source, n)) for n in ("start", "stop", "step")]
    for part in parts:
        part.as_constant(tx)
    return RangeVariable(value, source)


def make_range(tx: Tx, *ends: VariableTracker) -> VariableTracker:
    """`range(...)`; its ends may be sizes, or numbers that the graph computes."""
    if 0 < len(ends) <= 3 and all(map(DataRangeVariable.can_end, ends)):
        if not all(isinstance(end, ConstantVariable) for end in ends):
            return DataRangeVariable(ends)
    known = [_index(tx, end).as_constant(tx) for end in ends]
    if not known:
        raise observed(TypeError("range expected at least 1 argument, got 0"))
    return RangeVariable(observe(range, *known))


def _index(tx: Tx, value: VariableTracker) -> VariableTracker:
    """What `__index__` says, where the user wrote it for what is no int itself."""
    kind = value.python_type()
    if issubclass(kind, int):
        return value.contents or value
    if not overridden(kind, "__index__"):
        return value
    text = "__index__ returned non-int (type {kind})"
    return returned_exactly(value.call_method(tx, "__index__", (), {}), int, text)


@builds(slice)
def _slice(value: slice) -> VariableTracker:
    return SliceVariable(constant(value.start), constant(value.stop), constant(value.step))


@builds(range)
def _range(value: range) -> VariableTracker:
    return RangeVariable(value)
