"""`sum`: floats are added as CPython adds them, which is not always one `+` after the other."""
from __future__ import annotations

import operator
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ...base.records import dataclass, field
from ...errors import GraphBreak
from ...guards.sources import DependentSource, LiteralSource, Pinned, Source
from ...ir import control
from ...native import number_kinds
from ..object_model.constants import ZERO, ConstantVariable, constant, observe
from ..object_model.dependent import Found
from ..object_model.lazy import realise
from ..polyfills.sums import COMPENSATES, float_sum, joined, plain_sum
from ..python import operators
from ..recording.nodes import record
from ..state.tracker import VariableTracker
from ..trackers.array_backed.answers import PYTHONS, answer, found_outside, long_list, made_outside
from ..trackers.array_backed.growing import PYTHON_NUMBERS, GrowingVariable, expected
from ..trackers.array_backed.vectors import is_not_empty, scalars_of
from ..trackers.arrays.numbers import ConstantNumber
from .listed import folded
from .table import handles

if TYPE_CHECKING:
    from ..state.tx import Tx

TEXT = (str, bytes, bytearray)
INTS = (bool, int)
MOST = 60
"""Numbers from outside that `sum` itself adds up; more are added by the graph."""


@handles(sum)
def builtin_sum(
    tx: Tx, iterable: VariableTracker, start: VariableTracker = ZERO
) -> VariableTracker:
    text = next((kind for kind in TEXT if issubclass(start.python_type(), kind)), None)
    if text is not None:
        observe(sum, (), text())  # CPython says what to use instead
    values = folded(tx, iterable)
    if (found := answer(tx, sum, values, start)) is not None:
        return found
    if (kind := kind_in_memory(values)) is not None and start.python_type() in (int, float):
        return sum_in_memory(tx, values, start, kind)
    if (total := zero_of(values, start)) is not None and is_not_empty(tx, values):
        return tx.known(plain_sum).call(tx, (values, total), {})
    if (total := zero_of_mixed(tx, values, start)) is not None:
        return tx.known(plain_sum).call(tx, (values, total), {})
    added = Total(start)
    if found_outside(tx, start) is None:
        added.settle(tx)  # the first item that cannot be added ends it
    for item in tx.iterate(values):
        added.add(tx, realise(tx, item))
    return added.end(tx)


# -- lists that are arrays of the graph


def kind_in_memory(values: VariableTracker) -> type | None:
    """The type of the items of a list of Python's numbers that is an array of the graph."""
    if not isinstance(values, GrowingVariable) or values.layout is not None:
        return None
    return next((kind for kind, type_ in PYTHON_NUMBERS.items() if (type_,) == values.kinds), None)


def zero_of(values: VariableTracker, start: VariableTracker) -> VariableTracker | None:
    """What the sum of numbers of NumPy's begins with, in which 0 has no part. They are in a list
    that is an array of the graph, or in a long array."""
    dtype = scalars_of(values)
    if dtype is None or dtype.kind not in "biuf" or not is_literal_zero(start, dtype):
        return None
    return ConstantNumber(np.dtype(int).type(0) if dtype.kind == "b" else dtype.type(0))


def zero_of_mixed(
    tx: Tx, values: VariableTracker, start: VariableTracker
) -> VariableTracker | None:
    """The same of a list of the caller's in which numbers of NumPy's are among Python's own."""
    letters = number_kinds(outside) if (outside := long_list(tx, values)) is not None else None
    if not letters or PYTHONS.issuperset(letters):
        return None
    if letters == "di" and is_literal_zero(start, np.dtype(int)):
        return ZERO
    if letters == "df" and is_literal_zero(start, np.dtype(float)) and not COMPENSATES:
        return constant(0.0)
    if outside is not None and len(outside) > MOST:
        raise GraphBreak("sum() of numbers of several types")
    return None


def is_literal_zero(value: VariableTracker, dtype: np.dtype[Any]) -> bool:
    if not isinstance(value, ConstantVariable) or value.source is not None:
        return False
    return repr(value.value) == "0" or (repr(value.value) == "0.0" and dtype.kind == "f")


def sum_in_memory(
    tx: Tx, values: Any, start: VariableTracker, kind: type
) -> VariableTracker:
    """By a loop, whose total has one type: 0 is a float there where the items are floats."""
    total, add = start, plain_sum
    if kind is float:
        add = float_sum
        if start.python_type() is int:
            if not isinstance(start, ConstantVariable) or start.value != 0:
                raise GraphBreak("sum() of floats that does not begin with 0")
            total = constant(0.0)
            expected(tx, operator.gt, values.length(tx), ZERO)
    return tx.known(add).call(tx, (values, total), {})


# -- item by item


@dataclass(slots=True)
class Total:
    """What `sum` has added up, in the three stages that it goes through: ints, floats, anything.

    Numbers that Python finds outside of the graph are `pending`: `sum` itself adds them up, if
    there are no others. `lost` is what floats have lost by rounding, where `sum` makes up for it.
    """

    value: VariableTracker
    pending: list[tuple[VariableTracker, Found]] | None = field(default_factory=list)
    lost: VariableTracker | None = None
    are_ints: bool = True

    def add(self, tx: Tx, item: VariableTracker) -> None:
        found = None if self.pending is None else found_outside(tx, item)
        if self.pending is None or found is None:
            self.settle(tx)
            self.step(tx, item)
            return
        self.pending.append((item, found))
        if len(self.pending) > MOST and not isinstance(item, ConstantVariable):
            self.settle(tx)

    def settle(self, tx: Tx) -> None:
        """From here on the graph adds."""
        if self.pending is None:
            return
        pending, self.pending = self.pending, None
        kind = self.value.python_type()
        self.are_ints = kind is int
        self.lost = constant(0.0) if COMPENSATES and kind is float else None
        for item, _ in pending:
            self.step(tx, item)

    def step(self, tx: Tx, item: VariableTracker) -> None:
        kind = item.python_type() if COMPENSATES else None
        if self.lost is not None and kind is float:
            self.compensate(tx, item)
        elif self.lost is not None and kind in INTS and is_short(item):
            self.value = operators.binary(tx, "+", self.value, item)
        else:
            self.flush(tx)
            self.value = operators.binary(tx, "+", self.value, item)
            if self.are_ints and COMPENSATES and (kind not in INTS or not is_short(self.value)):
                self.are_ints = False
                self.lost = constant(0.0) if self.value.python_type() is float else None

    def compensate(self, tx: Tx, item: VariableTracker) -> None:
        """As `polyfills.sums.compensated_sum`, without a branch."""
        more = computed(tx, operator.add, self.value, item)
        sizes = (computed(tx, operator.abs, value) for value in (self.value, item))
        is_larger = computed(tx, operator.ge, *sizes)
        large = computed(tx, control.choose, is_larger, self.value, item)
        small = computed(tx, control.choose, is_larger, item, self.value)
        part = computed(tx, operator.add, computed(tx, operator.sub, large, more), small)
        assert self.lost is not None
        self.lost, self.value = computed(tx, operator.add, self.lost, part), more

    def flush(self, tx: Tx) -> None:
        """Give back what was lost, where it is a number."""
        lost, self.lost = self.lost, None
        if lost is not None:
            whole = computed(tx, operator.add, self.value, lost)
            is_finite = computed(tx, operator.eq, computed(tx, operator.sub, lost, lost), ZERO)
            whole = computed(tx, control.choose, is_finite, whole, self.value)
            is_any = computed(tx, operator.ne, lost, ZERO)
            self.value = computed(tx, control.choose, is_any, whole, self.value)

    def end(self, tx: Tx) -> VariableTracker:
        start = found_outside(tx, self.value)
        if self.pending and start is not None and (
            found := sum_outside(tx, (self.value, start), self.pending)
        ):
            return found
        self.settle(tx)
        self.flush(tx)
        return self.value


def is_short(value: VariableTracker) -> bool:
    """Whether an int is known to have 64 bits, as those of the graph do."""
    return not isinstance(value, ConstantVariable) or abs(value.value) < 2**63


def computed(tx: Tx, function: Any, *values: VariableTracker) -> VariableTracker:
    if all(isinstance(value, ConstantVariable) for value in values):
        return constant(function(*[value.as_constant(tx) for value in values]))
    return record(tx, function, tuple(value.as_argument(tx) for value in values))


# -- numbers from outside


def sum_outside(
    tx: Tx, start: tuple[VariableTracker, Found], items: Sequence[tuple[VariableTracker, Found]]
) -> VariableTracker | None:
    """What `sum` itself makes of them: a number from outside again."""
    places = [found for _, (found, _) in items]
    total = observe(sum, [value for _, (_, value) in items], start[1][1])
    if all(isinstance(item, ConstantVariable) for item, _ in (start, *items)):
        return constant(total)
    values: Source = LiteralSource(())
    for place in places:
        values = DependentSource(Pinned(joined), (values, place))
    return made_outside(tx, total, sum, values, start[1][0])
