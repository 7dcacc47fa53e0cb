"""Numbers whose type depends on data: `best = 0.0`, and then perhaps an element of an array."""
from __future__ import annotations

import operator
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ....errors import GraphBreak
from ....ir import control, core
from ....ir.node import Node
from ....ir.row import Kind, row_of
from ....ir.sizes import SizeExpr
from ....ir.types import ArrayType, Form, python_number
from ...object_model.constants import ConstantVariable, constant
from ...recording.nodes import record
from ...state.tracker import Args, VariableTracker
from .indices import as_size
from .numbers import ComputedNumber, ConstantNumber, NumberVariable
from .phi import Phi
from .sizes import SizeVariable

if TYPE_CHECKING:
    from ...state.emitter import Emitter
    from ...state.tx import Tx

Kinds = tuple[type, ...]
DTYPES: dict[frozenset[type], np.dtype] = {
    frozenset((np.float64, float)): np.dtype(float),
    frozenset((np.float64, int)): np.dtype(float),
    frozenset((float, int)): np.dtype(float),
    frozenset((np.int64, int)): np.dtype(np.int64),
    frozenset((np.bool_, bool)): np.dtype(bool),
}
"""The types that one number may have → what holds its value. An int that may be a float instead is
so small that it is exact."""
TAKES_ANY = (operator.setitem, operator.getitem, float, int, bool)
"""What takes all of them for the same."""
ORDER = (np.float64, np.int64, np.bool_, float, int, bool)
EXACT = 2**53


class UnionNumber(NumberVariable):
    """`number` has the value, as Python's number; `test` says whether the type is the first one."""

    def __init__(self, number: Node, test: Any, kinds: Kinds) -> None:
        self.number = number
        self.test = test
        self.kinds = kinds
        self.array_type = number.type

    def python_type(self) -> type:
        raise GraphBreak(f"the type of {self.describe()}")

    def as_constant(self, tx: Tx) -> Any:
        raise GraphBreak(f"Python needs the value of {self.describe()}, computed from data")

    def as_argument(self, tx: Tx) -> Node:
        return self.number

    def check_argument(self, target: Any, args: Args) -> None:
        """Refuse calls whose result may have another type for each of the types."""
        if target in TAKES_ANY:
            return
        dtype = DTYPES[frozenset(self.kinds)]
        found = [getattr(value, "array_type", None) for value in args]
        same = all(kind is None or kind.dtype == dtype for kind in found)
        aliases = self.kinds == (dtype.type, PYTHON[dtype.kind])
        row = row_of(target)
        creates = row is not None and row.kind is Kind.CREATION and dtype.kind in "fi"
        if not (aliases and ((isinstance(target, np.ufunc) and same) or creates)):
            raise GraphBreak(f"{target.__name__} of {self.describe()}")

    def plain(self) -> ComputedNumber:
        """The value as Python's number, whatever it is."""
        return ComputedNumber(self.number)

    def truth(self, tx: Tx) -> bool:
        return self.plain().truth(tx)

    def expect(self, tx: Tx, outcome: bool) -> None:
        self.plain().expect(tx, outcome)

    def describe(self) -> str:
        names = " or ".join(kind.__name__ for kind in self.kinds)
        return f"a number that is {names}, as data decides"

    def reconstruct(self, code: Emitter) -> None:
        loads = [(lambda kind=kind: code.load_const(kind)) for kind in self.kinds]
        if isinstance(self.test, bool):
            loads[not self.test]()
        else:
            code.choose(self.test, *loads)
        code.load_output(self.number)
        code.call(1)


def is_object(value: VariableTracker) -> bool:
    """Whether a number is an object that there was before."""
    return value.source is not None or getattr(value, "phi", None) is not None


def kinds_of(value: VariableTracker) -> Kinds | None:
    """The types that a number may have; None for what is none, or not of these."""
    if isinstance(value, UnionNumber):
        return value.kinds
    if isinstance(value, NumberVariable):
        kind = value.python_type()
    elif isinstance(value, ConstantVariable):
        kind = type(value.value)
        if kind is int and not -EXACT <= value.value <= EXACT:
            return None
    else:
        return None
    return (kind,) if kind in ORDER else None


def united(first: VariableTracker, second: VariableTracker) -> Kinds | None:
    """The two types that either of two numbers has, or None where they cannot be one variable."""
    kinds = types_together(first, second)
    return kinds if kinds and is_exact(first, kinds) and is_exact(second, kinds) else None


def types_together(first: VariableTracker, second: VariableTracker) -> Kinds | None:
    """The same, whether or not the ints among them are known to be small."""
    parts = kinds_of(first), kinds_of(second)
    if parts[0] is None or parts[1] is None:
        return None
    kinds = tuple(kind for kind in ORDER if kind in {*parts[0], *parts[1]})
    return kinds if frozenset(kinds) in DTYPES else None


def is_exact(value: VariableTracker, kinds: Kinds) -> bool:
    """Whether what holds a number of these types holds the value exactly: of a computed int that
    is not known."""
    found = kinds_of(value)
    if found is None or not {*found} <= {*kinds}:
        return False
    is_known = found != (int,) or isinstance(value, (UnionNumber, ConstantVariable))
    return is_known or DTYPES[frozenset(kinds)].kind != "f"


def value_and_type(tx: Tx, value: VariableTracker, kinds: Kinds) -> list[VariableTracker]:
    """The trackers of the number itself, as a Python number, and of the test."""
    parts = python_value(tx, value, kinds), which(value, kinds)
    return [tracked(tx, part) for part in parts]


def tracked(tx: Tx, argument: Any) -> VariableTracker:
    """The tracker of a Python number, given as an argument of the graph."""
    if isinstance(argument, Node):
        return ComputedNumber(argument)
    return tx.size(argument) if isinstance(argument, SizeExpr) else constant(argument)


def python_value(tx: Tx, value: VariableTracker, kinds: Kinds) -> Any:
    """The value as an argument, a Python number of the type that holds it."""
    dtype = DTYPES[frozenset(kinds)]
    if isinstance(value, (ConstantVariable, ConstantNumber)):
        return np.array(value.as_constant(tx)).astype(dtype).item()
    argument = value.as_argument(tx)
    if isinstance(argument, Node) and argument.type.form is Form.SCALAR:
        return record(tx, core.plain, (argument,)).as_argument(tx)
    return argument


def as_int(tx: Tx, value: VariableTracker) -> VariableTracker:
    """A computed integer as Python's, of the same value; anything else as it is."""
    if isinstance(value, UnionNumber) and value.array_type.dtype.kind == "i":
        return value.plain()
    return as_size(tx, value)


def which(value: VariableTracker, kinds: Kinds) -> Any:
    """Whether the value's type is the first, as an argument."""
    if isinstance(value, UnionNumber):
        return value.test
    return kinds_of(value) == kinds[:1]


def chosen(
    tx: Tx, test: Any, first: VariableTracker, second: VariableTracker
) -> VariableTracker | None:
    """`first if test else second`, of two numbers; None where they cannot be one variable."""
    kinds = [_type_of(value) for value in (first, second)]
    if kinds[0] == kinds[1] and not any(isinstance(v, UnionNumber) for v in (first, second)):
        if kinds[0] is None or kinds[0].form is Form.ARRAY:
            return None
        pair = [value.as_argument(tx) for value in (first, second)]
        found = record(tx, control.choose, (test, *pair))
        if is_object(first) and is_object(second):
            return ComputedNumber(found.as_argument(tx), phi=Phi(test, (first, second)))
        return found
    if (union := united(first, second)) is None:
        return None
    pair = [python_value(tx, value, union) for value in (first, second)]
    tests = [which(value, union) for value in (first, second)]
    number, type_ = (
        record(tx, control.choose, (test, *of)).as_argument(tx) for of in (pair, tests)
    )
    return UnionNumber(number, type_, union) if len(union) > 1 else ComputedNumber(number)


def _type_of(value: VariableTracker) -> ArrayType | None:
    """The type of a number, or of an array."""
    if not isinstance(value, (ConstantVariable, SizeVariable)):
        return getattr(value, "array_type", None)
    if (kind := value.python_type()) not in (bool, int, float):
        return None
    fits = kind is not int or isinstance(value, SizeVariable) or -(2**62) < value.value < 2**62
    return python_number(kind) if fits else None


def types_of(kinds: Kinds) -> tuple[Any, Any]:
    """The types of the two nodes that such a number needs."""
    return python_number(PYTHON[DTYPES[frozenset(kinds)].kind]), python_number(bool)


PYTHON = {"f": float, "i": int, "b": bool}


def any_of(tx: Tx, tests: Sequence[Any]) -> Any:
    """Whether one of several tests holds, as an argument."""
    found, *others = tests
    for test in others:
        found = record(tx, control.choose, (found, True, test)).as_argument(tx)
    return found
