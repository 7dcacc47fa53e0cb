"""Numbers of the graph: NumPy scalars, and Python floats and complex numbers from outside.

Arithmetic on them is a node, and so follows NumPy's scalar rules; Python learns their value only
where it is a fact of the call's inputs, which a guard can hold on to.
"""
from __future__ import annotations

import operator
from typing import TYPE_CHECKING, Any

import numpy as np

from ....errors import GraphBreak
from ....guards.kinds import COMPARISONS, EQUALS, OUTCOME, TYPE, Outcome
from ....guards.sources import CellSource, ConstSource, GlobalSource, Source
from ....ir import core
from ....ir.node import Node
from ....ir.sizes import Size
from ....ir.types import DUPLICATES, NUMBERS, ArrayType, Form, python_number, scalar
from ...object_model.constants import ConstantVariable, builds, constant, fold, is_without_self
from ...object_model.dependent import FINDERS, MAKERS, dependent
from ...recording.nodes import RESULTS, placeholder, record
from ...recording.unbacked import what_made
from ...rules.mro import answers
from ...state.tracker import Args, Kwargs, VariableTracker
from ..containers.sequences import TupleVariable
from .graph_methods import (
    OWN,
    GraphMethodVariable,
    call_graph_method,
    converted,
    graph_attribute,
    record_call,
    type_of,
)
from .phi import Phi

if TYPE_CHECKING:
    from ...state.emitter import Emitter
    from ...state.tx import Tx

PYTHON_TYPES = {np.dtype(kind): kind for kind in (bool, int, float, complex)}
SCALARS = tuple(np.dtype(code).type for code in NUMBERS if code not in DUPLICATES)
"""The NumPy scalar types that a graph may hold."""


OF_EVERY_SCALAR = ("shape", "size", "nbytes", "strides")

READERS = ("item", "tolist", "is_integer", "as_integer_ratio", "hex")
"""Methods of NumPy scalars that give Python values."""

OF_ARRAYS = ("astype", "copy", "flatten", "ravel", "reshape", "squeeze", "transpose", "view")
"""Methods that NumPy scalars leave to an array of no axes."""


class NumberVariable(VariableTracker):
    """Base of the three kinds of known numbers: as a constant, as an input, or as a node."""

    in_graph = True
    array_type: ArrayType

    def python_type(self) -> type:
        kind = self.array_type
        return kind.dtype.type if kind.form is Form.SCALAR else PYTHON_TYPES[kind.dtype]

    @property
    def is_python(self) -> bool:
        return self.array_type.form is Form.PYTHON

    def getattr(self, tx: Tx, name: str) -> VariableTracker:
        kind = self.python_type()
        is_method = answers(kind, name) and callable(getattr(kind, name))
        if self.is_python and is_method:
            return GraphMethodVariable(self, name)
        if self.is_python or (self.is_constant() and not is_method):
            return fold(tx, getattr, (self, ConstantVariable(name)))
        if name == "real" and self.array_type.dtype.kind != "c":
            return self
        if name in OF_EVERY_SCALAR:
            return constant(getattr(self.array_type.dtype.type(0), name))
        if (known := graph_attribute(tx, self, self.array_type, name)) is not None:
            return known
        if not is_method:
            raise GraphBreak(f"attribute {name!r} of {self.describe()}")
        return GraphMethodVariable(self, name)

    def call_method(self, tx: Tx, name: str, args: Args, kwargs: Kwargs) -> VariableTracker:
        if self.is_python or (self.is_constant() and name in READERS):
            method = getattr(self.python_type(), name)
            args = args if is_without_self(self.python_type(), name) else (self, *args)
            made = None if kwargs else dependent(tx, method, args)
            return made or fold(tx, method, args, kwargs)
        if name == "astype" and len(args) == 1 and not kwargs:
            return converted(tx, self, args[0])
        if name in ("item", "tolist") and not args and not kwargs:
            return python_number_of(tx, self)
        if name in OF_ARRAYS:
            return by_array(tx, self, name, args, kwargs)
        if name in OWN:
            raise GraphBreak(f"method {name!r} of {self.describe()}")
        return call_graph_method(tx, self, name, args, kwargs)


class ConstantNumber(NumberVariable):
    """A NumPy scalar known while tracing; its arithmetic is folded where NumPy says nothing."""

    def __init__(self, value: Any, source: Source | None = None) -> None:
        self.value = value
        self.source = source
        self.array_type = scalar(value.dtype)

    def is_constant(self) -> bool:
        return True

    def as_constant(self, tx: Tx) -> Any:
        return self.value

    def reconstruct(self, code: Emitter) -> None:
        code.load_const(self.value)


class InputNumber(NumberVariable):
    """A number from outside; an input of the graph once the graph uses it."""

    def __init__(self, value: Any, source: Source) -> None:
        self.value = value
        self.source: Source = source
        is_numpy = isinstance(value, np.generic)
        self.array_type = scalar(value.dtype) if is_numpy else python_number(type(value))
        self._node: Node | None = None

    def is_constant(self) -> bool:
        return self.is_python

    def as_constant(self, tx: Tx) -> Any:
        """The value, guarded; NumPy scalars have no guard of their value."""
        if not self.is_python:
            return super().as_constant(tx)
        if not tx.shapes.policy.may_fix((self.source, tx.location()), self.value):
            raise GraphBreak(f"Python needs the value of {self.source}, which keeps changing")
        tx.guards.install(self.source, EQUALS, self.value, tx.location())
        return self.value

    def outcome(self, tx: Tx, symbol: str, other: Any) -> bool:
        """`value symbol other` for a known number: only the answer is guarded."""
        answer = bool(COMPARISONS[symbol](self.value, other))
        tx.guards.install(self.source, OUTCOME, Outcome(symbol, other, answer), tx.location())
        return answer

    def truth(self, tx: Tx) -> bool:
        return self.outcome(tx, "!=", 0) if self.is_python else super().truth(tx)

    def as_argument(self, tx: Tx) -> Node:
        if self._node is None:
            self._node = placeholder(tx, self.source, self.array_type)
        return self._node


class ComputedNumber(NumberVariable):
    """A number that the graph computes.

    `relation` is what a bool says of sizes that depend on data, as (operator, left, right); `phi`
    which object the number is.
    """

    def __init__(
        self, node: Node, relation: tuple[str, Size, Size] | None = None, phi: Phi | None = None
    ) -> None:
        self.node = node
        self.array_type = node.type
        self.relation = relation
        self.phi = phi

    def as_constant(self, tx: Tx) -> Any:
        what = what_made(self.node)
        where = f" at {self.node.location}" if self.node.location is not None else ""
        raise GraphBreak(f"Python needs the value of {what}, computed from data{where}")

    def truth(self, tx: Tx) -> bool:
        if self.relation is not None:
            return tx.shapes.compare(*self.relation)
        where = f" at {self.node.location}" if self.node.location is not None else ""
        raise GraphBreak(
            f"a branch depends on data: on the truth of {what_made(self.node)}, computed{where}. "
            "np.where computes both sides; dl.check tells what always holds"
        )

    def expect(self, tx: Tx, outcome: bool) -> None:
        relation = None if tx.graph.is_body else self.relation
        if relation is not None and tx.shapes.expect(*relation, outcome):
            return
        condition = self.node
        if not outcome:
            condition = record(tx, np.logical_not, (condition,)).as_argument(tx)
        record(tx, core.expect, (condition,))

    def as_argument(self, tx: Tx) -> Node:
        return self.node

    def reconstruct(self, code: Emitter) -> None:
        if self.phi is not None:
            self.phi.reconstruct(code, self.node)
        else:
            code.load_output(self.node)


MAKERS[float] = lambda tx, value, source: InputNumber(value, source)
FINDERS[InputNumber] = lambda tx, number: (
    (number.source, number.value) if type(number.value) is float else None
)
RESULTS[Form.SCALAR] = RESULTS[Form.PYTHON] = ComputedNumber


CONVERSIONS: dict[str, Any] = {"b": bool, "i": int, "u": int, "f": float}


def python_number_of(tx: Tx, value: VariableTracker) -> VariableTracker:
    """`value.item()` of one element."""
    kind = type_of(value)
    if kind.form is Form.PYTHON:
        return value
    convert = CONVERSIONS.get(kind.dtype.kind)
    if convert is None or kind.dtype.char in "gG":  # of long doubles Python has none
        raise GraphBreak(f"a Python number made of {value.describe()}")
    return record_call(tx, convert, (value,), {})


def by_array(
    tx: Tx, number: VariableTracker, name: str, args: Args, kwargs: Kwargs
) -> VariableTracker:
    """A method of an array without axes; NumPy makes a scalar of one that it gives."""
    array = record_call(tx, np.asarray, (number,), {})
    result = call_graph_method(tx, array, name, args, kwargs)
    if type_of(result).shape:
        return result
    return record_call(tx, operator.getitem, (result, TupleVariable()), {})


@builds(*SCALARS)
def _scalar(value: np.generic) -> VariableTracker:
    return ConstantNumber(value)


def wrap_number(tx: Tx, value: Any, source: Source) -> VariableTracker:
    """A Python float or complex, or a NumPy scalar, from outside.

    Module-level Python numbers rarely change: they are constants until one has been seen to.
    """
    tx.guards.install(source, TYPE, value, tx.location())
    if isinstance(value, np.generic):
        return InputNumber(value, source)
    tx.shapes.policy.observe(source, "value", 0, value)
    if is_module_level(source) and not tx.shapes.policy.history.changed((source, "value", 0)):
        return ConstantVariable(value, source)
    return InputNumber(value, source)


def is_module_level(source: Source) -> bool:
    """Whether a value is found through globals or modules, not through arguments."""
    while isinstance(base := getattr(source, "base", None), Source):
        source = base
    return isinstance(source, (GlobalSource, ConstSource, CellSource))
