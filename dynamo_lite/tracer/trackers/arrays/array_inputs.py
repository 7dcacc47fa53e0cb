"""Arrays from outside: inputs of the graph, or passed along."""
from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ....errors import GraphBreak
from ....guards.arrays import ArrayFacts, order_of
from ....guards.kinds import CALL, EQUALS, TENSOR_MATCH_DYNAMIC, TENSOR_MATCH_STATIC, TYPE
from ....guards.shapes.dynamic import marks_of
from ....guards.sources import AttrSource, ItemSource, Source
from ....ir.ops.libraries import library_of
from ....ir.sizes import Size
from ....ir.types import WARN_ON_WRITE, is_bfloat16, is_held, why_not_dtype
from ...object_model.constants import ELLIPSIS
from ...recording.nodes import declare_symbols, placeholder
from ...state.tracker import VariableTracker
from ..objects.opaque import OpaqueVariable
from .arrays import ArrayVariable

if TYPE_CHECKING:
    from ...state.tx import Tx


def wrap_array(tx: Tx, value: np.ndarray, source: Source) -> VariableTracker:
    """An array from outside: an input of the graph, guarded by its type, sizes and layout.

    Arrays that a graph cannot hold may be passed along.
    """
    if is_untracked(value):
        tx.guards.install(source, TYPE, value, tx.location())
        tx.guards.install(source, CALL, is_untracked, tx.location())
        tracker = StructuredVariable if is_structured(value) else OpaqueVariable
        return tracker(value, source, why_not_tracked(value))
    facts = facts_of(tx, value, source)
    kind = TENSOR_MATCH_DYNAMIC if any(facts.symbols()) else TENSOR_MATCH_STATIC
    tx.guards.install(source, kind, facts, tx.location())
    tx.guards.watch_array(source, value)
    node = placeholder(tx, source, facts.array_type())
    declare_symbols(tx, facts.symbols())
    return ArrayVariable(node, source)


def is_structured(value: Any) -> bool:
    return type(value) is np.ndarray and value.dtype.names is not None


class StructuredVariable(OpaqueVariable):
    """An array with fields, each of which is an array of its own for the graph."""

    def __init__(self, value: Any, source: Source, reason: str) -> None:
        super().__init__(value, source, reason)
        self.fields: dict[str, VariableTracker] = {}

    def field(self, tx: Tx, key: VariableTracker) -> VariableTracker:
        name = key.as_constant(tx) if key.is_constant() else None
        assert self.source is not None
        if type(name) is not str or name not in self.value.dtype.names:
            raise GraphBreak(f"an item of {self.describe()} that is no field")
        if name not in self.fields:
            dtype = AttrSource(self.source, "dtype")
            tx.guards.install(dtype, EQUALS, self.value.dtype, tx.location())
            source = ItemSource(self.source, name, np.ndarray)
            self.fields[name] = tx.wrap(self.value[name], source)
        return self.fields[name]

    def method___getitem__(self, tx: Tx, key: VariableTracker) -> VariableTracker:
        """A new view at every access."""
        return self.field(tx, key).call_method(tx, "__getitem__", (ELLIPSIS,), {})

    def method___setitem__(
        self, tx: Tx, key: VariableTracker, value: VariableTracker
    ) -> VariableTracker:
        return self.field(tx, key).call_method(tx, "__setitem__", (ELLIPSIS, value), {})


def is_untracked(value: Any) -> bool:
    """Whether a value is an array that no graph holds."""
    kind = type(value)
    if library_of(kind) is None:
        return isinstance(value, np.ndarray)
    is_theirs = kind is not np.ndarray and is_bfloat16(value.dtype)
    return not (is_theirs or is_held(value.dtype)) or bool(
        isinstance(value, np.ndarray) and value.flags.num & WARN_ON_WRITE
    )


def why_not_tracked(value: np.ndarray) -> str:
    if library_of(type(value)) is None:
        return f"a subclass of ndarray, {type(value).__name__}"
    if (why := why_not_dtype(value.dtype)) is not None:
        return f"an array of {why}"
    return "a result of np.broadcast_arrays, which warns when it is written"


def facts_of(tx: Tx, value: np.ndarray, source: Source) -> ArrayFacts:
    """What the guard keeps; sizes and strides that vary become symbols."""
    marks, order = marks_of(value), order_of(value)
    shape = tuple(
        tx.shapes.size(source, "size", axis, size, marks.get(axis))
        for axis, size in enumerate(value.shape)
    )
    strides: tuple[Size, ...] = value.strides
    if order is None:
        strides = tuple(
            _stride(tx, value, source, axis) for axis in range(value.ndim)
        )
    flags = value.flags
    return ArrayFacts(
        type(value), value.dtype, shape, strides, order,
        getattr(flags, "writeable", True), getattr(flags, "aligned", True),
    )  # fmt: skip


def _stride(tx: Tx, value: np.ndarray, source: Source, axis: int) -> Size:
    """A stride that repeats or steps by one element decides about vector code: it stays an int."""
    stride = value.strides[axis]
    if abs(stride) in (0, value.itemsize):
        return stride
    return tx.shapes.size(source, "stride", axis, stride)
