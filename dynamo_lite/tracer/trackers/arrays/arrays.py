"""Arrays: inputs and results of the graph."""
from __future__ import annotations

import itertools
import operator
import sys
from collections.abc import Callable, Hashable, Iterator
from typing import TYPE_CHECKING

import numpy as np

from ....errors import GraphBreak
from ....guards.sources import Source
from ....ir.facts import must
from ....ir.node import Node
from ....ir.ops.libraries import NUMPY, array_class
from ....ir.sizes import Size
from ....ir.types import ArrayType, Form
from ...object_model.constants import (
    ELLIPSIS,
    LAST,
    NONE,
    ConstantVariable,
    constant,
    observed,
)
from ...polyfills.lists import pythons
from ...recording.nodes import RESULTS, provoked, record
from ...rules.mro import answers
from ...state.tracker import Args, Kwargs, VariableTracker
from ..containers.lists import ListVariable
from ..containers.sequences import TupleVariable
from .array_parts import FlagsVariable, FlatVariable
from .computed_steps import stores_by_steps
from .graph_methods import (
    METHODS,
    GraphMethodVariable,
    call_graph_method,
    graph_attribute,
    record_call,
    type_of,
)
from .indices import check_mask, constant_mask, is_mask, is_number, positions, spelled_out
from .masked_parts import MaskedPart, masked_part
from .moving_views import moving_view
from .numbers import ConstantNumber, NumberVariable, python_number_of
from .phi import Phi
from .sizes import SizeVariable, size_tracker

if TYPE_CHECKING:
    from ...state.emitter import Emitter
    from ...state.tx import Tx


UNFIXED = 2
"""So many items may be taken from an array of any length: iterations before a loop is one of the
graph.
"""


class ArrayVariable(VariableTracker):
    """An ndarray that the graph takes or makes; in-place operations keep the tracker."""

    in_graph = True

    def __init__(
        self, node: Node, source: Source | None = None, phi: Phi | None = None
    ) -> None:
        self.node = node
        self.source = source
        self.phi = phi

    @property
    def array_type(self) -> ArrayType:
        kind: ArrayType = self.node.type
        return kind

    def python_type(self) -> type:
        library = self.array_type.library
        return np.ndarray if library == NUMPY else array_class(library)

    def as_argument(self, tx: Tx) -> Node:
        return self.node

    def as_constant(self, tx: Tx) -> object:
        raise GraphBreak(f"Python needs the contents of {self.describe()}")

    def truth(self, tx: Tx) -> bool:
        size = self.array_type.size
        reason = f"the truth of {self.describe()} depends on its contents"
        if type(size) is int and size > 1:
            raise provoked(tx, reason, bool, (self.array_type,))
        raise GraphBreak(reason)

    def hash_key(self, tx: Tx) -> Hashable:
        raise observed(TypeError("unhashable type: 'numpy.ndarray'"))

    def getattr(self, tx: Tx, name: str) -> VariableTracker:
        is_shared = self.array_type.library == NUMPY or name in SHARED_ATTRIBUTES
        if is_shared and (fact := SIZE_FACTS.get(name)) is not None:
            return fact(tx, self)
        if not is_shared:
            raise GraphBreak(f"attribute {name!r} of {self.describe()}")
        if (known := graph_attribute(tx, self, self.array_type, name)) is not None:
            return known
        if not answers(np.ndarray, name):
            error = AttributeError(f"'numpy.ndarray' object has no attribute {name!r}", name=name)
            raise observed(error)
        if not callable(getattr(np.ndarray, name)):
            raise GraphBreak(f"attribute {name!r} of {self.describe()}")
        return GraphMethodVariable(self, name)

    def setattr(self, tx: Tx, name: str, value: VariableTracker) -> None:
        """`x.real = y` assigns to the elements of the part, `x.flat = number` to all."""
        if name == "flat" and is_number(value):
            self.method___setitem__(tx, ELLIPSIS, value)
            return
        if name not in ("real", "imag") or self.array_type.dtype.kind != "c":
            raise GraphBreak(f"setting attribute {name!r} of {self.describe()}")
        record_call(tx, operator.setitem, (self.getattr(tx, name), ELLIPSIS, value), {})

    def call_method(self, tx: Tx, name: str, args: Args, kwargs: Kwargs) -> VariableTracker:
        return call_graph_method(tx, self, name, args, kwargs)

    def iterate(self, tx: Tx) -> Iterator[VariableTracker]:
        """The items along the first axis; their number is fixed once a few have been taken."""
        if not self.array_type.shape:
            raise observed(TypeError("iteration over a 0-d array"))
        return self.items(tx, self.array_type.shape[0])

    def items(self, tx: Tx, size: Size) -> Iterator[VariableTracker]:
        for index in itertools.count():
            if not tx.shapes.less(index, size if index < UNFIXED else tx.shapes.specialize(size)):
                return
            key = self.of_elements(tx, constant(index))
            yield record(tx, operator.getitem, (self.node, key.as_argument(tx)))

    def of_elements(self, tx: Tx, key: VariableTracker) -> VariableTracker:
        """The key under which NumPy gives a view of an element, as other libraries do anyway."""
        items = list(key.iterate(tx)) if isinstance(key, TupleVariable) else [key]
        is_element = len(items) == self.array_type.ndim and all(map(is_number, items))
        if self.array_type.library == NUMPY or not is_element:
            return key
        return TupleVariable([*items, ELLIPSIS])

    def method_tolist(self, tx: Tx) -> VariableTracker:
        kind = self.array_type
        if kind.ndim != 1 or kind.dtype.kind not in "biuf" or kind.library != NUMPY:
            raise GraphBreak("calling numpy.ndarray.tolist: Python gets the elements themselves")
        found = tx.known(pythons).call(tx, (self,), {})
        if hasattr(found, "loop"):  # a long list is not unrolled for what it cannot do
            found.loop = None
        return found

    def method___len__(self, tx: Tx) -> VariableTracker:
        if not self.array_type.shape:
            raise observed(TypeError("len() of unsized object"))
        return size_tracker(tx, self.array_type.shape[0])

    def expect(self, tx: Tx, outcome: bool) -> None:
        if self.array_type.ndim:
            super().expect(tx, outcome)
        record_call(tx, bool, (self,), {}).expect(tx, outcome)

    def method_item(self, tx: Tx, *position: VariableTracker) -> VariableTracker:
        """One element as a Python number; the only one, unless a position is given."""
        if len(position) == 1 and self.array_type.ndim != 1:
            if position[0].python_type() is tuple:
                return self.method_item(tx, *position[0].iterate(tx))
            if any(size == 0 for size in self.array_type.shape):
                raise GraphBreak(f"item() of {self.describe()}, which is empty")
            flat = record_call(tx, np.reshape, (self, LAST), {})
            return flat.call_method(tx, "item", position, {})
        kinds = [index.python_type() for index in position]
        odd = not {np.ndarray, bool}.isdisjoint(kinds)
        if odd or not all(answers(kind, "__index__") for kind in kinds):
            raise GraphBreak(f"item() of {self.describe()} with other than ints")
        for index in position:
            if index.is_constant() and abs(index.as_constant(tx)) > sys.maxsize:
                raise GraphBreak(f"item() of {self.describe()} past 64 bits")
        key: VariableTracker = TupleVariable(
            [tx.call_builtin(operator.index, index) for index in position]
        )
        if len(position) != self.array_type.ndim or not self.array_type.ndim:
            if position:
                raise GraphBreak(f"item() of {self.describe()} with other than one int per axis")
            if not must(tx.shapes, "equal", self.array_type.size, 1):
                text = "can only convert an array of size 1 to a Python scalar"
                raise observed(ValueError(text))
            key = TupleVariable([ConstantVariable(0)] * self.array_type.ndim)
        return python_number_of(tx, record_call(tx, operator.getitem, (self, key), {}))

    def method_compress(
        self, tx: Tx, condition: VariableTracker, axis: VariableTracker = NONE
    ) -> VariableTracker:
        if not is_mask(condition) or type_of(condition).ndim != 1:
            return record_call(tx, np.ndarray.compress, (self, condition, axis), {})
        return record_call(tx, np.take, (self, positions(tx, condition)[0], axis), {})

    def has(self, tx: Tx, item: VariableTracker, absent: bool) -> VariableTracker:
        """`item in x`, or `not in`: whether any element is equal."""
        if not isinstance(item, NumberVariable | ArrayVariable | SizeVariable) and (
            item.python_type() not in (bool, int, float, complex)
        ):
            raise GraphBreak(f"whether {item.describe()} is in {self.describe()}")
        found = record_call(tx, np.any, (record_call(tx, np.equal, (self, item), {}),), {})
        if absent:
            found = record_call(tx, np.logical_not, (found,), {})
        return tx.call_builtin(bool, found)

    def method___contains__(self, tx: Tx, item: VariableTracker) -> VariableTracker:
        return self.has(tx, item, False)

    def method___iter__(self, tx: Tx) -> VariableTracker:
        return tx.iterator(self)

    def method___getitem__(self, tx: Tx, key: VariableTracker) -> VariableTracker:
        if (part := moving_view(tx, self, key)) is not None:
            return part
        if (masked := masked_part(tx, self, key)) is not None:
            return masked
        key = self.of_elements(tx, constant_mask(tx, self.array_type, key))
        key = spelled_out(tx, self.array_type, key)
        return record_call(tx, operator.getitem, (self, key), {})

    def method___setitem__(
        self, tx: Tx, key: VariableTracker, value: VariableTracker
    ) -> VariableTracker:
        if (part := moving_view(tx, self, key)) is not None:
            return part.method___setitem__(tx, ELLIPSIS, value)
        if isinstance(value, MaskedPart):
            return value.assign(tx, self, key)
        if stores_by_steps(tx, self, key, value):
            return NONE
        by_mask = is_mask(key) and type_of(key).ndim == self.array_type.ndim
        if is_mask(key) and is_number(value):
            check_mask(tx, self.array_type, 0, key)
        else:
            key = spelled_out(tx, self.array_type, key)
        if isinstance(value, (ListVariable, TupleVariable)):
            if by_mask or not is_constant_nest(tx, value):
                value = tx.call_builtin(np.array, value, constant(self.array_type.dtype))
                target = record_call(tx, operator.getitem, (self, key), {})
                if type_of(value).ndim > type_of(target).ndim:
                    raise GraphBreak("assigning a sequence that has more axes than its target")
        if by_mask and hasattr(value, "array_type") and type_of(value).ndim > 1:
            raise GraphBreak("assigning more than one axis under a mask")
        record_call(tx, operator.setitem, (self, key, value), {})
        return NONE

    def reconstruct(self, code: Emitter) -> None:
        if self.phi is not None:
            self.phi.reconstruct(code, self.node)
        else:
            code.load_output(self.node)

    def describe(self) -> str:
        return f"{self.source or self.node.name} (an array, {self.array_type})"


RESULTS[Form.ARRAY] = ArrayVariable


def array_library(value: VariableTracker) -> str:
    """Whose array a value of the graph is; numbers are NumPy's."""
    return value.array_type.library if isinstance(value, ArrayVariable) else NUMPY


def is_constant_nest(tx: Tx, value: VariableTracker) -> bool:
    """Whether a nested list holds nothing that the graph computes."""
    if isinstance(value, (ListVariable, TupleVariable)):
        return all(is_constant_nest(tx, item) for item in value.iterate(tx))
    return not value.in_graph or isinstance(value, ConstantNumber)


# -- sizes


def _shape(tx: Tx, array: ArrayVariable) -> VariableTracker:
    return TupleVariable([size_tracker(tx, size) for size in array.array_type.shape])


def _strides(tx: Tx, array: ArrayVariable) -> VariableTracker:
    """NumPy leaves the strides of axes of size 0 and 1 open."""
    if any(tx.shapes.less(size, 2) for size in array.array_type.shape):
        raise GraphBreak(f"the strides of {array.describe()}, which has an axis of size 0 or 1")
    return TupleVariable([size_tracker(tx, stride) for stride in array.array_type.strides])


SIZE_FACTS: dict[str, Callable[[Tx, ArrayVariable], VariableTracker]] = {
    "shape": _shape,
    "strides": _strides,
    "size": lambda tx, array: size_tracker(tx, array.array_type.size),
    "nbytes": lambda tx, array: size_tracker(
        tx, array.array_type.size * array.array_type.dtype.itemsize
    ),
    "flat": lambda tx, array: FlatVariable(array),
    "flags": lambda tx, array: FlagsVariable(array),
}


SHARED_ATTRIBUTES = frozenset({
    "shape", "strides", "size", "nbytes", "dtype", "ndim", "itemsize", "T", "real", "imag",
    *METHODS,
})  # fmt: skip
"""What the arrays of other libraries have too."""
